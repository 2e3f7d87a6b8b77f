"""Users played by a language model: prompts, reading of replies, guards against the model's own faults.
Leans on `llm` and the agenda's language; `users.local` leans on it."""

from typing import TYPE_CHECKING

from mua_env._moved import names_of

if not TYPE_CHECKING:  # a type checker is to see no name that has moved
    __getattr__ = names_of(__name__)
