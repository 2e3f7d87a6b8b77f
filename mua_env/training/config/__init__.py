"""Every setting of a run, with the paper's value and where it comes from.
Leans on nothing of training; all of training leans on it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
