"""Reads the files of a public benchmark."""

from __future__ import annotations

from pathlib import Path

from mua_env.errors import DataError


def read_text(path: Path, *, copy: str) -> str:
    """The text of a file.

    Args:
        path: the file.
        copy: what it should be part of, for the message, as ``"the tau-bench checkout"``.

    Raises:
        DataError: it is missing or cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"{path} is missing; is {copy} whole?") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
