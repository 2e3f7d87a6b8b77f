"""What a domain is: its contract, how domains are found, and what makes, verifies and reads tasks.
It leans on `core` and imports neither users nor agents; those read it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
