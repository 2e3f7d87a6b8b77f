"""Users for tests, made from goals over the retail language."""

from __future__ import annotations

from typing import Any

from mua_env.core.tasks import Goal, MindChange, Request, Task
from mua_env.envs.retail import domain
from mua_env.users.agenda.user import AgendaSession, AgendaUser

FACTS = {"first_name": "Clara", "last_name": "Greco", "zip": "21276", "email": "clara.greco3189@example.com"}
VISA = {"id": "credit_card_1", "source": "credit_card", "brand": "visa", "last_four": "4421"}
PAYPAL = {"id": "paypal_1", "source": "paypal"}
ADDRESS = {
    "address1": "751 Ivy Lane",
    "address2": "Unit 585",
    "city": "Tucson",
    "state": "AZ",
    "country": "USA",
    "zip": "85760",
}
TEAPOT = {
    "name": "Teapot",
    "options": {"volume": "0.6 l", "material": "glass", "color": "blue"},
    "item_id": "1000000001",
    "new_options": {"volume": "0.9 l", "material": "glass", "color": "white"},
    "new_item_id": "1000000002",
}
LAMP = {
    "name": "Floor Lamp",
    "options": {"color": "black", "height": "140 cm", "dimmer": "no"},
    "item_id": "1000000003",
    "new_options": {"color": "black", "height": "160 cm", "dimmer": "yes"},
    "new_item_id": "1000000004",
}


def cancel(**more: Any) -> Request:
    """Cancel an order."""
    slots = {"order_id": "#W1234567", "reason": "no longer needed"} | more.pop("slots", {})
    return Request(intent="cancel_order", slots=slots, **more)


def give_back(**more: Any) -> Request:
    """Return a teapot."""
    slots = {"order_id": "#W7654321", "items": [TEAPOT], "payment_method": VISA} | more.pop("slots", {})
    return Request(intent="return_items", slots=slots, **more)


def exchange(**more: Any) -> Request:
    """Exchange a teapot and a lamp."""
    slots = {"order_id": "#W7654321", "items": [TEAPOT, LAMP], "payment_method": VISA} | more.pop("slots", {})
    return Request(intent="exchange_items", slots=slots, **more)


def redirect(**more: Any) -> Request:
    """Send an order elsewhere."""
    return Request(intent="modify_order_address", slots={"order_id": "#W2222222", "address": ADDRESS}, **more)


def mind(**slots: Any) -> MindChange:
    """A change of mind at the first proposal."""
    return MindChange(slots=slots)


def user(
    *requests: Request, persona: str = "terse", noise: float = 0.0, seed: int = 0, facts: dict[str, str] | None = None
) -> AgendaSession:
    """A user that has opened the dialogue."""
    session = fresh(*requests, persona=persona, noise=noise, seed=seed, facts=facts)
    session.reply(None)
    return session


def fresh(
    *requests: Request, persona: str = "terse", noise: float = 0.0, seed: int = 0, facts: dict[str, str] | None = None
) -> AgendaSession:
    """A user that has not spoken yet."""
    goal = Goal(facts=FACTS if facts is None else facts, requests=requests, persona=persona, noise=noise)
    task = Task(id="t", domain="retail", goal=goal)
    return AgendaUser().start(task, seed=seed, context={"domain": domain})
