"""What a refusal says: the chain of LiteLLM's exceptions, with the bodies inside them, as one piece of evidence.

LiteLLM gives one class for many things (a missing key is an `InternalServerError`, a context that overflows a
`BadRequestError`) and drops what the endpoint said beside its message, so the whole chain of exceptions is read: the
status of the response, the machine-readable codes of its body, the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mua_env.core.redaction import scrub

_CHAIN = 8
_DEPTH = 12
"""Mappings within JSON texts within mappings: a gateway hands on what it got as a string."""
_CODES = ("code", "type", "status", "error_type", "reason")
"""What stands under these is a code where it is one word."""
_READ = 20_000
"""Characters of a server's error that are looked at."""
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST = 4000
"""Characters of a message that are read: some servers send the whole request back."""

_LAYERS = re.compile(
    r"^(?:litellm\.\w+: |\w+(?:Error|Exception): |\w+(?:Error|Exception) -(?: |$)|Error code: \d+ - )+"
)
_NUMBER = re.compile(r"(?<![\w.\-/#])(?<!\w\[)\d+(?:[,_]\d{3})*(?![\w-]|\.\d)")


@dataclass(frozen=True)
class Evidence:
    """What a chain of exceptions says.

    Attributes:
        status: of the endpoint's answer, as the innermost exception has it; None where none was got.
        names: of the exceptions' classes.
        codes: what bodies hold under `code`, `type` and the like.
        text: the endpoint's own words, one after another.
        fields: whole numbers that bodies hold by themselves, as ``n_ctx``.
        retry_after: the pause that it asks for, in seconds.
    """

    status: int | None
    names: frozenset[str]
    codes: frozenset[str]
    text: str
    fields: frozenset[int] = frozenset()
    retry_after: float | None = None

    @classmethod
    def of(cls, error: BaseException) -> Evidence:
        """Of an exception and all that it was raised from."""
        chain = list(_chain(error))
        found = [part for item in chain for part in _parts(item)]
        codes = {str(value).lower() for key, value in found if _is_code(key, value)}
        # Each layer repeats the words of the one inside it.
        texts: list[str] = []
        for key, value in found:
            # Keys go before the text is cut: half a key at its end would be found by nothing.
            said = str(value)[:_READ].partition(_TRACEBACK)[0]  # LiteLLM appends its own, source lines and all
            words = _LAYERS.sub("", " ".join(scrub(said).split())[:_LONGEST])
            if isinstance(value, int) or _is_code(key, value) or not words:
                continue
            if not any(words in text for text in texts):
                texts.append(words)
        statuses = [item.status_code for item in chain if isinstance(getattr(item, "status_code", None), int)]
        names = frozenset(kind.__name__ for item in chain for kind in type(item).__mro__)
        fields = frozenset(value for key, value in found if isinstance(value, int) and not _is_code(key, value))
        status = statuses[-1] if statuses else None
        return cls(status, names, frozenset(codes), " | ".join(texts), fields, _pause(chain))

    @property
    def numbers(self) -> list[int]:
        """The whole numbers of text and fields, but for the status."""
        said = [int(re.sub(r"\D", "", number)) for number in _NUMBER.findall(self.text) if len(number) < 12]
        return [number for number in (*said, *self.fields) if number != self.status]


def _is_code(key: str, value: Any) -> bool:
    return key in _CODES and " " not in str(value).strip()


def _chain(error: BaseException) -> Iterator[Any]:
    item: BaseException | None = error
    seen: set[int] = set()
    while item is not None and id(item) not in seen and len(seen) < _CHAIN:
        seen.add(id(item))
        yield item
        item = item.__cause__ or item.__context__


def _parts(error: Any) -> Iterator[tuple[str, Any]]:
    """Keys and values of all that an exception holds: its text, the JSON inside it, its body."""
    if any(
        kind.__name__ == "HTTPStatusError" for kind in type(error).__mro__
    ):  # httpx: a status, and where its meaning can be looked up
        return
    text = str(error)
    yield from _leaves("", text)
    for name in ("body", "message"):
        value = getattr(error, name, None)
        if isinstance(value, str | dict | list) and value != text:
            yield from _leaves("", value)


def _leaves(key: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list) and depth < _DEPTH:
        pairs = value.items() if isinstance(value, dict) else (("", item) for item in value)
        for name, inner in pairs:
            yield from _leaves(str(name).lower(), inner, depth + 1)
    elif isinstance(value, str):
        before, inside = _json_in(value)
        if inside is not None and depth < _DEPTH:
            yield key, before
            yield from _leaves(key, inside, depth + 1)
        else:
            yield key, value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield key, value


def _json_in(text: str) -> tuple[str, Any]:
    start = text.find("{")
    if start < 0 or len(text) > 100_000:
        return text, None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return text, None
    return text[:start], value


def _pause(chain: list[Any]) -> float | None:
    for item in chain:
        headers = getattr(getattr(item, "response", None), "headers", None) or getattr(item, "headers", None)
        value = headers.get("retry-after") if headers is not None else None
        try:
            if value is not None:
                return max(0.0, float(value))
        except ValueError:  # an HTTP date: rare, and our own backoff serves as well
            continue
    return None
