"""Reading guidance: what "it" stands for, conditions that a caller can look after itself, several steps in a sentence.

A switch is set only where it stands wrong (its ``check``), so "if it is on, turn it off" can be read as "turn it off".
Conditions on what helped ("if that does not work") are left: nothing is done on them.
"""

# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mua_env.users.agenda.nlu.dialogue_acts import plain

from .operations import SWITCHES
from .wording import plainly

_NAMES: Final[Mapping[str, str]] = {
    "airplane": "airplane mode",
    "data": "mobile data",
    "roaming": "data roaming",
    "saver": "data saver",
    "wifi_calling": "wi-fi calling",
    "wifi": "wi-fi",
    "pay": "the payment request",
}
_THINGS = re.compile(
    "|".join(
        [
            *(f"(?P<{name}>{noun})" for name, (_, _, noun) in SWITCHES.items()),
            r"(?P<vpn>\bvpn\b)",
            r"(?P<sim>\bsim\b(?: card)?)",
            r"(?P<apn>\bapn(?: settings?)?\b)",
            r"(?P<pay>\bpayment requests?\b|\brequests?\b(?= (?:is|was|has been|on|to) ))",
            r"(?P<grant>\b(?:storage|sms)(?: (?:and|or) (?:storage|sms))? permissions?\b)",
        ]
    ),
    re.IGNORECASE,
)
_NOUNS: Final = "|".join(noun for _, _, noun in SWITCHES.values())
_PAIR = re.compile(
    rf"\b(?P<verb>(?:turn|switch) (?:on|off)|enable|disable|activate|deactivate) (?:both )?(?P<one>(?:the |your )?(?:{_NOUNS}))"
    rf" and (?P<two>(?:the |your )?(?:{_NOUNS}|vpn))\b",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?P<verb>turn|switch|toggle|flip|put) (?:it|that|this)(?: back)? (?P<way>on|off)\b"
    r"|\b(?P<able>enable|disable|disconnect|activate|deactivate|re-?insert|re-?seat|remove|reset|restore|approve|accept|pay|grant|allow)"
    r" (?:it|that|this|them)\b"
    r"|\b(?P<look>(?:tell me|let me know|see|check|confirm|verify|make sure) (?:if|whether|that)?) ?it(?:'s| is)\b"
    r"|(?P<then>\b(?:then|and)(?: back)? (?P<again>on|off)(?: again)?\b)"
    r"|\b(?P<bare>turn|switch) (?P<bare_way>on|off)(?= *(?:[.,;)]|$|and\b|then\b))",
    re.IGNORECASE,
)
_OBJECTS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("reinsert", "reseat", "remove"), frozenset({"sim"})),
    **dict.fromkeys(("reset", "restore"), frozenset({"apn"})),
    **dict.fromkeys(("approve", "accept", "pay"), frozenset({"pay"})),
    **dict.fromkeys(("grant", "allow"), frozenset({"grant"})),
    "enable": frozenset({*SWITCHES, "grant"}),
    "disconnect": frozenset({"vpn", "data", "wifi"}),
}
_STATE = re.compile(
    r"(?P<lead>^|[.!?;:\n*-]\s*|\band |\bthen |, )(?:and )?if (?P<clause>[^,.;:?!\n]{2,70}?)(?:,|:| then\b)\s*(?:then )?(?=(?:please |go "
    r"ahead and |kindly )?(?:turn|switch|toggle|disable|enable|deactivate|activate|disconnect|re-?seat|re-?insert|remove|"
    r"restart|reboot|take|reset|set|change|grant|allow|give|flip|put)\b)",
    re.IGNORECASE,
)
_SEEN = re.compile(
    r"\b(?:is|are|isn't|aren't|'s|shows?|says|reads|appears?|see|set|has|have|lacks?|yes|so|on|off|missing|enabled|"
    r"disabled|connected|active)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:works?|working|helps?|persists?|still|problems?|issues?|restored|resolved?|fix(?:ed|es)?|questions?|want|would|"
    r"like|need|prefer|unable|can't|cannot|fails?|better|happens|else|agree|ready|comfortable)\b",
    re.IGNORECASE,
)
_AND = re.compile(
    r",? and (?:then |also |after that )?(?=(?:turn|switch|toggle|disable|enable|restart|reboot|reset|re-?seat|re-?insert|run|check|look|"
    r"tell|let me know|set|change|select|grant|allow|give|disconnect|make|pay|accept|approve|try|send|open|see|perform|put)\b)",
    re.IGNORECASE,
)
_HELD_BACK = re.compile(
    r"\b(?:don't|do not|not|never|no need|avoid|before|after|until|once|when|while|i|i'll|we|we'll|i've|should i|would you "
    r"like|do you want|if|unless)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.?!\n]+[.?!\n]*")
