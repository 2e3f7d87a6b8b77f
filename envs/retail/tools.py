"""The agent's tools in the retail world: names, arguments and effects are those of the public retail benchmark."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import func

from mua_env.core.tools import Toolkit, tool
from mua_env.domain import arithmetic
from mua_env.errors import ToolError

from .models import Order, Product, User
from .payments import (
    charge,
    entry,
    owner,
    price_difference,
    require_funds,
    require_items,
    require_method,
    require_order,
    require_status,
    swap_prices,
)
from .payments import refunds as refunds_of

Record = dict[str, Any]
OrderId = Annotated[str, Field(description="Order id with its leading '#', such as '#W0000000'.")]
UserId = Annotated[str, Field(description="User id, such as 'ada_lovelace_1815'.")]
MethodId = Annotated[str, Field(description="Payment method id from the user's profile, such as 'gift_card_0000000'.")]
ItemIds = Annotated[list[str], Field(description="Item ids in the order; an item that is meant twice stands twice.")]
NewItemIds = Annotated[
    list[str],
    Field(description="Item ids of the replacements, position by position; each an available variant of the product."),
]
Address1 = Annotated[str, Field(description="House number and street.")]
Address2 = Annotated[str, Field(description="Suite, flat or similar; may be empty.")]
City = Annotated[str, Field(description="City.")]
State = Annotated[str, Field(description="State in two letters, such as 'WA'.")]
Country = Annotated[str, Field(description="Country, such as 'USA'.")]
Zip = Annotated[str, Field(description="Postal code.")]


class RetailTools(Toolkit):
    """The sixteen tools of the retail agent."""

    @tool
    def calculate(self, expression: Annotated[str, Field(description="Such as '2 * (19.5 + 4)'.")]) -> str:
        """Work out an arithmetic expression of numbers, + - * / and parentheses; rounded to two decimals."""
        return arithmetic.calculate(expression)

    @tool
    def think(self, thought: Annotated[str, Field(description="The thought.")]) -> str:
        """Write down a thought. Nothing is looked up, nothing is changed, and the user does not see it."""
        return ""

    @tool(terminal=True)
    def transfer_to_human_agents(
        self, summary: Annotated[str, Field(description="What the user wants and why it is handed over.")]
    ) -> str:
        """Hand the conversation over to a human agent, which ends it. Only for what these tools cannot do."""
        return "Transfer successful"

    @tool
    def find_user_id_by_email(self, email: Annotated[str, Field(description="The user's e-mail address.")]) -> str:
        """Find a user's id by e-mail address."""
        found = self.db.find(User, func.lower(User.email) == email.lower(), limit=1)
        return self._only(found, f"no user has the e-mail address {email!r}")

    @tool
    def find_user_id_by_name_zip(
        self,
        first_name: Annotated[str, Field(description="First name.")],
        last_name: Annotated[str, Field(description="Last name.")],
        zip: Zip,
    ) -> str:
        """Find a user's id by first name, last name and postal code. Try the e-mail address first if it is known."""
        found = self.db.find(
            User,
            User.address["zip"].as_string() == zip,
            func.lower(User.name["first_name"].as_string()) == first_name.lower(),
            func.lower(User.name["last_name"].as_string()) == last_name.lower(),
            limit=1,
        )
        return self._only(found, f"no user is called {first_name} {last_name} with the postal code {zip!r}")

    @tool
    def get_user_details(self, user_id: UserId) -> Record:
        """Read a user's profile: name, address, e-mail, payment methods, order ids."""
        return _without_key(self._user(user_id))

    @tool
    def get_order_details(self, order_id: OrderId) -> Record:
        """Read an order: status, items, address, payments, shipments."""
        return require_order(self.db, order_id)

    @tool
    def list_all_product_types(self) -> dict[str, str]:
        """List all product types: name and product id."""
        return {row["name"]: row["product_id"] for row in self.db.find(Product, order_by=Product.name)}

    @tool
    def get_product_details(
        self, product_id: Annotated[str, Field(description="Product id (not an item id), ten digits.")]
    ) -> Record:
        """Read a product type with all its variants: item id, options, price, availability."""
        product = self.db.get(Product, product_id)
        if product is None:
            raise ToolError(f"there is no product {product_id!r} (an item id is not a product id)")
        return product

    @tool(writes=True)
    def cancel_pending_order(
        self,
        order_id: OrderId,
        reason: Annotated[
            Literal["no longer needed", "ordered by mistake"], Field(description="The user's reason, one of the two.")
        ],
    ) -> Record:
        """Cancel a pending order as a whole and refund it. Ask the user to confirm order and reason first."""
        order = require_order(self.db, order_id)
        require_status(order, "pending", "cancelled")
        user = owner(self.db, order)
        refunds = refunds_of(order, self.mode)
        touched = False
        for refund in refunds:
            method = require_method(user, refund["payment_method_id"])
            touched |= charge(method, -refund["amount"])
        if touched:
            self._save_methods(user)
        return self._save_order(
            order, status="cancelled", cancel_reason=reason, payment_history=order["payment_history"] + refunds
        )

    @tool(writes=True)
    def modify_pending_order_address(
        self,
        order_id: OrderId,
        address1: Address1,
        address2: Address2,
        city: City,
        state: State,
        country: Country,
        zip: Zip,
    ) -> Record:
        """Replace the delivery address of a pending order. Ask the user to confirm the whole address first."""
        order = require_order(self.db, order_id)
        self._require_changeable(order)
        address = self._address(address1, address2, city, state, country, zip)
        return self._save_order(order, address=address)

    @tool(writes=True)
    def modify_pending_order_payment(self, order_id: OrderId, payment_method_id: MethodId) -> Record:
        """Move the payment of a pending order to another of the user's methods. Ask the user to confirm first."""
        order = require_order(self.db, order_id)
        self._require_changeable(order)
        user = owner(self.db, order)
        method = require_method(user, payment_method_id)
        history = order["payment_history"]
        if len(history) != 1 or history[0]["transaction_type"] != "payment":
            raise ToolError(f"order {order_id} has {len(history)} payment entries; this works only with one payment")
        old_id, amount = history[0]["payment_method_id"], history[0]["amount"]
        if old_id == payment_method_id:
            raise ToolError(f"order {order_id} is already paid with {payment_method_id}; name another method")
        require_funds(method, amount)
        old = require_method(user, old_id)
        if charge(method, amount) | charge(old, -amount):
            self._save_methods(user)
        added = [entry("payment", amount, payment_method_id), entry("refund", amount, old_id)]
        return self._save_order(order, payment_history=history + added)

    @tool(writes=True)
    def modify_pending_order_items(
        self, order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: MethodId
    ) -> Record:
        """Swap items of a pending order for other variants of the same products. Works once for an order, which can
        then no longer be changed or cancelled: collect all items, and ask the user to confirm first.
        """
        order = require_order(self.db, order_id)
        require_status(order, "pending", "modified")
        variants, method, user = self._swap(order, item_ids, new_item_ids, payment_method_id)
        difference = price_difference(order, item_ids, variants)
        if self.mode == "strict":
            difference = round(difference, 2)
        require_funds(method, difference)
        if charge(method, difference):
            self._save_methods(user)
        kind = "payment" if difference > 0 else "refund"
        history = [*order["payment_history"], entry(kind, abs(difference), payment_method_id)]
        items = self._replaced(order["items"], item_ids, variants)
        return self._save_order(order, items=items, payment_history=history, status="pending (item modified)")

    @tool(writes=True)
    def exchange_delivered_order_items(
        self, order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: MethodId
    ) -> Record:
        """Request the exchange of items of a delivered order for other variants of the same products. Works once for
        an order: collect all items, and ask the user to confirm first.
        """
        order = require_order(self.db, order_id)
        require_status(order, "delivered", "exchanged")
        variants, method, _ = self._swap(order, item_ids, new_item_ids, payment_method_id)
        difference = round(price_difference(order, item_ids, variants), 2)
        require_funds(method, difference)
        return self._save_order(
            order,
            status="exchange requested",
            exchange_items=sorted(item_ids),
            exchange_new_items=sorted(new_item_ids),
            exchange_payment_method_id=payment_method_id,
            exchange_price_difference=difference,
        )

    @tool(writes=True)
    def return_delivered_order_items(self, order_id: OrderId, item_ids: ItemIds, payment_method_id: MethodId) -> Record:
        """Request the return of items of a delivered order; the refund goes to the original payment method or to a
        gift card. Works once for an order: collect all items, and ask the user to confirm first.
        """
        order = require_order(self.db, order_id)
        require_status(order, "delivered", "returned")
        method = require_method(owner(self.db, order), payment_method_id)
        original = order["payment_history"][0]["payment_method_id"]
        if method["source"] != "gift_card" and payment_method_id != original:
            raise ToolError(f"the refund must go to the original method {original} or to a gift card of the user")
        require_items(order, item_ids, self.mode)
        return self._save_order(
            order,
            status="return requested",
            return_items=sorted(item_ids),
            return_payment_method_id=payment_method_id,
        )

    @tool(writes=True)
    def modify_user_address(
        self,
        user_id: UserId,
        address1: Address1,
        address2: Address2,
        city: City,
        state: State,
        country: Country,
        zip: Zip,
    ) -> Record:
        """Replace the default address in a user's profile; orders keep theirs. Ask the user to confirm first."""
        user = self._user(user_id)
        user["address"] = self._address(address1, address2, city, state, country, zip)
        self.db.update(User, user_id, address=user["address"])
        return _without_key(user)

    def _require_changeable(self, order: Record) -> None:
        """Refuse unless address and payment of the order can be changed."""
        require_status(order, "pending", "modified")

    def _replaced(self, items: list[Record], item_ids: list[str], variants: list[Record]) -> list[Record]:
        """The items of an order after a swap."""
        return replace_items(items, item_ids, variants, chained=self.mode == "compat")

    def _user(self, user_id: str) -> Record:
        user = self.db.get(User, user_id)
        if user is None:
            raise ToolError(f"there is no user {user_id!r}")
        return user

    def _only(self, found: list[Record], problem: str) -> str:
        if not found:
            raise ToolError(problem)
        return str(found[0]["user_id"])

    def _swap(
        self, order: Record, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> tuple[list[Record], Record, Record]:
        """Checks that modify and exchange share; returns the new variants, the payment method and the user."""
        require_items(order, item_ids, self.mode)
        variants = swap_prices(self.db, order, item_ids, new_item_ids)
        user = owner(self.db, order)
        return variants, require_method(user, payment_method_id), user

    def _address(self, address1: str, address2: str, city: str, state: str, country: str, zip: str) -> Record:
        address = {
            "address1": address1,
            "address2": address2,
            "city": city,
            "country": country,
            "state": state,
            "zip": zip,
        }
        blank = [name for name, value in address.items() if name != "address2" and not value.strip()]
        if blank and self.mode == "strict":
            raise ToolError(f"the address has an empty {blank[0]!r}")
        return address

    def _save_order(self, order: Record, **columns: Any) -> Record:
        self.db.update(Order, order["order_id"], **columns)
        return {**order, **columns}

    def _save_methods(self, user: Record) -> None:
        self.db.update(User, user["user_id"], payment_methods=user["payment_methods"])


def _without_key(user: Record) -> Record:
    return {name: value for name, value in user.items() if name != "user_id"}


def replace_items(items: list[Record], item_ids: list[str], variants: list[Record], *, chained: bool) -> list[Record]:
    """The items after a swap.

    ``chained``: each swap looks among the results of those before it, as the public tool does, so that "A to B, B to
    C" turns A into C; otherwise every listed item means one of the order as it was.
    """
    result = [dict(item) for item in items]
    free = list(range(len(items)))
    for item_id, variant in zip(item_ids, variants, strict=True):
        position = next(at for at in free if result[at]["item_id"] == item_id)
        if not chained:
            free.remove(position)
        new = {"item_id": variant["item_id"], "price": variant["price"], "options": variant["options"]}
        result[position].update(new)
    return result
