"""Which of the user's requests an agent's words are about: a text cut into steps, and these held against the agenda.

A step is what would be one call of a tool that writes. The values that it states decide which request it means; what it
calls the deed only breaks ties, because agents call an exchange a modification and a reservation a booking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mua_env.users.agenda.goal_state import Pending
from mua_env.users.agenda.language import Comparison, DialogueLanguage
from mua_env.users.agenda.nlu.hearing import Part

_REFERENCE, _VALUE, _DEED = 3.0, 1.5, 2.0
"""What the code of a record, another value, and the name of the deed count for."""
_STATED = 0.4
"""What it counts for that the user has spoken of the request: it breaks ties."""
_MOST_DEEDS = 2
"""What names more deeds than that names none in particular."""
_BETWEEN = tuple(map(re.compile, (r";\s+", r",\s+(?:and|then|also|plus)\s+", r"\s(?:and|then|also|plus)\s+", r",\s+")))
"""Where one deed ends and the next begins within a sentence, the clearest first."""
_LINKS = re.compile(r"\b(?:and|or|as well as|order|reservation)\b|\W", re.IGNORECASE)


@dataclass(slots=True)
class Step:
    """What is said of one deed."""

    lines: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    deeds: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(self.lines)


@dataclass(slots=True)
class Meant:
    """A request, with what is said of it and what the deed is called."""

    request: Pending
    lines: list[str] = field(default_factory=list)
    deeds: frozenset[str] = frozenset()
    misread: bool = False
    """Another record's code stands where its own should."""

    @property
    def text(self) -> str:
        """What is said of it."""
        return "\n".join(self.lines)


