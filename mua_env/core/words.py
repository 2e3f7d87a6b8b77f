"""Numbers with their nouns, as a person would write them."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``"1 dialogue"``, ``"1,200 dialogues"``; ``plural`` where it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
