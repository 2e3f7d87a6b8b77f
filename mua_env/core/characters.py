"""Characters that text from outside may hold, and that neither a page nor a terminal should get."""

from __future__ import annotations

import re

_CONTROLS = (*(code for code in range(0x20) if chr(code) not in "\t\n"), *range(0x7F, 0xA0))
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Unicode's marks, embeddings, overrides and isolates of direction, which show a text in another order than it has."""
_SURROGATES = range(0xD800, 0xE000)
_SHOWN = dict.fromkeys((*_CONTROLS, *_DIRECTIONS, *_SURROGATES), "�")
_IN_JSON = re.compile(f"[{''.join(map(re.escape, map(chr, sorted(set(_SHOWN) - set(range(0x20))))))}]")


def visible(text: str) -> str:
    """A text with U+FFFD for each control character, each control of direction and each half of a surrogate pair.

    None may stand in HTML, a terminal would obey them, and halves cannot be written. Tabs and line ends stay.
    """
    return text.replace("\r\n", "\n").translate(_SHOWN)


def visible_json(text: str) -> str:
    """JSON text with such characters written as ``\\uXXXX``: for a terminal, and the same to whoever parses it."""
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
