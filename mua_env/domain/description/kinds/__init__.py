"""The kinds of values that arguments of tools can have."""

from __future__ import annotations

from mua_env.domain.description.kinds.choices import Choice, YesNo
from mua_env.domain.description.kinds.dates import Date, Time
from mua_env.domain.description.kinds.keys import Caller, Key, Named
from mua_env.domain.description.kinds.kind import Kind, Mention, Speech
from mua_env.domain.description.kinds.numbers import Count, Money
from mua_env.domain.description.kinds.own import Own
from mua_env.domain.description.kinds.parts import Part, Variant
from mua_env.domain.description.kinds.places import Place
from mua_env.domain.description.kinds.texts import Email, Name, Phone, Text

__all__ = [
    "Caller",
    "Choice",
    "Count",
    "Date",
    "Email",
    "Key",
    "Kind",
    "Mention",
    "Money",
    "Name",
    "Named",
    "Own",
    "Part",
    "Phone",
    "Place",
    "Speech",
    "Text",
    "Time",
    "Variant",
    "YesNo",
]
