"""What a small model gets wrong as the user although it was trained for it: values, and agreement to a wrong one.

The guards of LLM users look for e-mail addresses and long numbers that nobody told the user. A small model also
mixes up names and short numbers, and says yes to an order that is not its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mua_env.users.llm.guards import agrees

_WORD = re.compile(r"[A-Za-z][\w'-]*|\d[\d.,x-]*\d|\d")
_CODE = re.compile(r"#?[A-Z]{1,3}\d{3,}")
_ASKS = re.compile(r"yes\s*/\s*no|\bconfirm\b|\bproceed\b|\bgo ahead\b|\bcorrect\b", re.IGNORECASE)
_OPENER = re.compile(
    r"a|also|an|and|but|for|from|i|in|is|it|it's|just|my|no|not|ok|okay|on|or|order|please|so|sorry|sure|thanks|that|the|"
    r"then|this|to|use|wait|well|with|yes|zip",
    re.IGNORECASE,
)
"""Words that begin a sentence before a name without being part of it, as in ``My Visa``."""
_START = re.compile(r"(?:^|[.!?:;]\s+)$")


def unheld_value(text: str, known: Iterable[str]) -> str | None:
    """A name or number in a line that none of the texts holds, or None.

    A name is a capitalised word that does not begin a sentence; one that does counts where another name follows it
    at once, as in ``Ana Silva.``
    """
    words = list(_WORD.finditer(text))
    held = {word.lower() for part in known for word in _WORD.findall(part)}
    for number, match in enumerate(words):
        word: str = match.group()
        if word.lower() in held or word in ("I", "I'm", "I'd", "I'll", "I've"):
            continue
        named = word[0].isupper() and (not _begins(text, match) or _names(words, number, text))
        if word[0].isdigit() or named:
            return word
    return None


def wrong_agreement(text: str, heard: str, briefing: str) -> str | None:
    """The code (as an order number) that a line agrees to although the briefing holds only others like it, or None.

    Args:
        text: the line.
        heard: the agent's message that it answers.
        briefing: all that the user knew from the start.
    """
    if not agrees(text) or not _ASKS.search(heard):
        return None
    own = set(_CODE.findall(briefing))
    shapes = {_shape(code) for code in own}
    code: str
    for code in _CODE.findall(heard):
        if code not in own and _shape(code) in shapes:
            return code
    return None


def _shape(code: str) -> str:
    return re.sub(r"\d", "0", code)


def _begins(text: str, match: re.Match[str]) -> bool:
    return bool(_START.search(text[: match.start()]))


def _names(words: list[re.Match[str]], number: int, text: str) -> bool:
    if number + 1 >= len(words):
        return False
    here, after = words[number], words[number + 1]
    if _OPENER.fullmatch(here.group()):
        return False
    return after.group()[0].isupper() and text[here.end() : after.start()] == " " and after.group() != "I"
