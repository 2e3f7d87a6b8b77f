"""One dialogue: the turn machine without I/O, the session around it, its setting, the user channel, the verdict.
It leans on users and scoring; every shell (gym, rollouts, training) leans on it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
