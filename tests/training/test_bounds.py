"""No number and no name that cannot be passes the settings of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from mua_env.errors import ConfigError
from mua_env.training.config.train import TrainConfig, load_config, read_settings
from mua_env.training.user_model.train import UserTrainConfig

KINDS = (TrainConfig, UserTrainConfig)
SENSELESS = (math.nan, math.inf, -math.inf, -1, -0.5, 10**400, True)


def fields(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every setting by its path, groups within groups too."""
    for name, field in model.model_fields.items():
        groups = [part for part in _parts(field.annotation) if isinstance(part, type) and issubclass(part, BaseModel)]
        for group in groups:
            yield from fields(group, (*path, name))
        if not groups:
            yield (*path, name), field.annotation


def _parts(annotation: Any) -> tuple[Any, ...]:
    union = get_origin(annotation) in (Union, UnionType)
    return tuple(part for part in get_args(annotation) if part is not NoneType) if union else (annotation,)


def nested(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    for name in reversed(path):
        value = {name: value}
    return dict(value)


def _numbers(kind: type[BaseModel]) -> list[tuple[str, ...]]:
    found = []
    for path, annotation in fields(kind):
        bare = [get_args(part)[0] if hasattr(part, "__metadata__") else part for part in _parts(annotation)]
        if any(part in (int, float) for part in bare):
            found.append(path)
    return found


NUMBERS = [(kind, path) for kind in KINDS for path in _numbers(kind)]


def test_the_walk_finds_the_numbers() -> None:
    names = {".".join(path) for kind, path in NUMBERS if kind is TrainConfig}
    assert {"seed", "grpo.steps", "grpo.curriculum.floor", "model.lora.rank", "cold_start.expert_slips"} <= names
    assert len(names) > 50


@pytest.mark.parametrize(
    ("kind", "path"), NUMBERS, ids=lambda value: ".".join(value) if isinstance(value, tuple) else ""
)
def test_no_senseless_number_passes(kind: type[BaseModel], path: tuple[str, ...]) -> None:
    for value in SENSELESS:
        with pytest.raises(ConfigError):
            read_settings(kind, nested(path, value))


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_two_bounds_and_every_text_a_length(kind: type[BaseModel]) -> None:
    def walk(schema: Any, path: str) -> Iterator[str]:
        if isinstance(schema, list):
            for item in schema:
                yield from walk(item, path)
        if not isinstance(schema, dict):
            return
        if schema.get("type") in ("integer", "number") and not (
            {"minimum", "exclusiveMinimum"} & schema.keys() and {"maximum", "exclusiveMaximum"} & schema.keys()
        ):
            yield path
        if schema.get("type") == "string" and not {"enum", "const", "maxLength"} & schema.keys():
            yield path
        for name, item in schema.items():
            yield from walk(item, f"{path}.{name}")

    # A mapping's keys are names that somebody else knows.
    assert list(walk(kind.model_json_schema(), kind.__name__)) == []


@given(value=st.floats() | st.integers())
@settings(max_examples=200, deadline=None)
def test_what_passes_is_finite_and_within_bounds(value: float) -> None:
    for kind, path in NUMBERS:
        try:
            found: Any = read_settings(kind, nested(path, value))
        except ConfigError:
            continue
        for name in path:
            found = getattr(found, name)
        assert math.isfinite(found), path
        assert 0 <= found <= 3.4e38, path


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../../x", "a/b", "a\\b", "/etc", "a\nb", "a\0b", "x" * 101, " x", "x ", "x.", "-rf", "~"]
)
def test_a_run_is_named_by_one_folder(name: str) -> None:
    with pytest.raises(ConfigError, match="name"):
        load_config({"name": name})


@pytest.mark.parametrize("name", ["mua-rl", "run 3", "läufe_2", "a.b", "x=1,y=2", "7"])
def test_ordinary_names_pass(name: str) -> None:
    assert load_config({"name": name}).name == name


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"grpo": {"trl": {"warmup_ratio": math.nan}}}, r"grpo\.trl: every number in it must be finite"),
        ({"environment": {"user_options": {"a": [{"b": math.inf}]}}}, "finite"),
        ({"grpo": {"loss_type": "ppo"}}, "loss_type"),
        ({"grpo": {"loss_type": "luspo"}}, "needs importance sequence"),
        ({"sampling": {"url": "localhost:8000"}}, "url"),
        ({"environment": {"tasks": ""}}, "tasks"),
        ({"environment": {"tasks": "a\x1b[2J"}}, "control characters"),
        ({"tracking": {"report_to": ["wandb\n"]}}, "report_to"),
    ],
)
def test_texts_and_free_settings_are_bounded_too(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(data)
    assert "Value error" not in str(caught.value)
