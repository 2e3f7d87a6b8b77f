from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from shop.models import Customer, Line, Order
from shop.tools import ShopTools

from mua_env.core.database import Template
from mua_env.core.tools import Toolkit, tool
from mua_env.core.world import SQLWorld
from mua_env.errors import DomainError, ToolError


def schema(name: str) -> dict[str, Any]:
    return next(s for s in ShopTools.schemas() if s["function"]["name"] == name)


def test_schemas_are_whole_and_in_order() -> None:
    schemas = ShopTools.schemas()
    names = [s["function"]["name"] for s in schemas]
    assert names == sorted(names)
    assert len(names) == 8
    text = json.dumps(schemas)
    assert "$ref" not in text
    assert "$defs" not in text


def test_schema_of_nested_arguments() -> None:
    function = schema("change_lines")["function"]
    assert function["description"] == "Change the counts of lines, one after the other."
    parameters = function["parameters"]
    assert parameters["required"] == ["order_id", "changes"]
    assert parameters["additionalProperties"] is False
    item = parameters["properties"]["changes"]["items"]
    assert item["properties"]["number"] == {"type": "integer", "minimum": 1, "maximum": 9}
    address = item["properties"]["ship_to"]["anyOf"][0]
    assert address["properties"]["street"]["description"] == "Street and number"
    assert address["additionalProperties"] is False


def test_description_is_the_first_paragraph_on_one_line() -> None:
    function = schema("find_customer")["function"]
    assert function["description"] == "Find a customer by email."
    assert function["parameters"]["properties"]["email"]["description"] == "Email address, as the user says it"


BAD = [
    ("cancel_order", "{}", "argument 'order_id' is missing"),
    ("cancel_order", '{"order_id": "#1", "colour": 1}', "argument 'colour' is not known"),
    ("cancel_order", '{"order_id": 1}', "argument 'order_id'"),
    ("cancel_order", '{"order_id": "#1", "reason": "whim"}', "argument 'reason'"),
    ("cancel_order", '{"order_id": "#1"', "not valid JSON"),
    ("cancel_order", "order_id=#1", "not valid JSON"),
    ("cancel_order", '["#1"]', "must be a JSON object"),
    ("change_lines", '{"order_id": "#1", "changes": [{"number": 1}]}', "'changes.0.count' is missing"),
    ("change_lines", '{"order_id": "#1", "changes": [{"number": 0, "count": 2}]}', "'changes.0.number'"),
    ("change_lines", '{"order_id": "#1", "changes": [{"number": 1, "count": "3"}]}', "'changes.0.count'"),
    ("set_address", '{"customer_id": "c1", "address": {"street": "", "zip": "1"}}', "'address.street'"),
    ("set_address", '{"customer_id": "c1", "address": {"street": "x"}}', "'address.zip' is missing"),
    ("cancel_ordr", '{"order_id": "#1"}', "unknown tool 'cancel_ordr'. Did you mean 'cancel_order'?"),
    ("drop_line", '{"order_id": "#1", "number": 100000000000000000000}', "does not fit the database"),
    ("cancel_order", '{"order_id": "#\\ud800"}', "not valid JSON"),
]


@pytest.mark.parametrize(("name", "arguments", "said"), BAD)
def test_faulty_call_is_answered_and_changes_nothing(world: SQLWorld, name: str, arguments: str, said: str) -> None:
    result = world.call(name, arguments)
    assert not result.ok
    assert result.content.startswith("Error: ")
    assert said in result.content
    assert world.snapshot() == {}
    assert world.call("cancel_order", {"order_id": "#1"}).ok  # and the world goes on working


def test_all_faults_of_a_call_are_named_at_once(world: SQLWorld) -> None:
    content = world.call("change_lines", '{"changes": "none", "extra": 1}').content
    assert all(f"'{name}'" in content for name in ("order_id", "changes", "extra"))


def test_unknown_tool_lists_the_tools(world: SQLWorld) -> None:
    assert "find_customer" in world.call("zzz", "{}").content