class Steps:
    """Cuts texts of a domain into steps, and finds the request of each.

    Args:
        language: of the domain.
        requests: of the agenda, settled ones too.
        compare: holds a text against what the user knows of a request.
    """

    def __init__(
        self,
        language: DialogueLanguage,
        requests: Sequence[Pending],
        compare: Callable[[Pending, str], Comparison],
    ) -> None:
        self.language = language
        self.requests = requests
        self.compare = compare
        self.coded = [slot.name for slot in language.slots.values() if slot.code and not slot.personal]
        self.own = {code for request in requests for code in self.codes_of(request)}

    def codes(self, text: str) -> list[str]:
        """The codes of records that a text states."""
        return [code for slot in self.coded for code in self.language.mentions(slot, text)]

    def codes_of(self, request: Pending) -> list[str]:
        """The codes of a request's records."""
        return [str(request.slots[slot]) for slot in self.coded if request.slots.get(slot)]

    def deeds(self, text: str) -> frozenset[str]:
        """What a text calls for; what a user sees for itself, as that its phone works, is done by no deed."""
        intents = self.language.intents
        return frozenset(name for name in self.language.named(text) if not intents[name].witnessed)

    def touches(self, request: Pending, text: str) -> bool:
        """Whether a text has a value of a request, or a part of one, as one of several things."""
        low = text.lower()
        return any(value in low for value in _values(request.slots))

    def fits(self, intent: str, deeds: Iterable[str]) -> bool:
        """Whether what is named can be the intent; what names nothing, or everything, can."""
        named = set(deeds)
        if not named or self.language.intents[intent].witnessed or len(named) > _MOST_DEEDS or intent in named:
            return True
        return any(intent in group and named & group for group in self.language.related)

    def cut(self, parts: Iterable[Part]) -> list[Step]:
        """Parts as steps: a new one begins where another record or another deed does."""
        found: list[Step] = []
        for part in parts:
            for text in self._clauses(part.text):
                codes, deeds = self.codes(text), self.deeds(text)
                deeds = deeds if len(deeds) <= _MOST_DEEDS else frozenset()
                last = found[-1] if found else None
                if last is None or self._begins(last, codes, deeds, item=part.segment.depth == 1):
                    found.append(Step([text], codes, deeds))
                else:
                    last.lines.append(text)
                    last.codes += [code for code in codes if code not in last.codes]
                    last.deeds = last.deeds & deeds or last.deeds or deeds
        return found

    def _begins(self, last: Step, codes: Sequence[str], deeds: frozenset[str], *, item: bool) -> bool:
        if codes and last.codes and not set(codes) & set(last.codes):
            return True
        if not deeds or not last.deeds or not (codes or item):
            return False
        return deeds.isdisjoint(last.deeds) if item else not any(self.fits(deed, deeds) for deed in last.deeds)

    def _clauses(self, text: str) -> Iterator[str]:
        """A sentence cut between two codes, unless these stand in a list."""
        places = sorted(at for code in set(self.codes(text)) if (at := text.find(code.lstrip("#"))) >= 0)
        start = 0
        for one, other in pairwise(places):
            between = text[one + 4 : other]
            if len(_LINKS.sub("", between)) < 8:
                continue
            cut = next((found for pattern in _BETWEEN if (found := pattern.search(between))), None)
            if cut is not None:
                yield text[start : one + 4 + cut.end()]
                start = one + 4 + cut.end()
        yield text[start:]

    def assign(self, parts: Iterable[Part], pending: Sequence[Pending]) -> tuple[list[Meant], list[Step]]:
        """The requests that parts speak of, and the steps that are nobody's wish."""
        found: dict[int, Meant] = {}
        strange: list[Step] = []
        for step in self.cut(parts):
            meant = self._requests(step, pending, found)
            if not meant and self._strange(step):
                strange.append(step)
            foreign = [code for code in step.codes if code not in self.own]
            if len(step.codes) > 1 and foreign and meant and step.deeds:
                twin = self._left_out(step, pending)
                if twin is not None:
                    found[id(twin)] = Meant(twin, [], step.deeds, misread=True)
                else:
                    strange.append(Step([step.text], foreign, step.deeds))
            for request in meant:
                entry = found.setdefault(id(request), Meant(request))
                entry.lines.append(step.text)
                entry.deeds |= step.deeds
        return list(found.values()), strange

    def _requests(self, step: Step, pending: Sequence[Pending], found: dict[int, Meant]) -> list[Pending]:
        scores = {id(request): self.score(request, step) for request in pending}
        # Of two that are alike, the one that nothing was said of yet.
        best = max(pending, key=lambda request: (scores[id(request)], id(request) not in found), default=None)
        if best is None or scores[id(best)] <= _STATED:
            return []
        foreign = step.codes and not set(step.codes) & set(self.codes_of(best))
        if foreign and id(best) in found:
            others = [r for r in pending if id(r) not in found and scores[id(r)] > _STATED]
            return others[:1]
        if len(step.codes) > 1:
            named = [r for r in pending if set(self.codes_of(r)) & set(step.codes) and self.fits(r.intent, step.deeds)]
            return named or [best]
        return [best]

    def _left_out(self, step: Step, pending: Sequence[Pending]) -> Pending | None:
        """A request of the same kind whose code is missing among those of a step: one of them is misread."""
        stated = (r for r in pending if step.deeds and r.intent in step.deeds)
        return next((r for r in stated if self.codes_of(r) and not set(self.codes_of(r)) & set(step.codes)), None)

    def score(self, request: Pending, step: Step) -> float:
        """How much a step means a request."""
        right = [slot for slot in self.compare(request, step.text).right if slot not in self.coded]
        points = _STATED * (request.status != "waiting") if right or step.deeds or step.codes else 0.0
        points += _REFERENCE * bool(set(self.codes_of(request)) & set(step.codes)) + _VALUE * len(right)
        if step.deeds:
            points += _DEED if self.fits(request.intent, step.deeds) else -_DEED
        return points

    def _strange(self, step: Step) -> bool:
        """Whether a step does something to a record that the user has not spoken of."""
        return bool(step.deeds and step.codes) and not set(step.codes) & self.own


def _values(slots: object) -> Iterator[str]:
    """The texts in slots, in lower case, that are long enough to mean something by themselves."""
    if isinstance(slots, str):
        if len(slots) > _TELLING:
            yield slots.lower()
    elif isinstance(slots, Mapping):
        for value in slots.values():
            yield from _values(value)
    elif isinstance(slots, (list, tuple)):
        for value in slots:
            yield from _values(value)


_TELLING = 3
