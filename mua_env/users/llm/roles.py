"""Who speaks in a line: whether a model that plays the customer has slipped into the agent's part.

A linear classifier over the words of a line and over its frame, which is what stays of it without its content words
("can you _ the _ on _ ?"): who owns what, who helps whom and who decides show in the frame, whatever a line is about.
The weights (``roles.npz``) are trained by ``scripts/train_roles.py`` on turns of real agents and users, and on text
made here, in English and Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Final

from mua_env.core.outside import clip
from mua_env.inference.linear import LinearModel, text_features

WEIGHTS: Final = Path(__file__).with_name("roles.npz")
ENOUGH = 0.8
"""Probability from which on a line is the agent's. A false alarm costs one more request, a slip that passes the agent
its reward; but two false alarms in a row end the dialogue as the user's fault."""
SURE = 0.97
"""Probability from which on it is held against a user: in other domains a customer's words are new to the classifier,
and a line that says little to it lies near the middle."""
LABEL: Final = "agent"

_VALUES: Final = (
    (re.compile(r"\S+@\S+\.\w+"), "e@"),
    (re.compile(r"[$\u20ac\u00a3\u00a5]\s?\d[\d,.]*"), "$0"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "0-0"),
    (re.compile(r"#?\b(?=\w{0,20}\d)(?=\w{0,20}[a-z])\w{4,}\b"), "#"),
    (re.compile(r"\b\d[\d,.:]*\b"), "0"),
)
_TOKEN = re.compile(r"[a-z']+|\d+|[^\sa-z\d\u3400-\u9fff]")
_FRAME_WORDS = """
a about am an and another any anything are as at be been but by can can't cannot could did didn't do does
doesn't don't else for from great had has have he hello her here hi his how i i'd i'll i'm i've if in is isn't
it it's its let may me might mine must my no not of ok okay on one or our ours please shall she should so some
something sorry sure thank thanks that that's the their them there there's these they this those to us was we
we'll we're we've were what what's when where which who why will with won't would yes you you'd you'll you're
you've your yours
"""
_FRAME = frozenset(_FRAME_WORDS.split())
_SENTENCE = re.compile(r"[^.!?\n\u3002\uff01\uff1f]+[.!?\u3002\uff01\uff1f]*")
_SHOWN_WORDS = 2
"""Words in a row that also stand on a display are read from it."""


def agents_words(text: str, shown: Iterable[str] = (), *, least: float = ENOUGH) -> str | None:
    """The sentence of a line by which it is the agent's most of all, or None for a customer's line.

    Args:
        text: the line.
        shown: what the customer reads out in it, as the display of a device ("Your SIM card is active").
        least: probability from which on it is the agent's.
    """
    own = _own_words(text, " ".join(shown))
    if not any(map(str.isalpha, own)) or agent_probability(own) < least:
        return None
    sentences = [part.strip() for part in _SENTENCE.findall(own) if part.strip()] or [own]
    return clip(max(sentences, key=agent_probability), 120)


def agent_probability(text: str) -> float:
    """How likely it is that a line is an agent's, 0 to 1."""
    return _model().scores(role_features(text))[LABEL]


def role_features(text: str) -> Iterator[str]:
    """The features of a line: runs of its words and of its frame, with values replaced by what they are."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'").replace("**", "")
    for pattern, mark in _VALUES:
        plain = pattern.sub(f" {mark} ", plain)
    yield from text_features(plain)
    frame = ["^"]
    for word in _TOKEN.findall(plain):
        part = "_" if word[0].isalpha() and word not in _FRAME else word
        if part != "_" or frame[-1] != "_":
            frame.append(part)
    frame.append("$")
    for length in (3, 4, 5):
        yield from ("s:" + " ".join(frame[at : at + length]) for at in range(len(frame) - length + 1))
    yield f"len:{min(len(plain) // 40, 8)}"


def _own_words(text: str, shown: str) -> str:
    """A line without what it reads out."""
    said, display = text.split(), [_bare(word) for word in shown.split()]
    if not display:
        return text.strip()
    matcher = SequenceMatcher(None, display, [_bare(word) for word in said], autojunk=False)
    read = {
        place
        for _, begin, size in matcher.get_matching_blocks()
        if size >= _SHOWN_WORDS
        for place in range(begin, begin + size)
    }
    return " ".join(word for place, word in enumerate(said) if place not in read)


def _bare(word: str) -> str:
    return word.lower().strip(".,:;!?\"'()")


@cache
def _model() -> LinearModel:
    return LinearModel.load(WEIGHTS)
