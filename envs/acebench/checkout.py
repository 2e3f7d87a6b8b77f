"""A user's checkout of ACEBench: where it lies, what it holds, and its scenario classes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mua_env.domain.public.foreign_code import ForeignCode
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


def scenario_class(root: Path, kind: str, name: str) -> Any:
    """A scenario class, from its file alone.

    What is executed is that file, and the one that it inherits from, after a look through them (see
    :class:`mua_env.domain.public.foreign_code.ForeignCode`).

    Raises:
        DataError: there is no such class, or its file holds what is not executed.
    """
    if name not in CLASSES:
        raise DataError(f"ACEBench's class {name!r} is not known; known are {', '.join(CLASSES)}")
    return _code(root).named(_module(kind, name), name)


@cache
def _code(root: Path) -> ForeignCode:
    # The files of one kind import from the other.
    files = {_module(kind, name): _scenarios(root, kind) / file for kind in KINDS for name, file in CLASSES.items()}
    return ForeignCode(files)


def _module(kind: str, name: str) -> str:
    """The dotted name by which the files import each other."""
    return f"model_inference.{kind}.scenariosen.{CLASSES[name].removesuffix('.py').replace('/', '.')}"


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
