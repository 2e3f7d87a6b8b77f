"""The address of a PostgreSQL server: what it must look like, and what is said when nobody answers there."""

from __future__ import annotations

from sqlalchemy import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

from mua_env.core.database._guard import ServerLost
from mua_env.errors import ConfigError, missing_extra


def checked(url: str) -> URL:
    """The parsed address, with the driver that is used.

    Raises:
        ConfigError: another driver is asked for.
        MissingExtra: psycopg is not installed.
    """
    parsed = make_url(url)
    if parsed.drivername not in ("postgresql", "postgresql+psycopg"):
        raise ConfigError(f"database_url has the driver {parsed.drivername!r}; use 'postgresql+psycopg://...'")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise missing_extra("postgres", needed_by="A PostgreSQL database_url") from None
    return parsed.set(drivername="postgresql+psycopg", database=parsed.database or "postgres")


def place(url: URL) -> str:
    """Host and port."""
    host = url.host or url.query.get("host") or "localhost"
    return f"{host}:{url.port or 5432}"


def first_line(error: SQLAlchemyError) -> str:
    """What the server or the driver said, in one line."""
    return (str(getattr(error, "orig", None) or error).strip().splitlines() or [type(error).__name__])[0]


def unreachable(url: URL, error: SQLAlchemyError) -> ConfigError:
    """The error for a connection that was not had; it never holds the password."""
    detail = first_line(error)
    shown = url.render_as_string(hide_password=True)
    if "authentication failed" in detail or "no password supplied" in detail:
        return ConfigError(
            f"PostgreSQL at {place(url)} refuses the password of {url.username or 'this role'!r}. "
            f"Correct user and password in database_url ({shown})"
        )
    return ServerLost(
        f"no connection to PostgreSQL at {place(url)}: {detail}. Is the server running, and are host, port and "
        f"database of database_url right ({shown})?"
    )
