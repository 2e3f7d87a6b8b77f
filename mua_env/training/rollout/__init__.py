"""Dialogues of the model that is trained, token in, token out, in groups, with what they came to.
Leans on `config` and `data`; trainers lean on it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
