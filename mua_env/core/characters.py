"""Characters that text from a model may hold, and that neither a page nor a terminal should get."""

from __future__ import annotations

_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"}


def visible(text: str) -> str:
    """A text with U+FFFD for each control character: none may stand in HTML, and a terminal would obey it."""
    return text.translate(_CONTROLS)
