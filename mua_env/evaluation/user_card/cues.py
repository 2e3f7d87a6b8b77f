"""What the measures must hear in a text, in words of their own.

The agenda user reads agents by :mod:`mua_env.users.agenda.nlu.cues`. An instrument that read them the same way would
share its mistakes, so the card does not use those.
"""

from __future__ import annotations

import re

ASKS_TO_CONFIRM = re.compile(
    r"yes\s*/\s*no|\(y/n\)|\b(?:do|can|could|please) (?:you )?confirm\b|\bconfirmation\b|"
    r"\b(?:shall|should|may|can) i (?:now )?(?:go ahead|proceed|continue|do (?:this|that|so))\b|"
    r"\b(?:would you like|do you want) me to\b|\bis (?:this|that|it|everything|all) (?:correct|right|ok(?:ay)?|fine)\b|"
    r"\b(?:ok|okay|correct|right|agreed)\s*\?|\bdo you agree\b",
    re.IGNORECASE,
)
"""The agent asks for a yes before it acts."""

CLAIMS_DONE = re.compile(
    r"\b(?:has|have) (?:now |just |already )?been \w+|"
    r"\b(?:is|are|that's|it's|all) (?:now )?(?:done|completed?|set)\b|"
    r"\bi(?:'ve| have) (?:now |just )?\w+ed\b|"
    r"\b(?:is|are|was|were) (?:now |successfully )?(?:cancell?ed|changed|updated|"
    r"booked|modified|exchanged|returned|replaced|added|upgraded|processed|issued|sent)\b|^\W*done\b|\bsuccessful",
    re.IGNORECASE,
)
"""The agent says that something was carried out."""

REFUSES = re.compile(
    r"\b(?:can ?not|can't|unable|not able|not possible|impossible|not allowed|not permitted|not eligible|won't|"
    r"not available|unavailable|out of stock|no longer (?:available|possible|be)|"
    r"decline|afraid|policy|only .{1,60}\b(?:can|may) be|"
    r"(?:do|does) not (?:allow|permit|cover|have|exist)|(?:don't|doesn't) (?:allow|permit|cover|have|exist)|"
    r"transfer(?:ring)?|there (?:is|are) no|none of|not enough)\b",
    re.IGNORECASE,
)
"""The agent says that something cannot be had, or hands the user over."""

CLOSES = re.compile(
    r"\b(?:anything|something) else\b|\bany(?: other| further| more)? (?:questions?|requests?)\b|\bgood-?bye\b|"
    r"\bhave a (?:\w+ )?(?:day|evening|night|weekend)\b",
    re.IGNORECASE,
)
"""The agent takes the dialogue to be at its end."""

IDIOMS = re.compile(r"\bto be (?:clear|honest|fair)\b|\bgood (?:day|morning|evening|afternoon)\b", re.IGNORECASE)
"""Turns of phrase in which a word is no value ("clear" is a colour of glasses)."""

BROKEN_OFF = re.compile(r"\S+-(?=[,\s.\u2026\uff0c])")
"""A word that the user breaks off and says anew: no value is stated by it."""

_YES = re.compile(
    r"(?:(?<![a-z] )|\b(?:say|so|well|oh|ah|um|uh|er|okay|ok) )yes\b|"
    r"\b(?:yeah|yep|correct|go ahead|confirm(?:ed)?|proceed|that's (?:right|it|fine)|that is (?:right|fine)|"
    r"sounds (?:good|right)|looks (?:good|right)|please do)\b|"
    "\u662f\u7684|\u786e\u8ba4|\u6ca1\u9519|\u5bf9[\uff0c\u3002]|^\u662f[\uff0c\u3002]",
    re.IGNORECASE,
)
_WEAK_YES = re.compile(r"\b(?:sure|ok(?:ay)?|fine)\b", re.IGNORECASE)
_NO = re.compile(
    r"\b(?:no|nope|not|wrong|incorrect|isn't|don't|doesn't|wait|actually|hold on|changed my mind|mistake|instead|"
    r"rather|but|never ?mind|forget it)\b|"
    "\u4e0d(?!\u77e5)|\u7b49\u7b49|\u7b49\u4e00\u4e0b|\u4e3b\u610f|\u5176\u5b9e|\u6709\u8bef|\u5f04\u9519",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def agrees(text: str) -> bool:
    """Whether a user's text says yes: the first sentence that holds a yes or a no decides.

    An "okay" is a yes only where nothing else is.
    """
    for sentence in _SENTENCE.split(text.strip()):
        if _NO.search(sentence):
            return False
        if _YES.search(sentence):
            return True
    return _WEAK_YES.search(text) is not None


def declines(text: str) -> bool:
    """Whether a user's text says no, or takes something back."""
    return not agrees(text) and _NO.search(text) is not None
