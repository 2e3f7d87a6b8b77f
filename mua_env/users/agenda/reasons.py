"""Why something cannot be had: the reasons that a domain's rules give, and whether a refusal names one of them.

A user cannot look behind the counter. But it can tell a reason that may be true of its wish from one that cannot
("because bananas are yellow"), and it believes nobody who names everything that might be in the way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

_MOST = 2
"""Reasons, and states of one thing, that one refusal can rest on."""
_QUESTION = re.compile(r"[^.!?\u3002\uff01\uff1f\n]*[?\uff1f]")
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True)
class Reasons:
    """The reasons of a domain.

    Args:
        rules: by the id of a rule, a regular expression (case is ignored) that finds it named in a refusal.
        of_intent: the rules that can be in the way of an intent; of an intent that is missing here, any can.
        states: a regular expression for the states of which a thing has one at a time.
    """

    rules: Mapping[str, str]
    of_intent: Mapping[str, Sequence[str]] = field(default_factory=dict)
    states: str = ""

    @cached_property
    def _found_by(self) -> dict[str, re.Pattern[str]]:
        return {rule: re.compile(pattern, re.IGNORECASE) for rule, pattern in self.rules.items()}

    @cached_property
    def _states(self) -> re.Pattern[str]:
        return re.compile(self.states, re.IGNORECASE) if self.states else _NOTHING

    def explain(self, rules: Sequence[str], intent: str, text: str) -> bool:
        """Whether a text gives a reason for refusing a request, and none that contradicts it.

        Args:
            rules: that are in the way, as the goal knows; none: any that can be in the way of the intent.
            intent: of the request.
            text: the refusal, with what is told beside it.
        """
        text = _QUESTION.sub(" ", text)
        broken = [rule for rule in rules or self.of_intent.get(intent, tuple(self.rules)) if rule in self.rules]
        if not broken:
            return True
        if len({state.lower() for state in self._states.findall(text)}) > _MOST:
            return False
        named = [rule for rule in broken if self._found_by[rule].search(text)]
        if not named or len(named) > _MOST:
            return False
        true = [found.span() for rule in named for found in self._found_by[rule].finditer(text)]
        others = (pattern for rule, pattern in self._found_by.items() if rule not in broken)
        false = (found.span() for pattern in others for found in pattern.finditer(text))
        return all(any(start < end and begin < stop for begin, end in true) for start, stop in false)
