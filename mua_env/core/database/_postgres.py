"""PostgreSQL: one template database for each content, one database for each environment, the same rollback.

Databases on the server, all made by this module:

- ``mua_t_<hash>``: a template, named by what it holds, made once and kept for later runs. No connection is allowed
  on it, because ``CREATE DATABASE ... TEMPLATE`` refuses while there is one.
- ``mua_c_<owner>_<n>``: an environment's clone, or a template that is still being filled. ``<owner>`` is the key of
  an advisory lock that the owning process holds as long as it lives; databases of an owner whose lock is gone were
  left by a crash, and the next start drops them.
"""

from __future__ import annotations

import atexit
import hashlib
import itertools
import json
import os
import re
import secrets
import threading
from contextlib import suppress
from typing import Any

from pydantic_core import from_json
from sqlalchemy import URL, Connection, Engine, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable

from mua_env.core.database import _changelog
from mua_env.core.database._database import Database
from mua_env.core.database._template import Rows, Template, load
from mua_env.errors import ConfigError, missing_extra

LOCK_SPACE = 0x6D7561
"""First key of every advisory lock of this package."""
_LAYOUT = "1"
_CLONE = re.compile(r"mua_c_([0-9a-f]{8})_\w+")
_CONNECT_SECONDS = 10


class PostgresTemplate(Template):
    """A template on a PostgreSQL server.

    Args:
        models: the declarative base whose tables hold the data.
        rows: the data, table name -> rows.
        url: SQLAlchemy URL of the server, as ``postgresql+psycopg://user:password@host:5432/postgres``. The role
            needs the right to create databases. The database that it names is only connected to, never written.

    Raises:
        MissingExtra: psycopg is not installed.
        ConfigError: the server cannot be reached, refuses the password, or the role may not create databases.
        DataError: a row does not fit its table.
    """

    def __init__(self, models: type[DeclarativeBase], rows: Rows, url: str) -> None:
        super().__init__(models)
        self._server = Server(url)
        self.name = f"mua_t_{_content(models, rows, self._server.role)}"
        self._closed = False
        try:
            self._server.drop_abandoned()
            self._build(models, rows)
        except BaseException:
            self._server.close()
            raise

    def clone(self) -> Database:
        """A fresh database with the template's content, inside an open transaction."""
        name = self._server.new_name()
        self._server.run(f'CREATE DATABASE "{name}" TEMPLATE "{self.name}"')
        return self._server.open(self, name)

    def close(self) -> None:
        """Release the reader; the connection to the server goes with the last clone. The template is kept."""
        super().close()
        self._server.close_when_idle()

    def _build(self, models: type[DeclarativeBase], rows: Rows) -> None:
        """Make the template unless another process has; under its final name it is always whole."""
        with self._server.lock(int(self.name[-8:], 16) & 0x7FFFFFFF):
            if self._server.exists(self.name):
                return
            draft = self._server.new_name()
            # Text is compared by bytes, as SQLite does it, so that the order of rows is the same on both.
            self._server.run(f"CREATE DATABASE \"{draft}\" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
            try:
                with self._server.connect(draft) as connection, connection.begin():
                    load(connection, models, rows)
                self._server.run(f'ALTER DATABASE "{draft}" WITH ALLOW_CONNECTIONS false')
                self._server.run(f'ALTER DATABASE "{draft}" RENAME TO "{self.name}"')
            except BaseException:
                self._server.run(f'DROP DATABASE IF EXISTS "{draft}"')
                # The lock is one database's: a process that names another one in its URL may have been quicker.
                if not self._server.exists(self.name):
                    raise


class Server:
    """The connection to a server that makes and drops databases, and whose lock says that this process lives."""

    def __init__(self, url: str) -> None:
        self._url = _checked(url)
        self._mutex = threading.RLock()
        self._target = self._url.database
        self._engine: Engine = create_engine(
            self._url, creator=self._connect, poolclass=NullPool, json_deserializer=from_json
        )
        self._numbers = itertools.count(1)
        self._open: dict[str, Connection] = {}
        self._pid = os.getpid()
        self._idle_closes = False
        self._owner, self._admin = self._claim()
        atexit.register(self.close)

    def _claim(self) -> tuple[int, Connection]:
        admin = self.connect(self._url.database, autocommit=True)
        while True:
            owner = secrets.randbits(31)
            if admin.execute(text("SELECT pg_try_advisory_lock(:space, :owner)"), self._key(owner)).scalar():
                return owner, admin

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
        with self._mutex:
            try:
                self._admin.exec_driver_sql(statement)
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) != "42501":
                    raise
                role = self._url.username or "this role"
                raise ConfigError(
                    f"PostgreSQL at {_place(self._url)}: {role} may not create databases ({_first_line(error)}). "
                    f'An administrator can allow it: ALTER ROLE "{role}" CREATEDB'
                ) from None

    def lock(self, number: int) -> _AdvisoryLock:
        """A lock that holds against all processes that use this package on the server's same database."""
        return _AdvisoryLock(self, number)

    def exists(self, name: str) -> bool:
        """Whether there is a database of that name."""
        query = text("SELECT 1 FROM pg_database WHERE datname = :name")
        with self._mutex:
            return self._admin.execute(query, {"name": name}).first() is not None

    def open(self, template: Template, name: str) -> Database:
        """Connect to a clone; it is dropped when the database is closed."""
        connection = self.connect(name)
        with self._mutex:
            self._open[name] = connection
        return Database(template, connection, on_close=lambda: self._drop(name))

    def _drop(self, name: str) -> None:
        with self._mutex:
            if self._open.pop(name, None) is not None and not self._admin.closed:
                self._drop_unused(name)
            if self._idle_closes and not self._open:
                self.close()

    def connect(self, database: str | None, *, autocommit: bool = False) -> Connection:
        """A connection to a database of the server. All share one dialect and its cache of compiled statements.

        Raises:
            ConfigError: there is no connection to be had.
        """
        with self._mutex:
            self._target = database
            try:
                connection = self._engine.connect()
            except SQLAlchemyError as error:
                raise _unreachable(self._url, error) from None
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
            found = [str(name) for name in self._admin.execute(names).scalars()]
            alive = set(self._admin.execute(locks, {"space": LOCK_SPACE}).scalars())
        dropped = []
        for name in sorted(found):
            match = _CLONE.fullmatch(name)
            if match is not None and int(match[1], 16) not in alive and self._drop_unused(name):
                dropped.append(name)
        return dropped

    def _drop_unused(self, name: str) -> bool:
        try:
            self.run(f'DROP DATABASE IF EXISTS "{name}"')
        except (ConfigError, SQLAlchemyError):
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
            if not self._admin.closed:
                _disconnect(self._admin)
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
        self._execute("pg_advisory_unlock")

    def _execute(self, function: str) -> None:
        with self._server._mutex:
            self._server._admin.execute(text(f"SELECT {function}(:space, :owner)"), self._key)


