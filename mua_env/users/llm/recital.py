"""Whether a line of the user gives its briefing away instead of speaking from it.

A briefing addresses its reader ("you want ...") or speaks of a third person ("the customer wants ..."); a customer says
"I want ...". So a stretch of the briefing that is still in the second or third person is a recital, and so is one line
that holds most of the briefing, in whatever person. Speech about the briefing itself is told by words; where these may
mean something else (a script, a role), only if the line shares its contents with the briefing.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise

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
_ROLE = r"(?:customer|user|client|caller|shopper|buyer)"
_TALK = (
    r"\b(?:my|the) (?:briefing|persona|system prompt|role ?play)\b",
    r"\bmy brief\b(?! (?:case|moment|visit|call|stay))",
    r"\bi(?:'m| am| was|'ve been| have been) (?:told|instructed|supposed|asked|meant|prompted|given \w+) to "
    r"(?:play|act|pretend|simulate|role|only (?:say|reveal|tell|give|mention)|"
    r"(?:not|never) (?:say|reveal|tell|mention))\b",
    r"\bi(?:'m| am) (?:only |just |actually )?(?:playing|role-?playing|simulating|pretending|acting as)\b",
    r"\b(?:as|i am|i'm) an? (?:ai|language model|simulated|virtual (?:user|customer))\b",
    r"\b(?:if|when|once|unless|until|only after) the agent\b|\bthe agent (?:must|should|has to|needs to|will have)\b",
    r"(?:我的|这份|给我的)(?:指令|指示|设定|提示词?|任务说明|剧本|角色|人设|简报|背景|任务)"
    r"(?:是|说|写|要求|里|如下|内容|[:\uff1a])",
    r"系统提示|提示词|(?:我|是)(?:在)?(?:扮演|模拟)|我被(?:要求|指示|告知)",
    r"作为(?:一个|一名)?(?:AI|人工智能|语言模型)|(?:如果|当|一旦)客服",
)
_HINTS = (
    r"\b(?:my|the) (?:script|scenario|prompt|backstory)\b",
    r"\bmy (?:\w+ )?(?:instructions?|role|character|task|goal) "
    r"(?:is|are|was|were|says?|tells?|states?|reads?|includes?|here)\b",
    r"\b(?:the|these|those) instructions (?:i|that i|given to me|say|tell me|state)\b",
    r"\bi(?:'m| am| was|'ve been| have been) (?:told|instructed|supposed|asked|meant|prompted) to\b",
    rf"\b(?:the|this|a) {_ROLE}(?:'s)? (?:wants?|is|has|had|needs?|should|must|would|will|asks?|lives?|prefers?|does|"
    r"goal|name|email|instruction)\b",
    r"^[\W_]*(?:\w+ ){0,2}(?:goal|task|scenario|persona|instructions?|objective|background|profile|briefing)[\W_]*:",
    r"(?:这位|该|这个)?(?:顾客|用户|客户)(?:想|要|希望|需要|应该|不想|的(?:目标|任务|邮箱|姓名))|^\W*(?:用户)?(?:目标|任务|场景|背景)\s*[:\uff1a]",
)
"""What may be speech about the briefing, or about a website's script and a member's status."""
_HINTED = 2
"""Content words, or pairs of Chinese characters, that a hint and the briefing must share."""
_SUBJECT = re.compile(r"^you are (?:called |named )?([A-Z]\w+)", re.IGNORECASE | re.MULTILINE)
_THIRD = r"(?: [A-Z]\w+)? (?:wants|needs|is (?!my)|has|lives|would like|should|must|does not|doesn't|asks|prefers)\b"
_EMPTY_WORDS = """
about after agent all also and any are ask asked asks because been before but can could customer does for from
get give had has have her here his how into just like must need needs not one only out said say says she should
tell that the their them then there they this told user very want wants was what when which who will with would
you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|「[^」]+」|(?<!\w)'[^']+'(?!\w)")
"""What a briefing puts into the customer's mouth word by word."""
_TALKS = re.compile("|".join(_TALK), re.IGNORECASE)
_HINTS_AT = re.compile("|".join(_HINTS), re.IGNORECASE | re.MULTILINE)
_OF_ROLE = re.compile(rf"\b(?:an?|of an?|of the) (?:\w+ )?{_ROLE}\b", re.IGNORECASE)


def recites(text: str, briefing: str) -> str | None:
    """Why a line is a recital of the briefing, or None."""
    if (match := _TALKS.search(text.replace("\u2019", "'"))) is not None:
        return f"it speaks of its briefing ({match[0].strip()!r})"
    if (hint := _hint(text.replace("\u2019", "'"), briefing)) is not None:
        return f"it speaks of its briefing ({hint!r}) and shares its contents"
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


def _hint(text: str, briefing: str) -> str | None:
    """What may speak of the briefing, in a line that says what stands in it."""
    match = _HINTS_AT.search(text)
    if match is None and (name := _SUBJECT.search(briefing)) is not None:
        match = re.search(rf"\b{re.escape(name[1])}{_THIRD}", text)
        if match is not None and re.search(r"\b(?:i|my|me)\b", text, re.IGNORECASE):
            return None
    if match is None:
        return None
    shared = _contents(text) & _contents(briefing)
    return match[0].strip() if len(shared) >= _HINTED or _OF_ROLE.search(match.string[match.end() :]) else None


def _contents(text: str) -> set[str]:
    """The words of a text that carry its contents, by their stems; Chinese ones by pairs of characters."""
    words = _words(text)
    pairs = {one + two for one, two in pairwise(words) if _han(one) and _han(two)}
    long = {word for word in words if (len(word) > 2 and word not in _EMPTY) or any(map(str.isdigit, word))}
    return pairs | {word[:5] for word in long}


def _han(word: str) -> bool:
    return "\u3400" <= word[0] <= "\u9fff"


def _shared(said: list[str], told: list[str], least: int) -> list[list[str]]:
    matcher = SequenceMatcher(None, told, said, autojunk=False)
    return [said[b : b + size] for _, b, size in matcher.get_matching_blocks() if size >= least]


def _stretch(words: list[str]) -> int:
    chinese = sum(map(_han, words))
    return STRETCH_CHINESE if 2 * chinese > len(words) else STRETCH


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("\u2019", "'"))
