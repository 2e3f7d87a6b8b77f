"""The folder that a rollout or a training run writes to: one process's at a time, its JSON files whole or not there."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from mua_env.errors import ConfigError, WriteError


class Folder:
    """An existing folder, held until it is closed.

    Args:
        path: the folder.
        hold: False for the further processes of a run, whose first one holds the folder for all.

    Raises:
        ConfigError: another process holds it.
    """

    def __init__(self, path: str | os.PathLike[str], *, hold: bool = True) -> None:
        self.path = Path(path)
        self._lock = lock_folder(self.path) if hold else None

    def write_json(self, name: str, value: Any) -> None:
        """Write a JSON file, whole or not at all.

        Raises:
            WriteError: it cannot be written, as on a full disk.
        """
        self.write_text(name, json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """Let other processes write to the folder. May be called again."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def write_text(self, name: str, text: str) -> None:
        """Write a text, whole or not at all; raises as `write_json`."""
        target = self.path / name
        draft = target.with_name(f"{name}.{os.getpid()}.part")
        try:
            with draft.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                # Before the name changes: else a power cut could leave the new name with nothing in it.
                os.fsync(file.fileno())
            draft.replace(target)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise WriteError(
                f"{target} could not be written ({error.strerror}); the rest of its folder is as it was. When there "
                "is room again, the same command goes on"
            ) from error


def lock_folder(path: Path) -> int | None:
    """Hold a folder until the descriptor that is returned is closed, or the process ends, however it ends.

    Raises:
        ConfigError: another process holds it.
    """
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise ConfigError(f"{path} is being written by another run; wait for it, or choose another folder") from None
    except OSError:  # a file system without locks
        os.close(descriptor)
        return None
    return descriptor
