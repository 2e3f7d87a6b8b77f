"""How a run ends that cannot go on: with what happened and how to go on, never with half a file."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mua_env.errors import RunStopped

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FULL_TEXTS = (
    "No space left on device",
    "File too large",
    "(os error 28)",
    "(os error 27)",
    "failed writing file",
    "unexpected pos",
)
"""How safetensors and torch say it, which raise no OSError."""


@contextmanager
def stopping(folder: Path, say: Callable[[str], None] = lambda text: None) -> Iterator[None]:
    """Give what ends a run a way to go on: `RunStopped` gets it, a full disk becomes one, others carry a note.

    An interruption is told to ``say``.
    """
    further = f"What was done until then is kept in {folder}; go on with --resume --folder {folder}"
    try:
        yield
    except RunStopped as error:
        raise RunStopped(f"{error}. {further}") from error.__cause__
    except Exception as error:
        if disk_is_full(error):
            raise RunStopped(f"the disk is full ({_last_line(error)}). Free some space. {further}") from error
        error.add_note(further)
        raise
    except KeyboardInterrupt:
        say(f"Interrupted. {further}")
        raise


def disk_is_full(error: BaseException) -> bool:
    """Whether an error, or what it came from, says that nothing more can be written."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in _FULL:
            return True
        if any(text in str(seen) for text in _FULL_TEXTS):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _last_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1][:200]
