"""Holding an agent's proposals against what the caller wants, and what the caller has seen against its wish."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mua_env.users.agenda.language import Comparison

from ..world_data import PLANS
from .slots import SYMPTOMS

_AMOUNT = r"(?P<gb>\d+(?:\.\d+)?) ?(?:gb|gigabytes?|gigs?)\b"
_ADDED = re.compile(
    rf"\b(?:add\w*|refuel\w*|top\w*[- ]?up|buy\w*|purchas\w*|refill\w*|provid\w*)\b[^.;?!\n]{{0,40}}?{_AMOUNT}"
    rf"|{_AMOUNT.replace('<gb>', '<gb2>')} (?:of )?(?:additional|extra|more|refuel\w*|top|data (?:to|refuel|for \$|"
    r"top))",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:up to|maximum|max|at most|no more than|limit)\b", re.IGNORECASE)
_CHANGE = re.compile(r"\b(?:chang\w*|switch\w*|mov\w*|upgrad\w*|downgrad\w*)\b[^.;?!\n]{0,80}?\bplan\b", re.IGNORECASE)
_NAMES = {str(plan["name"]).lower(): str(plan["name"]) for plan in PLANS}
_PLAN = re.compile("|".join(re.escape(name) for name in _NAMES), re.IGNORECASE)
_TO = re.compile(
    rf"\b(?:to|into|onto|on) (?:the |your |plan |new |our |a )*[\"']?(?P<plan>{_PLAN.pattern})", re.IGNORECASE
)


def compare(intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
    """The slots that a proposal or claim states wrongly and rightly."""
    if intent not in (*SYMPTOMS[1:], "refuel_data", "change_plan"):
        return Comparison()
    wrong: list[str] = []
    right: list[str] = []
    amounts = _amounts(text)
    plans = {_NAMES[match["plan"].lower()] for match in _TO.finditer(text)}
    gb, plan = slots.get("gb"), slots.get("plan")
    if amounts and gb:
        (right if float(gb) in amounts and len(amounts) == 1 else wrong).append("gb")
    if plans and plan:
        (right if plan in plans else wrong).append("plan")
    elif plan and plan.lower() in text.lower():
        right.append("plan")
    if (amounts and not gb) or ((plans or _CHANGE.search(text)) and not plan and not amounts):
        wrong.append("gb" if intent == "refuel_data" else "plan" if intent == "change_plan" else "remedy")
    return Comparison(tuple(wrong), tuple(right))


def _amounts(text: str) -> set[float]:
    """The amounts of data that are to be added."""
    found = set()
    for match in _ADDED.finditer(text):
        if not _LIMIT.search(match[0]):
            found.add(float(match["gb"] or match["gb2"]))
    return found


_ACTS = re.compile(r"\b(?:payment|pay|bills?|invoice|resume|suspen\w+|roaming|activate|reactivate)\b", re.IGNORECASE)


def concerns(text: str, named: frozenset[str]) -> frozenset[str]:
    """What is named, and the symptoms where a text is about what lies behind them."""
    if _ACTS.search(text) or named & {"refuel_data", "change_plan"}:
        return named | frozenset(SYMPTOMS)
    return named


def refine(asked: Sequence[str], intent: str) -> tuple[str, ...]:
    """What is asked for, told from what only sounds like it."""
    found = list(asked)
    if "remedy" in found or {"gb", "plan"} <= set(found):
        found = [name for name in found if name not in ("gb", "plan", "remedy")] + ["remedy"]
    if intent == "refuel_data":
        found = ["gb" if name in ("remedy", "plan") else name for name in found]
    if intent == "change_plan":
        found = ["plan" if name in ("remedy", "gb") else name for name in found]
    if intent in ("service", "pay_bill"):
        found = [name for name in found if name not in ("gb", "plan", "remedy")]
    return tuple(dict.fromkeys(found))


_BAR = re.compile(r"Status Bar: (.*)")
_SIGNAL = re.compile(r"\b(?:Poor|Fair|Good|Excellent)\b")


def settled(intent: str, seen: Mapping[str, str]) -> bool:
    """Whether the last that was seen shows that a wish is fulfilled."""
    if intent == "data":
        return "(Excellent)" in seen.get("run_speed_test", "")
    if intent == "mms":
        return "can send" in seen.get("can_send_mms", "")
    if intent == "pay_bill":
        return seen.get("make_payment", "").startswith("Payment of")
    bars = [found[1] for text in seen.values() if (found := _BAR.search(text))]
    return bool(intent == "service" and bars and _SIGNAL.search(bars[-1]))


_ON = re.compile(r"\bON\b|\bYes\b")


def switched(switch: str, result: str) -> bool | None:
    """Whether a switch is on, by what its check shows."""
    row = {"airplane": "Airplane Mode", "data": "Mobile Data Enabled", "roaming": "Data Roaming Enabled"}.get(switch)
    rows = [line for line in result.split("\n") if row is None or line.startswith(row)]
    return _ON.search(rows[0]) is not None if rows and rows[0] else None
