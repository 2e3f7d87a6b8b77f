"""ACEBench's milestones: call texts that an agent should write, in order. Some of them are no Python."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mua_env.core.call_text import read_calls
from mua_env.core.tasks import Action
from mua_env.errors import DataError

_ARGUMENT = re.compile(r"(?<=[=:] )'|(?<==)'|'(?=[,)}]|: )|(?<=\{)'|(?<=, )'(?=\w+': )")
"""A quote that opens or closes a value; one that stands elsewhere belongs to a word, as in ``Domino's``."""


def alternatives(written: Sequence[str] | Sequence[Sequence[str]]) -> list[list[str]]:
    """The ways in which a task may be done: the benchmark writes one as a list, several as a list of lists."""
    if written and not isinstance(written[0], str):
        return [list(way) for way in written]
    return [[str(stone) for stone in written]]


def read_stone(text: str) -> tuple[list[Action], bool]:
    """The calls of a milestone, and whether its text is valid as it stands.

    Raises:
        DataError: it cannot be read even with its quotes mended.
    """
    try:
        return read_calls(text), True
    except DataError:
        return read_calls(mended(text)), False


def mended(text: str) -> str:
    """A call text with the apostrophes inside of its values escaped."""
    ends = {match.start() for match in _ARGUMENT.finditer(text)}
    return "".join("\\'" if mark == "'" and i not in ends else mark for i, mark in enumerate(text))


def process_score(ways: Sequence[Sequence[str]], written: Sequence[str]) -> float:
    """The share of milestones that were met in order, 0 to 1; the best of the ways (source: ``agent_eval_process``).

    Upstream goes on with the position that the way before has reached, and so do we not: each way is looked for from
    the beginning. No task's official figure differs by it where the end state is right, which counts as 1 anyway.

    Args:
        ways: milestones of each way.
        written: the agent's calls as it wrote them, one text a turn.
    """
    return max((_met(way, written) for way in ways), default=1.0)


def _met(way: Sequence[str], written: Sequence[str]) -> float:
    left = iter(said.strip() for said in written)
    found = 0
    for stone in way:
        # Searching for one that never comes uses the rest up, as upstream does.
        found += any(said == stone.strip() for said in left)
    return found / len(way) if way else 1.0
