"""Folders that are named by people."""

from __future__ import annotations

import os
from pathlib import Path

from mua_env.errors import ConfigError

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


def is_reserved(name: str) -> bool:
    """Whether Windows takes a name for a device (``CON``, ``nul.txt``), so that no folder can have it there."""
    return name.partition(".")[0].strip().lower() in _RESERVED
