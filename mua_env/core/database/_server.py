"""One connection to a PostgreSQL server that makes and drops databases, and is made anew when it is lost.

It holds the advisory lock that says that this process lives; see :mod:`mua_env.core.database._postgres` for the names.
"""

from __future__ import annotations

import atexit
import itertools
import os
import re
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from pydantic_core import from_json
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, PendingRollbackError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from mua_env.core.database._address import checked, first_line, place, unreachable
from mua_env.core.database._database import Database
from mua_env.core.database._guard import ServerLost, is_lost
from mua_env.core.database._template import Template
from mua_env.errors import ConfigError, EpisodeError

_T = TypeVar("_T")
LOCK_SPACE = 0x6D7561
"""First key of every advisory lock of this package."""
_CLONE = re.compile(r"mua_c_([0-9a-f]{8})_\w+")
_CONNECT_SECONDS = 10


class Server:
    """The connection to a server that makes and drops databases, and whose lock says that this process lives."""

    def __init__(self, url: str) -> None:
        self._url = checked(url)
        self._mutex = threading.RLock()
        self._target = self._url.database
        self._engine: Engine = create_engine(
            self._url, creator=self._connect, poolclass=NullPool, json_deserializer=from_json
        )
        self._numbers = itertools.count(1)
        self._open: dict[str, Connection] = {}
        self._left: set[str] = set()
        self._pid = os.getpid()
        self._idle_closes = False
        self._closed = False
        self._owner = secrets.randbits(31)
        self._admin: Connection | None = self._claim()
        atexit.register(self.close)

    def _claim(self) -> Connection:
        """A connection that holds the owner's lock; under another owner if somebody, as a lost session, holds it."""
        admin = self.connect(self._url.database, autocommit=True)
        while not admin.execute(text("SELECT pg_try_advisory_lock(:space, :owner)"), self._key(self._owner)).scalar():
            self._owner = secrets.randbits(31)
        return admin

    def _ask(self, work: Callable[[Connection], _T]) -> _T:
        """Have something done by the connection that administers; one that was lost is made anew, once."""
        with self._mutex:
            self._check_process()
            try:
                return work(self._connected())
            except (DBAPIError, PendingRollbackError) as error:
                if not is_lost(error):
                    raise
                self._forget_admin()
                return work(self._connected())

    def _connected(self) -> Connection:
        if self._closed:
            raise EpisodeError("the connection to the database server is closed")
        if self._admin is None:
            self._admin = self._claim()
        return self._admin

    def _forget_admin(self) -> None:
        admin, self._admin = self._admin, None
        if admin is not None:
            _disconnect(admin)

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise EpisodeError(
                "the connection to the database server belongs to the process that opened it, and os.fork() does not "
                "share it: make environments in the process that uses them"
            )

    @staticmethod
    def _key(number: int) -> dict[str, int]:
        return {"space": LOCK_SPACE, "owner": number}

    @property
    def role(self) -> str:
        """The role that owns what is made."""
        return self._url.username or ""

    def new_name(self) -> str:
        """A name for a database of this process."""
        return f"mua_c_{self._owner:08x}_{next(self._numbers)}"

    def run(self, statement: str) -> None:
        """Run a statement outside any transaction.

        Raises:
            ConfigError: the role lacks the right to.
        """
        try:
            self._ask(lambda admin: admin.exec_driver_sql(statement))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != "42501":
                raise
            role = self._url.username or "this role"
            raise ConfigError(
                f"PostgreSQL at {place(self._url)}: {role} may not create databases ({first_line(error)}). "
                f'An administrator can allow it: ALTER ROLE "{role}" CREATEDB'
            ) from None

    def lock(self, number: int) -> _AdvisoryLock:
        """A lock that holds against all processes that use this package on the server's same database."""
        return _AdvisoryLock(self, number)

    def exists(self, name: str) -> bool:
        """Whether there is a database of that name."""
        query = text("SELECT 1 FROM pg_database WHERE datname = :name")
        return self._ask(lambda admin: admin.execute(query, {"name": name}).first()) is not None

    def open(self, template: Template, name: str) -> Database:
        """Connect to a clone; it is dropped when the database is closed."""
        connection = self.connect(name)
        self._drop_left()
        try:
            database = Database(template, connection, on_close=lambda: self._drop(name))
        except BaseException:
            _disconnect(connection)
            raise
        with self._mutex:
            self._open[name] = connection
        return database

    def discard(self, name: str) -> None:
        """Drop a database that could not be brought into use, now or when the server can be asked again."""
        with self._mutex:
            self._left.add(name)
            self._drop_left()

    def _drop_left(self) -> None:
        with self._mutex:
            if not self._closed:
                self._left = {name for name in self._left if not self._drop_unused(name)}

    def _drop(self, name: str) -> None:
        with self._mutex:
            if self._open.pop(name, None) is not None and not self._closed:
                self.discard(name)
            if self._idle_closes and not self._open:
                self.close()

    def connect(self, database: str | None, *, autocommit: bool = False) -> Connection:
        """A connection to a database of the server. All share one dialect and its cache of compiled statements.

        Raises:
            ConfigError: there is no connection to be had.
        """
        with self._mutex:
            self._check_process()
            self._target = database
            try:
                connection = self._engine.connect()
            except SQLAlchemyError as error:
                raise unreachable(self._url, error) from None
        return connection.execution_options(isolation_level="AUTOCOMMIT") if autocommit else connection

    def _connect(self) -> Any:
        import psycopg

        _, options = self._engine.dialect.create_connect_args(self._url)
        return psycopg.connect(**{"connect_timeout": _CONNECT_SECONDS, **options, "dbname": self._target})

    def drop_abandoned(self) -> list[str]:
        """Drop the databases whose owner is gone; returns their names."""
        names = text("SELECT datname FROM pg_database WHERE datname LIKE 'mua\\_c\\_%'")
        # Read in this order: an owner takes its lock before it makes a database. The view shows the locks that were
        # taken through any database, where asking for the lock itself would see those of this database only.
        locks = text("SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = :space")
        with self._mutex:
            found = self._ask(lambda admin: [str(name) for name in admin.execute(names).scalars()])
            alive = self._ask(lambda admin: set(admin.execute(locks, {"space": LOCK_SPACE}).scalars()))
        dropped = []
        for name in sorted(found):
            match = _CLONE.fullmatch(name)
            if match is not None and int(match[1], 16) not in alive and self._drop_unused(name):
                dropped.append(name)
        return dropped

    def _drop_unused(self, name: str) -> bool:
        try:
            self.run(f'DROP DATABASE IF EXISTS "{name}"')
        except (ConfigError, EpisodeError, SQLAlchemyError):
            # Someone is connected, it is another role's, or the server is gone: a later start drops what is left.
            return False
        return True

    def close_when_idle(self) -> None:
        """Close now, or with the last open clone."""
        with self._mutex:
            self._idle_closes = True
            if not self._open:
                self.close()

    def close(self) -> None:
        """Drop the clones that are still open and disconnect. May be called again."""
        if os.getpid() != self._pid:
            return  # A forked child shares the sockets; they are its parent's to close.
        with self._mutex:
            for name, connection in list(self._open.items()):
                _disconnect(connection)
                self._drop(name)
            self._drop_left()
            self._closed = True
            self._forget_admin()
        atexit.unregister(self.close)


def _disconnect(connection: Connection) -> None:
    # At the end of a process the server may be gone already.
    with suppress(SQLAlchemyError):
        connection.close()


class _AdvisoryLock:
    def __init__(self, server: Server, number: int) -> None:
        self._server = server
        self._key = {"space": LOCK_SPACE + 1, "owner": number}

    def __enter__(self) -> None:
        self._execute("pg_advisory_lock")

    def __exit__(self, *_: object) -> None:
        # It went with its connection if that was lost.
        with suppress(SQLAlchemyError, ServerLost):
            self._execute("pg_advisory_unlock")

    def _execute(self, function: str) -> None:
        self._server._ask(lambda admin: admin.execute(text(f"SELECT {function}(:space, :owner)"), self._key))
