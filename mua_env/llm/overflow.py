"""Whether a request was refused because the dialogue is longer than the model reads.

Words alone do not tell: names, images, lists of tools and bodies of requests are "too long" too, and a server that
runs out of memory speaks of its context. So what an endpoint says is held against the request: how long it was, how
much of it the dialogue has added, what the endpoint has taken before, how much the model reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mua_env.llm.evidence import Evidence

NEAR = 1.5
"""Two counts of the same text by different tokenizers differ by less."""
SMALL = 3
"""A request of which so many fit into a limit is small against it, however roughly it was counted."""
FULL = 0.8
"""Of a window that is known: the share from which a refusal is for length, whatever it says."""
OPENING = 256
"""Tokens of a dialogue, policy document and tools apart, in which no agent has made it too long."""
LEAST_WINDOW = 512
"""Tokens; no model in use reads fewer, so that a smaller limit is one of something else."""
LEAST_BODY = 4096
"""Characters; no gateway refuses a smaller body for its size."""

_STATUSES = (400, 413, 422, 500)
_BUSY = (404, 503, 504, 529)
"""Statuses of a server that is not there, or has too much to do."""
_WHAT = re.compile(
    r"\b(?:context|ctx|prompt|inputs?|sequence|tokens?|conversation|messages?|history|request|content|payload|text)\b",
    re.I,
)
_MEASURE = re.compile(
    r"\b(?:context|ctx|length|maxlength|long\w*|windows?|size|tokens?|short\w*|large\w*|big\w*|limit\w*|many)\b", re.I
)
_BEYOND = re.compile(
    r"\b(?:exceed\w*|over(?:flow|run)\w*|longer|larger|greater|bigger|more|less|fewer|smaller) ?(?:than)?\b|"
    r"\btoo (?:long|large|big|many|small)\b|\bmax(?:imum|imal|length)?\b|\blimit(?:ed)?(?: to| of| is|:) ?\d|"
    r"\bnot enough\b|\b(?:reduce|shorten|truncate)\b|\brange of\b|"
    r"\b(?:does not|doesn't|cannot|can't) fit\b|\breached\b|\bout of\b|\bfull\b|\bshift\b|(?<![-=])>=?",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:function|tools?|names?|descriptions?|images?|audio|video|files?|schemas?|enum|metadata|headers?|cookies?|"
    r"ur[il]|stop|logprobs|choices|batch|parameters?|arguments?|fields?|string|array|output)\b",
    re.I,
)
_CONTEXT = re.compile(r"\b(?:context|ctx)\b", re.I)
_MEMORY = re.compile(r"\bmemory\b", re.I)
_INPUT = re.compile(r"\b(?:inputs?|prompt|messages)\b", re.I)
_CHINESE = re.compile(r"(?:上下文|输入|请求|长度|内容|token).{0,12}(?:超过|超出|过长|过大|太长|限制)")
_TAG = re.compile(r"<[^<>]{1,200}>")
_OUTPUT = re.compile(r"\bmax(?: completion| output| new)? tokens\b|\bcompletion tokens\b", re.I)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+| \| ")
_BYTES = re.compile(r"\b(?:char(?:acter)?s?|bytes?|body|payload|entity|maxlength|[kmg]i?b)\b", re.I)


@dataclass(frozen=True)
class Asked:
    """A request, as far as its length goes.

    Attributes:
        tokens: of the whole, as near as they can be counted.
        dialogue: tokens of what was said and called; policy document and tools apart.
        characters: of the whole.
        opening: whether the model has said nothing yet.
        room: tokens asked for the reply; 0 where that is left to the endpoint.
        taken: tokens of the longest request that the endpoint has answered; 0 where it has answered none.
    """

    tokens: int
    dialogue: int
    characters: int
    opening: bool
    room: int = 0
    taken: int = 0

    @property
    def whole(self) -> int:
        """What has to fit into a window."""
        return self.tokens + self.room


def speaks_of_length(evidence: Evidence) -> bool:
    """Whether a refusal is in words, or by a code, of a length beyond what can be read."""
    if any(_is_code(code) for code in evidence.codes):
        return True
    return evidence.status == 413 or any(_of_length(sentence) for sentence in _sentences(evidence))


def names_context(evidence: Evidence) -> bool:
    """Whether it speaks of the context by name, as no limit of rates does."""
    return any(_is_code(code) for code in evidence.codes) or any(
        _CONTEXT.search(sentence) and _of_length(sentence) for sentence in _sentences(evidence)
    )


def overflows(evidence: Evidence, asked: Asked, *, window: int | None = None) -> bool:
    """Whether a request was refused for the length of its dialogue.

    Args:
        evidence: of the refusal.
        asked: the request.
        window: how many tokens the model reads, where that is known.
    """
    if evidence.status in _BUSY:
        return False
    if asked.opening and asked.dialogue < OPENING:
        return False  # before the agent has said a word: nothing of it is too long
    if asked.taken > 1.25 * asked.tokens or only_the_reply(evidence, asked):
        return False
    if _counted(evidence, asked):
        return True
    said = speaks_of_length(evidence)
    if window is not None:
        known = evidence.status in _STATUSES and asked.tokens >= FULL * window
        return known or (said and asked.whole * SMALL > window)
    return said and _fits_what_is_said(evidence, asked)


def _counted(evidence: Evidence, asked: Asked) -> bool:
    """The endpoint names about as much as was sent, and a smaller number that is of that order too."""
    if evidence.status not in (*_STATUSES, 429):
        return False
    for own in {asked.tokens, asked.whole, asked.characters}:
        near = [number for number in evidence.numbers if own / NEAR <= number <= own * NEAR and number > LEAST_WINDOW]
        if any(number / 8 < other < number for number in near for other in evidence.numbers):
            return True
    return False


def _fits_what_is_said(evidence: Evidence, asked: Asked) -> bool:
    said = [sentence for sentence in _sentences(evidence) if _of_length(sentence)]
    if not said or _BYTES.search(evidence.text):  # a body too large: a gateway counts bytes, and nothing else
        length, least = asked.characters, LEAST_BODY
    else:
        length, least = asked.whole, LEAST_WINDOW
    if length < least:
        return False
    # A number that is no window, in a sentence about a length, is the limit of something smaller than a dialogue.
    numbers = [
        number for sentence in said for number in evidence.numbers if str(number) in re.sub(r"[,_]", "", sentence)
    ]
    numbers = numbers or [number for number in evidence.numbers if number >= LEAST_WINDOW]
    limits = [number for number in numbers if number >= max(LEAST_WINDOW, asked.taken // 2)]
    return any(number < SMALL * length for number in limits) if numbers else True


def only_the_reply(evidence: Evidence, asked: Asked) -> bool:
    """It is the room asked for the reply, and not the dialogue, that the model has not."""
    if not asked.room or not _OUTPUT.search(_plain(evidence.text)):
        return False
    return asked.room in evidence.numbers and asked.tokens < asked.room / 2


def _sentences(evidence: Evidence) -> list[str]:
    return _SENTENCE.split(_plain(evidence.text))


def _plain(text: str) -> str:
    """Without the tags of a page, and with names of fields as words (``n_ctx``)."""
    return _TAG.sub(" ", text).replace("_", " ")


def _of_length(sentence: str) -> bool:
    if _MEMORY.search(sentence):
        return False
    if not _CONTEXT.search(sentence):
        if _OTHER.search(sentence) or (_OUTPUT.search(sentence) and not _INPUT.search(sentence)):
            return False
        if _CHINESE.search(sentence):
            return True
    return all(pattern.search(sentence) for pattern in (_WHAT, _MEASURE, _BEYOND))


def _is_code(code: str) -> bool:
    words = ("length", "size", "window", "exceed", "overflow", "too_long", "too_large")
    return any(what in code for what in ("context", "prompt")) and any(word in code for word in words)
