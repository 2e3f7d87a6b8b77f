"""What a refusal must name in telecom, by the rule that is in the way."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path
from typing import Final

from mua_env.users.agenda.reasons import Reasons

_STRANGER = "owner-only"

REASONS: Final = Reasons(
    rules={
        _STRANGER: r"\bowners?\b|\b(?:name|date of birth|details|information)\b.{0,40}\b(?:match|account)|\bverif\w+|\bidentity\b|"
        r"\baccount holder\b|本人|身份|不符",
        "overdue-only": r"\boverdue\b|\bdue\b|逾期",
        "two-gb": r"\b(?:2|two) ?(?:gb|gigabytes?|gigs?)\b|\blimit\b|\bmaximum\b|\bat most\b|\bno more than\b|最多|上限|2 ?GB",
        "watch-plan": r"\bwatch|\bwearable|手表",
        "contract-ended": r"\bcontract\b|合同",
        "sim-locked": r"\block(?:ed)?\b|\bpuk\b|锁",
    },
    of_intent={
        "pay_bill": ("overdue-only", "contract-ended", _STRANGER),
        "refuel_data": ("two-gb", _STRANGER),
        "change_plan": ("watch-plan", _STRANGER),
        "service": (_STRANGER, "contract-ended", "sim-locked"),
        "data": (_STRANGER, "contract-ended", "two-gb"),
        "mms": (_STRANGER, "contract-ended", "two-gb"),
    },
    weights=Path(__file__).with_suffix(".npz"),
)