def test_tool_that_fails_half_way_is_rolled_back(world: SQLWorld) -> None:
    changes = [{"number": 1, "count": 9}, {"number": 7, "count": 9}]
    result = world.call("change_lines", {"order_id": "#1", "changes": changes})
    assert result.content == "Error: order #1 has no line 7"
    assert world.snapshot() == {}
    assert world.call("change_lines", {"order_id": "#1", "changes": changes[:1]}).content == "changed"
    assert list(world.snapshot()) == [("lines", '["#1",1]')]


def test_failed_call_keeps_the_effects_of_earlier_ones(world: SQLWorld) -> None:
    assert world.call("cancel_order", {"order_id": "#1"}).ok
    assert not world.call("cancel_order", {"order_id": "#1"}).ok
    assert list(world.snapshot()) == [("orders", '["#1"]')]


def test_results_are_text_or_compact_json(world: SQLWorld) -> None:
    assert world.call("find_customer", {"email": "PERSON3@example.com"}).content == "c3"
    order = json.loads(world.call("get_order", '{"order_id": "#3"}').content)
    assert order["total"] == 30
    assert [line["number"] for line in order["lines"]] == [1, 2]


def test_hidden_columns_are_not_shown(world: SQLWorld) -> None:
    customer = world.database.get(Customer, "c1")
    assert customer is not None
    assert "email_lower" not in customer
    assert "note" not in customer  # NULL


def test_numbers_keep_their_type(world: SQLWorld) -> None:
    for value in (100, 100.0):
        world.call("set_total", json.dumps({"order_id": "#1", "total": value}))
        order = world.database.get(Order, "#1")
        assert order is not None
        assert type(order["total"]) is type(value)


def test_nul_character_is_stored_or_refused_but_never_breaks_the_world(world: SQLWorld) -> None:
    for name in ("get_order", "cancel_order"):
        assert not world.call(name, '{"order_id": "a\\u0000b"}').ok
    world.call("set_address", {"customer_id": "c1", "address": {"street": "a\x00b", "zip": "1"}})
    assert world.call("get_order", {"order_id": "#1"}).ok


def test_empty_arguments_mean_none(template: Template) -> None:
    class Clock(Toolkit):
        @tool
        def now(self, zone: Literal["utc", "cet"] = "utc") -> str:
            """The time."""
            return f"noon {zone}"

    database = template.clone()
    assert Clock(database).call("now", "").content == "noon utc"
    assert Clock(database).call("now", {"zone": "cet"}).content == "noon cet"
    database.close()


def test_untyped_argument_is_a_fault_of_the_domain(template: Template) -> None:
    class Untyped(Toolkit):
        @tool
        def look(self, what) -> str:  # type: ignore[no-untyped-def]
            """Look."""
            return "seen"

    with pytest.raises(DomainError, match="'look': argument 'what' has no type annotation"):
        Untyped.schemas()


def test_subclass_inherits_and_replaces_tools() -> None:
    class More(ShopTools):
        @tool
        def get_order(self, order_id: str, verbose: bool = False) -> dict[str, Any]:
            """Look."""
            raise ToolError("closed")

    assert set(More.specs) == set(ShopTools.specs)
    assert "verbose" in More.specs["get_order"].arguments.model_fields
    assert "verbose" not in ShopTools.specs["get_order"].arguments.model_fields


def test_line_key_of_two_columns(world: SQLWorld) -> None:
    assert world.call("drop_line", {"order_id": "#1", "number": 2}).content == "removed"
    assert world.database.get(Line, ("#1", 2)) is None
    assert world.snapshot() == {("lines", '["#1",2]'): None}


def test_an_error_quotes_only_so_much_of_what_it_was_given(world: SQLWorld) -> None:
    result = world.call("x" * 1_000_000, "{}")
    assert not result.ok
    assert len(result.content) < 3000
    assert "characters)" in result.content
