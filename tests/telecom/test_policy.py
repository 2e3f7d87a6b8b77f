"""The policy documents: two variants, each for an agent alone too, in full and compact."""

from __future__ import annotations

import re

import gymnasium as gym
import pytest

from mua_env.domain.contract import load_domain
from mua_env.envs.telecom import domain as telecom
from mua_env.envs.telecom.compose import MOST_GB
from mua_env.envs.telecom.rules import RULES
from mua_env.envs.telecom.world_data import PLANS, generate_data
from mua_env.errors import ConfigError
from mua_env.gym.env import DialogueEnv

domain = load_domain("telecom")


def test_variants_differ_and_hold_the_same_main_part() -> None:
    texts = {(v, solo): telecom.policy_variant(v, solo=solo) for v in domain.policies for solo in (False, True)}
    assert len(set(texts.values())) == 4
    assert telecom.policy() == texts["manual", False]
    for text in texts.values():
        assert f"at most {MOST_GB:g} GB" in text
        assert str(PLANS[-1]["name"]) in text
    assert "Path A" in texts["workflow", True]


@pytest.mark.parametrize("solo", [False, True])
def test_compact_forms_are_short(solo: bool) -> None:
    for variant in domain.policies:
        compact = telecom.policy_variant(variant, solo=solo, compact=True)
        assert len(compact) < 0.4 * len(telecom.policy_variant(variant, solo=solo))
    words = telecom.policy_variant("workflow", solo=solo, compact=True)
    assert words != telecom.policy_variant("manual", solo=solo, compact=True)


def test_environment_takes_the_variant_and_solo_mode() -> None:
    env = gym.make("MUA/Telecom-v1", tasks="test", policy="workflow", solo=True).unwrapped
    assert isinstance(env, DialogueEnv)
    observation, _ = env.reset(seed=0)
    names = {schema["function"]["name"] for schema in env.session.tools}
    assert {"refuel_data", "toggle_data", "done"} <= names
    assert env.session.system_prompt == telecom.policy_variant("workflow", solo=True)
    assert observation[-1]["content"] == env.session.task.ticket
    env.close()
    with pytest.raises(ConfigError, match="manual"):
        gym.make("MUA/Telecom-v1", policy="handbook")


def test_rules_are_named_by_tasks() -> None:
    from mua_env.episode.setting import load_setting

    setting = load_setting("telecom", "test")
    world = setting.make_world()
    named = set()
    for task in setting.tasks:
        world.load(task.initial_actions)
        named |= set(domain.binding_rules(task, world.database))
    assert named == set(RULES)
    world.close()


def test_data_are_our_own_and_repeat() -> None:
    one = generate_data()
    assert one == generate_data()
    assert len(one["customers"]) == 300
    by_name = {customer["full_name"] for customer in one["customers"]}
    assert len(by_name) == 300
    assert not by_name & {"John Smith", "Sarah Johnson"}
    numbers = [line["phone_number"] for line in one["lines"]]
    assert len(set(numbers)) == len(numbers)
    assert all(re.fullmatch(r"\d{3}-555-\d{4}", number) for number in numbers)
    limits = {plan["plan_id"]: plan["data_limit_gb"] for plan in one["plans"]}
    assert all(line["data_used_gb"] < limits[line["plan_id"]] for line in one["lines"])
