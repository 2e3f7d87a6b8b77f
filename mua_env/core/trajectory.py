"""Trajectories: what happened in an episode, as JSON Lines that only ever grow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mua_env.core.messages import Message, Source, ToolCall, ToolMessage
from mua_env.core.scores import Score
from mua_env.errors import DataError, first_fault

SCHEMA_VERSION = 1


class UserActs(BaseModel):
    """One round of a user's tool calls with their results, as it stands in a trajectory (hidden from the agent)."""

    model_config = ConfigDict(frozen=True)

    tool_calls: tuple[ToolCall, ...]
    results: tuple[ToolMessage, ...]
    thought: str | None = None


class Entry(BaseModel):
    """One message with its source.

    ``turn`` counts the agent's turns so far. ``hidden`` is what the agent never sees, as a user's thought or cost, or
    what it did with its own tools before it spoke.
    """

    model_config = ConfigDict(frozen=True)

    source: Source
    message: Message
    turn: int
    hidden: dict[str, Any] = Field(default_factory=dict)

    @property
    def user_acts(self) -> tuple[UserActs, ...]:
        """The rounds of tool calls that the user made before this message of it, with their results."""
        return tuple(UserActs.model_validate(round) for round in self.hidden.get("acts", ()))


class Trajectory(BaseModel):
    """An episode, whole: enough to read it, to score it again and to train on it.

    ``scoring`` is how tools behave and databases are compared (``compat`` or ``strict``; empty in files that are older
    than the field). ``variant`` names the policy document where there are several, ``source_revision`` the release of
    a public benchmark. ``id`` is unique in its run. ``seed`` and ``task_id`` reproduce it where agent and user are
    seeded.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    domain: str
    tasks: str
    scoring: str = ""
    revision: str
    variant: str = ""
    source_revision: str = ""
    task_id: str
    seed: int
    agent: str = ""
    user: str
    system_prompt: str
    tools: list[dict[str, Any]]
    entries: list[Entry]
    turns: int
    ended_by: str | None
    cause: str | None = None
    score: Score | None
    usage: dict[str, float] = Field(default_factory=dict)
    meta: dict[str, Any] = Field(default_factory=dict)


class TrajectoryWriter:
    """Appends trajectories to a file; each is on the disk before :meth:`write` returns (see ``sync``).

    Args:
        path: the file, made with its folder when it does not exist. A last line that a killed run left half
            written is cut off first, so that the next one starts clean.
        sync: False leaves it to the operating system when a line reaches the disk: it outlives the process, but
            not a failure of the machine.
    """

    def __init__(self, path: str | Path, *, sync: bool = True) -> None:
        self.path, self._sync = Path(path), sync
        self.path.parent.mkdir(parents=True, exist_ok=True)
        cut_half_line(self.path)
        self._file: IO[str] = self.path.open("a", encoding="utf-8", newline="\n")

    def write(self, trajectory: Trajectory) -> None:
        """Append one trajectory."""
        self._file.write(trajectory.model_dump_json() + "\n")
        self._file.flush()
        if self._sync:
            self.sync()

    def sync(self) -> None:
        """Return when all lines are on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file. May be called again."""
        self._file.close()

    def __enter__(self) -> TrajectoryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_trajectories(path: str | Path) -> Iterator[Trajectory]:
    """Read a file of trajectories, one by one. A half-written last line is left out.

    Raises:
        DataError: the file cannot be read, or a line is no trajectory of a known schema version.
    """
    try:
        file = Path(path).open(encoding="utf-8")  # noqa: SIM115 (only the opening may fail with this message)
    except OSError as error:
        raise DataError(f"cannot read trajectories from {str(path)!r}: {error.strerror}") from None
    with file:
        for number, line in enumerate(file, start=1):
            if not line.endswith("\n"):
                return
            yield _parse(line, f"{path}, line {number}")


def _parse(line: str, where: str) -> Trajectory:
    try:
        trajectory = Trajectory.model_validate_json(line)
    except ValidationError as error:
        raise DataError(f"{where}: {first_fault(error, whole='line')}") from None
    if trajectory.schema_version > SCHEMA_VERSION:
        raise DataError(
            f"{where}: schema version {trajectory.schema_version} is newer than {SCHEMA_VERSION}; update mua-env"
        )
    return trajectory


def cut_half_line(path: Path) -> None:
    """Cut off a last line that was left half written; a file that does not exist is left alone."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        end = size
        while end:
            start = max(0, end - 65536)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start
        file.truncate(0)
