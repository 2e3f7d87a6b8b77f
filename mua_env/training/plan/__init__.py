"""What a configuration would run and cost, before it runs.
Leans on `config`, `data` and the tiny model; the command line leans on it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
