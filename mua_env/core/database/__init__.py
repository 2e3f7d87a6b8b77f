"""The tool database: a template, a clone for each environment, an episode inside a transaction, and the difference of
two sets of changes. It leans on SQLAlchemy; tools, worlds and scores lean on it."""

from mua_env.core.database._database import Changes, Database, RowKey
from mua_env.core.database._guard import BROKEN
from mua_env.core.database._template import Rows, Template, open_template

__all__ = ["BROKEN", "Changes", "Database", "RowKey", "Rows", "Template", "open_template"]
