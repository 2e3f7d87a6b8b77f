"""What twists are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mua_env.core.tasks import Action, Request

from .goals import item_slot, write_action
from .shop import Draw, Record


@dataclass(frozen=True)
class Part:
    """Requests that belong together, with the call lists whose last call the tools must refuse."""

    requests: tuple[Request, ...]
    must_fail: tuple[tuple[Action, ...], ...] = ()


def write(draw: Draw, request: Request) -> Action:
    """The tool call that would fulfil a request."""
    return write_action(request.intent, request.slots, draw.user["user_id"])


def one_swapped(draw: Draw, slots: Record, find: Callable[[Record, Record], Record | None]) -> list[Record] | None:
    """The items of a request, one of them for another new variant; ``find`` is given the item, and its slot."""
    order = draw.shop.orders[slots["order_id"]]
    items = list(slots["items"])
    at = draw.rng.randrange(len(items))
    old = next(item for item in order["items"] if item["item_id"] == items[at]["item_id"])
    new = find(old, items[at])
    if new is None:
        return None
    items[at] = item_slot(old, new)
    return items
