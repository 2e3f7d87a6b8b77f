"""Whether a domain is sound: its description, its tasks, and its scripted expert, in words."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from itertools import islice

from mua_env.core.tasks import Request, Task
from mua_env.domain.contract import Domain
from mua_env.domain.described import DescribedDomain
from mua_env.domain.description.checking import problems, unmet
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import DomainError, MuaError, TaskError
from mua_env.users.agenda.user import AgendaUser

_TASKS = 12
"""Tasks of each level that the expert is given."""
_LOOKED_AT = 60
"""Tasks of each level in which rules are looked for."""
_SPLIT_TASKS = 100


def check_domain(domain: Domain) -> list[str]:
    """What is missing in a domain or inconsistent; empty if nothing is.

    A description is checked from its words to the dialogues of its expert. Of a domain written by hand the tasks are
    checked, and whether there is what users and scripted agents need.
    """
    try:
        if isinstance(domain, DescribedDomain):
            found = problems(domain.description)
            return found or [*_generated(domain)]
        return [*_handwritten(domain)]
    except MuaError as error:
        return [str(error)]
    except Exception as error:
        # Whatever goes wrong in somebody's tools and rules: that is what is to be told.
        where = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{type(error).__name__} in {where.filename}:{where.lineno} ({where.line}): {error}"]


def _generated(domain: DescribedDomain) -> Iterator[str]:
    met: set[str] = set()
    for level in domain.levels:
        try:
            tasks = list(islice(domain.generate(level=level, seed=0), _LOOKED_AT))
        except TaskError as error:
            yield str(error)
            continue
        met.update(rule for task in tasks for rule in _rules(task))
        yield from _dialogues(domain, level)
    yield from unmet(domain.description, sorted(met))


def _rules(task: Task) -> Iterator[str]:
    pending: list[Request] = list(task.goal.requests) if task.goal else []
    while pending:
        request = pending.pop()
        yield from request.rules
        if request.fallback is not None:
            pending.append(request.fallback)


def _dialogues(domain: Domain, level: int) -> Iterator[str]:
    setting = load_setting(domain, f"generate:level={level}")
    failed = [task.id for task in islice(setting.tasks, _TASKS) if not _solved(setting, task)]
    if failed:
        yield f"level {level}: the expert does not solve {len(failed)} of {_TASKS} tasks, as {failed[0]!r}"


def _solved(setting: Setting, task: Task) -> bool:
    session, agent = Session(setting, AgendaUser()), setting.domain.expert()
    try:
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=0)
        result = session.start(task, seed=0)
        while not result.done:
            result = session.send(agent.act(result.messages))
        return result.score is not None and result.score.reward == 1
    finally:
        session.close()


def _handwritten(domain: Domain) -> Iterator[str]:
    for split in domain.splits:
        setting = load_setting(domain, split)
        for task in _first(setting.tasks):
            for failure in setting.scorer.gold(task).failures:
                yield f"{split}: the gold of task {task.id!r} fails: {failure}"
    for what, needed in (("language", "the agenda user"), ("expert", "demonstrations and the user card")):
        try:
            getattr(domain, what) if what == "language" else domain.expert()
        except DomainError as error:
            yield f"{error}; {needed} cannot be had without it"


def _first(tasks: Iterable[Task]) -> Iterator[Task]:
    return islice(tasks, _SPLIT_TASKS)
