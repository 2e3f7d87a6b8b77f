"""Keys and passwords, taken out of texts and settings before these are written or shown.

Servers echo keys in their error texts. Keys are found by value where they are known (given to a client, or in an
environment variable named like a key), in base64 and in URLs too; by the name before them (``"api_key": "..."``,
``password=``); and by form (``sk-...``, ``Bearer ...``, ``user:pass@``). One list of names serves texts and settings.
Scanners of source code know more forms, but ask for quotes and lines of code around them.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote

HIDDEN = "[hidden]"
_SHORTEST = 6
"""Characters of a key that is looked for by value; shorter ones ("none", "test") stand in ordinary words."""
_SECRET = (
    r"(?:(?:api|access|secret|private|subscription|account|shared|signing|master|encryption)[-_ ]?(?:access[-_ ]?)?key"
    r"|(?:access|auth|api|bearer|id|session|hf|hub|security|refresh|csrf)[-_ ]?token"
    r"|authorization|password|passwd|passphrase|secret|credentials?|cookie)"
)
"""Names of secrets, with or without words before them (``clientSecret``, ``AWS_SECRET_ACCESS_KEY``)."""
_SHORT = r"(?:key|token|auth)"
"""Names that stand for other things too: what follows must look like a secret."""
_ASSIGNED = r"(?:pass|pwd|pw|sig|signature)"
"""Names of secrets where a value is assigned (``pass=...``), and words elsewhere."""
_SETTING = re.compile(rf"{_SECRET}(?:$|[-_.])", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"_(?:KEY|TOKEN|SECRET|PASSWORD)$|^PGPASSWORD$")
_SEPARATOR = r"""(?:\\*["'])?(?:\s(?:provided|given|used))?(?:\s*(?::|=>?|%3[ADad])\s*|\s+(?=\\*["']))"""
_SCHEME = r"(?:(?:bearer|basic|token|digest|apikey|negotiate)\s+)?"
_VALUE = rf"""(?:\\*"(?P<double>[^"\\]*)|\\*'(?P<single>[^'\\]*)|(?P<bare>{_SCHEME}[^\s"'&,;(){{}}\[\]<>\\]+))"""
_NAMED = re.compile(rf"{_SECRET}{_SEPARATOR}{_VALUE}", re.IGNORECASE)
_BRIEFLY = re.compile(rf"(?<![\w.-]){_SHORT}{_SEPARATOR}{_VALUE}", re.IGNORECASE)
_IN_URL = re.compile(rf"(?:(?<=[?&]){_SHORT}|(?<![\w.-]){_ASSIGNED})=(?P<bare>[^\s\"'&,;)]+)", re.IGNORECASE)
_AFTER_SCHEME = re.compile(r"\b(?:bearer|basic|token|apikey)\s+(?P<bare>[^\s\"',;()]+)", re.IGNORECASE)
_FORM = re.compile(
    r"""
    \b(?:sk|xai|pplx|nvapi|r8|gsk|gh[opsur]|glpat|github_pat|whsec|xox[abeprs])[-_][\w*.-]{8,}  # by their beginning
    | \b[pr]k_(?=[\w*]*\d)[\w*]{12,} | \bhf_[A-Za-z0-9]{16,}
    | \bAIza[\w-]{20,} | \bA[KS]IA[A-Z0-9]{12,} | \beyJ[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]*)?
    | (?<=://)[^\s/?@:]*:[^\s/?]+(?=@) | (?<=://)(?=\w*\d)\w{16,}(?=@)
    # a secret key of AWS
    | (?<![\w/+=])(?=\D{0,39}\d)(?=[^a-z\s]{0,39}[a-z])(?=[^A-Z\s]{0,39}[A-Z])[A-Za-z0-9][A-Za-z0-9/+]{39}(?![\w/+=])
    | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----[\s\S]*?(?:-----END[ ][A-Z ]*KEY-----|\Z)
    """,
    re.VERBOSE,
)
_PACKED = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_SAID = (
    "a access all already an and any are as at be but by can cannot check could denied did do does empty error "
    "expected failed false field for found from has have if in input invalid incorrect is it its length limit limits "
    "may missing must needs no none not null of ok on only or pass please provide provided required see set should "
    "string the this to too true type unknown usage use used value was were when will with wrong yes you your"
)
_WORDS = frozenset(_SAID.split())
"""What follows a name in a sentence, and is no secret."""
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
    known = [value for value in _known | environment if len(value) >= _SHORTEST]
    for value in sorted({*known, *(quote(value, safe="") for value in known)}, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    text = _unpacked(text, known)
    text = _FORM.sub(HIDDEN, text)
    text = _NAMED.sub(lambda found: _hide(found, _is_said), text)
    text = _IN_URL.sub(lambda found: _hide(found, _is_said), text)
    text = _BRIEFLY.sub(lambda found: _hide(found, _looks_secret), text)
    return _AFTER_SCHEME.sub(lambda found: _hide(found, _follows_scheme), text)


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
    return isinstance(name, str) and _SETTING.search(name) is not None


def _unpacked(text: str, known: Iterable[str]) -> str:
    """The text without what is a known key in base64, as ``Authorization: Basic`` has it."""
    keys = [value.encode("utf-8", "replace") for value in known]

    def hide(found: re.Match[str]) -> str:
        plain = _decoded(found[0])
        return HIDDEN if any(key in plain for key in keys) else found[0]

    return _PACKED.sub(hide, text) if keys else text


def _decoded(word: str) -> bytes:
    word = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4))
    except binascii.Error:
        return b""


def _hide(found: re.Match[str], is_secret: Callable[[str], bool]) -> str:
    value = next((part for part in found.groupdict().values() if part), "")
    if not value.strip() or HIDDEN in value or not is_secret(value):
        return found[0]
    return found[0][: -len(value)] + HIDDEN


def _is_said(value: str) -> bool:
    """Whether what follows the name of a secret is one: all but the words of a sentence, and small numbers."""
    words = [word.strip(".,:;!`*").lower() for word in value.split()]
    return words[0] not in _WORDS and words[-1] not in _WORDS and not re.fullmatch(r"[\d./%]{1,4}", value)


def _looks_secret(value: str) -> bool:
    """Whether a value is a secret by itself: long, of letters and figures, and no id with its sign before it."""
    if not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    return len(value) >= 12 and re.fullmatch(r"[\w.+/=~-]+", value) is not None


def _follows_scheme(value: str) -> bool:
    odd = re.search(r"[\d._=+/-]\w|[a-z][A-Z]|=$", value) is not None
    return len(value) >= 16 or (len(value) >= 8 and odd and "://" not in value)
