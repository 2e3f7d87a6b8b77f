"""Agents' manners of asking, turned into plain requests: polite forms, lists, paths through menus, conditions behind.

What is asked for stays the same; :mod:`.guidance` and the operations read only plain requests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_VERBS: Final[Mapping[str, str]] = {
    "turn": "turning turned",
    "switch": "switching switched",
    "toggle": "toggling toggled",
    "disable": "disabling disabled",
    "enable": "enabling enabled",
    "activate": "activating activated",
    "deactivate": "deactivating deactivated",
    "disconnect": "disconnecting disconnected",
    "restart": "restarting restarted",
    "reboot": "rebooting rebooted",
    "reset": "resetting reset",
    "re-seat": "re-seating reseating re-seated reseated",
    "re-insert": "re-inserting reinserting re-inserted reinserted",
    "remove": "removing removed",
    "take": "taking taken",
    "run": "running run",
    "perform": "performing performed",
    "check": "checking checked",
    "set": "setting set",
    "change": "changing changed",
    "select": "selecting selected",
    "grant": "granting granted",
    "allow": "allowing allowed",
    "give": "giving given",
    "make": "making made",
    "complete": "completing completed",
    "pay": "paying paid",
    "accept": "accepting accepted",
    "approve": "approving approved",
    "send": "sending sent",
    "try": "trying tried",
}
_BASE: Final = {form: verb for verb, forms in _VERBS.items() for form in forms.split()}
_FORMS: Final = "|".join(sorted(_BASE, key=len, reverse=True))
_BARE: Final = "|".join(_VERBS)
_LOOKS: Final = r"(?:check|look|see|tell|read|confirm|verify|report|find)"

_KINDLY = re.compile(r"\bkindly\b", re.IGNORECASE)
_DOING = re.compile(
    r"\b(?:would you mind|do you mind|proceed with|go ahead with|start (?:by|with)|begin (?:by|with)|i(?:'d| would)? "
    rf"(?:recommend|suggest|advise)|let's try|please try|try) (?P<form>{_FORMS})\b",
    re.IGNORECASE,
)
_ONCE_DONE = re.compile(
    r"\b(?:let me know|tell me) (?:once|when|after|as soon as) (?:you(?:'ve| have)? (?:successfully )?"
    rf"(?P<form>{_FORMS})\b|(?:the |your )?payment (?:is|has been|goes)\b[^.?!\n]*)",
    re.IGNORECASE,
)
_DO_SO = re.compile(
    r"(?:(?<=[.?!\n])|^)[^.?!\n]*?\b(?:need to|have to|should|must|is to|to have you|be to) "
    rf"(?P<act>(?:{_BARE})\b[^.?!\n]*)[.!?]\s+"
    r"(?P<ask>(?:please|could you|can you|would you|go ahead and|,| )*do (?:so|that|this|both|it|these)\b)",
    re.IGNORECASE,
)
_OFF_AND_ON = re.compile(
    r"\b(?:turn|switch|power) (?:(?:your|the) (?:phone|device) off|off (?:your|the) (?:phone|device))"
    r"[^.?!\n]{0,60}?\b(?:turn|switch|power) it (?:back )?on(?: again)?\b",
    re.IGNORECASE,
)
_SENT = re.compile(
    r"\b(?P<what>the payment request)s? (?:that )?(?:i|we)(?:'ve| have)?(?: just)? sent(?: to)?(?: you)?\b",
    re.IGNORECASE,
)
_MENU = re.compile(rf"\s*(?:>|→|->)\s*(?=(?:please )?(?:{_BARE}|{_LOOKS}|make sure)\b)", re.IGNORECASE)
_LOOK = re.compile(rf"\b{_LOOKS}\b", re.IGNORECASE)
_THESE = re.compile(r"\b(?:following|these|below)\b", re.IGNORECASE)
_ASKED = re.compile(rf"\b(?:{_BARE}|{_LOOKS}|is|are|does)\b", re.IGNORECASE)
_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(?P<rest>.*)$")
_BEHIND = re.compile(
    r"(?<!know)(?<!see)(?<!check)(?<!tell me)(?<!look)(?<!out)(?<!confirm)(?<!verify),? if (?P<clause>(?:it|they|that|"
    r"this|either|any|one|you(?:'re| are| have))\b[^.?!;:,\n]{1,50})(?=[.?!;\n]|, (?:and|then)\b|$)",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:on|off|enabled|disabled|connected|active|activated|missing|using|turned|switched|set|not already)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:works?|working|helps?|persists?|still|problems?|issues?|resolved?|restored|fix\w*|questions?|want|like|prefer|"
    r"happens|agree|ready|comfortable|possible|can|could|time)\b",
    re.IGNORECASE,
)


def plainly(text: str) -> str:
    """An agent's text with its requests in the imperative."""
    text = _OFF_AND_ON.sub("restart your phone", _listed(_KINDLY.sub("please", text)))
    text = _SENT.sub(r"\g<what>", text)
    text = _DO_SO.sub(lambda match: f"Please {match['act']}. {match['ask']}", text)
    text = _DOING.sub(lambda match: f"please {_BASE[match['form'].lower()]}", text)
    text = _ONCE_DONE.sub(lambda match: f"please {_done(match['form'])}", text)
    return _BEHIND.sub(_without, _MENU.sub(". ", text))


def _done(form: str | None) -> str:
    return _BASE[form.lower()] if form else "make the payment"


def _without(match: re.Match[str]) -> str:
    """A condition behind a request that the caller can look after itself is left out."""
    clause = match["clause"]
    return "" if _STATE.search(clause) and not _OUTCOME.search(clause) else match[0]


def _listed(text: str) -> str:
    """What stands in a list of things to look at becomes requests to look at them."""
    lines, asked = [], False
    for line in text.split("\n"):
        item = _ITEM.match(line)
        if item and asked and not _ASKED.search(item["rest"]):
            line = f"- please check {item['rest']}"
        elif not item and line.strip():
            asked = _heads_a_list(line)
        lines.append(line)
    return "\n".join(lines)


def _heads_a_list(line: str) -> bool:
    look = _LOOK.search(line) if line.rstrip().endswith(":") else None
    return look is not None and _THESE.search(line, look.end()) is not None
