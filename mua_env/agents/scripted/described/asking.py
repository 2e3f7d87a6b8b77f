"""What the expert asks for in one turn, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.scope import Scope

if TYPE_CHECKING:
    from mua_env.agents.scripted.described.desk import Desk


def together(missing: Sequence[Argument], tries: Mapping[str, int], *, most: int) -> list[Argument]:
    """The slots for one turn: no two of one kind, whose values would be mixed up; one alone the second time.

    Args:
        missing: what is not known yet.
        tries: how often each was asked for, by slot.
        most: how many may be asked for at once.
    """
    most = 1 if any(tries.get(slot.slot) for slot in missing[:1]) else most
    chosen: list[Argument] = []
    for slot in missing:
        if len(chosen) < most and all(type(other.kind) is not type(slot.kind) for other in chosen):
            chosen.append(slot)
    return chosen


def asking(desk: Desk, slots: Sequence[Argument], scope: Scope) -> str:
    """What is asked for, as ``the booking number and the room type (single, double or suite)``."""
    locale, parts = desk.locale, []
    for slot in slots:
        text = desk.message(slot.kind.asking, noun=locale.text(slot.kind.noun))
        options = slot.kind.options(scope, locale)
        listed = locale.listing(list(options), either=True)
        parts.append(desk.message("options", what=text, options=listed) if options else text)
    return locale.listing(parts)
