"""Generated telecom tasks: what they are made of, that their gold solves them, and that nothing else does."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from mua_env.core.scores import Record
from mua_env.core.tasks import Task
from mua_env.domain.contract import load_domain
from mua_env.domain.verifier import Verifier
from mua_env.envs.telecom.faults import FAULTS, LOST
from mua_env.envs.telecom.generate import TOOLSET, shared_generator
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.evaluation.audit.baselines import IdleAgent, TransferAgent
from mua_env.users.agenda.user import AgendaUser
from telecom.conftest import spread

domain = load_domain("telecom")


def made(level: int, split: str = "train", count: int = 6) -> list[Task]:
    return list(islice(domain.generate(level=level, seed=77, split=split), count))


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_equal_seeds_give_equal_tasks(level: int) -> None:
    assert made(level) == made(level)


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_gold_in_both_hands_solves_and_idling_does_not(level: int, setting: Setting) -> None:
    world = setting.make_world()
    for task in made(level, "test"):
        world.load(task)
        idle = setting.scorer.score(task, world, Record())
        assert idle.reward == 0.0, task.id
        assert idle.tcr is not None
        assert idle.tcr < 1
        for action in task.actions:
            if not world.is_terminal(action.name):
                assert world.call(action.name, action.arguments, requestor=action.requestor).ok
        score = setting.scorer.score(task, world, Record())
        assert score.parts["database"] == 1.0
        assert score.parts["assertions"] in (1.0, None)
        # What is told, refused or handed over is said, and not done in the world.
        assert (score.reward == 1.0) is not bool(task.requirements)
    world.close()


def test_levels_count_what_is_wrong() -> None:
    for level in (1, 2, 3, 4, 5):
        for task in made(level):
            assert task.goal is not None
            billing = sum(
                request.intent in ("pay_bill", "refuel_data", "change_plan") for request in task.goal.requests
            )
            plain = {"set_user_info", "set_user_location", "simulate_network_search", "leave_bill_unpaid"}
            abroad = any(action.name == "set_user_location" for action in task.initial_actions)
            scene = [action.name for action in task.initial_actions if action.name not in plain]
            # Being abroad puts roaming in order first.
            assert len(scene) - 2 * abroad + billing == level, task.id


def test_nothing_is_won_by_handing_over_or_by_courtesy(setting: Setting) -> None:
    spec = setting.sql.toolset.toolkit.specs["transfer_to_human_agents"]
    session = Session(setting, AgendaUser())
    for agent in (TransferAgent(spec), IdleAgent()):
        for task in spread(setting.tasks, 4):
            agent.reset(system_prompt="", tools=session.tools, seed=0)
            result = session.start(task, seed=0)
            while not result.done:
                result = session.send(agent.act(result.messages))
            assert result.score is not None
            assert result.score.reward == 0.0, task.id
    session.close()


def test_splits_share_no_user_and_no_combination() -> None:
    train, test = domain.tasks("train"), domain.tasks("test")
    assert (len(train), len(test)) == (500, 250)
    assert not {task.user_id for task in train} & {task.user_id for task in test}
    for level in (2, 3, 4, 5):
        one, other = ({combination(task) for task in tasks if task.level == level} for tasks in (train, test))
        assert not one & other


def combination(task: Task) -> tuple[object, ...]:
    """What is wrong and what is asked for; where the user is does not matter."""
    assert task.goal is not None
    anywhere = {"set_user_info", "set_user_location", "simulate_network_search"}
    keys = ("mode", "permission", "contract_ended")
    scene = [
        (action.name, *(action.arguments.get(key) for key in keys))
        for action in task.initial_actions
        if action.name not in anywhere
    ]
    wishes = [(request.intent, request.outcome) for request in task.goal.requests]
    return tuple(sorted(map(str, scene))), tuple(sorted(wishes))


def test_an_instruction_is_a_sentence_whatever_the_phone() -> None:
    told = [task.instruction for split in ("train", "test") for task in domain.tasks(split)]
    assert any(", an Orbit S9, is " in text for text in told)
    assert not [text for text in told if re.search(r"\ba [AEIOU]|\ban (?!hour)[^aeiouAEIOU]", text)]


def test_what_cannot_be_repaired_has_no_repair_and_a_reason() -> None:
    assert {"sim_puk", "sim_pin", "contract_ended"} == LOST
    for name in LOST:
        assert FAULTS[name].handover
    handed = [task for level in (2, 3) for task in made(level, count=15) if any_handed(task)]
    assert handed
    for task in handed:
        assert task.requirements[-1].reason
        assert task.actions[-1].name == "transfer_to_human_agents"


def any_handed(task: Task) -> bool:
    return task.goal is not None and any(request.outcome == "transferred" for request in task.goal.requests)


def test_a_task_without_its_repair_is_no_sound_task() -> None:
    """The verifier notices gold that leaves something out, and a scene in which nothing is wrong."""
    generator = shared_generator()
    task = next(task for task in made(2) if task.goal and not task.requirements and len(task.actions) > 2)
    assert generator.verifier.check(task) == []
    short = task.model_copy(update={"actions": task.actions[:-1]})
    assert generator.verifier.check(short)
    sound = task.model_copy(update={"initial_actions": task.initial_actions[:1], "actions": task.actions[:1]})
    assert generator.verifier.check(sound)


def test_shipped_tasks_verify(setting: Setting) -> None:
    verifier = Verifier(setting.sql.template, TOOLSET)
    for task in spread(domain.tasks("test"), 4) + spread(domain.tasks("train"), 4):
        problems = [text for text in verifier.check(task) if "another order" not in text]
        assert problems == [], task.id
    verifier.close()
