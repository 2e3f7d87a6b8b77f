"""A natural language of the agenda user: its phrasings, its personas' manners, and how it writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Locale:
    """How users speak in another language than English.

    ``short`` and ``long`` are the phrasings by act; ``manners`` what personas put before the opening, before a turn
    and after it; ``space`` stands between sentences, ``comma`` and ``stop`` in a short list; ``noise`` adds typing
    errors outside of marked values.
    """

    code: str
    short: Mapping[str, str]
    long: Mapping[str, str]
    manners: Mapping[str, tuple[str, str, str]]
    noise: Callable[[str, Random], str]
    space: str = " "
    comma: str = ", "
    stop: str = "."