_ADDRESSED = re.compile(r"\b(?:please|could you|can you|would you)\b", re.IGNORECASE)


_WORKS = re.compile(
    r"\b(?:(?:let me know|tell me|see|check|confirm|verify|find out) (?:if|whether)|do(?:es)?|is|are|has|have|did|can you)\b"
    r"[^.?!\n]{0,60}?\b(?:works?|working|solved|resolved|fixed|restored|back|improved?|faster|better|connected)\b"
    r"|\b(?:try|test) (?:it|that|this|now|once more)(?: \w+){0,3}[.?!]",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|we)(?:'ll|'ve| will| have|'m| am| can| need)?\b", re.IGNORECASE)
_PROOF: Final = {
    "service": "Please look at the status bar.",
    "data": "Please run a speed test.",
    "mms": "Please try to send a picture message.",
}


def read(text: str, intent: str = "") -> str:
    """An agent's text with the same instructions in sentences of their own.

    Args:
        text: what the agent said.
        intent: what the caller is at; whoever is asked whether it works now tries what it complained of.
    """
    text = _name_things(_without_conditions(plainly(plain(text))))
    text = _PAIR.sub(r"\g<verb> \g<one> and \g<verb> \g<two>", text)
    said = [match[0] for match in _SENTENCE.finditer(text)]
    asked = intent in _PROOF and any(_asks_whether_it_works(sentence) for sentence in said)
    return "".join(map(_apart, said)) + (f"\n{_PROOF[intent]}" if asked else "")


def _asks_whether_it_works(sentence: str) -> bool:
    found = _WORKS.search(sentence)
    if found is None or _OWN.search(sentence, 0, found.start()):
        return False
    return sentence.rstrip().endswith("?") or found[0][:1].lower() in "lstcvf"


def _without_conditions(text: str) -> str:
    def drop(match: re.Match[str]) -> str:
        clause = match["clause"]
        if _OUTCOME.search(clause) or not _SEEN.search(clause):
            return match[0]
        # What the condition is about is what "it" stands for behind it.
        thing = _THINGS.search(clause)
        about = f"Look at {thing[0]}. " if thing else ""
        return f"{'. ' if match['lead'].strip(' ,') in ('', 'and', 'then') else match['lead']}{about}please "

    return _STATE.sub(drop, text)


def _name_things(text: str) -> str:
    """The text with "it" replaced by the switch that was last spoken of."""
    out: list[str] = []
    at = 0
    things = _THINGS.finditer(text)
    thing: re.Match[str] | None = None
    last: dict[str | None, re.Match[str]] = {}
    for match in _TURN.finditer(text):
        thing = thing or next(things, None)
        while thing is not None and thing.end() <= match.start():
            last[thing.lastgroup] = thing
            thing = next(things, None)
        fitting = [last[name] for name in _fitting(match) if name in last]
        out.append(text[at : match.start()])
        at = match.end()
        out.append(_named(match, max(fitting, key=re.Match.start, default=None)))
    return "".join([*out, text[at:]])


def _fitting(match: re.Match[str]) -> frozenset[str]:
    """The things that "it" can stand for behind a verb."""
    if match["look"]:
        return frozenset(_THINGS.groupindex) - {"pay"}
    return _OBJECTS.get((match["able"] or "").lower().replace("-", ""), frozenset({*SWITCHES, "vpn"}))


def _named(match: re.Match[str], thing: re.Match[str] | None) -> str:
    if thing is None:
        return match[0]
    name = _NAMES.get(thing.lastgroup or "", thing[0])
    if match["verb"]:
        return f"turn {match['way']} {name}"
    if match["bare"]:
        return f"{match['bare']} {match['bare_way']} {name}"
    if match["then"]:
        return f". Please turn {match['again']} {name}"
    if match["look"]:
        return f"{match['look']} {name} is"
    return f"{'accept' if thing.lastgroup == 'pay' else match['able']} {name}"


def _apart(sentence: str) -> str:
    """A sentence with several instructions, one in each."""
    if _HELD_BACK.search(sentence) or not _AND.search(sentence):
        return sentence
    first, *others = _AND.split(sentence)
    please = "please " if _ADDRESSED.search(first) else ""
    return ". ".join([first, *(f"{please}{other}" for other in others)])
