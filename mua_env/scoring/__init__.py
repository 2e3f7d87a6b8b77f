"""From two databases and a dialogue to a score: the scorer, checks, heard refusals, judges of statements.
It leans on the users' language to hear refusals; episodes and all above lean on it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
