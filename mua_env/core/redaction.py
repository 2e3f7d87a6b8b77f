"""Keys and passwords, taken out of texts and settings before these are written or shown.

Servers echo keys in their error texts. Keys are found by value where they are known (given to a client, or in an
environment variable named like a key) and by form where they are not (``sk-...``, ``Bearer ...``, ``user:pass@``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "[hidden]"
_SHORTEST = 6
"""Characters of a key that is looked for by value; shorter ones ("none", "test") stand in ordinary words."""
_NAME = re.compile(
    r"(?:^|[-_.])(?:api[-_]?key|access[-_]?key|authorization|password|passwd|secret|credentials?)(?:$|[-_.])"
    r"|(?:^|[-_.])(?:access|auth|api|bearer|id|session|hf|hub|security)[-_]?token$",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(r"_(?:KEY|TOKEN|SECRET|PASSWORD)$|^PGPASSWORD$")
_FORM = re.compile(
    r"""
    \b(?:sk|pk|rk|xai|pplx|nvapi|r8|hf|gsk|gh[opsu]|glpat|github_pat|whsec)[-_][\w*.-]{8,}  # keys by their beginning
    | \bAIza[\w-]{20,} | \bA[KS]IA[A-Z0-9]{12,} | \beyJ[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]*)?
    | (?<=bearer\ )[^\s"',;]{6,} | (?<=basic\ )[A-Za-z0-9+/=]{8,}
    | (?<=://)[^\s/@:]*:[^\s/@]+(?=@)
    | (?:(?<=key=)|(?<=token=)|(?<=password=)|(?<=secret=)|(?<=key:\ )|(?<=key\ provided:\ ))[^\s"'&,;)]{6,}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_known: set[str] = set()


def remember(value: object) -> None:
    """Take a key out of all texts from now on."""
    if isinstance(value, str) and len(value) >= _SHORTEST:
        _known.add(value)


def remember_all(settings: Mapping[str, Any]) -> None:
    """The same for the keys among settings: what stands under a name like ``api_key`` or ``Authorization``."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            remember_all(value)
        elif _names_secret(name) and isinstance(value, str):
            remember(value)
            remember(value.partition(" ")[2])  # "Bearer <key>"


def scrub(text: str) -> str:
    """A text with ``[hidden]`` for each key in it."""
    environment = {value for name, value in os.environ.items() if _ENVIRONMENT.search(name)}
    for value in sorted(_known | environment, key=len, reverse=True):
        if len(value) >= _SHORTEST and value in text:
            text = text.replace(value, HIDDEN)
    return _FORM.sub(HIDDEN, text)


def without_secrets(value: Any) -> Any:
    """Settings as they may be written down: ``[hidden]`` for what stands under a name like ``api_key``."""
    if isinstance(value, Mapping):
        return {
            name: HIDDEN if _names_secret(name) and isinstance(part, str) else without_secrets(part)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(part) for part in value]
    return value


def _names_secret(name: object) -> bool:
    return isinstance(name, str) and _NAME.search(name) is not None
