"""Finds an installed ``bfcl-eval`` and says by its content which release of the data it holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mua_env.errors import DataError, MissingExtra

CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
"""The four multi-turn categories, of 200 tasks each; the benchmark's overall figure is their plain mean."""

SOURCES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "TicketAPI": "ticket_api",
    "TwitterAPI": "posting_api",
    "VehicleControlAPI": "vehicle_control",
}
"""The class of each world, and the module of the package (and the file of tool documents) that it lies in."""

CLASSES = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"
INSTALL = "pip install --no-deps bfcl-eval==2026.3.23 && pip install 'mpmath>=1.3'"
"""Without ``--no-deps`` it brings every provider's client and a PyTorch of its own, 3.2 GB in all."""

_KNOWN = {"d5d12dc27852": "2026.3.23"}


def package_folder() -> Path:
    """Where ``bfcl_eval`` is installed; nothing of it is imported.

    Raises:
        MissingExtra: it is not installed, or mpmath, which one of its classes needs, is not.
    """
    missing = [name for name in ("bfcl_eval", "mpmath") if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f"BFCL's multi-turn tasks need the package bfcl-eval ({', '.join(missing)} cannot be imported). "
            f"It is installed without its dependencies:  {INSTALL}"
        )
    spec = find_spec("bfcl_eval")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations)))


def entries(category: str) -> list[dict[str, Any]]:
    """The tasks of a category, each with its ``ground_truth``: call texts by turn.

    Raises:
        DataError: a file is missing or is not what it should be.
    """
    data = package_folder() / "data"
    name = f"BFCL_v4_multi_turn_{category}.json"
    answers = {row["id"]: row["ground_truth"] for row in _rows(data / "possible_answer" / name)}
    rows = list(_rows(data / name))
    if unanswered := [row["id"] for row in rows if row["id"] not in answers]:
        raise DataError(f"{data / name}: no ground truth for {unanswered[0]!r} in possible_answer/{name}")
    return [{**row, "ground_truth": answers[row["id"]]} for row in rows]


@cache
def documents(class_name: str) -> tuple[dict[str, Any], ...]:
    """The tool documents of a class, in the benchmark's order and form.

    Raises:
        DataError: there is no such class in this release, or its file cannot be read.
    """
    if class_name not in SOURCES:
        raise DataError(f"BFCL's class {class_name!r} is not known; known are {', '.join(SOURCES)}")
    return tuple(_rows(package_folder() / "data" / "multi_turn_func_doc" / f"{SOURCES[class_name]}.json"))


@cache
def source_revision() -> str:
    """Which release the installed files are, by their content: results of different ones must not be compared."""
    folder, digest = package_folder(), hashlib.sha256()
    for path in _content(folder):
        digest.update(path.read_bytes())
    content = digest.hexdigest()[:12]
    try:
        installed = version("bfcl-eval")
    except PackageNotFoundError:
        installed = "unknown version"
    known = _KNOWN.get(content)
    return f"bfcl-eval {known}" if known else f"bfcl-eval {installed} (unknown content {content})"


def _content(folder: Path) -> Iterator[Path]:
    for category in CATEGORIES:
        yield folder / "data" / f"BFCL_v4_multi_turn_{category}.json"
        yield folder / "data" / "possible_answer" / f"BFCL_v4_multi_turn_{category}.json"
    sources = folder.joinpath(*CLASSES.split(".")[1:])
    yield sources / "long_context.py"
    for module in SOURCES.values():
        yield folder / "data" / "multi_turn_func_doc" / f"{module}.json"
        yield sources / f"{module}.py"


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error}); is bfcl-eval installed whole?  {INSTALL}") from None
    for number, line in enumerate(lines, start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise DataError(f"{path}, line {number}: no JSON ({error})") from None
