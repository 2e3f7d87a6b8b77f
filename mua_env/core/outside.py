"""Text from outside: what a model, a person, an endpoint or an exception wrote, made fit to be kept and passed on.

Every file can hold what these functions return: half of a surrogate pair, which JSON can spell and no encoding can
write, becomes U+FFFD, and what is over its bound (:mod:`mua_env.core.limits`) is cut. Control characters stay in what
was said and called, because that is what was said; :func:`visible` keeps them from terminals
and pages. In a line (a cause, an error) they become U+FFFD.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from mua_env.core.limits import DEEPEST_JSON, LONGEST_ARGUMENTS, LONGEST_HEARD, LONGEST_LINE, LONGEST_NAME, LONGEST_TEXT


def well_formed(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair that stands alone."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clip(text: str, limit: int) -> str:
    """At most ``limit`` characters of a text, with its length where it is cut."""
    if len(text) <= limit:
        return text
    mark = f"... ({len(text)} characters)"
    return text[: max(0, limit - len(mark))] + mark


def ends(text: str, limit: int) -> str:
    """Beginning and end of a text, at most ``limit`` characters, with its length between them where it is cut."""
    if len(text) <= limit:
        return text
    mark = f"\n[... {len(text)} characters in all ...]\n"
    tail = limit // 4
    return text[: limit - tail - len(mark)] + mark + text[-tail:]


def kept(text: str) -> str:
    """A message or a thought as it is kept: well formed, at most ``LONGEST_TEXT`` characters."""
    return well_formed(ends(text, LONGEST_TEXT))


def heard(text: str) -> str:
    """A message as the other side gets it, at most ``LONGEST_HEARD`` characters."""
    return ends(text, LONGEST_HEARD)


def line(text: str, limit: int = LONGEST_LINE) -> str:
    """A cause or an error: one line, without control characters, at most ``limit`` characters."""
    return visible(well_formed(" ".join(clip(text, limit).split())))


def name(text: str) -> str:
    """A tool's name or an id."""
    return well_formed(clip(text, LONGEST_NAME))


_shown = reprlib.Repr()
_shown.maxstring = _shown.maxother = 100


def shown(value: object) -> str:
    """A value as an error quotes it, of any size and depth."""
    try:
        return well_formed(_shown.repr(value))
    except ValueError:  # Python writes no number of more than 4,300 digits
        return f"<{type(value).__name__}>"


def plain_value(value: Any, depth: int = 0) -> Any:
    """A value that JSON can hold: texts as they are kept, numbers that are none as ``None``, other things as text."""
    if depth > DEEPEST_JSON:
        return shown(value)
    if isinstance(value, str):
        return kept(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= 1024 else shown(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {kept(str(key)): plain_value(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_value(part, depth + 1) for part in value]
    return kept(str(value))


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def _name_of(value: object) -> object:
    """Endpoints write ``null``, and some a number, where an id or a name belongs."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _arguments(text: str) -> str:
    # One more than the reader takes, so that it is refused for its length.
    return well_formed(clip(text, LONGEST_ARGUMENTS + 1))


Text = Annotated[str, AfterValidator(kept)]
"""What was said or thought."""
WellFormed = Annotated[str, AfterValidator(well_formed)]
"""What a tool answered: never cut, because half of a JSON text is none."""
Name = Annotated[str, BeforeValidator(_name_of), AfterValidator(name)]
"""A tool's name or a call's id; ``null`` is an empty one."""
Arguments = Annotated[str, AfterValidator(_arguments)]
"""A call's arguments, as they were written."""
Line = Annotated[str, AfterValidator(line)]
"""A cause or an error."""
Amount = Annotated[float, AfterValidator(_finite)]
"""What was used: a number that is none counts as nothing."""
Plain = Annotated[dict[str, Any], AfterValidator(plain_value)]
"""What else is kept, as JSON."""
Kept = Annotated[Any, AfterValidator(plain_value)]
"""A value of a record, as JSON."""


_CONTROLS = (*(code for code in range(0x20) if chr(code) not in "\t\n"), *range(0x7F, 0xA0))
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Unicode's marks, embeddings, overrides and isolates of direction, which show a text in another order than it has."""
_SURROGATES = range(0xD800, 0xE000)
_REPLACED = dict.fromkeys((*_CONTROLS, *_DIRECTIONS, *_SURROGATES), "�")
_IN_JSON = re.compile(f"[{''.join(map(re.escape, map(chr, sorted(set(_REPLACED) - set(range(0x20))))))}]")


def visible(text: str) -> str:
    """A text with U+FFFD for each control character, each control of direction and each half of a surrogate pair.

    None may stand in HTML, a terminal would obey them, and halves cannot be written. Tabs and line ends stay.
    """
    return text.replace("\r\n", "\n").translate(_REPLACED)


def visible_json(text: str) -> str:
    """JSON text with such characters written as ``\\uXXXX``: for a terminal, and the same to whoever parses it."""
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
