"""Files of JSON Lines that only ever grow: whole lines or none are written, and a broken line stops nobody for ever."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from mua_env.errors import DataError, NewerVersion, WriteError


class LineWriter:
    """Appends lines to a file.

    Args:
        path: the file, made with its folder when it does not exist. A last line that a killed run left half
            written is cut off first, so that the next one starts clean.
        sync: whether a line is on the disk before :meth:`write` returns; else it outlives the process, but not a
            failure of the machine.
    """

    def __init__(self, path: Path, *, sync: bool) -> None:
        self.path, self._sync = path, sync
        path.parent.mkdir(parents=True, exist_ok=True)
        cut_half_line(path)
        self._file: int | None = os.open(
            path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644
        )

    def write(self, line: str, *, what: str) -> None:
        """Append a line, whole or not at all.

        Args:
            line: the text, without an end.
            what: it is about, for the message.

        Raises:
            WriteError: it could not be written, as on a full disk; lines before it are untouched.
        """
        file = self._open_file()
        data = line.encode() + b"\n"
        before = os.fstat(file).st_size
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            if self._sync:
                os.fsync(file)
        except OSError as error:
            os.ftruncate(file, before)
            raise WriteError(
                f"{what} could not be written to {self.path} ({error.strerror}), and what was running beside it is not "
                "kept either. What was written before is whole. When there is room again, the same command goes on"
            ) from error

    def sync(self) -> None:
        """Return when all lines are on the disk."""
        os.fsync(self._open_file())

    def close(self) -> None:
        """Close the file. May be called again."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def _open_file(self) -> int:
        if self._file is None:
            raise ValueError(f"{self.path} is closed")
        return self._file


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file by number, from 1, without their ends; a half-written last one is left out."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield number, line[:-1]


def set_aside(path: Path, read: Callable[[bytes], object], *, then: str) -> list[str]:
    """Move lines that cannot be read into ``broken-<name>`` beside a file, so that what reads it can go on.

    The process must be the only one that writes to the file. Nothing is lost: a line is in the one file or the other.

    Args:
        path: the file; nothing is done where there is none.
        read: reads a line.
        then: what follows from a line that is missing, for the notices.

    Returns:
        A notice for each line.

    Raises:
        NewerVersion: a line is of a newer version's.
    """
    if not path.exists():
        return []
    aside = path.with_name(f"broken-{path.name}")
    faults = {number: fault for number, line in whole_lines(path) if (fault := _fault(line, read)) is not None}
    if not faults:
        return []
    _copy(path, aside, lambda number: number in faults, append=True)
    draft = path.with_name(path.name + ".part")
    _copy(path, draft, lambda number: number not in faults, append=False)
    draft.replace(path)
    return [f"{path}, line {number}: {fault}. It now stands in {aside}; {then}" for number, fault in faults.items()]


def _fault(line: bytes, read: Callable[[bytes], object]) -> str | None:
    try:
        read(line)
    except NewerVersion:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return " ".join(str(error).split())[:200]
    return None


def _copy(source: Path, target: Path, wanted: Callable[[int], bool], *, append: bool) -> None:
    try:
        with target.open("ab" if append else "wb") as file:
            file.writelines(line + b"\n" for number, line in whole_lines(source) if wanted(number))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise DataError(
            f"{source} has broken lines, which cannot be set aside in {target}: {error.strerror}"
        ) from error


def cut_half_line(path: Path) -> None:
    """Cut off a last line that was left half written; a file that does not exist is left alone."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        end = size
        while end:
            start = max(0, end - 65536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start
        file.truncate(0)
