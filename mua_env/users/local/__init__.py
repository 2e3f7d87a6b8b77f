"""A user played by a small model in this process, trained on dialogues of the agenda user.
Leans on `users.llm` and `inference`."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
