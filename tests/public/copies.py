"""Small copies of tau-bench's and tau2-bench's checkouts: the same shape, with data and words of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mua_env.domain.contract import load_domain

TAU1_TOOL = """
from tau_bench.envs.tool import Tool

open({ran!r}, "w")


class {name}(Tool):
    @staticmethod
    def invoke(data, {arguments}):
{body}

    @staticmethod
    def get_info():
        return {{
            "type": "function",
            "function": {{
                "name": {tool!r},
                "description": ({description!r} " In two " "strings."),
                "parameters": {{
                    "type": "object",
                    "properties": {{{properties}}},
                    "required": [{required}],
                }},
            }},
        }}
"""
TAU1_TOOLS = {
    "FindById": (
        "get_order_details",
        "order_id",
        ["if order_id not in data:", '    return "Error: nothing of that name"', "return data[order_id]"],
    ),
    "Scrap": (
        "cancel_pending_order",
        "order_id, reason",
        [
            "if order_id not in data:",
            '    return "Error: nothing of that name"',
            "if data[order_id]['status'] != 'pending':",
            '    return "Error: too late"',
            "if reason not in data:",
            "    return (",
            '        "Error: a reason "',
            '        "of your own"',
            "    )",
            "return data[order_id]",
        ],
    ),
    "Shelf": (
        "get_product_details",
        "product_id",
        ["if product_id not in data:", '    return "Error: no such shelf"', "return data[product_id]"],
    ),
    "Move": (
        "modify_user_address",
        "user_id, address1, address2, city, state, country, zip",
        ["if user_id not in data:", '    return "Error: who is that?"', "return data[user_id]"],
    ),
    "Longer": (
        "modify_pending_order_address",
        "order_id, address1, address2, city, state, country, zip",
        ["return 'Error: one refusal where two are known'"],
    ),
}
TAU1_BASE = """
class Env:
    def step(self, action):
        observation = "nothing"
        if action.name not in self.tools_map:
            observation = f"There is no {action.name} here"
        return observation
"""
TASKS = """
from tau_bench.types import Action, Task

TASKS_TEST = [
    Task(annotator="x", user_id={user!r}, instruction="Ask.", actions=[], outputs=["10", "54.04"]),
]
"""


def tables() -> dict[str, dict[str, dict[str, Any]]]:
    """Some of the own retail data in the benchmarks' form: products with their name first, as there."""
    rows = {table: list(content) for table, content in load_domain("retail").data().items()}
    rows["users"] = rows["users"][:40]
    known = {row["user_id"] for row in rows["users"]}
    rows["orders"] = [row for row in rows["orders"] if row["user_id"] in known]
    keys = {"users": "user_id", "orders": "order_id", "products": "product_id"}
    found = {table: {row[key]: dict(row) for row in rows[table]} for table, key in keys.items()}
    found["users"] = {
        key: {name: value for name, value in row.items() if name != "user_id"} for key, row in found["users"].items()
    }
    found["products"] = {
        key: {name: row[name] for name in ("name", "product_id", "variants")} for key, row in found["products"].items()
    }
    return found


def tau1_checkout(folder: Path, *, code: bool = True) -> Path:
    """A checkout of tau-bench with the retail domain; without code it holds the data files alone."""
    domain = folder / "tau_bench" / "envs" / "retail"
    (domain / "data").mkdir(parents=True)
    for name, records in tables().items():
        (domain / "data" / f"{name}.json").write_text(json.dumps(records))
    (domain / "wiki.md").write_text("# Rules\n")
    (domain / "tasks_test.py").write_text(TASKS.format(user=next(iter(tables()["users"]))))
    if not code:
        return folder
    (domain.parent / "base.py").write_text(TAU1_BASE)
    (domain / "tools").mkdir()
    listed = ", ".join(TAU1_TOOLS)
    (domain / "tools" / "__init__.py").write_text(f"from .all import *\n\nALL_TOOLS = [{listed}]\n")
    for name, (tool, arguments, body) in TAU1_TOOLS.items():
        names = arguments.split(", ")
        text = TAU1_TOOL.format(
            ran=str(folder / "ran"),
            name=name,
            tool=tool,
            arguments=arguments,
            body="\n".join(f"        {line}" for line in body),
            description=f"Words of a benchmark about {tool}.",
            properties=", ".join(f'{each!r}: {{"type": "string"}}' for each in names),
            required=", ".join(map(repr, names)),
        )
        (domain / "tools" / f"{tool}.py").write_text(text)
    return folder


