"""The retail expert's handlers of requests that need no items."""

from __future__ import annotations

from mua_env.agents.scripted.desk import Refusal
from mua_env.agents.scripted.handlers import Part

from . import expert_reading as reading
from . import expert_words as words
from .expert_items import Return
from .expert_requests import Change, Record
from .language import matching


class Cancel(Change):
    """Cancels a pending order."""

    pending = True
    verb = "cancel"
    tool = "cancel_pending_order"
    claim = "Order {id} has been cancelled."

    def collect(self, text: str) -> Part:
        """Order, then reason."""
        text = yield from self.find_order(text, "ask_order_reason")
        if not matching.reasons(text):
            text = yield from self.ask("ask_reason")
        self.reason = self._reason(text)

    def _reason(self, text: str) -> str:
        found = matching.reasons(text)
        if not found:
            raise Refusal("an order can only be cancelled if it is no longer needed or was ordered by mistake")
        return found[0]

    def action(self) -> str:
        """The cancellation in words."""
        return f"Cancel order {self.order['order_id']}, reason: {self.reason}."

    def amend(self, text: str) -> Part:
        """Another reason, or another order."""
        if matching.order_ids(text):
            yield from self.find_order(text)
        elif matching.reasons(text):
            self.reason = self._reason(text)
        else:
            yield from self.collect((yield from self.ask("fix")))

    def arguments(self) -> Record:
        """Order and reason."""
        return {"order_id": self.order["order_id"], "reason": self.reason}


class OrderAddress(Change):
    """Changes the delivery address of a pending order."""

    pending = True
    verb = "modify"
    tool = "modify_pending_order_address"
    claim = "The address of order {id} has been changed."

    def collect(self, text: str) -> Part:
        """Order and address."""
        text = yield from self.find_order(text, "ask_order_address")
        self.address = yield from self.find_address(text)

    def action(self) -> str:
        """The change in words."""
        return f"Change the address of order {self.order['order_id']} to {words.address(self.address)}."

    def amend(self, text: str) -> Part:
        """Another address, or another order."""
        found = reading.address(text)
        if matching.order_ids(text):
            yield from self.find_order(text)
        elif found:
            self.address = found
        else:
            self.address = yield from self.find_address()

    def arguments(self) -> Record:
        """Order and address."""
        return {"order_id": self.order["order_id"], **self.address}


class UserAddress(OrderAddress):
    """Changes the default address in the profile."""

    tool = "modify_user_address"
    claim = "Your default address has been changed."

    def collect(self, text: str) -> Part:
        """Only the address."""
        self.address = yield from self.find_address()

    def action(self) -> str:
        """The change in words."""
        return f"Change your default address to {words.address(self.address)}."

    def arguments(self) -> Record:
        """User and address."""
        return {"user_id": self.desk.user_id, **self.address}


class OrderPayment(Return):
    """Changes the payment method of a pending order."""

    pending = True
    verb = "modify"
    tool = "modify_pending_order_payment"
    claim = "The payment method of order {id} has been changed."

    def collect(self, text: str) -> Part:
        """Order and payment method."""
        text = yield from self.find_order(text, "ask_order_payment")
        self.method = yield from self.find_payment(text)

    def check(self) -> Part:
        """Another method than the present one; a gift card must cover the order."""
        while True:
            paid = self.order["payment_history"][0]
            reason = ""
            if self.method["id"] == paid["payment_method_id"]:
                reason = "the order is already paid with that payment method"
            elif self.method["source"] == "gift_card" and self.method.get("balance", 0) < paid["amount"]:
                reason = "the gift card does not cover the total of the order"
            if not reason:
                return
            self.method = yield from self.another_payment(reason)

    def action(self) -> str:
        """The change in words."""
        return f"Change the payment method of order {self.order['order_id']} to {words.method(self.method)}."

    def amend(self, text: str) -> Part:
        """Another payment method, or another order."""
        if matching.order_ids(text):
            yield from self.find_order(text)
        else:
            self.method = yield from self.find_payment(text)

    def arguments(self) -> Record:
        """Order and payment method."""
        return {"order_id": self.order["order_id"], "payment_method_id": self.method["id"]}
