"""Types of tau2-bench's tools, made from annotations in its source as they are written there; nothing is run.

What a signature can name: built-in and ``typing`` types, aliases of them, enumerations of texts, and pydantic models
of fields. These are built anew from the syntax tree, so that their JSON schema is the one that tau2 gives.
"""

from __future__ import annotations

import ast
import datetime
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, create_model

from mua_env.domain.public.wording import parse
from mua_env.errors import DataError

_PACKAGE: Final = "tau2"
_KNOWN: Final = MappingProxyType(
    {
        **{kind.__name__: kind for kind in (str, int, float, bool, dict, list, tuple, set, object)},
        **{name: getattr(typing, name) for name in ("Any", "Dict", "List", "Literal", "Optional", "Tuple", "Union")},
        "Annotated": Annotated,
        "BaseModel": BaseModel,
        "Enum": Enum,
        "date": datetime.date,
        "datetime": datetime.datetime,
    }
)


class Types:
    """The types that modules of tau2 define, by module and name.

    Args:
        root: the package's folder, which holds ``domains``.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._trees: dict[str, ast.Module] = {}
        self._made: dict[tuple[str, str], Any] = {}

    def tree(self, module: str) -> ast.Module:
        """A module of the package, parsed.

        Raises:
            DataError: it cannot be read.
        """
        if module not in self._trees:
            self._trees[module] = parse(self._root.joinpath(*module.split(".")[1:]).with_suffix(".py"))
        return self._trees[module]

    def annotation(self, module: str, node: ast.expr) -> Any:
        """The type that an annotation in a module stands for.

        Raises:
            DataError: it names something that cannot be made.
        """
        match node:
            case ast.Constant(value=None):
                return None
            case ast.Constant(value=str(text)):
                return self.annotation(module, ast.parse(text, mode="eval").body)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self.named(module, name)
            case ast.BinOp(op=ast.BitOr()):
                return typing.Union[self.annotation(module, node.left), self.annotation(module, node.right)]  # noqa: UP007
            case ast.Subscript():
                return self._subscript(module, node)
        raise self._fault(module, node)

    def named(self, module: str, name: str) -> Any:
        """The type of a name in a module: made there, imported from another, or a known one.

        Raises:
            DataError: there is none.
        """
        key = (module, name)
        if key not in self._made:
            self._made[key] = self._make(module, name)
        return self._made[key]

    def value(self, module: str, node: ast.expr) -> Any:
        """A literal, or the member of an enumeration.

        Raises:
            DataError: it is neither.
        """
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.named(module, node.value.id)
            if isinstance(owner, type) and issubclass(owner, Enum) and node.attr in owner.__members__:
                return owner[node.attr]
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):
            raise self._fault(module, node) from None

    def _make(self, module: str, name: str) -> Any:
        for node in self.tree(module).body:
            match node:
                case ast.ClassDef() if node.name == name:
                    return self._class(module, node)
                case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                    return self.annotation(module, node.value)
                case ast.ImportFrom(module=str(source)) if any(a.asname or a.name == name for a in node.names):
                    if source.partition(".")[0] == _PACKAGE:
                        return self.named(source, name)
        if name in _KNOWN:
            return _KNOWN[name]
        raise DataError(f"{module}: {name!r} is no type that can be read")

    def _subscript(self, module: str, node: ast.Subscript) -> Any:
        base = self.annotation(module, node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if base is typing.Literal:
            return typing.Literal[tuple(self.value(module, item) for item in items)]
        if base is Annotated:
            fields = [self._field(module, item) for item in items[1:]]
            return Annotated[(self.annotation(module, items[0]), *fields)]
        inner = [... if _is_ellipsis(item) else self.annotation(module, item) for item in items]
        return base[inner[0] if len(inner) == 1 else tuple(inner)]

    def _class(self, module: str, node: ast.ClassDef) -> Any:
        bases = [self.named(module, base.id) for base in node.bases if isinstance(base, ast.Name)]
        if Enum in bases:
            members = [(n.targets[0].id, self.value(module, n.value)) for n in _assigned(node)]  # type: ignore[attr-defined]
            return Enum(node.name, members, type=str)
        base = next((base for base in bases if isinstance(base, type) and issubclass(base, BaseModel)), None)
        if base is None:
            raise self._fault(module, node)
        fields: dict[str, Any] = {}
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                default = ... if item.value is None else self._field(module, item.value)
                fields[item.target.id] = (self.annotation(module, item.annotation), default)
        for given in _assigned(node):
            if given.targets[0].id == "model_config" and isinstance(given.value, ast.Call):  # type: ignore[attr-defined]
                options = {word.arg: self.value(module, word.value) for word in given.value.keywords if word.arg}
                base = create_model(base.__name__, __base__=base)
                base.model_config = ConfigDict(**{**base.model_config, **options})  # type: ignore[typeddict-item]
        return create_model(node.name, __base__=base, __doc__=ast.get_docstring(node, clean=False), **fields)

    def _field(self, module: str, node: ast.expr) -> Any:
        """A default value, or the field that a call of ``Field`` describes."""
        if not isinstance(node, ast.Call):
            return self.value(module, node)
        words = {word.arg: word.value for word in node.keywords if word.arg}
        factory = words.pop("default_factory", None)
        given = {name: self.value(module, value) for name, value in words.items()}
        if node.args:
            given["default"] = self.value(module, node.args[0])
        if factory is not None:  # what it makes is in no schema
            given["default_factory"] = lambda: None
        return Field(**given)

    def _fault(self, module: str, node: ast.AST) -> DataError:
        return DataError(f"{module}, line {getattr(node, 'lineno', '?')}: {ast.unparse(node)[:80]!r} cannot be read")


def field_orders(types: Types, module: str) -> Iterator[tuple[str, ...]]:
    """The fields of each model that a module defines, in their order, inherited ones first."""
    classes = {node.name: node for node in types.tree(module).body if isinstance(node, ast.ClassDef)}

    def fields(name: str) -> list[str]:
        node = classes.get(name)
        if node is None:
            return []
        inherited = [field for base in node.bases if isinstance(base, ast.Name) for field in fields(base.id)]
        own = (n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name))
        return list(dict.fromkeys([*inherited, *own]))

    for name in classes:
        if found := fields(name):
            yield tuple(found)


def _assigned(node: ast.ClassDef) -> list[ast.Assign]:
    return [item for item in node.body if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
