"""A user's checkout of ACEBench: where it lies, what it holds, and its scenario classes."""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import os
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mua_env.errors import DataError, TaskError

VARIABLE = "ACEBENCH_ROOT"
KINDS = ("multi_turn", "multi_step")
CLASSES = {
    "BaseApi": "phone_platform/base_api.py",
    "MessageApi": "phone_platform/message.py",
    "ReminderApi": "phone_platform/reminder.py",
    "FoodPlatform": "phone_platform/food_services.py",
    "Travel": "travel.py",
}
"""The scenario classes, and the file of each below ``model_inference/<kind>/scenariosen``."""

_MODULES = frozenset({"typing", "datetime", "copy", "random", "math", "json", "collections"})
"""What a scenario file may import besides another scenario file."""
_FORBIDDEN = frozenset({"eval", "exec", "compile", "open", "input", "breakpoint", "__import__", "globals", "vars"})


def root_folder(path: str | Path | None) -> Path:
    """The checkout.

    Args:
        path: its folder; ``None`` reads the variable ``ACEBENCH_ROOT``.

    Raises:
        TaskError: none is named, or it is not one.
    """
    named = path or os.environ.get(VARIABLE)
    if not named:
        raise TaskError(
            f"ACEBench's tasks are read from your own checkout of it: name its folder by tasks_path=, or by {VARIABLE}"
        )
    root = Path(named)
    if not _data(root, "multi_turn").is_file():
        raise TaskError(f"{root} is no checkout of ACEBench: {_data(root, 'multi_turn')} is missing")
    return root


def rows(root: Path, kind: str) -> list[dict[str, Any]]:
    """The tasks of a kind with their ``ground_truth`` and ``mile_stone``.

    Raises:
        DataError: a file is missing, or is not what it should be.
    """
    path = _data(root, kind)
    answers = {row["id"]: row for row in _lines(path.parent / "possible_answer" / path.name)}
    tasks = list(_lines(path))
    if unanswered := [row["id"] for row in tasks if row["id"] not in answers]:
        raise DataError(f"{path}: no answer for {unanswered[0]!r} in possible_answer/")
    return [{**row, **answers[row["id"]]} for row in tasks]


def source_revision(root: Path) -> str:
    """The checkout's commit where it can be read, and its content in 12 hex digits."""
    digest = hashlib.sha256()
    for kind in KINDS:
        digest.update(_read(_data(root, kind)).encode())
        digest.update(_read(_data(root, kind).parent / "possible_answer" / _data(root, kind).name).encode())
        for file in CLASSES.values():
            digest.update(_read(_scenarios(root, kind) / file).encode())
    commit = _commit(root)
    return f"ACEBench {commit[:12] + ', ' if commit else ''}content {digest.hexdigest()[:12]}"


@cache
def scenario_class(root: Path, kind: str, name: str) -> Any:
    """A scenario class, from its file alone.

    What is executed is that file, and the one that it inherits from: definitions that were looked through before.
    A file that imports anything but the plain library modules listed here, or names a function that reaches outside
    (``open``, ``eval``, ``exec`` and the like, or an attribute with two leading underscores), is refused.

    Raises:
        DataError: there is no such class, or its file holds what is not executed.
    """
    if name not in CLASSES:
        raise DataError(f"ACEBench's class {name!r} is not known; known are {', '.join(CLASSES)}")
    path = _scenarios(root, kind) / CLASSES[name]
    tree = _checked(path)
    base = {"BaseApi": scenario_class(root, kind, "BaseApi")} if _imports_base(tree) else {}
    namespace: dict[str, Any] = {"__name__": path.stem, "__builtins__": _builtins(), **base}
    exec(compile(tree, str(path), "exec"), namespace)
    if name not in namespace:
        raise DataError(f"{path} defines no class {name}")
    return namespace[name]


def _checked(path: Path) -> ast.Module:
    """The file's definitions, without its imports of other scenario files."""
    try:
        tree = ast.parse(_read(path), filename=str(path))
    except SyntaxError as error:
        raise DataError(f"{path} is no Python: {error}") from None
    for node in ast.walk(tree):
        if reason := _reaches_outside(node):
            raise DataError(f"{path}, line {getattr(node, 'lineno', 0)}: {reason}; the file is not executed")
    return tree


def _reaches_outside(node: ast.AST) -> str | None:
    if isinstance(node, ast.Import):
        strange = [alias.name for alias in node.names if alias.name not in _MODULES]
        return f"it imports {strange[0]}" if strange else None
    if isinstance(node, ast.ImportFrom):
        return None if node.module in _MODULES or _is_base(node) else f"it imports from {node.module}"
    if isinstance(node, ast.Name) and (node.id in _FORBIDDEN or node.id.startswith("__")):
        return f"it names {node.id}"
    if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr not in ("__init__", "__dict__"):
        return f"it reaches for {node.attr}"
    return None


def _is_base(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").endswith(".base_api")


def _imports_base(tree: ast.Module) -> bool:
    """Takes the import of the base class out of a file; says whether there was one."""
    kept = [node for node in tree.body if not _is_base(node)]
    found = len(kept) < len(tree.body)
    tree.body = kept
    return found


def _builtins() -> dict[str, Any]:
    allowed = {name: value for name, value in vars(builtins).items() if name not in _FORBIDDEN}

    def import_plain(name: str, *rest: Any) -> types.ModuleType:
        if name not in _MODULES | {"_strptime"}:  # which datetime.strptime imports in its caller's name
            raise ImportError(f"a scenario file may not import {name}")
        return __import__(name, *rest)

    # Some methods print what they did; that is no part of a dialogue.
    return allowed | {"__import__": import_plain, "print": lambda *args, **kwargs: None}


def _data(root: Path, kind: str) -> Path:
    return root / "data_all" / "data_en" / f"data_agent_{kind}.json"


def _scenarios(root: Path, kind: str) -> Path:
    return root / "model_inference" / kind / "scenariosen"


def _commit(root: Path) -> str:
    """The commit of a git checkout, read from its files; empty where there is none."""
    head = root / ".git" / "HEAD"
    try:
        text = head.read_text(encoding="ascii").strip()
        return (root / ".git" / text[5:]).read_text(encoding="ascii").strip() if text.startswith("ref: ") else text
    except (OSError, UnicodeDecodeError):
        return ""


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_read(path).splitlines(), start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise DataError(f"{path}, line {number}: no JSON ({error})") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error}); is the checkout of ACEBench whole?") from None
