"""A tea shop, described: the kinds that a front desk does not have (parts, variants, own things, places, names)."""

from __future__ import annotations

from random import Random
from typing import Annotated, Any

from sqlalchemy import JSON
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import DescribedDomain, DescribedToolkit, Wish, kinds, obeys, rule, tool

Row = dict[str, Any]
TEAS = {"Assam": ("tin", "bag"), "Ceylon": ("tin", "bag"), "Sencha": ("tin", "bag"), "Oolong": ("tin", "bag")}
AXES = {name: {"packing": list(packings), "weight": ["100 g", "250 g"]} for name, packings in TEAS.items()}


class Base(DeclarativeBase): ...


class Customer(Base):
    __tablename__ = "customers"
    customer_id: Mapped[str] = mapped_column(primary_key=True)
    first_name: Mapped[str]
    last_name: Mapped[str]
    zip: Mapped[str]
    address: Mapped[dict[str, str]] = mapped_column(JSON)
    cards: Mapped[dict[str, Row]] = mapped_column(JSON)
    orders: Mapped[list[str]] = mapped_column(JSON, info={"set": True})


class Tea(Base):
    __tablename__ = "teas"
    tea_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    variants: Mapped[dict[str, Row]] = mapped_column(JSON)


class Order(Base):
    __tablename__ = "orders"
    order_id: Mapped[str] = mapped_column(primary_key=True)
    customer_id: Mapped[str]
    status: Mapped[str]
    items: Mapped[list[Row]] = mapped_column(JSON)
    paid_with: Mapped[str]
    address: Mapped[dict[str, str]] = mapped_column(JSON)


NAME = kinds.Name("name", parts=("first", "last"), slot="name")
Zip = Annotated[str, kinds.Text("zip code", r"(?<!\d)\d{5}(?!\d)", asked=r"\bpostal")]
ORDER = kinds.Key("order number", "T#####", of=Order, owner="customer_id", users=Customer,
                  keys=lambda c: c["orders"], contents=lambda o: [item["name"] for item in o["items"]])  # fmt: skip
OrderId = Annotated[str, ORDER]
CustomerId = Annotated[str, kinds.Caller("customer id", of=Customer)]
ITEMS = kinds.Part("item", name="items", within=("order",), parts=lambda at: at["order"]["items"], key="item_id",
                   known=lambda: tuple(TEAS))  # fmt: skip
Items = Annotated[list[str], ITEMS]
NewItems = Annotated[list[str], kinds.Variant("new option", name="new", within=("order", "items"), of=Tea, parts=ITEMS,
                                              link="tea_id", axes=lambda: AXES)]  # fmt: skip
CARD = kinds.Own("card", name="card", within=("order",), things=lambda c: c["cards"],
                 original=lambda at: at["order"]["paid_with"],
                 words=lambda card: f"{card['brand']} ending in {card['last_four']}", asked=r"\bpay(?:ment|ing)?\b",
                 ways=((r"(?:ending in|尾号)\D{0,4}(\d{4})", lambda card, m: card["last_four"] == m[1]),
                       (r"\b(?:Visa|Amex)\b", lambda card, m: card["brand"].lower() == m[0].lower())))  # fmt: skip
Card = Annotated[str, CARD]


def an_address(rng: Random) -> dict[str, str]:
    street = f"{rng.randint(1, 99)} {rng.choice(('Hill', 'Lake', 'Mill'))} Road"
    return {
        "street": street,
        "city": rng.choice(("Exeter", "Dover", "Ripon")),
        "zip": f"{rng.randint(10**4, 10**5 - 1)}",
    }


PLACE = kinds.Place("new address", slot="address", name="address", within=("order",), make=an_address,
                    home=lambda c: c["address"], asked=r"\baddress\b")  # fmt: skip
Street = City = ZipPart = Annotated[str, PLACE]


@rule(
    "pending-only",
    "Only a pending order can be changed.",
    "pending|sent|status",
    refusal="the order is {order[status]}",
)
def pending(order: Row) -> bool:
    return bool(order["status"] == "pending")


@rule("in-stock", "A new variant must be in stock.", "stock|available|sold out", refusal="a new item is out of stock")
def in_stock(new: list[Row]) -> bool:
    return all(variant["available"] for variant in new)


@rule(
    "other-card", "The card must be another one than before.", "already|another|same", refusal="it is paid so already"
)
def other_card(order: Row, card: Row) -> bool:
    return bool(card["id"] != order["paid_with"])


