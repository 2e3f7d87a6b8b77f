"""Trajectories: what happened in an episode, as JSON Lines that only ever grow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from mua_env.core.json_lines import LineWriter, set_aside, whole_lines
from mua_env.core.messages import Message, Source, ToolCall, ToolMessage
from mua_env.core.outside import Amount, Line, Name, Plain, Text, line
from mua_env.core.scores import Score
from mua_env.errors import DataError, NewerVersion, first_fault

SCHEMA_VERSION = 1


class UserActs(BaseModel):
    """One round of a user's tool calls with their results, as it stands in a trajectory (hidden from the agent)."""

    model_config = ConfigDict(frozen=True)

    tool_calls: tuple[ToolCall, ...]
    results: tuple[ToolMessage, ...]
    thought: Text | None = None


class Entry(BaseModel):
    """One message with its source.

    ``turn`` counts the agent's turns so far. ``hidden`` is what the agent never sees, as a user's thought or cost, or
    what it did with its own tools before it spoke.
    """

    model_config = ConfigDict(frozen=True)

    source: Source
    message: Message
    turn: int
    hidden: Plain = Field(default_factory=dict)

    @property
    def user_acts(self) -> tuple[UserActs, ...]:
        """The rounds of tool calls that the user made before this message of it, with their results."""
        return tuple(UserActs.model_validate(round) for round in self.hidden.get("acts", ()))


class Trajectory(BaseModel):
    """An episode, whole: enough to read it, to score it again and to train on it.

    ``scoring`` is how tools behave and databases are compared (``compat`` or ``strict``; empty in files that are older
    than the field), ``presentation`` how tools are shown (``own`` or ``benchmark``, with what of it could not be had).
    ``variant`` names the policy document where there are several, ``source_revision`` the release of
    a public benchmark. ``id`` is unique in its run. ``seed`` and ``task_id`` reproduce it where agent and user are
    seeded.
    """

    schema_version: int = SCHEMA_VERSION
    id: Name
    domain: str
    tasks: str
    scoring: str = ""
    presentation: str = ""
    revision: str
    variant: str = ""
    source_revision: str = ""
    task_id: str
    seed: int
    agent: Line = ""
    user: Line
    system_prompt: str
    tools: list[dict[str, Any]]
    entries: list[Entry]
    turns: int
    ended_by: str | None
    cause: Line | None = None
    score: Score | None
    usage: dict[str, Amount] = Field(default_factory=dict)
    meta: Plain = Field(default_factory=dict)


class TrajectoryWriter:
    """Appends trajectories to a file; each is on the disk before :meth:`write` returns (see ``sync``).

    Args:
        path: the file, made with its folder when it does not exist. A last line that a killed run left half
            written is cut off first, so that the next one starts clean.
        sync: False leaves it to the operating system when a line reaches the disk: it outlives the process, but
            not a failure of the machine.
    """

    def __init__(self, path: str | Path, *, sync: bool = True) -> None:
        self.path = Path(path)
        self._lines = LineWriter(self.path, sync=sync)

    def write(self, trajectory: Trajectory) -> None:
        """Append one trajectory. One that is no JSON is written as a fault, without its dialogue.

        Raises:
            WriteError: it could not be written, as on a full disk; those before it are untouched.
        """
        self._lines.write(json_line(trajectory), what=f"dialogue {trajectory.id!r}")

    def sync(self) -> None:
        """Return when all lines are on the disk."""
        self._lines.sync()

    def close(self) -> None:
        """Close the file. May be called again."""
        self._lines.close()

    def __enter__(self) -> TrajectoryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def json_line(trajectory: Trajectory) -> str:
    """A trajectory as one line of a file that can be read again.

    What was put into one past its validation may be no JSON: then the line is that of a fault, so that no dialogue
    can end a run.
    """
    try:
        text = trajectory.model_dump_json()
        text.encode()
    except (RecursionError, TypeError, ValueError) as error:
        return lost(trajectory, error).model_dump_json()
    return text


def lost(trajectory: Trajectory, error: Exception) -> Trajectory:
    """What is left of a trajectory that cannot be kept: which dialogue it was, and why it must not count."""
    return Trajectory(
        **{name: getattr(trajectory, name) for name in _KNOWN},
        entries=[],
        ended_by="fault",
        cause=f"unwritable: {type(error).__name__}: {line(str(error))}",
        score=None,
    )


_KNOWN = (
    "id", "domain", "tasks", "scoring", "revision", "variant", "source_revision", "task_id", "seed", "agent", "user",
    "system_prompt", "tools", "turns",
)  # fmt: skip
"""The fields that are the run's own and not from outside."""


def read_trajectories(path: str | Path) -> Iterator[Trajectory]:
    """Read a file of trajectories, one by one. A half-written last line is left out.

    Raises:
        DataError: the file cannot be read, or a line is no trajectory of a known schema version.
    """
    try:
        for number, line in whole_lines(Path(path)):
            yield _parse(line, f"{path}, line {number}: ")
    except OSError as error:
        raise DataError(f"cannot read trajectories from {str(path)!r}: {error.strerror}") from None


def set_aside_broken(path: Path, *, then: str, thorough: bool = True) -> list[str]:
    """Move lines that are no trajectories out of a file; see `mua_env.core.json_lines.set_aside`.

    Args:
        path: the file.
        then: what follows from a line that is missing, for the notices.
        thorough: look at every field; else only whether lines are objects with an id, which takes a tenth of the time.
    """
    return set_aside(path, _read if thorough else _glance, then=then)


def _parse(line: bytes, where: str) -> Trajectory:
    try:
        return _read(line)
    except NewerVersion as error:
        raise NewerVersion(f"{where}{error}") from None
    except DataError as error:
        raise DataError(
            f"{where}{error}. The line is broken: take it out of the file (a run that goes on sets it aside by itself)"
        ) from None


def _glance(line: bytes) -> None:
    value = from_json(line)
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise DataError("it is no object with an id")
    _check_version(value.get("schema_version", SCHEMA_VERSION))


def _read(line: bytes) -> Trajectory:
    try:
        trajectory = Trajectory.model_validate_json(line)
    except ValidationError as error:
        raise DataError(first_fault(error, whole="line")) from None
    _check_version(trajectory.schema_version)
    return trajectory


def _check_version(number: Any) -> None:
    if isinstance(number, int) and number > SCHEMA_VERSION:
        raise NewerVersion(f"schema version {number} is newer than {SCHEMA_VERSION}; update mua-env")
