"""Schemas: of typed methods in any form, and samples of schemas in the forms that MCP servers have."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mua_env import load_setting
from mua_env.core.argument_model import inlined
from mua_env.core.tools import Toolkit, tool
from mua_env.errors import DomainError
from mua_env.gym.schema_check import fits
from mua_env.gym.schema_values import NoValue, sample_schema
from mua_env.gym.spaces import AgentTurnSpace

from .generated_schemas import schemas
from .mcp_schemas import tool_schemas

TOOLS = tool_schemas(150)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool["function"]["name"])
def test_samples_fit_a_schema_in_any_form(tool: dict[str, Any]) -> None:
    schema = tool["function"].get("parameters") or {"type": "object"}
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    space = AgentTurnSpace([tool], seed=3)
    calls = [call for _ in range(40) for call in space.sample().get("tool_calls", ())]
    assert len(calls) > 10
    for call in calls:
        arguments = json.loads(call["function"]["arguments"])
        assert isinstance(arguments, dict)
        problem = next(iter(validator.iter_errors(arguments)), None)
        assert problem is None, f"{arguments} of {json.dumps(schema)}: {problem.message}"
        assert fits(arguments, schema, schema)


def test_equal_seeds_give_equal_samples() -> None:
    one, other = (AgentTurnSpace(TOOLS, seed=5) for _ in range(2))
    assert [one.sample() for _ in range(30)] == [other.sample() for _ in range(30)]


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_samples_of_the_domains_own_tools_fit(domain: str) -> None:
    setting = load_setting(domain, "test")
    for each in [*setting.tools, *setting.user_tools]:
        schema = each["function"]["parameters"]
        validator = Draft202012Validator(schema)
        for seed in range(5):
            validator.validate(sample_schema(schema, np.random.default_rng(seed)))


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"not": {}},
        {"enum": []},
        {"type": "integer", "minimum": 5, "maximum": 3},
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"allOf": [{"$ref": "#"}]},
        3,
    ],
)
def test_a_schema_that_nothing_fits_has_no_sample(schema: Any) -> None:
    with pytest.raises(NoValue):
        sample_schema(schema, np.random.default_rng(0))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9},
        {"type": "number", "exclusiveMinimum": 1, "maximum": 1.0000000000000002},
        {"type": "number", "minimum": -1e308, "maximum": 1e308},
        {"type": "number", "minimum": 1e300},
        {"type": "number", "exclusiveMaximum": -1e-320},
        {"type": "number", "minimum": 0.1, "maximum": 0.3, "multipleOf": 0.25},
        {"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 1.5},
        {"type": "integer", "minimum": 10, "multipleOf": 0.5},
        {"type": "integer", "minimum": 10, "maximum": 13, "multipleOf": 1.5},
        {"type": "string", "pattern": "x", "minLength": 6},
        {"type": "string", "pattern": "x$", "minLength": 6},
        {"type": "string", "format": "email", "pattern": "@"},
        {"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 2, "maxItems": 2},
        {"type": "object", "required": ["a"], "dependentSchemas": {"a": {"required": ["b"]}}},
        {"type": "object", "required": ["a"], "dependencies": {"a": ["b"]}},
        {"properties": {"a": {"type": "null"}}, "unevaluatedProperties": False, "type": "object"},
        {"$defs": {"n": {"properties": {"n": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}}, "required": ["n"]}},
         "$ref": "#/$defs/n"},
    ],
)  # fmt: skip
def test_narrow_and_wide_schemas_have_samples(schema: Any) -> None:
    for seed in range(20):
        Draft202012Validator(schema).validate(sample_schema(schema, np.random.default_rng(seed)))


@settings(max_examples=120, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(schemas())
def test_whatever_the_schema_a_sample_fits_it_or_there_is_none(schema: dict[str, Any]) -> None:
    try:
        value = sample_schema(schema, np.random.default_rng(0))
    except NoValue:
        return
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(schemas(), schemas())
def test_every_call_in_a_sampled_turn_fits_its_tool(one: dict[str, Any], other: dict[str, Any]) -> None:
    parameters = {
        "one": one,
        "other": other,
        "never": {"type": "object", "required": ["a"], "properties": {"a": False}},
    }
    functions = [{"name": name, "parameters": schema} for name, schema in parameters.items()]
    space = AgentTurnSpace([{"type": "function", "function": function} for function in functions], seed=1)
    for _ in range(8):
        turn = space.sample()
        assert turn in space
        for call in turn.get("tool_calls", ()):
            arguments = json.loads(call["function"]["arguments"])
            Draft202012Validator(parameters[call["function"]["name"]]).validate(arguments)


@pytest.mark.parametrize("schema", [False, {"type": "array"}, {"required": ["a"], "properties": {"a": {"enum": []}}}])
def test_a_tool_whose_schema_nothing_fits_is_not_called(schema: Any) -> None:
    space = AgentTurnSpace([{"type": "function", "function": {"name": "f", "parameters": schema}}], seed=0)
    assert not any("tool_calls" in space.sample() for _ in range(20))


class Node(BaseModel):
    value: int
    children: list[Node] = Field(default_factory=list)


class Left(BaseModel):
    right: Right | None = None


class Right(BaseModel):
    left: Left | None = None


class Titled(TypedDict):
    title: str


class Place(BaseModel):
    street: str
    title: str = "Home"


class Odd(Toolkit):
    """Methods in forms that are rare and legal."""

    @tool
    def tree(self, root: Node, place: Place) -> int:
        """Sum a tree."""
        return root.value + sum(child.value for child in root.children)

    @tool
    def both(self, left: Left) -> str:
        """Two that hold each other."""
        return "ok"

    @tool
    def titled(self, entry: Titled = {"title": "Untitled"}, title: str = "T") -> dict[str, Any]:  # noqa: B006
        """Defaults with a title."""
        return {"entry": entry, "title": title}

    @tool
    def named(self, _id: str, model_config: int, json: Annotated[str, Field(description="Text.")] = "j") -> list[Any]:
        """Names that a model cannot have."""
        return [_id, model_config, json]

    @tool
    def open(self, known: int, **others: int) -> dict[str, Any]:
        """Any further whole numbers."""
        return {"known": known, "others": others}

    @tool
    def none(self) -> float:
        """Nothing."""
        return 1.0

    @tool
    def unlucky(self, kind: Literal["nan", "inf", "deep"]) -> Any:
        """A result that is no JSON."""
        return {"x": [float("nan" if kind == "nan" else "inf")]}


@pytest.fixture(scope="module")
def odd() -> Odd:
    return Odd(load_setting("retail", "test").make_world().database)


def parameters(name: str) -> dict[str, Any]:
    found: dict[str, Any] = Odd.specs[name].schema["function"]["parameters"]
    Draft202012Validator.check_schema(found)
    return found


def test_a_schema_that_holds_itself_keeps_its_references_and_nothing_else_does() -> None:
    schema = parameters("tree")
    assert list(schema["$defs"]) == ["Node"]
    assert schema["properties"]["place"]["properties"]["street"] == {"type": "string"}
    validator = Draft202012Validator(schema)
    place = {"street": "x"}
    assert validator.is_valid({"root": {"value": 1, "children": [{"value": 2}]}, "place": place})
    assert not validator.is_valid({"root": {"value": 1, "children": [{"value": "2"}]}, "place": place})
    assert set(parameters("both")["$defs"]) == {"Left", "Right"}


def test_titles_of_values_stay() -> None:
    properties = parameters("titled")["properties"]
    assert properties["entry"]["default"] == {"title": "Untitled"}
    assert properties["entry"]["properties"]["title"] == {"type": "string"}
    assert properties["title"] == {"type": "string", "default": "T"}
    assert parameters("tree")["properties"]["place"]["properties"]["title"]["default"] == "Home"
    values = {"default": {"title": "a", "$ref": "#/$defs/A"}, "enum": [{"title": "b"}], "title": "gone"}
    assert inlined(values) == {"default": values["default"], "enum": values["enum"]}


def test_arguments_of_any_name_are_there(odd: Odd) -> None:
    schema = parameters("named")
    assert list(schema["properties"]) == ["_id", "model_config", "json"]
    assert schema["required"] == ["_id", "model_config"]
    assert schema["properties"]["json"]["description"] == "Text."
    assert odd.call("named", '{"_id": "a", "model_config": 3}').content == '["a", 3, "j"]'
    assert "argument '_id' is missing" in odd.call("named", '{"model_config": 3}').content
    assert "argument 'model_config'" in odd.call("named", '{"_id": "a", "model_config": "x"}').content
    assert not odd.call("named", '{"argument_0": "a", "model_config": 3}').ok


def test_further_arguments_are_open_and_typed_and_none_is_required(odd: Odd) -> None:
    schema = parameters("open")
    assert (schema["required"], list(schema["properties"])) == (["known"], ["known"])
    assert schema["additionalProperties"] == {"type": "integer"}
    assert odd.call("open", '{"known": 1}').content == '{"known": 1, "others": {}}'
    assert json.loads(odd.call("open", '{"known": 1, "a": 2, "b": 3}').content)["others"] == {"a": 2, "b": 3}
    assert "'a'" in odd.call("open", '{"known": 1, "a": "x"}').content
    assert "argument 'self' is not known" in odd.call("open", '{"known": 1, "self": 2}').content


def test_arguments_that_cannot_be_named_are_refused() -> None:
    class Positional(Toolkit):
        @tool
        def first(self, one: int, /) -> int:
            """Only by position."""
            return one

        @tool
        def several(self, *many: int) -> int:
            """Several."""
            return len(many)

    for name in ("first", "several"):
        with pytest.raises(DomainError, match="cannot be given by name"):
            Positional.specs[name].schema  # noqa: B018


@pytest.mark.parametrize("kind", ["nan", "inf"])
def test_a_result_that_is_no_json_is_an_error(odd: Odd, kind: str) -> None:
    result = odd.call("unlucky", json.dumps({"kind": kind}))
    assert not result.ok
    assert "no JSON" in result.content


def test_every_odd_schema_can_be_sampled_and_called(odd: Odd) -> None:
    for name in ("tree", "both", "titled", "named", "open", "none"):
        for seed in range(20):
            arguments = sample_schema(parameters(name), np.random.default_rng(seed))
            Draft202012Validator(parameters(name)).validate(arguments)
            result = odd.call(name, json.dumps(arguments))
            assert result.ok, result.content
