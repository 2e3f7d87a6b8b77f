"""Reads the files of a public benchmark: as text, or the literals of Python files, which are parsed and never run."""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path
from typing import Any

from mua_env.errors import DataError, TaskError


def read_text(path: Path, *, copy: str) -> str:
    """The text of a file.

    Args:
        path: the file.
        copy: what it should be part of, for the message, as ``"the tau-bench checkout"``.

    Raises:
        DataError: it is missing or cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path} is missing; is {copy} whole?") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def read_calls(path: Path, item: str, inner: Collection[str] = ()) -> list[dict[str, Any]]:
    """The first module-level list of ``item(...)`` calls, each as a dictionary of its keyword arguments.

    Args:
        path: the Python file.
        item: name of the constructor of the list's items, as ``"Task"``.
        inner: constructors allowed inside, as ``("Action",)``; they become dictionaries too.

    Raises:
        TaskError: the file cannot be read or parsed, holds no such list, or a value is no literal; the text names
            the line.
    """
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{path} cannot be read: {error}") from None
    except SyntaxError as error:
        raise TaskError(f"{path}: not valid Python at line {error.lineno}: {error.msg}") from None
    reader = _Reader(path, {item, *inner})
    for statement in tree.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.List) and any(_called(element) == item for element in value.elts):
            return [reader.value(element) for element in value.elts]
    raise TaskError(f"{path}: no list of {item}(...) calls in it")


def _called(node: ast.expr) -> str | None:
    """The name that a call calls: ``Task`` for both ``Task(...)`` and ``types.Task(...)``."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None


class _Reader:
    def __init__(self, path: Path, constructors: Collection[str]) -> None:
        self._path = path
        self._constructors = constructors

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.List | ast.Tuple):
            return [self.value(element) for element in node.elts]
        if isinstance(node, ast.Dict) and None not in node.keys:
            keys = [self.value(key) for key in node.keys if key is not None]
            return dict(zip(keys, map(self.value, node.values), strict=True))
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):
            raise self._fault(node, f"{ast.unparse(node)[:60]!r} is not a literal") from None

    def _call(self, node: ast.Call) -> dict[str, Any]:
        name = _called(node)
        if name not in self._constructors:
            raise self._fault(node, f"a call of {name!r}; only {', '.join(sorted(self._constructors))} can be read")
        if node.args or any(keyword.arg is None for keyword in node.keywords):
            raise self._fault(node, f"{name}(...) with arguments that have no name")
        return {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg is not None}

    def _fault(self, node: ast.AST, problem: str) -> TaskError:
        return TaskError(f"{self._path}, line {getattr(node, 'lineno', '?')}: {problem}")
