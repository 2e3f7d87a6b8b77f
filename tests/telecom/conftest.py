"""Dialogues of the telecom domain, played in full."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from mua_env.core.tasks import Task
from mua_env.domain.contract import load_domain
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.base import UserSimulator


@pytest.fixture(scope="package")
def setting() -> Setting:
    return load_setting("telecom", "test")


def spread(tasks: Iterable[Task], each: int) -> list[Task]:
    """So many tasks of each level."""
    found: dict[Any, list[Task]] = {}
    for task in tasks:
        if len(found.setdefault(task.level, [])) < each:
            found[task.level].append(task)
    return [task for level in found.values() for task in level]


def failures(setting: Setting, tasks: Iterable[Task], *, user: UserSimulator | None = None, **expert: Any) -> list[str]:
    """The ids of the tasks that the scripted expert does not solve."""
    session = Session(setting, user or AgendaUser())
    lost = []
    for seed, task in enumerate(tasks):
        agent = load_domain("telecom").expert(**expert)
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
        result = session.start(task, seed=seed)
        while not result.done:
            result = session.send(agent.act(result.messages))
        if result.score is None or not result.score.success:
            lost.append(task.id)
    session.close()
    return lost
