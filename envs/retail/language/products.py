"""Products of which the user knows no name: whether a proposal speaks of some thing that is not what it asked for.

The user's own shop is known to it by its catalogue. In another shop it knows only what its goal holds, so a thing is
told by where it stands: in a list, or behind the verb and the article ("return the bicycle").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .matching import normal

_LISTED = re.compile(
    r"(?:(?i:#W\d{7}|\b(?:items?|products?|articles?|returning|exchanging|modifying|swapping|old|current))\s?(?:[:|]|->)\s*"
    r"|^\s*(?:[-*\u2022+]|\d{1,2}[.)])\s+)([A-Z][\w'-]*(?:\s[A-Z][\w'-]*){0,3})"
    r"(?=\s*(?:[;,.(|\n?]|(?:to|for|in|and|with)\b|->|\u2192|$))",
    re.MULTILINE,
)
_OBJECT = re.compile(
    r"\b(?:return|exchang|swap|modify|replac|send back|sending back)(?:e|ing)?\s(?:of\s)?"
    r"(?:the|your|this|that|a|an|one)\s"
    r"((?:[\w'-]+\s?){1,4}?)(?=\s*(?:[;,.(\n?]|\b(?:from|in|to|for|with|and|on|of|that|which|as|at|by|back|into)\b|$))",
    re.IGNORECASE,
)
_HEADS = frozenset(("item", "items", "product", "products", "order", "orders", "purchase", "one", "ones", "things"))
_WORD = re.compile(r"[a-z]{3,}")
_GENERIC = frozenset(
    """
    item items order orders product products thing things one ones whole entire original refund refunds payment
    method following request change changes address gift card credit purchase same selected above delivered
    pending visa mastercard paypal american express amex discover status reason total price difference cost fee
    details summary action yes reply please note important type current new old option options color size
    material style quantity your account profile none free charge also name customer user date shipping delivery
    tracking confirm proceed version variant replacement model piece pieces rest other others everything
    anything it all these those which return exchange modify modification
    """.split()  # noqa: SIM905
)


def strange(text: str, wanted: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a text that names none of the wanted items names something else in their place."""
    items = list(wanted)
    names = {word for item in items for word in _words(item["name"])}
    known = set(_GENERIC)
    for item in items:
        for options in (item.get("options") or {}, item.get("new_options") or {}):
            known |= {word for part in (*options, *options.values()) for word in _words(str(part))}
    named = [match[1] for pattern in (_LISTED, _OBJECT) for match in pattern.finditer(text)]
    return any(not _words(name) & names and not _known(name, known) for name in named)


def _known(name: str, known: set[str]) -> bool:
    if not _HEADS.isdisjoint(normal(name).split()):
        return True
    return all(word in known or word.rstrip("s") in known for word in _WORD.findall(normal(name)))


def _words(text: str) -> set[str]:
    found = _WORD.findall(normal(text))
    return {*found, *(word.rstrip("s") for word in found)}
