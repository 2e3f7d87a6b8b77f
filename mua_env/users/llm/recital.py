"""Whether a line of the user gives its briefing away instead of speaking from it.

A briefing addresses its reader ("you want ..."); a customer says "I want ...". So a stretch of the briefing that is
still in the second person is a recital, and so is one line that holds most of the briefing, in whatever person. The
one thing that is told by words is speech about the briefing itself.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

SHORT = 25
"""Words of a briefing up to which a customer may rightly say all of it in one line."""
WHOLE = 0.5
"""Share of a longer briefing that no customer says in one line."""
STRETCH, STRETCH_CHINESE = 5, 7
"""Words in a row, or Chinese characters, that are copied and not said again by chance."""

_WORD = re.compile(r"[a-z0-9#@_]+(?:['.-][a-z0-9@_]+)*|[\u3400-\u9fff]")
_ADDRESSED = frozenset(("you", "your", "you're", "you've", "you'd", "you'll", "yourself", "你", "您"))
_FIRST = {"you": "i", "your": "my", "you're": "i'm", "you've": "i've", "you'd": "i'd", "you'll": "i'll", "are": "am"}
_FIRST |= {"yourself": "myself", "你": "我", "您": "我", "he": "i", "she": "i", "his": "my", "her": "my"}
_TALK = (
    r"\b(?:my|the) (?:briefing|brief|persona|script|scenario|system prompt|prompt|role ?play)\b"
    r"(?! (?:case|moment|visit|call|stay))",
    r"\bmy (?:\w+ )?(?:instructions?|role|character|task) "
    r"(?:is|are|was|were|says?|tells?|states?|reads?|includes?|here)\b",
    r"\b(?:the|these|those) instructions (?:i|that i|given to me|say|tell me|state)\b",
    r"\bi(?:'m| am| was|'ve been| have been) (?:told|instructed|supposed|asked|meant|prompted|given \w+) to "
    r"(?:play|act|pretend|be a|role|simulate|only|not|never|say|reveal|insist|refuse|accept|agree|behave)\b",
    r"\bi(?:'m| am) (?:only |just |actually )?(?:playing|role-?playing|simulating|pretending|acting as)\b",
    r"\b(?:as|i am|i'm) an? (?:ai|language model|simulated|virtual (?:user|customer))\b",
    r"\b(?:if|when|once|unless|until|only after) the agent\b|\bthe agent (?:must|should|has to|needs to|will have)\b",
    r"(?:我的|这份|给我的)(?:指令|指示|设定|提示词?|任务说明|剧本|角色|人设|简报|背景|任务)"
    r"(?:是|说|写|要求|里|如下|内容|[:\uff1a])",
    r"系统提示|提示词|(?:我|是)(?:在)?(?:扮演|模拟)|我被(?:要求|指示|告知)",
    r"作为(?:一个|一名)?(?:AI|人工智能|语言模型)|(?:如果|当|一旦)客服",
)
_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|「[^」]+」|(?<!\w)'[^']+'(?!\w)")
"""What a briefing puts into the customer's mouth word by word."""
_TALKS = re.compile("|".join(_TALK), re.IGNORECASE)


def recites(text: str, briefing: str) -> str | None:
    """Why a line is a recital of the briefing, or None."""
    if (match := _TALKS.search(text.replace("\u2019", "'"))) is not None:
        return f"it speaks of its briefing ({match[0].strip()!r})"
    said, told = _words(text), _words(_QUOTED.sub(" | ", briefing))
    for block in _shared(said, told, _stretch(said)):
        if not _ADDRESSED.isdisjoint(block):
            return f"it reads from its briefing ({' '.join(block)!r})"
    if len(told) > SHORT:
        own = [_FIRST.get(word, word) for word in said]
        share = sum(map(len, _shared(own, [_FIRST.get(word, word) for word in told], 2))) / len(told)
        if share >= WHOLE:
            return f"it says {share:.0%} of its briefing at once"
    return None


def _shared(said: list[str], told: list[str], least: int) -> list[list[str]]:
    matcher = SequenceMatcher(None, told, said, autojunk=False)
    return [said[b : b + size] for _, b, size in matcher.get_matching_blocks() if size >= least]


def _stretch(words: list[str]) -> int:
    chinese = sum("\u3400" <= word[0] <= "\u9fff" for word in words)
    return STRETCH_CHINESE if 2 * chinese > len(words) else STRETCH


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("\u2019", "'"))