class Shop(DescribedToolkit):
    @tool
    def find_customer(self, first_name: Annotated[str, NAME], last_name: Annotated[str, NAME], zip: Zip) -> Row:
        """A customer by name and zip code."""
        return self.only(Customer, first_name=first_name, last_name=last_name, zip=zip)

    @tool
    def get_customer(self, customer_id: CustomerId) -> Row:
        """A customer: address, cards and orders."""
        return self.row(Customer, customer_id)

    @tool
    def get_order(self, order_id: OrderId) -> Row:
        """An order."""
        return self.row(Order, order_id)

    @tool
    def get_tea(self, tea_id: Annotated[str, kinds.Key("tea number", "t#", of=Tea)]) -> Row:
        """A tea with its variants."""
        return self.row(Tea, tea_id)

    @tool(writes=True)
    @obeys(pending, in_stock)
    def swap_items(self, order_id: OrderId, item_ids: Items, new_ids: NewItems) -> Row:
        """Swap items of an order for other variants of the same tea."""
        new = {
            key: (variant, self.at["new"][n]) for n, (key, variant) in enumerate(zip(item_ids, new_ids, strict=True))
        }
        items = [{**i, "item_id": new[i["item_id"]][0], "options": new[i["item_id"]][1]["options"]}
                 if i["item_id"] in new else i for i in self.at["order"]["items"]]  # fmt: skip
        return self.save(Order, order_id, items=items)

    @tool(writes=True)
    @obeys(pending, other_card)
    def change_card(self, order_id: OrderId, card_id: Card) -> Row:
        """Pay an order with another card."""
        return self.save(Order, order_id, paid_with=card_id)

    @tool(writes=True)
    @obeys(pending)
    def change_address(self, order_id: OrderId, street: Street, city: City, zip: ZipPart) -> Row:
        """Send an order elsewhere."""
        return self.save(Order, order_id, address=self.at["address"])


class TeaShop(DescribedDomain):
    name, version, models, toolkit, users = "teashop", 0, Base, Shop, Customer
    identify, levels = "find_customer", (1, 2, 3, 4)
    wishes = {
        "swap_items": Wish("swap the items", "swapped", phrase="[swap|change] an item of my order", also="exchang"),
        "change_card": Wish("change the card", "changed", phrase="pay with another card"),
        "change_address": Wish(
            "change the delivery address", "changed", phrase="change the delivery address of my order"
        ),
    }

    def data(self) -> dict[str, list[Row]]:
        rng = Random(0)
        teas = [{"tea_id": f"t{n}", "name": name, "variants": {
            f"v{n}{p}{w}": {"options": {"packing": packing, "weight": weight}, "available": rng.random() < 0.8}
            for p, packing in enumerate(packings) for w, weight in enumerate(("100 g", "250 g"))}}
            for n, (name, packings) in enumerate(TEAS.items())]  # fmt: skip
        customers, orders = [], []
        for n in range(120):
            cards = {f"card{n}{i}": {"id": f"card{n}{i}", "brand": brand, "last_four": f"{rng.randint(1000, 9999)}"}
                     for i, brand in enumerate(("Visa", "Amex"))}  # fmt: skip
            own = [ORDER.new(rng) for _ in range(rng.randint(3, 5))]
            home = an_address(rng)
            customers.append({"customer_id": f"c{n}", "first_name": rng.choice(("Ann", "Bob", "Cleo", "Dora")),
                              "last_name": rng.choice(("Moss", "Reed", "Vale", "Wood")), "zip": f"{20000 + n}",
                              "address": home, "cards": cards, "orders": own})  # fmt: skip
            for key in own:
                chosen = rng.sample(teas, rng.randint(1, 2))
                picked = [(tea, rng.choice(sorted(tea["variants"]))) for tea in chosen]
                items = [{"item_id": v, "tea_id": tea["tea_id"], "name": tea["name"],
                          "options": tea["variants"][v]["options"]} for tea, v in picked]  # fmt: skip
                orders.append({"order_id": key, "customer_id": f"c{n}", "items": items, "address": home,
                               "status": rng.choice(("pending", "pending", "sent")),
                               "paid_with": rng.choice(sorted(cards))})  # fmt: skip
        return {"customers": customers, "teas": teas, "orders": orders}


domain = TeaShop()
