"""Recorded dialogues as tasks: the user's lines are fixed, tools answer with what they answered then.

Read from the user's own files of rows with ``messages`` and ``tools``, as MUA-RL releases its data for the cold start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar
from warnings import warn

from mua_env.agents.scripted.by_heart import ByHeart, Part, part_of_script
from mua_env.core.agent import Agent, Slips
from mua_env.core.database import Rows
from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Limits, Task
from mua_env.core.tools import Mode
from mua_env.domain.contract import Domain
from mua_env.domain.public.row_files import content_of, files_of, holds_rows, read_files
from mua_env.domain.public.tau2_rows import reasons
from mua_env.errors import ConfigError, MuaError, TaskError
from mua_env.users.fixed_lines import ScriptedUser

from .reading import read_dialogue
from .world import RecordedScorer, RecordedWorld


class RecordedWorlds:
    """Worlds that answer from a recording, and their scores."""

    solo = False

    def __init__(self, tasks: Sequence[Task], mode: Mode) -> None:
        self._tasks = tasks
        self.scorer = RecordedScorer(mode=mode)

    def make_world(self) -> RecordedWorld:
        """A world of its own."""
        return RecordedWorld()

    def schemas(self) -> list[dict[str, Any]]:
        """Function schemas of the tools of all dialogues, each name once."""
        found = {tool["function"]["name"]: tool for task in self._tasks for tool in task.scene["tools"]}
        return list(found.values())

    def user_schemas(self, task: Task | None = None) -> list[dict[str, Any]]:
        """The user has no tools."""
        return []


class DialoguesDomain(Domain):
    """``MUA/Dialogues-v1``; its tasks are those of the file or folder that ``tasks=`` names."""

    name = "dialogues"
    splits = ()
    limits: ClassVar[Limits] = Limits(turns=100)

    def worlds(self, task_set: TaskSet, *, mode: Mode, database_url: str | None) -> RecordedWorlds:
        """Worlds that answer from a recording.

        Raises:
            ConfigError: a database server was asked for.
        """
        if database_url is not None:
            raise ConfigError("recorded dialogues have no database; database_url does not go with them")
        return RecordedWorlds(task_set.tasks, mode)

    def data(self) -> Rows:
        """There are no tables."""
        return {}

    def policy(self, *, compact: bool = False) -> str:
        """Each dialogue has a policy document of its own."""
        return ""

    def __init__(self) -> None:
        self._read_here: dict[str, tuple[Task, ...]] = {}

    def expert(self, *, style: str = "plain", slips: Slips = 0.0) -> Agent:
        """An expert that says and does what the recorded agent did, in the dialogues that this process has read."""
        return ByHeart(self._parts, slips=slips)

    def _parts(self) -> Iterator[Part]:
        for task in chain.from_iterable(self._read_here.values()):
            yield part_of_script(task, ["\n".join(said) for said in task.scene["said"]])

    def tasks(self, split: str) -> Sequence[Task]:
        """There are no splits.

        Raises:
            TaskError: always.
        """
        raise TaskError(f"recorded dialogues have no split {split!r}; name a file or folder of rows by tasks=")

    def task_set(
        self, source: str = "", *, path: str | Path | None = None, policy: str | None = None, solo: bool = False
    ) -> TaskSet:
        """The dialogues of a file or folder.

        Args:
            source: a ``.jsonl``, ``.json`` or ``.parquet`` file of rows with ``messages`` and ``tools``, or a folder of
                such files.
            path: not used.
            policy: there is none to choose.
            solo: there is no such mode.

        Raises:
            TaskError: there is no such file, or no row of it can be used.
            ConfigError: a policy document or a solo mode was asked for.
        """
        if policy is not None or solo or path is not None:
            raise ConfigError("recorded dialogues have no policy documents to choose from, no path and no solo mode")
        if not holds_rows(source):
            raise TaskError(
                f"recorded dialogues are read from your own files, and {source!r} is none: name a .jsonl, .json or "
                ".parquet file of rows with messages and tools, or a folder of such files, by tasks="
            )
        return self._read(source)

    def _read(self, source: str) -> TaskSet:
        tasks: list[Task] = []
        left_out: dict[str, str] = {}
        ids: Counter[str] = Counter()
        for row in read_files(source, "dialogue"):
            try:
                task = read_dialogue(row)
            except MuaError as error:
                left_out[row.where] = str(error)
                continue
            ids[task.id] += 1
            again = f"#{ids[task.id]}" if ids[task.id] > 1 else ""
            tasks.append(task.model_copy(update={"id": task.id + again}))
        if not tasks:
            raise TaskError(f"{source}: none of {len(left_out)} rows can be used: {reasons(left_out)}")
        if left_out:
            rows = len(tasks) + len(left_out)
            warn(f"{source}: {len(left_out)} of {rows} rows are left out: {reasons(left_out)}", stacklevel=2)
        self._read_here[source] = tuple(tasks)
        files = list(files_of(source, "dialogue"))
        return TaskSet(
            name=source,
            domain=self.name,
            tasks=tasks,
            data=self.data,
            policy=self.policy(),
            world=f"{self.name}:{content_of(files)}",
            mode="compat",
            source_revision=f"{', '.join(file.name for file in files)} ({content_of(files)})",
            left_out=left_out,
            user=ScriptedUser(),
        )


domain = DialoguesDomain()
