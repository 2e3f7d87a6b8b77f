"""Nothing that an agent is given holds what the user wants or what the right actions are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from shop import ShopUser, shop
from shop.domain import SECRET

from engine.helpers import call
from mua_env.core.tasks import Action, Request, Task
from mua_env.gym.env import DialogueEnv
from mua_env.gym.vector import DialogueVectorEnv

GOLD = "gold-value-4711"
WISH = "wish-value-4712"


def fields(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every leaf, every key and every attribute of what an agent is given, as text with its path."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{path}.{key}", str(key)
            yield from fields(item, f"{path}.{key}")
    elif isinstance(value, str | int | float | bool | None):
        yield path, str(value)
    elif hasattr(value, "tolist"):
        yield from fields(value.tolist(), path)
    elif isinstance(value, list | tuple | set | frozenset):
        for i, item in enumerate(value):
            yield from fields(item, f"{path}[{i}]")
    else:
        yield path, json.dumps(vars(value), default=str)


def assert_hidden(given: Any) -> None:
    for path, text in fields(given):
        for secret in (SECRET, GOLD, WISH):
            assert secret not in text, path


def task() -> Task:
    base = shop.tasks("train")[1]
    assert base.goal is not None
    wish = Request(intent="cancel", slots={"order": "#1", "why": WISH})
    return base.model_copy(
        update={
            "id": "leaky",
            "goal": base.goal.model_copy(update={"requests": (wish,)}),
            "actions": (*base.actions, Action(name="set_total", arguments={"order_id": GOLD, "total": 1})),
            "outputs": (GOLD,),
        }
    )


TURNS: list[Any] = [
    "What is your email?",
    "Which order is it?",
    call("get_order", order_id="#1"),
    call("find_customer", email="person1@example.com"),
    call("cancel_order", order_id="#4"),
    call("cancel_order", '{"order_id": '),
    call("cancel_ordr", order_id="#1"),
    call("set_address", customer_id="c1", address={}),
    call("change_lines", order_id="#1", changes=[{"number": 1, "count": 3}, {"number": 8, "count": 1}]),
]


def test_walker_sees_every_corner() -> None:
    nested = {"a": [{"b": (1, {"c": "deep"})}], "key": None}
    assert {text for _, text in fields(nested)} == {"a", "b", "c", "key", "1", "deep", "None"}


def test_one_environment() -> None:
    env = DialogueEnv(shop, user=ShopUser(), render_mode="ansi")
    given: list[Any] = [env.reset(seed=0, options={"task": task()}), env.action_space, env.observation_space]
    for turn in TURNS:
        observation, reward, terminated, truncated, info = env.step(turn)
        assert not terminated
        assert not truncated
        assert "score" not in info
        given.append((observation, reward, info, env.render()))
    assert_hidden(given)
    info = env.step("It is done.")[-1]
    score = info.pop("score")
    assert_hidden(info)
    assert GOLD in json.dumps(score)  # once it is over, the score explains itself
    env.close()


def test_vector_environment() -> None:
    env = DialogueVectorEnv(shop, num_envs=2, user=ShopUser())
    given: list[Any] = [env.reset(seed=0, options={"task": task()})]
    given += [env.step([turn, turn]) for turn in TURNS]
    assert_hidden(given)
    env.close()


def test_every_task_of_the_domain() -> None:
    env = DialogueEnv(shop, user=ShopUser())
    for index in range(10):
        given: list[Any] = [env.reset(seed=index, options={"task_index": index})]
        for _ in range(5):
            given.append(env.step("Hm?"))
            given.append(env.step(call("get_order", order_id="#x")))
        assert_hidden(given)
    env.close()
