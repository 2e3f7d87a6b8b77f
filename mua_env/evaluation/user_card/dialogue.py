"""A trajectory as the measures read it: what the user heard and said, and what the agent did in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mua_env.core.database import Rows
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.domain.contract import Domain
from mua_env.evaluation.user_card.facts import Source, sources
from mua_env.evaluation.user_card.tokens import Tokens
from mua_env.users.agenda.language import DialogueLanguage


@dataclass(frozen=True)
class Exchange:
    """What the user heard, and what it answered.

    Attributes:
        turn: of the agent, from 1; 0 is the opening.
        heard: the agent's text; ``None`` at the opening.
        said: the user's text.
        stop: the user ended the dialogue.
        writes: names of writing tools that succeeded since the user spoke last.
        results: what tools answered since then, the user's own among them.
        shown: the last result of each of the user's own tools that it used for this answer.
    """

    turn: int
    heard: str | None
    said: str
    stop: bool = False
    writes: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What was heard; empty at the opening."""
        return self.heard or ""


@dataclass(frozen=True)
class Ground:
    """What a dialogue is measured against.

    Attributes:
        task: with its goal.
        language: of the domain.
        writing: names of the tools that change the database.
        catalogue: what everyone may know: the tables that hold no user's records.
    """

    task: Task
    language: DialogueLanguage
    writing: frozenset[str] = frozenset()
    catalogue: Tokens = field(default_factory=Tokens)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The values of the goal."""
        return sources(self.task, self.language)


_PERSONAL = frozenset({"user_id", "customer_id", "owner_id", "phone_id", "imei"})
"""Columns of the tables whose rows belong to somebody."""


@dataclass(frozen=True)
class Grounds:
    """Makes the ground of each task of one domain."""

    language: DialogueLanguage
    writing: frozenset[str]
    catalogue: Tokens

    @classmethod
    def of(cls, domain: Domain, rows: Rows) -> Grounds:
        """The grounds for a domain and the rows of its tables.

        Raises:
            DomainError: the domain has no language.
        """
        public = {name: table for name, table in rows.items() if table and not _PERSONAL & table[0].keys()}
        writing = frozenset(name for name, spec in domain.toolkit.specs.items() if spec.writes)
        return cls(domain.language, writing, Tokens.of(public))

    def ground(self, task: Task) -> Ground:
        """The ground of a task."""
        return Ground(task, self.language, self.writing, self.catalogue)


def exchanges(
    trajectory: Trajectory, writing: frozenset[str] = frozenset(), language: DialogueLanguage | None = None
) -> tuple[Exchange, ...]:
    """The dialogue as the user had it. Replies that were faults are left out.

    What an agent said in another language than English has the words behind it by which its acts are told apart.
    """
    return tuple(_exchanges(trajectory, writing, language))


def _exchanges(
    trajectory: Trajectory, writing: frozenset[str], language: DialogueLanguage | None
) -> Iterator[Exchange]:
    heard: str | None = None
    writes: list[str] = []
    results: list[str] = []
    for entry in trajectory.entries:
        message, content = entry.message, entry.message.content or ""
        if entry.source == "agent":
            read = content if language is None else language.hear(content)
            heard = content if read == content else f"{content}\n{read}"
        elif entry.source == "tool":
            results.append(content)
            name = str(getattr(message, "name", ""))
            if name in writing and not content.startswith("Error"):
                writes.append(name)
        elif entry.source == "user" and not entry.hidden.get("fault"):
            stop = bool(entry.hidden.get("stop"))
            own = [result for act in entry.hidden.get("acts", ()) for result in act.get("results", ())]
            results += [result["content"] for result in own]
            shown: dict[str, str] = {}
            for result in own:
                shown.pop(str(result.get("name")), None)
                shown[str(result.get("name"))] = result["content"]
            yield Exchange(entry.turn, heard, content, stop, tuple(writes), tuple(results), shown)
            writes, results = [], []
