"""What a refusal must name in the airline domain, by the rule that is in the way."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path
from typing import Final

from mua_env.users.agenda.reasons import Reasons

_NOT_YOURS = "own-reservations-only"

REASONS: Final = Reasons(
    rules={
        _NOT_YOURS: r"\b(?:another|a different|some other) (?:customer|user|account|person)\b|\bbelongs?\b|"
        r"\bnot (?:yours|your own|(?:on|in|under) your)|\bonly help with your own\b",
        "cancel-conditions": r"\b(?:24|twenty-four)[ -]?(?:hours?|h)\b|\b(?:no|without|with|or|have|has|not|un)[ -]?(?:travel )?insur\w+|\bairline\b.{0,20}\bcancel|\bbusiness\b|\beconomy\b|"
        r"\bcovered\b|\bcriteria\b|小时|保险|商务舱|航空公司|条件|\bconditions?\b|\breasons?\b",
        "departed-transfer": r"\bdeparted\b|\bflown\b|\bpast\b|\btaken off\b|\balready (?:left|used)\b|已经?起飞|已经?出发",
        "basic-economy-flights": r"\bbasic[ -]economy\b|(?:基础|基本)经济舱",
        "same-route": r"\b(?:origin|destination|route|trip type|itinerary)\b|目的地|出发地|航线",
        "one-cabin": r"\ball (?:the )?(?:flights|segments|passengers|legs)\b|\bsame cabin\b",
        "bags-added-only": r"\b(?:only )?(?:be )?added\b|\bnever removed\b|\bremov\w+|只能(?:增|添)加|不能减",
        "insurance-at-booking": r"\b(?:initial|original|time of|after|when|during|with|together with|made) (?:the |your |initial |"
        r"original )*(?:booking|booked|reservation|purchase|flight)\b|\bafterwards\b|\bbooking\b|预订时|购票时|订票时",
        "passenger-count": r"\bnumber of (?:passengers|travell?ers)\b|\bcount\b|\breplaced\b|\bpassenger number\b|人数|乘客数",
        "compensation-conditions": r"\b(?:silver|gold|regular|member\w*|(?:no|without|with|or|have|has|not) (?:travel )?insur\w+|business|economy)\b|\beligib\w+|会员|银卡|金卡",
        **dict.fromkeys(("compensation-cancelled", "compensation-trouble"), r"\b(?:not|none|no)\b.{0,60}\b(?:cancell?ed|delayed)\b|\bstill (?:for sale|available|on time|"
        r"scheduled)\b|\bconfirm\w* the (?:delay|cancellation)|\bchanged? or cancel"),
        "seats": r"\bseats?\b|\bavailable\b|\bfully booked\b|\bno (?:such )?flights?\b",
        "payment": r"\bbalance\b|\bcover\w* the (?:price|total|amount|difference|cost)|\benough\b|\bsufficient\b|\bcertificates?\b|\bon (?:file|your profile)\b",
        "scope": r"\b(?:scope|polic\w+|human)\b",
    },
    of_intent={
        "cancel_reservation": ("cancel-conditions", "departed-transfer", _NOT_YOURS),
        "change_flights": (
            "basic-economy-flights", "same-route", "departed-transfer", "seats", "payment", "one-cabin", _NOT_YOURS,
        ),
        "change_cabin": ("one-cabin", "departed-transfer", "seats", "payment", _NOT_YOURS),
        "add_bags": ("payment", "departed-transfer", _NOT_YOURS),
        "remove_bags": ("bags-added-only",),
        "add_insurance": ("insurance-at-booking",),
        "add_passenger": ("passenger-count",),
        "change_route": ("same-route",),
        "change_passenger": ("passenger-count", _NOT_YOURS),
        "compensation": ("compensation-conditions", "compensation-cancelled", "compensation-trouble", _NOT_YOURS),
        "book_flight": ("seats", "payment", "passenger-count"),
    },
    alike=(frozenset({"cancel-conditions", "compensation-conditions"}),),
    weights=Path(__file__).with_suffix(".npz"),
)  # fmt: skip
