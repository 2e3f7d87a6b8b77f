"""The desk of the retail expert: what it knows in one dialogue, how it speaks, and what it looks up."""

from __future__ import annotations

from typing import Any

from mua_env.agents.scripted import desk as base
from mua_env.agents.scripted.expert import Asked, Call, ScriptedExpert, ToolFailed, call, call_all

from . import expert_reading as reading
from .expert_phrases import phrase


class Desk(base.Desk):
    """What the expert knows in one dialogue, and how it speaks."""

    late_after = 9

    def __init__(self, expert: ScriptedExpert, handlers: base.Handlers) -> None:
        super().__init__(expert, handlers)
        self.user_id = ""
        self.user: dict[str, Any] = {}
        self.orders: dict[str, dict[str, Any]] = {}
        self.products: dict[str, dict[str, Any]] = {}
        self.product_ids: dict[str, str] = {}

    def phrase(self, act: str, **values: str) -> str:
        """A phrasing in the expert's style."""
        name = self.user.get("name", {}).get("first_name")
        first = f", {name}" if name else ""
        return phrase(act, self._expert.rng, compact=self._expert.compact, **{"first": first, **values})

    def intent(self, text: str) -> str | None:
        """The intent that a text of the user states."""
        return reading.intent(text)

    def agrees(self, text: str) -> bool:
        """Whether the user says yes to a proposal."""
        return reading.agrees(text)

    def identify(self, text: str) -> Asked:
        """Find the user and read the profile; returns the user's last text."""
        asked = "identify"
        heard = text
        while not self.user_id:
            found = yield from self._look_up(heard)
            if found:
                break
            text = yield from self.say(asked)
            # Parts of a name and postal code may come one after the other.
            heard = f"{heard}\n{text}"
            asked = self._next_question(text)
        return text

    def profile(self) -> Any:
        """The user's record, read when it is first needed."""
        if not self.user:
            self.user = yield from call("get_user_details", user_id=self.user_id)
        return self.user

    def _next_question(self, text: str) -> str:
        if reading.email(text) or reading.zip_code(text):
            return "not_identified"
        if reading.does_not_know(text):
            return "ask_name"
        return "identify"

    def _look_up(self, text: str) -> Any:
        email, name, zip_code = reading.email(text), reading.name(text), reading.zip_code(text)
        attempts = []
        if email:
            attempts.append(("find_user_id_by_email", {"email": email}))
        if name and zip_code:
            arguments = {"first_name": name[0], "last_name": name[1], "zip": zip_code}
            attempts.append(("find_user_id_by_name_zip", arguments))
        for tool, arguments in attempts:
            try:
                self.user_id = yield from call(tool, **arguments)
                return True
            except ToolFailed:
                continue
        return False

    def order(self, order_id: str, *, with_profile: bool = False) -> Any:
        """The record of an order, read once until something is changed; the profile in the same turn if wanted."""
        if order_id not in self.orders:
            if with_profile and not self.user:
                order = Call("get_order_details", {"order_id": order_id})
                user = Call("get_user_details", {"user_id": self.user_id})
                self.orders[order_id], self.user = yield from call_all(order, user)
            else:
                self.orders[order_id] = yield from call("get_order_details", order_id=order_id)
        return self.orders[order_id]

    def take_over(self, record: dict[str, Any]) -> None:
        """Keep a record that a tool has changed; gift cards may have another balance now."""
        if "order_id" in record:
            self.orders[record["order_id"]] = record
        if any(method["source"] == "gift_card" for method in self.user.get("payment_methods", {}).values()):
            self.user = {}

    def read_orders(self, order_ids: list[str]) -> Any:
        """Read several orders in one turn."""
        missing = [order_id for order_id in order_ids if order_id not in self.orders]
        found = yield from call_all(*[Call("get_order_details", {"order_id": key}) for key in missing])
        self.orders.update(zip(missing, found, strict=True))
        return [self.orders[order_id] for order_id in order_ids]

    def read_products(self, product_ids: list[str]) -> Any:
        """Read several products in one turn, those that are not known yet."""
        missing = [i for i in dict.fromkeys(product_ids) if i not in self.products]
        found = yield from call_all(*[Call("get_product_details", {"product_id": key}) for key in missing])
        self.products.update(zip(missing, found, strict=True))
        return self.products