TAU2_TOOLS = '''
"""Tools."""

from typing import List, Optional

from tau2.domains.retail.data_model import Item, Mood, Order, Product, RetailDB, User
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool

open({ran!r}, "w")


class Shop(ToolKitBase):
    db: RetailDB

    def _get_order(self, order_id: str) -> Order:
        """Find."""
        if order_id not in self.db.orders:
            raise ValueError("nothing of that name")
        return self.db.orders[order_id]

    @is_tool(ToolType.READ)
    def get_order_details(self, order_id: str) -> Order:
        """
        Words of a benchmark.

        And more of them,
        in two lines.

        Args:
            order_id: The name of it,
                which is long.

        Returns:
            What there is.
        """
        return self._get_order(order_id)

    @is_tool(ToolType.WRITE)
    def cancel_pending_order(self, order_id: str, reason: str) -> Order:
        """Scrap it."""
        order = self._get_order(order_id)
        if order.status != "pending":
            raise ValueError("too late")
        if reason not in {{"a", "b"}}:
            raise ValueError(f"a reason of your own: {{reason}}")
        return order

    @is_tool(ToolType.READ)
    def get_product_details(
        self, product_id: str, moods: List[Mood | dict] = (), item: Optional[Item] = None, limit: int = 12
    ) -> Product:
        """Look at the shelf.

        Args:
            limit: How many.
        """
        return self.db.products[product_id]

    def helper(self) -> None:
        raise ValueError("not a tool")
'''
TAU2_MODELS = '''
from enum import Enum
from typing import Annotated, Dict, Literal, Optional, Union

from pydantic import BaseModel, Field

from tau2.utils.pydantic_utils import Strict

Size = Annotated[Literal["small", "large"], Field(description="How large")]


class Mood(str, Enum):
    GOOD = "good"
    BAD = "bad"


class Item(Strict):
    """One of many."""

    size: Size
    mood: Mood = Field(default=Mood.GOOD, description="How it is")
    price: Optional[float] = Field(None, description="What it costs")


class Named(BaseModel):
    name: str


class Product(Named):
    product_id: str
    variants: Dict[str, Union[Item, str]]
'''
TAU2_UTILS = """
from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
"""
TAU2_TOOLKIT = """
class ToolKitBase:
    def use_tool(self, tool_name: str, **kwargs) -> str:
        if tool_name not in self.tools:
            raise ValueError(f"There is no {tool_name} here")
        return self.tools[tool_name](**kwargs)
"""


def tau2_checkout(folder: Path, *, code: bool = True) -> Path:
    """A checkout of tau2-bench with the retail domain; without code it holds the data files alone."""
    data = folder / "data" / "tau2" / "domains" / "retail"
    data.mkdir(parents=True)
    (data / "db.json").write_text(json.dumps(tables()))
    (data / "policy.md").write_text("# Rules\n")
    scenario = {"persona": None, "instructions": "Ask."}
    pending = next(key for key, row in tables()["orders"].items() if row["status"] == "pending")
    gold = {"name": "cancel_pending_order", "arguments": {"order_id": pending, "reason": "no longer needed"}}
    criteria = {"actions": [gold], "communicate_info": [], "reward_basis": ["DB"]}
    (data / "tasks.json").write_text(
        json.dumps([{"id": "0", "user_scenario": scenario, "evaluation_criteria": criteria}])
    )
    if not code:
        return folder
    package = folder / "src" / "tau2"
    for path, text in {
        "domains/retail/tools.py": TAU2_TOOLS.format(ran=str(folder / "ran")),
        "domains/retail/data_model.py": TAU2_MODELS,
        "utils/pydantic_utils.py": TAU2_UTILS,
        "environment/toolkit.py": TAU2_TOOLKIT,
    }.items():
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_text(text)
    return folder
