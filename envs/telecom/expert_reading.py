"""What the telecom expert reads in a message: what is wanted, who is calling, and what the phone shows."""

from __future__ import annotations

import re
from typing import Final

from mua_env.agents.scripted.reading import Mender, Told, last, last_text, says

from .world_data import PLANS

# fmt: off
mend = Mender((
    "service", "signal", "phone", "calls", "network", "mobile", "data", "internet", "picture", "messages", "photos",
    "pictures", "bill", "overdue", "upcoming", "next", "plan", "line", "want", "need", "like", "have", "help",
    "hoping", "trying", "looking", "still", "really", "would", "your", "proper", "speed", "switch", "change", "another",
    "different", "home", "abroad", "traveling", "sure", "needed", "safe", "should", "that", "rather", "actually",
    "changed", "mind", "done", "this", "could", "please", "month", "add", "some", "more", "send", "again", "make",
    "settle", "move", "forgot", "early", "already",
), swaps=True)
# fmt: on

_WISH = re.compile(
    r"\b(?:(?:want|need|like|hoping|trying|looking|have|hope|wish|got|here|time|need your help|want your help)\b"
    r"[^.?!]{0,12}?\bto|help me(?: to)?|help to|must)\b|(?:^|[.!?;:] )please,? |, please, "
)
_INTENTS: Final = Told(
    {
        "mms": r"\bpictures?\b|\bphotos\b|\bmms\b",
        "next_bill": r"\b(?:next|upcoming) bill\b|\bbill that comes next\b",
        "pay_bill": r"\bbill\b",
        "change_plan": r"\bplan\b",
        "refuel_data": r"\b(?:add|buy|top)\b.{0,12}\bdat?a?\b",
        "data": r"\bmobile\b|\binternet\b",
        "service": r"\bservice\b|\bsignal\b|\bcalls\b|\bnetwork\b",
    }
)


def intent(text: str) -> str | None:
    """What a message says that the caller wants, or None."""
    low = mend(text)
    wishes = [low[match.end() : match.end() + 120] for match in _WISH.finditer(low)]
    return next(filter(None, map(_INTENTS, wishes[::-1])), None)


_NOT: Final = r"(?:\b(?:can(?:'t|not)|can not|unable|not|won't|fail\w*|trouble|problems?)\b|n't\b)"
_PICTURES: Final = r"\b(?:pictures?|photos?|mms)\b"
_COMPLAINTS: Final = Told(
    {
        "mms": rf"{_NOT}[^.?!]{{0,40}}{_PICTURES}|{_PICTURES}[^.?!]{{0,40}}{_NOT}",
        "data": (
            r"\b(?:mobile data|internet|connection)\b[^.?!]{0,40}(?:\b(?:slow|not work\w*|down|dead|gone)\b|n't work)"
            r"|\b(?:no|slow|bad) (?:mobile )?(?:data|internet)\b"
        ),
        "service": (
            r"\b(?:no|lost|without)(?: my)? (?:service|signal|reception|network)\b"
            rf"|{_NOT} (?:to )?(?:make )?(?:any )?(?:phone )?(?:calls?|text)\b"
            r"|\b(?:phone|service|signal)\b[^.?!]{0,30}(?:\b(?:not work\w*|dead|gone|down)\b|n't work)"
        ),
    }
)


def complaint(text: str) -> str | None:
    """What a caller suffers from who says no more than that; None where nothing of the kind is said."""
    return _COMPLAINTS(mend(text))


_ITEMS: Final = Told(
    {
        "next_bill": r"next bill",
        "pay_bill": r"overdue bill",
        "mms": r"\bpicture messages?\b|\bmms\b",
        "data": r"\bmobile (?:data|internet)\b",
        "service": r"\bno (?:service|signal)\b|\bphone service\b",
        "refuel_data": r"\bdata added\b",
        "change_plan": r"\bchanged to the plan\b",
    }
)


def item(line: str) -> str | None:
    """What a line of a ticket says that the caller wants."""
    return _ITEMS(line.lower())


_PHONE = re.compile(r"\b\d{3}-\d{3}-\d{4}\b")
_GIGABYTES = re.compile(r"\b(\d+(?:\.\d+)?) ?GB\b", re.IGNORECASE)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2}), (\d{4})\b", re.IGNORECASE)


def phone(text: str) -> str | None:
    """The last phone number in a text."""
    return last_text(_PHONE, text)


def birth_date(text: str) -> str | None:
    """The last date in a text, as ``YYYY-MM-DD``."""
    dates = ["-".join(parts) for parts in _ISO.findall(text)]
    dates += [
        f"{year}-{_MONTHS.index(month.lower()) + 1:02d}-{int(day):02d}" for month, day, year in _LONG.findall(text)
    ]
    return dates[-1] if dates else None


