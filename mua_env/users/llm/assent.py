"""A customer's yes: what asks for one, what says it, and whether the agent has acted on it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_ASKS_TO_CONFIRM = re.compile(
    r"yes\s*/\s*no|\(y/n\)|(?<!i )(?<!can )(?<!happy to )\bconfirm\b|"
    r"\b(shall|should|may|can) i (go ahead|proceed|continue)\b|"
    r"\b(would|do) you (like|want) me to\b|\bis (this|that|it) (correct|right|ok(ay)?)\b|"
    r"请[您你]?确认|是否确认|可以吗|对吗|(?:需要|要)我",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:any|some)(?:thing|one|body)? (?:else|other|further|more)\b|\bwhat else\b|"
    r"\bfurther (?:help|assist)|其他|别的",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。\uff01\uff1f\n]*[.!?。\uff01\uff1f\n]?")
_DECLINES = re.compile(
    r"\b(no|not|don't|do not|never ?mind|stop|cancel that|forget it|rather not)\b|不|别|算了", re.IGNORECASE
)
_REPORTS = re.compile(
    r"\b(?:done|completed?|successful(?:ly)?|can ?not|can't|unable|unfortunately|sorry|anything else|transferr\w+|"
    r"goodbye)\b|\b(?:has|have) (?:now |just |already )?been\b|\b(?:is|are) now\b|"
    r"\bi(?:'ve| have) (?:now |just )?\w+ed\b|已|完成|好了|无法|不能|抱歉",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|correct|right|okay|ok|please do|go ahead|that(?:'s| is) (?:right|correct|fine)|"
    r"(?:looks|sounds) (?:good|right|fine))\b|^\W*(?:是|对|好|可以|没错|没问题|确认|同意|行)",
    re.IGNORECASE,
)


def asks_to_confirm(text: str) -> bool:
    """Whether an agent's message waits for a yes; "would you like me to do anything else?" waits for none."""
    return any(_ASKS_TO_CONFIRM.search(sentence) and not _ELSE.search(sentence) for sentence in _SENTENCE.findall(text))


def says_yes(text: str, heard: str) -> bool:
    """Whether a user's line lets the agent do what its message proposed."""
    if declines(text) and not agrees(text):
        return False
    if asks_to_confirm(heard):
        return True
    asked = any(
        sentence[-1:] in ("?", "\uff1f") and not _ELSE.search(sentence) for sentence in _SENTENCE.findall(heard)
    )
    return asked and agrees(text)


def reports(text: str) -> bool:
    """Whether an agent's message says how something came out."""
    return _REPORTS.search(text) is not None


def agrees(text: str) -> bool:
    """Whether a user's line begins by saying yes."""
    return _AGREES.search(text) is not None


def declines(text: str) -> bool:
    """Whether a user's line says no."""
    return _DECLINES.search(text) is not None


@dataclass
class Assent:
    """The last yes of a customer.

    Attributes:
        unmet: it was given to a proposal, and the agent has not acted on it.
        calls: how many tools the agent has called since the customer last spoke; None where nobody counts them.
    """

    unmet: bool = False
    calls: int | None = None

    def hear(self, text: str) -> None:
        """Hear the agent: a yes is met by a call, and where nobody counts calls, by words that say how it came out."""
        met = reports(text) if self.calls is None else self.calls > 0
        self.unmet, self.calls = self.unmet and not met, None

    def say(self, text: str, heard: str, *, held: bool) -> None:
        """Say something: a new yes, or what ends an old one.

        Args:
            text: the customer's line.
            heard: the agent's message before it.
            held: the customer wanted to leave. That is put off once for each yes, so that nobody is kept on the line by
                an agent that never acts.
        """
        if (held and self.unmet) or declines(text):
            self.unmet = False
        elif says_yes(text, heard):
            self.unmet = True

    def copy(self) -> Assent:
        """The same yes, in a dialogue that goes on independently."""
        return replace(self)
