"""The retail expert's handlers of requests about items: returns, exchanges, modifications."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from mua_env.agents.scripted.desk import Declined, Refusal
from mua_env.agents.scripted.expert import Asked, Heard, Step
from mua_env.agents.scripted.handlers import Part

from . import expert_reading as reading
from . import expert_words as words
from .expert_requests import Change, Record
from .language import matching


class _Items(Change):
    """What return, exchange and modification share."""

    needs_profile = True

    items: list[Record]
    method: Record

    def find_items(self, text: str = "", *, names_only: bool = False) -> Part:
        """Learn which items of the order are meant; ``names_only`` if the options in the text are those of new ones."""
        held = self.order["items"]
        found = reading.items(text, held) if text else []
        for _ in range(4):
            if found:
                break
            text = yield from self.ask("ask_items")
            found = reading.items(text, held)
        if not found:
            raise Refusal("the items must be among those of the order")
        for twins in reading.unclear_items(text, held, names_only=names_only):
            choices = words.listing([f"the one with {words.options(item['options'])}" for item in twins])
            answer = yield from self.ask("which_item", item=twins[0]["name"], choices=choices)
            chosen = self._narrow(answer, twins)
            wanted = [item for item in found if not any(item is twin for twin in twins)] + chosen
            found = [item for item in held if any(item is one for one in wanted)]
        self.items = found

    def _narrow(self, text: str, unclear: list[Record]) -> list[Record]:
        if "all" in text.lower().split() or "both" in text.lower().split():
            return unclear
        several = reading.items(text, unclear)
        return several if several and len(several) < len(unclear) else reading.narrowed(text, unclear)

    def item_ids(self) -> list[str]:
        """Ids of the items, in the order of the record."""
        return [item["item_id"] for item in self.items]


class Return(_Items):
    """Returns items of a delivered order."""

    verb = "return"
    tool = "return_delivered_order_items"
    claim = "The return of the items of order {id} has been requested."

    def collect(self, text: str) -> Part:
        """Order and items, then where the refund goes."""
        text = yield from self.find_order(text, "ask_order_items_payment" if self.desk.late else "ask_order_items")
        yield from self.find_items(text)
        self.method = yield from self.find_payment(text)

    def check(self) -> Part:
        """A refund goes to the original payment method or to a gift card."""
        while True:
            original = self.order["payment_history"][0]["payment_method_id"]
            if self.method["source"] == "gift_card" or self.method["id"] == original:
                return
            methods = self.desk.user["payment_methods"]
            name = words.method(methods[original]) if original in methods else original
            reason = f"the refund must go to the original payment method ({name}) or to a gift card"
            self.method = yield from self.another_payment(reason)

    def another_payment(self, reason: str) -> Generator[Step, Heard, Record]:
        """Refuse a payment method; returns another one if the user names it.

        Raises:
            Declined: the user does not.
        """
        text = yield from self.desk.say("refuse", reason=reason)
        self.notice_switch(text)
        if not matching.payment_kinds(text):
            raise Declined(text)
        return (yield from self.find_payment(text))

    def action(self) -> str:
        """The return in words."""
        names = words.listing([item["name"] for item in self.items])
        return f"Return from order {self.order['order_id']}: {names}; refund to {words.method(self.method)}."

    def amend(self, text: str) -> Part:
        """Other items, another payment method, another order."""
        methods = self.desk.user["payment_methods"].values()
        if matching.order_ids(text):
            yield from self.find_order(text)
        if reading.items(text, self.order["items"]):
            yield from self.find_items(text)
        elif matching.find_method(text, methods):
            self.method = yield from self.find_payment(text)
        elif not matching.order_ids(text):
            yield from self.amend((yield from self.ask("fix")))

    def arguments(self) -> Record:
        """Order, items and payment method."""
        return {"order_id": self.order["order_id"], "item_ids": self.item_ids(), "payment_method_id": self.method["id"]}


class Swap(Return):
    """Exchanges items of a delivered order, or modifies those of a pending one."""

    variants: list[Record]

    def __init__(self, desk: Any, intent: str) -> None:
        super().__init__(desk, intent)
        self.pending = intent == "modify_items"
        self.verb = "modify" if self.pending else "exchange"
        self.tool = "modify_pending_order_items" if self.pending else "exchange_delivered_order_items"
        done = "been modified" if self.pending else "been exchanged"
        self.claim = f"The items of order {{id}} have {done}."

    def collect(self, text: str) -> Part:
        """Order and items, then the new options and the payment method."""
        everything = self.desk.late
        first = yield from self.find_order(text, "ask_everything" if everything else "ask_order_items")
        yield from self.find_items(first, names_only=everything)
        text = yield from self.find_variants("ask_options_payment", first if everything else "")
        self.method = yield from self.find_payment(text)

    def find_variants(self, act: str, text: str = "") -> Asked:
        """Learn the wanted variant of each item; ``act`` asks for those that ``text`` does not name."""
        yield from self.desk.read_products([item["product_id"] for item in self.items])
        self.variants = [{} for _ in self.items]
        self._read_options(text)
        if not all(self.variants):
            missing = [item["name"] for item, found in zip(self.items, self.variants, strict=True) if not found]
            text = yield from self.ask(act, item=words.listing(list(dict.fromkeys(missing))))
            self._read_options(text)
        for at in range(len(self.items)):
            yield from self._settle(at, text)
        return text

    def _settle(self, at: int, text: str) -> Part:
        """Insist until a variant that can be had is named."""
        for _ in range(6):
            if self.variants[at].get("available"):
                return
            item = self.items[at]
            wanted = self.variants[at].get("options")
            if wanted:
                text = yield from self.desk.say("unavailable", item=item["name"], options=words.options(wanted))
                self.notice_switch(text)
                self.variants[at] = {}
                self._read_options(text)
                if not self.variants[at]:
                    raise Declined(text)
            else:
                text = yield from self.ask("ask_options", item=item["name"])
                self._read_options(text)
        raise Refusal(f"the {self.items[at]['name']} is not available with such options")

    def _read_options(self, text: str) -> None:
        """Take the options of all items that a text states."""
        names = [item["name"] for item in self.items]
        told = matching.parts(text, names)
        open_items = [at for at in range(len(self.items)) if not self.variants[at]]
        for at, item in enumerate(self.items):
            product = self.desk.products[item["product_id"]]
            own = [part for name, part in told if name == item["name"]]
            if own:
                # Twins are told in their order.
                part = own[min(names[:at].count(item["name"]), len(own) - 1)]
            elif not told and (len(self.items) == 1 or open_items[:1] == [at]):
                part = matching.normal(text)
            else:
                continue
            stated = reading.option_values(part, _choices(product))
            if stated:
                self.variants[at] = _variant(product, item["options"] | stated)

    def check(self) -> Part:
        """A gift card must cover what the new items cost more."""
        while True:
            difference = sum(new["price"] - old["price"] for old, new in zip(self.items, self.variants, strict=True))
            if self.method["source"] != "gift_card" or self.method.get("balance", 0) >= difference:
                return
            self.method = yield from self.another_payment("the gift card does not cover the price difference")

    def action(self) -> str:
        """The swap in words."""
        verb = "Modify in" if self.pending else "Exchange from"
        swaps = [
            f"{item['name']} to {words.options(new['options'])}"
            for item, new in zip(self.items, self.variants, strict=True)
        ]
        payment = words.method(self.method)
        return f"{verb} order {self.order['order_id']}: {'; '.join(swaps)}; payment method: {payment}."

    def amend(self, text: str) -> Part:
        """Other options, other items, another payment method, another order."""
        methods = self.desk.user["payment_methods"].values()
        named = reading.items(text, self.order["items"])
        others = [item for item in named if not any(item is held for held in self.items)]
        before = list(self.variants)
        if matching.order_ids(text):
            yield from self.find_order(text)
        if others or (named and not self._states_options(text)):
            yield from self.find_items(text)
            yield from self.find_variants("ask_options", text)
        elif self._states_options(text):
            self._read_options(text)
            for at in range(len(self.items)):
                yield from self._settle(at, text)
        elif matching.find_method(text, methods):
            self.method = yield from self.find_payment(text)
        elif not matching.order_ids(text) and self.variants == before:
            yield from self.amend((yield from self.ask("fix")))

    def _states_options(self, text: str) -> bool:
        held = [self.desk.products[item["product_id"]] for item in self.items]
        return any(reading.option_values(text, _choices(product)) for product in held)

    def arguments(self) -> Record:
        """Order, items, new items and payment method."""
        new = [variant["item_id"] for variant in self.variants]
        return super().arguments() | {"new_item_ids": new}


def _choices(product: Record) -> dict[str, list[str]]:
    choices: dict[str, list[str]] = {}
    for variant in product["variants"].values():
        for key, value in variant["options"].items():
            if value not in choices.setdefault(key, []):
                choices[key].append(value)
    return choices


def _variant(product: Record, options: Record) -> Record:
    """The variant with these options, one that can be had before one that cannot; a bare record if there is none."""
    fitting = [variant for variant in product["variants"].values() if variant["options"] == options]
    fitting.sort(key=lambda variant: not variant["available"])
    return dict(fitting[0]) if fitting else {"options": options, "available": False}
