"""What says that the database has failed, and not what was asked of it."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, PendingRollbackError

from mua_env.errors import ConfigError


class ServerLost(ConfigError):
    """A database server gives no connection: it is down, restarting, full, or its address is wrong."""


BROKEN = (DBAPIError, PendingRollbackError, ServerLost)
"""What a statement, or a clone that is to be had, raises when the database has failed. Never the agent's failure."""


def is_lost(error: Exception) -> bool:
    """Whether the connection is gone, so that another one may do."""
    return isinstance(error, PendingRollbackError) or bool(getattr(error, "connection_invalidated", False))
