"""Which acts each segment of a text performs, by a linear model over its words, its place and what stands around it.

The weights (``acts.npz``) are trained by ``scripts/train_acts.py`` on turns of real agents, labelled by hand, and on
text made here. Values are replaced by what they are, so that no act hangs on an order number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from mua_env.inference.linear import LinearModel, text_features
from mua_env.users.agenda.nlu.segments import Segment

WEIGHTS: Final = Path(__file__).with_name("acts.npz")
_LONGEST = 600
"""Characters of a segment whose words count."""
LEAST = 0.5
"""Probability from which on a label holds; where none has it, the likeliest does."""

_VALUES: Final = (
    (re.compile(r"(?<![\w.+-])[\w.+-]{1,40}+@[\w-]{1,40}+\.\w+"), "e@"),
    (re.compile(r"[$€£¥]\s?\d[\d,.]*"), "$0"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "0-0"),
    (re.compile(r"#?\b(?=[a-z]*\d)(?=\d*[a-z])\w{4,64}\b"), "#"),
    (re.compile(r"\b\d[\d,.:]*\b"), "0"),
)


def masked(text: str) -> str:
    """A text in lower case with its values replaced by what they are."""
    text = text.lower()
    for pattern, mark in _VALUES:
        text = pattern.sub(f" {mark} ", text)
    return text


class Around:
    """The segments of one text, and what they share: how it ends, and whether it asks at all."""

    def __init__(self, segments: Sequence[Segment], texts: Sequence[str], cued: Sequence[frozenset[str]]) -> None:
        self.segments, self.texts, self.cued = segments, texts, cued
        self._places = {segment.text: at for at, segment in enumerate(segments)}

    def shared(self) -> Iterator[str]:
        """The features that all segments have."""
        yield from (f"W:{act}" for act in frozenset[str]().union(*self.cued))
        if self.texts:
            yield from (f"E:{feature}" for feature in text_features(masked(self.texts[-1][-_LONGEST:]), longest=2))
        yield f"N:{min(len(self.texts), 12) // 3}"

    def features(self, at: int, before: frozenset[str], above: frozenset[str]) -> Iterator[str]:
        """The features of a segment, beside those that all share and those of its lead and heading.

        Args:
            at: its number.
            before: the acts of the segment before it.
            above: the acts of what introduces its list.
        """
        segment, text = self.segments[at], masked(self.texts[at][:_LONGEST])
        yield from text_features(text)
        yield from (f"<{word}" for word in text.split()[:1])
        yield from (f"C:{act}" for act in self.cued[at])
        yield from (f"C:{act} {segment.depth > 0}" for act in self.cued[at])
        yield from (f"P:{act} {segment.depth > 0}" for act in before)
        yield from (f"A:{act} {segment.depth}" for act in above)
        yield f"at:{segment.place}"
        yield f"?:{segment.question} {segment.last}"
        yield f"::{text.rstrip().endswith(':')} {':' in text}"
        yield f"first:{at == 0} last:{at == len(self.texts) - 1}"

    def every(self, at: int, before: frozenset[str], above: frozenset[str]) -> list[str]:
        """All features of a segment."""
        segment = self.segments[at]
        return [
            *self.features(at, before, above),
            *_led(segment.lead),
            *_headed(segment.heading),
            *self.shared(),
        ]

    def above(self, at: int, acts: Sequence[frozenset[str]]) -> frozenset[str]:
        """The acts of what introduces a segment, of those that are known."""
        segment = self.segments[at]
        for text in (segment.lead, segment.heading):
            place = self._places.get(text)
            if text and place is not None and place < len(acts):
                return acts[place]
        return frozenset()


def _led(lead: str) -> list[str]:
    return [f"L:{feature}" for feature in text_features(masked(lead[-_LONGEST:]), longest=2)]


def _headed(heading: str) -> list[str]:
    return [f"H:{word}" for word in masked(heading).split()]


@cache
def model() -> LinearModel:
    """The weights that the package comes with."""
    return LinearModel.load(WEIGHTS)


def tag(
    segments: Sequence[Segment],
    texts: Sequence[str],
    cued: Sequence[frozenset[str]],
    tagger: LinearModel | None = None,
) -> list[frozenset[str]]:
    """The acts of each segment of a text.

    Args:
        segments: with their places.
        texts: of each, as it is heard: English, or cue words of it.
        cued: of each, the acts by cue words.
        tagger: another model than the package's.
    """
    tagger = tagger or model()
    around = Around(segments, texts, cued)
    shared = tagger.rows(around.shared())
    known: dict[tuple[str, str], frozenset[int]] = {}
    acts: list[frozenset[str]] = []
    for at, segment in enumerate(segments):
        led_by = (segment.lead, segment.heading)
        if led_by not in known:
            known[led_by] = shared | tagger.rows([*_led(segment.lead), *_headed(segment.heading)])
        before = acts[-1] if acts else frozenset()
        own = tagger.rows(around.features(at, before, around.above(at, acts)))
        scores = tagger.scores_of(own | known[led_by])
        likely = frozenset(label for label, score in scores.items() if score >= LEAST)
        acts.append(likely or frozenset({max(scores, key=lambda label: scores[label])}))
    return acts
