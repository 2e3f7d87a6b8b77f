"""The retail expert's answers to questions, from what the tools say."""

from __future__ import annotations

from collections.abc import Generator

from mua_env.agents.scripted.desk import Refusal
from mua_env.agents.scripted.expert import Asked, Heard, Step, call

from . import expert_words as words
from .expert_requests import Handler, Record
from .language import matching


class OrderQuestion(Handler):
    """Answers questions about an order."""

    def run(self, text: str) -> Asked:
        """Find the order, answer."""
        yield from self.find_order(text)
        return (yield from self.desk.say("answer", answer=self._answer()))

    def fits_status(self, order: Record) -> bool:
        """An order can be asked about in every state."""
        return True

    def _answer(self) -> str:
        order = self.order
        subject = f"order {order['order_id']}"
        match self.intent.partition(":")[2]:
            case "order_status":
                return f"The status of {subject} is {order['status']}."
            case "order_total":
                return f"The total of {subject} is ${order['payment_history'][0]['amount']:.2f}."
            case "tracking_number":
                numbers = [number for part in order["fulfillments"] for number in part["tracking_id"]]
                known = f"is {words.listing(numbers)}" if numbers else "does not exist yet"
                return f"The tracking number of {subject} {known}."
            case _:
                return f"The delivery address of {subject} is {words.address(order['address'])}."


class ProductQuestion(Handler):
    """Answers how many options of a product are available."""

    def run(self, text: str) -> Asked:
        """Find the product, count."""
        if not self.desk.product_ids:
            self.desk.product_ids = yield from call("list_all_product_types")
        name = yield from self._product(text)
        if name is None:
            raise Refusal("we have no such product")
        product_id = self.desk.product_ids[name]
        product = (yield from self.desk.read_products([product_id]))[product_id]
        count = sum(variant["available"] for variant in product["variants"].values())
        answer = f"There are {count} available options of the {name}."
        return (yield from self.desk.say("answer", answer=answer))

    def _product(self, text: str) -> Generator[Step, Heard, str | None]:
        for _ in range(3):
            found = matching.names_in(text, self.desk.product_ids)
            if found:
                return found[0]
            text = yield from self.ask("ask_product")
        return None
