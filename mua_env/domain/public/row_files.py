"""Rows of other people's tasks, from the user's own files: JSON Lines, JSON, Parquet, and folders of them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from mua_env.errors import MissingExtra, TaskError

SUFFIXES: Final = (".jsonl", ".json", ".parquet")
Shape = Literal["tau2", "dialogue"]
"""``tau2``: a user scenario with criteria; ``dialogue``: a recorded dialogue with its tools."""


@dataclass(frozen=True)
class Row:
    """One row of a file.

    Attributes:
        where: file and place, for messages.
        folder: of the file; what a row names lies below it.
        value: the row; ``None`` where it cannot be read.
        fault: why not.
    """

    where: str
    folder: Path
    value: dict[str, Any] | None = None
    fault: str = ""


def holds_rows(source: str) -> bool:
    """Whether a task source names files of somebody else's rows: a folder, a ``.json`` or ``.parquet`` file, or a
    ``.jsonl`` file whose first row is of a shape that is known here."""
    path = Path(source)
    # os.path's, which say no of a name that is too long for a file: a source may be one.
    there = os.path.isfile(path)
    if os.path.isdir(path) or (path.suffix in (".json", ".parquet") and there):
        return True
    if path.suffix != ".jsonl" or not there:
        return False
    first = next(_of_lines(path), None)
    return first is not None and first.value is not None and shape_of(first.value) is not None


def shape_of(row: dict[str, Any]) -> Shape | None:
    """What a row is, by its fields."""
    if "user_scenario" in row:
        return "tau2"
    return "dialogue" if "messages" in row and "tools" in row else None


def read_files(source: str | Path, shape: Shape) -> Iterator[Row]:
    """The rows of a file or folder, in order; of a folder, those files whose first row is of the shape.

    Raises:
        TaskError: there is no such file, or no file of the shape in the folder.
        MissingExtra: a Parquet file, and pyarrow is not installed.
    """
    files = list(files_of(source, shape))
    if not files:
        raise TaskError(f"{source}: no rows of the shape {shape!r} in {', '.join(f'*{name}' for name in SUFFIXES)}")
    for path in files:
        yield from _rows(path)


def files_of(source: str | Path, shape: Shape) -> Iterator[Path]:
    """The files of a source; in a folder those whose first row is of the shape."""
    path = Path(source)
    if path.is_file():
        yield path
        return
    for each in sorted(path.iterdir()) if path.is_dir() else ():
        first = next(iter(_rows(each)), None) if each.suffix in SUFFIXES and each.is_file() else None
        if first is not None and first.value is not None and shape_of(first.value) == shape:
            yield each


def content_of(files: Iterable[Path]) -> str:
    """First 12 hex digits of the SHA-256 of files."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _rows(path: Path) -> Iterator[Row]:
    reader = {".jsonl": _of_lines, ".json": _of_json, ".parquet": _of_parquet}.get(path.suffix)
    if reader is None:
        raise TaskError(f"{path}: rows are read from {', '.join(SUFFIXES)}")
    try:
        yield from reader(path)
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{path} cannot be read: {error}") from None


def _of_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _row(f"{path.name}, line {number}", path.parent, line)


def _row(where: str, folder: Path, text: str) -> Row:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Row(where, folder, fault=f"no JSON ({error})")
    return _whole(where, folder, value)


def _whole(where: str, folder: Path, value: object) -> Row:
    return Row(where, folder, value) if isinstance(value, dict) else Row(where, folder, fault="no object")


def _of_json(path: Path) -> Iterator[Row]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        yield Row(path.name, path.parent, fault=f"no JSON ({error})")
        return
    # tau2 itself has been seen to write both.
    rows = document.get("tasks", [document]) if isinstance(document, dict) else document
    for number, value in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        yield _whole(f"{path.name}, row {number}", path.parent, value)


def _of_parquet(path: Path) -> Iterator[Row]:
    try:
        import pyarrow.parquet as parquet  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra(f"{path}: Parquet files are read by pyarrow:  pip install pyarrow") from None
    try:
        batches = parquet.ParquetFile(path).iter_batches(batch_size=256)
        rows = (value for batch in batches for value in batch.to_pylist())
        for number, value in enumerate(rows, start=1):
            yield _whole(f"{path.name}, row {number}", path.parent, _without_empty(value))
    except (ValueError, OSError) as error:  # pyarrow's own errors are of these kinds
        yield Row(path.name, path.parent, fault=f"no Parquet ({error})")


def _without_empty(value: Any) -> Any:
    """Without the keys that another row has: a column of objects holds all keys in every row, as null."""
    if isinstance(value, dict):
        return {key: _without_empty(item) for key, item in value.items() if item is not None}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value
