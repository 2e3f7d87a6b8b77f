"""Recorded replies on disk: one SQLite file of texts by key. Nothing in it is ever unpickled.

replies.db   written by this version
cache.db     written by versions that used diskcache; its plain texts are still read, and nothing else in it is
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from mua_env.core.paths import make_folder
from mua_env.errors import DataError

NAME, OLD_NAME = "replies.db", "cache.db"
_TABLE = "CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)"
_PATIENCE_S = 60.0
"""How long a process waits for others that write to the same file."""
_OLD_RAW, _OLD_FILE = 0x1, 0x3
"""Modes of diskcache's rows: the text itself, and a text in a file of its own."""

_STRANGE = (
    "SELECT rowid, raw, mode FROM Cache WHERE raw IS NOT 1 OR mode NOT IN (?, ?) OR typeof(key) <> 'text' LIMIT 1"
)


class Recording:
    """The replies of a folder, which many threads and processes may use at once, forked ones too.

    Each call opens the file anew (some 0.1 ms, beside a model's seconds), so that no connection is shared.

    Args:
        folder: made when it is missing and `write` is true.
        write: False to read only; the folder may then be one that nobody may write to.

    Raises:
        DataError: a file is no recording, or holds what no version has ever written.
    """

    def __init__(self, folder: Path, *, write: bool) -> None:
        self._path, self._old = folder / NAME, OldRecording(folder)
        if write:
            make_folder(folder)
            with self._open(write=True) as connection:
                connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
        if self._path.is_file():
            with self._open() as connection:
                self._check(connection)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether a folder holds a recording."""
        return any((folder / name).is_file() for name in (NAME, OLD_NAME))

    def get(self, key: str) -> str | None:
        """The reply of a key, ``None`` if there is none."""
        if self._path.is_file():
            with self._open() as connection:
                found = connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            if found is not None:
                return _text(found[0], self._path, key)
        return self._old.get(key)

    def put(self, key: str, reply: str) -> None:
        """Keep a reply, in place of one that there was; it is on the disk when this returns."""
        with self._open(write=True) as connection:
            connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, reply))

    def __len__(self) -> int:
        keys: set[str] = self._old.keys()
        if self._path.is_file():
            with self._open() as connection:
                keys.update(key for (key,) in connection.execute("SELECT key FROM replies"))
        return len(keys)

    def _open(self, *, write: bool = False) -> Any:
        return _connection(self._path, "rwc" if write else "ro")

    def _check(self, connection: sqlite3.Connection) -> None:
        # A trigger, a view or a computed column would run its author's SQL.
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        made = [row for row in rows if not row[1].startswith("sqlite_autoindex_")]
        if made != [("table", "replies", _TABLE)]:
            raise DataError(f"{self._path} is no recording that mua-env has written; record anew into another folder")


class OldRecording:
    """What versions with diskcache recorded, read only.

    diskcache pickled every value and key that was no text or number; ours were all texts. A row that says otherwise
    was put there by somebody else, and the whole file is refused.

    Args:
        folder: of the recording.

    Raises:
        DataError: a row is not plain text, or the file is broken.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / OLD_NAME
        self._exists = self._path.is_file()
        if self._exists:
            self._check()

    def get(self, key: str) -> str | None:
        """The reply of a key, ``None`` if there is none."""
        if not self._exists:
            return None
        with self._open() as connection:
            row = connection.execute(
                "SELECT mode, filename, value FROM Cache WHERE key = ? AND raw = 1", (key,)
            ).fetchone()
        if row is None:
            return None
        mode, name, value = row
        return _text(value if mode == _OLD_RAW else self._file(name), self._path, key)

    def keys(self) -> set[str]:
        """All keys."""
        if not self._exists:
            return set()
        with self._open() as connection:
            return {key for (key,) in connection.execute("SELECT key FROM Cache")}

    def _file(self, name: Any) -> str:
        path = (self._folder / str(name)).resolve()
        if path.suffix != ".val" or not path.is_relative_to(self._folder.resolve()):
            raise DataError(f"{self._path} names {name!r} as the file of a reply; it is not read. Record anew")
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise DataError(f"cannot read a recorded reply from {path}: {error}. Record anew") from None

    def _check(self) -> None:
        with self._open() as connection:
            tables = connection.execute("SELECT type FROM sqlite_master WHERE name = 'Cache'").fetchall()
            strange = connection.execute(_STRANGE, (_OLD_RAW, _OLD_FILE)).fetchone() if tables == [("table",)] else None
        if tables != [("table",)]:
            raise DataError(f"{self._path} is no recording; record anew into another folder")
        if strange:
            row, raw, mode = strange
            raise DataError(
                f"{self._path} holds a row that mua-env never wrote (row {row}, raw {raw!r}, mode {mode!r}): its key "
                "or its value is pickled, and reading it could run a program. It is not read; record anew into another "
                "folder"
            )

    def _open(self) -> Any:
        # The old files keep a write-ahead log, which readers cannot do without unless they know that nobody writes.
        logged = self._path.with_name(OLD_NAME + "-wal").is_file()
        return _connection(self._path, "ro" if logged else "ro&immutable=1")


@contextmanager
def _connection(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """A connection in a transaction, committed unless the block raises, then closed."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=_PATIENCE_S)) as made:
            made.execute("PRAGMA trusted_schema = OFF")
            with made:
                yield made
    except sqlite3.Error as error:
        raise DataError(
            f"the recording {path} cannot be {'written' if mode == 'rwc' else 'read'}: {error}; if the file is "
            "damaged, record anew into another folder"
        ) from error


def _text(value: Any, path: Path, key: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"{path} holds no text under {key[:12]}: {value!r:.40}; record anew into another folder")
    return value
