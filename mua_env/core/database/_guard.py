"""Who may use a connection: one thread at a time, nobody when it is closed, and no forked child of its owner's.

With it, what says that the database has failed, and not what was asked of it.
"""

from __future__ import annotations

import os
import threading

from sqlalchemy.exc import DBAPIError, PendingRollbackError

from mua_env.errors import ConfigError, EpisodeError


class Guard:
    """`with guard:` around each use of a connection. SQLite's driver crashes where it is closed amid a statement.

    Args:
        forkable: whether a forked child has a copy of its own, as of a database in memory. A socket it has not.
    """

    def __init__(self, *, forkable: bool) -> None:
        self._lock = threading.RLock()
        self._home = None if forkable else os.getpid()
        self._closed = False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._closed:
            self._lock.release()
            raise EpisodeError("this database is closed; its environment was closed, maybe by another thread")
        if self.foreign:
            self._lock.release()
            raise EpisodeError(
                "this database's connection belongs to the process that opened it, and os.fork() does not share it: "
                "make environments in the process that uses them"
            )

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def foreign(self) -> bool:
        """Whether this is a forked child of the process that opened the connection."""
        return self._home is not None and self._home != os.getpid()

    def close(self) -> bool:
        """Let nobody in any more, when who is in has left; returns whether that is new."""
        with self._lock:
            was, self._closed = self._closed, True
            return not was


class ServerLost(ConfigError):
    """A database server gives no connection: it is down, restarting, full, or its address is wrong."""


BROKEN = (DBAPIError, PendingRollbackError, ServerLost)
"""What a statement, or a clone that is to be had, raises when the database has failed. Never the agent's failure."""


def is_lost(error: Exception) -> bool:
    """Whether the connection is gone, so that another one may do."""
    return isinstance(error, PendingRollbackError) or bool(getattr(error, "connection_invalidated", False))
