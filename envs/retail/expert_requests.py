"""How the retail expert carries out requests: what all handlers share."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from mua_env.agents.scripted import handlers as base
from mua_env.agents.scripted.desk import Refusal
from mua_env.agents.scripted.expert import Asked, Heard, Step, ToolFailed, transfer
from mua_env.agents.scripted.handlers import Part

from . import expert_reading as reading
from . import expert_words as words
from .expert_desk import Desk
from .language import matching

Record = dict[str, Any]
_ROUNDS = 6


class Handler(base.Handler[Desk]):
    """Carries out one request: what every kind of it must look up and learn."""

    pending = False
    """Whether the order must be pending (else: delivered)."""
    needs_profile = False
    """Whether payment methods are needed, which are in the profile."""
    verb = ""

    def __init__(self, desk: Desk, intent: str) -> None:
        super().__init__(desk, intent)
        self.order: Record = {}

    # the order

    def find_order(self, text: str, act: str = "ask_order") -> Asked:
        """Learn which order it is about, and refuse one that is not the user's or in the wrong state.

        Returns the text that told it; ``act`` is the question, which may ask for more than the order.
        """
        named = matching.order_ids(text)
        for _ in range(_ROUNDS):
            if not named:
                text = yield from self.ask(act)
                named = matching.order_ids(text) or (yield from self.guess_order(text))
            if named:
                try:
                    order = yield from self.desk.order(named[0], with_profile=self.needs_profile)
                except ToolFailed:
                    named, act = [], "ask_order_again"
                    continue
                if order["user_id"] != self.desk.user_id:
                    raise Refusal(
                        f"the order {named[0]} does not belong to your account, and I can only help with your own "
                        f"orders"
                    )
                self.order = order
                yield from self.check_status()
                return text
            act = "ask_order_again"
        raise Refusal("the order cannot be found without its number")

    def guess_order(self, hint: str) -> Generator[Step, Heard, list[str]]:
        """The orders that hold what the user remembers, those in the right state before the others."""
        profile = yield from self.desk.profile()
        orders = yield from self.desk.read_orders(profile["orders"])
        fitting = []
        for order in orders:
            held = [item["name"] for item in order["items"]]
            fitting.append((len(matching.names_in(hint, held)), self.fits_status(order), order["order_id"]))
        top = max((count for count, _, _ in fitting), default=0)
        if not top:
            return []
        best = [(fits, order_id) for count, fits, order_id in fitting if count == top]
        able = [order_id for fits, order_id in best if fits] or [order_id for _, order_id in best]
        if len(able) == 1:
            return able
        text = yield from self.ask(
            "which_order", choices=words.listing([words.order(self.desk.orders[i]) for i in able], "or")
        )
        return [i for i in matching.order_ids(text) if i in able] or able[:1]

    def fits_status(self, order: Record) -> bool:
        """Whether the request is possible in the order's state."""
        return bool(order["status"] == ("pending" if self.pending else "delivered"))

    def check_status(self) -> Part:
        """Refuse, or hand over, a request that the order's state does not allow."""
        status = self.order["status"]
        if self.fits_status(self.order):
            return
        if status == "processed" and self.pending:
            summary = f"The user wants to {self.verb} order {self.order['order_id']}, which is {status}."
            yield from transfer(summary)
        needed = "pending" if self.pending else "delivered"
        raise Refusal(
            f"order {self.order['order_id']} is {status}, and only {needed} orders can be {words.participle(self.verb)}"
        )

    # payment methods

    def find_payment(self, text: str = "") -> Generator[Step, Heard, Record]:
        """Learn which of the user's payment methods is meant."""
        methods: list[Record] = list((yield from self.desk.profile())["payment_methods"].values())
        found = matching.find_method(text, methods) if text else []
        for _ in range(_ROUNDS):
            if len(found) == 1:
                return found[0]
            if found:
                text = yield from self.ask(
                    "which_payment", choices=words.listing([words.method(m, full=True) for m in found], "or")
                )
                found = matching.find_method(text, found)[:1]
            else:
                text = yield from self.ask("ask_payment")
                found = matching.find_method(text, methods)
        raise Refusal("the payment method must be one of those in your profile")

    def find_address(self, text: str = "") -> Generator[Step, Heard, Record]:
        """Learn the new address."""
        for _ in range(_ROUNDS):
            address = reading.address(text)
            if address:
                return address
            text = yield from self.ask("ask_address")
        raise Refusal("the new address is required")


class Change(Handler, base.Change[Desk]):
    """A request that changes something once the user agrees."""

    @property
    def subject(self) -> str:
        """Id of the order."""
        return str(self.order.get("order_id", ""))
