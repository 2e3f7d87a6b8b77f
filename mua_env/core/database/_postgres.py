"""PostgreSQL: one template database for each content, one database for each environment, the same rollback.

Databases on the server, all made by this module:

- ``mua_t_<hash>``: a template, named by what it holds, made once and kept for later runs. No connection is allowed
  on it, because ``CREATE DATABASE ... TEMPLATE`` refuses while there is one.
- ``mua_c_<owner>_<n>``: an environment's clone, or a template that is still being filled. ``<owner>`` is the key of
  an advisory lock that the owning process holds as long as it lives; databases of an owner whose lock is gone were
  left by a crash, and the next start drops them.
"""

from __future__ import annotations

import hashlib
import json

from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.schema import CreateTable

from mua_env.core.database import _changelog
from mua_env.core.database._database import Database
from mua_env.core.database._server import Server
from mua_env.core.database._template import Rows, Template, load

_LAYOUT = "1"


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
        try:
            self._server.run(f'CREATE DATABASE "{name}" TEMPLATE "{self.name}"')
            return self._server.open(self, name)
        except BaseException:
            self._server.discard(name)
            raise

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
                self._server.discard(draft)
                # The lock is one database's: a process that names another one in its URL may have been quicker.
                if not self._server.exists(self.name):
                    raise


def _content(models: type[DeclarativeBase], rows: Rows, role: str) -> str:
    """16 hex digits that name the schema, the change log, the data and their owner (only it may read a clone)."""
    tables = models.metadata.sorted_tables
    schema = [str(CreateTable(table)) for table in tables]
    triggers = [statement for table in tables for statement in _changelog.postgres_triggers(table)]
    digest = hashlib.sha256(json.dumps([_LAYOUT, role, schema, triggers]).encode())
    for name in sorted(rows):
        digest.update(json.dumps([name, list(map(dict, rows[name]))], sort_keys=True, default=str).encode())
    return digest.hexdigest()[:16]
