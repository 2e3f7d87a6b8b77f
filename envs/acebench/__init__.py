"""ACEBench's agent tasks: a phone with messages, reminders and food orders, and a travel agency, as Python classes.

Data and classes are those of the user's own checkout; nothing of them is kept here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from mua_env.agents.scripted.by_heart import ByHeart, Part
from mua_env.core.agent import Agent, Slips
from mua_env.core.database import Rows
from mua_env.core.object_world import ObjectWorld
from mua_env.core.task_sets import TaskSet, parse_source
from mua_env.core.tasks import Limits, Task
from mua_env.core.tools import Mode
from mua_env.domain.contract import Domain
from mua_env.errors import ConfigError, DataError, DomainError, TaskError, did_you_mean

from .checkout import KINDS, root_folder, rows, source_revision
from .derived_user import DerivedUser, lines_of, missing
from .scoring import ACEScorer, gold_actions
from .stage import ACEStage
from .users import END, NudgeUser

PHONE = "The time is 16:00 on June 11, 2024 (Beijing). You serve a phone: messages, reminders, food orders."
TRAVEL = "The time is 08:00 on July 15, 2024 (Beijing). You serve an airline: you book, change and cancel flights."
_RULES = """\
- Do with the tools what the user asks for; ask the user for what a call needs and nobody has said.
- Use only what the user says and the tools return. Refuse what the tools cannot do.
"""
_PHONE_RULES = """\
- Names that the user says are full names. A reminder's time is the present one unless another is named.
- Where the memory for messages is full, ask which one may go. Log in before messages are read.
"""
_TRAVEL_RULES = """\
- Before any booking, change or cancellation say what you will do, and have the user's yes.
- Ask for user id and password first. A round trip is two bookings; without a direct flight look for a connection.
"""
_ALONE = f"There is nobody to ask. Work step by step, one call after another, and say '{END}' when all is done.\n"


class ACEWorlds:
    """Instances of the scenario classes, and the benchmark's scores."""

    solo = False

    def __init__(self, tasks: Sequence[Task], root: Path, mode: Mode) -> None:
        self._stage, self._tasks = ACEStage(root, mode=mode), tasks
        self.scorer = ACEScorer(self._stage, mode=mode)

    def make_world(self) -> ObjectWorld:
        """A world of its own."""
        return ObjectWorld(self._stage)

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the functions of all tasks, each name once."""
        found = {tool["function"]["name"]: tool for task in self._tasks for tool in self._stage.schemas(task)}
        return list(found.values())

    def user_schemas(self, task: Task | None = None) -> list[dict[str, Any]]:
        """The user has no tools."""
        return []


class ACEBenchDomain(Domain):
    """``MUA/ACEBenchAgent-v1``; the splits are ``multi_turn`` (with a user) and ``multi_step`` (without)."""

    name = "acebenchagent"
    splits = KINDS
    limits: ClassVar[Limits] = Limits(turns=41, messages=41)

    def worlds(self, task_set: TaskSet, *, mode: Mode, database_url: str | None) -> ACEWorlds:
        """Worlds of Python objects.

        Raises:
            ConfigError: a database server was asked for.
        """
        if database_url is not None:
            raise ConfigError("ACEBench's worlds are Python objects; database_url does not go with them")
        return ACEWorlds(task_set.tasks, Path(task_set.world.partition(":")[2]), mode)

    @property
    def language(self) -> Any:
        """There is none: the tasks have no goal but an instruction in prose.

        Raises:
            DomainError: always.
        """
        raise DomainError(
            "ACEBench's tasks have no agenda. Use a language model (user='llm', --user llm), or the tasks "
            "'multi_turn:user=derived', which bring a user of their own"
        )

    def data(self) -> Rows:
        """There are no tables."""
        return {}

    def policy(self, *, compact: bool = False) -> str:
        """What goes before every task; each task's first message says which of the two desks it is."""
        return f"{PHONE}\n{_RULES}{_PHONE_RULES}"

    def __init__(self) -> None:
        self._roots: set[Path] = set()

    def expert(self, *, style: str = "plain", slips: Slips = 0.0) -> Agent:
        """An expert that knows the milestones by heart, of the checkouts that this process has read."""
        return ByHeart(self._parts, slips=slips)

    def _parts(self) -> Iterator[Part]:
        for root, kind in product(sorted(self._roots), KINDS):
            found: tuple[Task, ...] = ()
            with suppress(DataError):  # another checkout's file, which is not whole
                found = _tasks(root, kind)
            for task in found:
                question, alone = str(task.scene["question"]), task.scene["kind"] == "multi_step"
                said = f"All is done: {END}." if alone else "It is done. Is there anything else?"
                heard = question if alone else lines_of(question).opening
                yield Part(heard=(heard,), calls=(task.actions,), said=(said,), last=said)

    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks of a kind, from the checkout that ``ACEBENCH_ROOT`` names."""
        return _tasks(root_folder(None), split)

    def task_set(
        self,
        source: str = "multi_turn",
        *,
        path: str | Path | None = None,
        policy: str | None = None,
        solo: bool = False,
    ) -> TaskSet:
        """The tasks of a kind, or those of one desk of it: ``"multi_turn:desk=travel"``.

        ``"multi_turn:user=derived"`` gives the tasks that an offline user can play, with that user (see
        :mod:`mua_env.envs.acebench.derived_user`).

        Raises:
            TaskError: there is no such kind, desk or user, or no checkout.
            ConfigError: a policy document or a solo mode was asked for.
        """
        if policy is not None or solo:
            raise ConfigError("ACEBench has no policy documents to choose from and no solo mode")
        name, options = parse_source(source)
        desk, derived = options.pop("desk", ""), options.pop("user", "")
        kind = "multi_turn" if name == "train" else name
        wrong = desk not in ("", "phone", "travel") or derived not in ("", "derived")
        if kind not in KINDS or wrong or options or (derived and kind != "multi_turn"):
            known = [*KINDS, "multi_turn:desk=phone", "multi_turn:desk=travel", "multi_turn:user=derived"]
            raise TaskError(
                f"unknown task source {source!r} for {self.name}.{did_you_mean(source, known)} "
                f"Use {', '.join(map(repr, known))}"
            )
        root = root_folder(path)
        self._roots.add(root)
        tasks = [task for task in _tasks(root, kind) if desk in ("", _desk(task))]
        if derived:
            stage = ACEStage(root, mode="compat")
            tasks = [task for task in tasks if not missing(task, stage)]
        users = {"multi_step": NudgeUser(), "multi_turn": DerivedUser() if derived else None}
        return TaskSet(
            name=kind + (f":desk={desk}" if desk else "") + (f":user={derived}" if derived else ""),
            domain=self.name,
            tasks=tasks,
            data=self.data,
            policy=_policy(kind, desk),
            world=f"{self.name}:{root}",
            mode="compat",
            source_revision=source_revision(root),
            user=users[kind],
        )


def _desk(task: Task) -> str:
    return "travel" if "Travel" in task.scene["classes"] else "phone"


def _policy(kind: str, desk: str) -> str:
    desks = {"phone": PHONE + "\n" + _PHONE_RULES, "travel": TRAVEL + "\n" + _TRAVEL_RULES}
    told = desks[desk] if desk else "\n".join(desks.values()) if kind == "multi_turn" else desks["phone"]
    return told + _RULES + (_ALONE if kind == "multi_step" else "")


@cache
def _tasks(root: Path, kind: str) -> tuple[Task, ...]:
    return tuple(_task(row, kind) for row in rows(root, kind))


def _task(row: Mapping[str, Any], kind: str) -> Task:
    answer = row["ground_truth"]
    return Task(
        id=row["id"],
        domain=ACEBenchDomain.name,
        instruction=_instruction(row) if kind == "multi_turn" else "",
        actions=gold_actions(row["mile_stone"]),
        scene={
            "kind": kind,
            "question": row["question"],
            "classes": list(row["involved_classes"]),
            "config": row["initial_config"],
            "functions": row["function"],
            "answer": answer if isinstance(answer, list) else [answer],
            "milestones": row["mile_stone"],
        },
        split=kind,
    )


def _instruction(row: Mapping[str, Any]) -> str:
    """The benchmark's instruction, with what its two kinds of users are told beside it, in words of our own."""
    if "Travel" in row["involved_classes"]:
        more = "If you are to book a round trip, say so at the very beginning. Confirm only what is as you want it."
    else:
        more = (
            "When a step needs several details (a reminder's title, text and time), give them together. "
            "Names here are full names. When asked whether there is anything else, name the next open wish."
        )
    return f"{row['question']}\n{more}"


domain = ACEBenchDomain()
