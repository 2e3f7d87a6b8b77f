"""Files and folders that are named by people."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mua_env.errors import ConfigError, WriteError

_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³")}


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder with those above it; one that is there is left as it is.

    Raises:
        ConfigError: it cannot be made, as where a file has its name.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        in_the_way = next((part for part in (folder, *folder.parents) if part.exists() and not part.is_dir()), None)
        reason = error.strerror if in_the_way is None else f"{str(in_the_way)!r} is a file; name another"
        raise ConfigError(f"cannot make the folder {str(folder)!r}: {reason}") from None
    return folder


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file where writing it fails, which a full disk does not.

    Raises:
        WriteError: it cannot be opened or written.
    """
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        raise WriteError(
            f"{os.fspath(path)} could not be written ({error.strerror or error}); name another place by --output, or "
            "free some space, and try again"
        ) from error


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, whole or not at all, and its folder where it is missing.

    Raises:
        WriteError: it cannot be written; what was there before is as it was.
    """
    with writing(path):
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file():  # as /dev/stdout, which nothing can take the place of
            target.write_text(text, encoding="utf-8")
            return
        target = target.resolve()  # a link stays one
        draft = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def is_reserved(name: str) -> bool:
    """Whether Windows takes a name for a device (``CON``, ``nul.txt``), so that no folder can have it there."""
    return name.partition(".")[0].strip().lower() in _RESERVED
