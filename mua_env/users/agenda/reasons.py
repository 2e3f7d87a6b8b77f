"""Why something cannot be had: the reasons that a domain's rules give, and whether a refusal names one of them.

A user cannot look behind the counter. But it can tell a reason that may be true of its wish from one that cannot
("because bananas are yellow"), and it believes nobody who names everything that might be in the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from mua_env.users.agenda.nlu.reason_tagger import rules_given

_MOST = 2
"""Reasons, and states of one thing, that one refusal can rest on."""
_PLAIN = 0.87
"""Probability from which on another rule is a contradiction, and no likeness of words."""
_QUESTION = re.compile(r"[^.!?\u3002\uff01\uff1f\n]*[?\uff1f]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True)
class Reasons:
    """The reasons of a domain.

    Args:
        rules: by the id of a rule, a regular expression (case is ignored) that finds it named in a refusal.
        of_intent: the rules that can be in the way of an intent; of an intent that is missing here, any can.
        states: a regular expression for the states of which a thing has one at a time.
        alike: sets of rules of which one may be named beside the other, as the state of an order and what it was
            changed by.
        weights: the file of a model that tells which rules English text gives
            (:mod:`~mua_env.users.agenda.nlu.reason_tagger`). ``rules`` do without it, in other languages, and where
            the goal names no rule: a model that may find any of several errs more often.
    """

    rules: Mapping[str, str]
    of_intent: Mapping[str, Sequence[str]] = field(default_factory=dict)
    states: str = ""
    alike: Sequence[frozenset[str]] = ()
    weights: Path | None = None

    @cached_property
    def cues(self) -> dict[str, re.Pattern[str]]:
        """The expressions of ``rules``, compiled."""
        return {rule: re.compile(pattern, re.IGNORECASE) for rule, pattern in self.rules.items()}

    @cached_property
    def _spans(self) -> Callable[[str], Sequence[Mapping[str, float]]]:
        # One turn asks several times about the same text.
        weights = self.weights
        assert weights is not None
        return lru_cache(maxsize=16)(lambda text: rules_given(text, weights, self.cues))

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
        if rules and self.weights is not None and not _HAN.search(text):
            alike = {rule for group in self.alike if not group.isdisjoint(broken) for rule in group}
            return _given(broken, alike, self._spans(text))
        named = [rule for rule in broken if self.cues[rule].search(text)]
        if not named or len(named) > _MOST:
            return False
        true = [found.span() for rule in named for found in self.cues[rule].finditer(text)]
        others = (pattern for rule, pattern in self.cues.items() if rule not in broken)
        false = (found.span() for pattern in others for found in pattern.finditer(text))
        return all(any(start < end and begin < stop for begin, end in true) for start, stop in false)


def _given(broken: Collection[str], alike: Collection[str], spans: Sequence[Mapping[str, float]]) -> bool:
    """Whether spans of a refusal give rules that are in the way, few of them, and no unrelated one."""
    named: set[str] = set()
    for span in spans:
        own = {rule: score for rule, score in span.items() if rule in broken}
        best = max(own.values(), default=0.0)
        others = [score for rule, score in span.items() if rule not in broken and rule not in alike]
        if max(others, default=0.0) > max(best, _PLAIN):
            return False
        if own:
            named.add(max(own, key=lambda rule: own[rule]))
    return 0 < len(named) <= _MOST
