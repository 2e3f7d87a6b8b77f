"""Runs definitions of somebody else's source files, after a look through them, without importing their package."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mua_env.errors import DataError

LIBRARY = frozenset({"__future__", "collections", "copy", "datetime", "json", "math", "random", "typing"})
"""What a file may import besides the files and stand-ins that belong to it, unless it is said otherwise."""
_BY_DATETIME = frozenset({"_strptime", "time"})
"""Which methods of ``datetime`` import in their caller's name."""
_REFUSED = frozenset({"eval", "exec", "compile", "input", "breakpoint", "open", "globals", "vars", "locals"})
_DUNDER = frozenset({"__init__", "__name__", "__doc__", "__dict__"})
"""Attributes with two leading underscores that a file may name."""


@dataclass
class ForeignCode:
    """The files of one package, each run once, when it is first asked for.

    A file that imports anything but a few plain library modules, its sister files and the stand-ins, or that names
    what reaches outside (``open``, ``eval``, ``exec`` and the like, or an attribute with two leading underscores), is
    refused as a whole. That is a look through and no sandbox: whose copy it is, is to be trusted.

    Args:
        files: dotted name of a module -> its file.
        stand_ins: dotted name of a module -> what is given in its place: our own small versions of what the files
            import, so that the package and all that it depends on stay out.
        only: dotted name of a module -> the definitions of it that are wanted; the rest of it is neither looked at nor
            run (default: all of it).
        library: what may be imported from elsewhere.
    """

    files: Mapping[str, Path]
    stand_ins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    only: Mapping[str, Collection[str]] = field(default_factory=dict)
    library: Collection[str] = LIBRARY
    _ran: dict[str, types.ModuleType] = field(default_factory=dict, repr=False)

    def module(self, name: str) -> types.ModuleType:
        """A module, run if it was not before.

        Raises:
            DataError: its file is missing, is no Python, holds what is not run, or fails when it is run.
        """
        if name not in self._ran:
            module = types.ModuleType(name)
            if name in self.stand_ins:
                vars(module).update(self.stand_ins[name])
            else:
                self._run(name, module)
            self._ran[name] = module
        return self._ran[name]

    def named(self, module: str, name: str) -> Any:
        """Something that a module defines.

        Raises:
            DataError: it does not, or the module is not as :meth:`module` wants it.
        """
        found = getattr(self.module(module), name, None)
        if found is None:
            raise DataError(f"{self.files[module]} defines no {name}; is it a copy of another release?")
        return found

    def _run(self, name: str, module: types.ModuleType) -> None:
        path = self.files[name]
        tree = self._looked_through(name, path)
        vars(module)["__builtins__"] = self._builtins()
        try:
            # Without the flags of this file: annotations are to be what they are there.
            exec(compile(tree, str(path), "exec", dont_inherit=True), vars(module))
        except DataError:
            raise
        except Exception as error:  # a file of others fails as it likes
            raise DataError(f"{path} cannot be run: {type(error).__name__}: {error}") from error

    def _looked_through(self, name: str, path: Path) -> ast.Module:
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        except OSError as error:
            raise DataError(f"{path} cannot be read ({error}); is the copy whole?") from None
        except (SyntaxError, ValueError) as error:
            raise DataError(f"{path} is no Python: {error}") from None
        if name in self.only:
            tree.body = [node for node in tree.body if self._is_wanted(node, self.only[name])]
        for node in ast.walk(tree):
            if reason := self._reaches_outside(node):
                raise DataError(f"{path}, line {getattr(node, 'lineno', 0)}: {reason}; the file is not executed")
        return tree

    def _reaches_outside(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Import):
            strange = [alias.name for alias in node.names if alias.name not in self.library]
            return f"it imports {strange[0]}" if strange else None
        if isinstance(node, ast.ImportFrom):
            return None if node.level == 0 and self._may_import(node.module or "") else f"it imports from {node.module}"
        if isinstance(node, ast.Name) and (node.id in _REFUSED or node.id.startswith("__")):
            return f"it names {node.id}"
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr not in _DUNDER:
            return f"it reaches for {node.attr}"
        return None

    def _may_import(self, name: str) -> bool:
        return name in self.library or name in self.files or name in self.stand_ins

    def _builtins(self) -> dict[str, Any]:
        allowed = {name: value for name, value in vars(builtins).items() if name not in _REFUSED}

        def import_known(name: str, *rest: Any) -> types.ModuleType:
            if name in self.files or name in self.stand_ins:
                return self.module(name)  # ``from a.b import c`` asks for the module a.b itself
            if name not in self.library and name not in _BY_DATETIME:
                raise ImportError(f"{name} may not be imported here")
            return __import__(name, *rest)

        return allowed | {"__import__": import_known, "print": lambda *args, **kwargs: None}

    def _is_wanted(self, node: ast.stmt, names: Collection[str]) -> bool:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return self._reaches_outside(node) is None  # what is not run needs no more
        return isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in names
