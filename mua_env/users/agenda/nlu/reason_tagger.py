"""Which rules a refusal gives as its reason, in English: a linear model over its sentences and their clauses.

Reasons have as many wordings as agents, and what tells one from another is often the smallest word in it ("is not
delivered"). So the weights of a domain are trained (``scripts/train_reasons.py``) on wordings made for it, false
reasons among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from mua_env.inference.linear import LinearModel

_LONGEST = 2000
"""Characters of a refusal that are looked at."""
_MOST = 40
"""Spans of it."""
LEAST = 0.3
"""Probability from which on a span gives a rule."""
_SENTENCE = re.compile(r"(?<=[.!;:])\s+|\n")
_CLAUSE = re.compile(
    r",\s|\s[-\u2013\u2014]+\s|[()]|\b(?:because|since|so|but|which means|due to the fact that|given that)\b"
)
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?|[#$]")
_CODE = re.compile(r"#?\b(?=[a-z]*\d)(?=\d*[a-z])\w{4,40}\b")
_NOT = re.compile(r"n['\u2019]t\b")
_DENIED = re.compile(r"n['\u2019]t\b|\b(?:not|no|cannot|never|none|neither|without|isnt|yet to|still)\b")
_STEM = 5


def reason_features(text: str, cues: Mapping[str, re.Pattern[str]] = MappingProxyType({})) -> Iterator[str]:
    """Runs of up to three words of a text, each cut to its stem; only numbers that a rule may name are told apart.

    Args:
        text: a sentence, or a clause of one.
        cues: by rule, what finds its words; they are features too, together with whether the text denies anything.
    """
    denied = _DENIED.search(text) is not None
    for rule, cue in cues.items():
        if cue.search(text):
            yield f"R:{rule}"
            yield f"R:{rule} {denied}"
    text = _NOT.sub(" not", text.lower().replace("cannot", "can not").replace("can't", "can not"))
    words = [_stem(word) for word in _WORD.findall(_CODE.sub(" # ", text))]
    for length in (1, 2, 3):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def _stem(word: str) -> str:
    if word[0].isdigit():
        return word if word in ("2", "24") else "0"
    return word[:_STEM]


def spans(text: str) -> Iterator[str]:
    """The sentences of a text and, where a sentence has several, their clauses."""
    for sentence in _SENTENCE.split(text[:_LONGEST].lower()):
        clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip(" .")]
        if len(clauses) != 1:
            yield from clauses
        if clauses:
            yield sentence


@cache
def _model(weights: Path) -> LinearModel:
    return LinearModel.load(weights)


def rules_given(text: str, weights: Path, cues: Mapping[str, re.Pattern[str]]) -> list[dict[str, float]]:
    """For each span of a text that gives any rule, the probabilities of those that it may mean.

    Args:
        text: a refusal.
        weights: the file of the domain's model.
        cues: as of :func:`reason_features`.
    """
    model = _model(weights)
    found = []
    for _, span in zip(range(_MOST), spans(text), strict=False):
        scores = model.scores(reason_features(span, cues))
        given = {rule: score for rule, score in scores.items() if score >= LEAST}
        if given:
            found.append(given)
    return found