def _checked(url: str) -> URL:
    parsed = make_url(url)
    if parsed.drivername not in ("postgresql", "postgresql+psycopg"):
        raise ConfigError(f"database_url has the driver {parsed.drivername!r}; use 'postgresql+psycopg://...'")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise missing_extra("postgres", needed_by="A PostgreSQL database_url") from None
    return parsed.set(drivername="postgresql+psycopg", database=parsed.database or "postgres")


def _place(url: URL) -> str:
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}:{url.port or 5432}"


def _first_line(error: SQLAlchemyError) -> str:
    return (str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__])[0]


def _unreachable(url: URL, error: SQLAlchemyError) -> ConfigError:
    """The error for a connection that was not had; it never holds the password."""
    detail = _first_line(error)
    shown = url.render_as_string(hide_password=True)
    if "authentication failed" in detail or "no password supplied" in detail:
        return ConfigError(
            f"PostgreSQL at {_place(url)} refuses the password of {url.username or 'this role'!r}. "
            f"Correct user and password in database_url ({shown})"
        )
    return ConfigError(
        f"no connection to PostgreSQL at {_place(url)}: {detail}. Is the server running, and are host, port and "
        f"database of database_url right ({shown})?"
    )


def _content(models: type[DeclarativeBase], rows: Rows, role: str) -> str:
    """16 hex digits that name the schema, the change log, the data and their owner (only it may read a clone)."""
    tables = models.metadata.sorted_tables
    schema = [str(CreateTable(table)) for table in tables]
    triggers = [statement for table in tables for statement in _changelog.postgres_triggers(table)]
    digest = hashlib.sha256(json.dumps([_LAYOUT, role, schema, triggers]).encode())
    for name in sorted(rows):
        digest.update(json.dumps([name, list(map(dict, rows[name]))], sort_keys=True, default=str).encode())
    return digest.hexdigest()[:16]