def gigabytes(text: str) -> float | None:
    """The last amount of data in a text, in GB."""
    match = last(_GIGABYTES, text)
    return float(match[1]) if match else None


def plan(text: str) -> str | None:
    """The last plan that a text names."""
    names = [str(row["name"]) for row in PLANS]
    found = [(text.lower().rfind(name.lower()), name) for name in names]
    at, name = max(found)
    return name if at >= 0 else None


_YES = re.compile(
    r"(?:(?<![a-z] )|\b(?:say|so|well|oh|ah|um|uh|er|okay|ok|right|alright) )yes\b|"
    r"\b(?:yeah|yep|i confirm|correct|go ahead|please do)\b"
)
_NO = re.compile(
    r"(?:^|[.!?,] )\W*(?:no|wait|actually|hold on|hmm, no)\b|\bchanged my mind\b|\bsecond thought\b|\bthought about it "
    r"again\b|\bsomething (?:else|different)\b|\bnot (?:right|what i)\b|\bwrong\b"
)
_DOUBT = re.compile(
    r"\bare you sure\b|\bis tha?t? (?:really )?(?:needed|safe)\b|\bwhy should i\b|\bwhy would that help\b|"
    r"\bbreak anything\b"
)


def yes(text: str) -> bool:
    """Whether a text agrees."""
    return says(mend(text), _YES, _NO)


def doubts(text: str) -> bool:
    """Whether a caller asks whether something is needed before doing it."""
    return _DOUBT.search(mend(text)) is not None


def abroad(text: str) -> bool | None:
    """Whether a caller says that it is abroad; ``None`` where nothing is said about it."""
    low = mend(text)
    if re.search(r"\b(?:at home|not abroad|not traveling|own country)\b", low):
        return False
    return True if re.search(r"\babroad\b", low) else None


def screen(text: str) -> dict[str, str | bool]:
    """What a text says of the phone, by name; only what it speaks of."""
    low = text.lower()
    found: dict[str, str | bool] = {}
    for name, pattern in _SCREEN:
        if match := last(pattern, low):
            value = match[1]
            found[name] = value in ("on", "yes") if value in ("on", "off", "yes", "no") else value
    for match in _ALREADY.finditer(low):
        found[_SWITCH[match[1]]] = match[2] == "on"
    if "no sim card detected" in low:
        found["sim"] = "missing"
    if match := last(re.compile(r"locked with a (pin|puk)"), low):
        found["sim"] = f"locked_{match[1]}"
    if "sim card is active" in low:
        found["sim"] = "active"
    if "vpn is on and connected" in low:
        found["vpn"] = "poor" if re.search(r"performance\W+(?:<performancelevel\.)?poor", low) else "fine"
    if match := last(re.compile(r"has permission for: ([a-z, ]+)|no (permissions) granted"), low):
        found["permissions"] = match[1] or ""
    return found


_SWITCH: Final = {
    "airplane mode": "airplane", "mobile data": "data", "data roaming": "roaming", "data saver": "saver",
    "wi-fi calling": "wifi_calling", "wi-fi": "wifi",
}  # fmt: skip
_ALREADY = re.compile(
    r"(airplane mode|mobile data|data roaming|data saver|wi-fi calling|wi-fi) (?:was already|is already|is) (on|off)\b"
)
_SCREEN: Final = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("airplane", r"airplane mode(?::| is now) (on|off)"),
        ("sim", r"sim card status: (\w+)"),
        ("service", r"cellular connection: (\w+)"),
        ("network", r"cellular network type: (\w+)"),
        ("data", r"mobile data (?:enabled:|is now) (yes|no|on|off)"),
        ("roaming", r"data roaming (?:enabled:|is now) (yes|no|on|off)"),
        ("saver", r"data saver mode is (?:now )?(on|off)"),
        ("mode", r"\b(4g_5g_preferred|4g_only|3g_only|2g_only)\b"),
        ("vpn", r"vpn is turned (off)"),
        ("apn", r"current apn name: (\w+)"),
        ("mmsc", r"mmsc url \(for picture messages\): (not set|\S+)"),
        ("wifi_calling", r"wi-fi calling is (?:currently turned|now) (on|off)"),
        ("signal", r"\b(no signal|(?:poor|fair|good|excellent)(?=\W{1,6}[2345]g\b))"),
        ("speed", r"\((very poor|poor|fair|good|excellent)\)|speed test failed"),
        ("mms", r"messaging app (can|cannot) send"),
    )
)
