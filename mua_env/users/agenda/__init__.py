"""The offline user: an agenda of requests, what it understands (`nlu`), what it says (`nlg`), and the contract of the
language that a domain gives it. It leans on `core` and `domain`; scoring and all above may lean on it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
