"""A domain that is a description: tasks, users' language, expert and policy follow from it.

A description knows of neither users nor agents. The classes that read it are named, and loaded when they are needed; so
a domain can name others in their place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from mua_env.core.database import Database
from mua_env.core.tasks import Task
from mua_env.domain.contract import Domain
from mua_env.domain.description.description import Description, as_tuple
from mua_env.domain.description.generate import DescribedGenerator
from mua_env.domain.description.wishes import Question, Wish
from mua_env.errors import DomainError

if TYPE_CHECKING:
    from mua_env.core.agent import Agent, Slips

_TASKS_A_LEVEL = 20


class DescribedDomain(Domain):
    """A domain whose parts are derived from its tools' kinds of values, its wishes and its rules.

    Any derived part can be replaced by overriding what gives it: :attr:`language`, :meth:`expert`, :attr:`generator`,
    :meth:`policy`.

    Attributes:
        identify: the tool that finds a user, or several of which each is enough; it returns the user's key or row.
        users: the table of users.
        wishes: what users can want, by intent.
        code: the natural language that it is written in, ``"en"`` (default) or ``"zh"``.
        translations: its own texts in other languages: code -> text -> translation.
        preamble: what the policy document says before the rules (default: identify, look up, confirm, give reasons).
        levels: the levels of difficulty that there are.
        language_class: module and name of what users say and understand (a ``DialogueLanguage`` over a description).
        expert_class: module and name of the scripted agent.
    """

    identify: ClassVar[str | tuple[str, ...]]
    users: ClassVar[Any]
    wishes: ClassVar[Mapping[str, Wish | Question]]
    code: ClassVar[str] = "en"
    translations: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    preamble: ClassVar[str] = ""
    levels: ClassVar[Sequence[int]] = (1, 2, 3, 4, 5)
    language_class: ClassVar[str] = "mua_env.users.agenda.described:DescribedLanguage"
    expert_class: ClassVar[str] = "mua_env.agents.scripted.described:DescribedExpert"

    @cached_property
    def description(self) -> Description:
        """What everything is derived from."""
        return Description(
            name=self.name,
            toolkit=self.toolkit,
            users=self.users,
            identify=as_tuple(self.identify),
            wishes=self.wishes,
            code=self.code,
            translations=self.translations,
            rows=self.data(),
        )

    @cached_property
    def world(self) -> str:
        """Names the data by what is in it: while a description is being written, that changes under one name."""
        rows = json.dumps(self.description.rows, sort_keys=True, default=str, ensure_ascii=False)
        return f"{self.name}:{hashlib.blake2b(rows.encode(), digest_size=6).hexdigest()}"

    @cached_property
    def language(self) -> Any:
        """What users say and understand here, in the language that the description is written in."""
        return _load(self.language_class)(self.description)

    def expert(self, *, style: str = "plain", language: str | None = None, slips: Slips = 0.0) -> Agent:
        """The derived scripted agent.

        Args:
            style: how it speaks, see `mua_env.agents.scripted.expert.ScriptedExpert`.
            language: that it speaks and understands; ``None`` is the one that the description is written in.
            slips: chance that it only claims a change that the user agreed to.

        Raises:
            ConfigError: the description has no translation into the language.
        """
        made: Agent = _load(self.expert_class)(self.description, language=language, style=style, slips=slips)
        return made

    @cached_property
    def generator(self) -> DescribedGenerator:
        """What makes its tasks."""
        language = self.language
        return DescribedGenerator(self.description, self.models, language.written, language.manners, self.levels)

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        """Verified tasks without end; see :mod:`mua_env.domain.description.generate` for the levels."""
        return self.generator.stream(level=level, seed=seed, split=split)

    def tasks(self, split: str) -> Sequence[Task]:
        """Twenty tasks of each level, always the same ones."""
        found: Sequence[Task] = self._kept(split)
        return found

    @cached_property
    def _kept(self) -> Any:
        @lru_cache
        def kept(split: str) -> tuple[Task, ...]:
            streams = (self.generate(level=level, seed=1, split=split) for level in self.levels)
            return tuple(task for stream in streams for task in islice(stream, _TASKS_A_LEVEL))

        return kept

    def policy(self, *, compact: bool = False) -> str:
        """The document that follows from the description; it is short, and so the compact one too."""
        return policy(self.description, self.preamble)

    @property
    def policy_rules(self) -> Mapping[str, str]:  # type: ignore[override]
        """The rules that audits name: id -> sentence."""
        return {rule.id: rule.sentence for rule in self.description.rules.values()}

    def binding_rules(self, task: Task, database: Database) -> Sequence[str]:
        """The rules of what the task's requests want, fallbacks included."""
        intents = {intent for request in (task.goal.requests if task.goal else ()) for intent in _intents(request)}
        found = {rule.id for intent in intents for rule in self.description.rules_of(intent)}
        return [id for id in self.description.rules if id in found]


def _load(name: str) -> Any:
    """What a module holds under a name, as ``"package.module:Name"``."""
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise DomainError(f"{name!r} cannot be loaded: {error}; write it as 'package.module:Name'") from error


def _intents(request: Any) -> Iterator[str]:
    yield request.intent
    if request.fallback is not None:
        yield from _intents(request.fallback)


def policy(description: Description, preamble: str = "") -> str:
    """Markdown in the description's own language; one line for each wish with its rules.

    Args:
        description: of the domain.
        preamble: what stands before the rules (default: identify, look up, confirm, refuse with a reason).
    """
    locale = description.locale()
    ways = [locale.listing([slot.kind.noun for slot in description.slots(tool)]) for tool in description.identify]
    head = preamble or locale.message("preamble").format(what=locale.listing(ways, either=True))
    lines = [locale.message("policy_head").format(preamble=head)]
    for intent in description.changes:
        deed = locale.verb(description.wish(intent).deed)
        rules = (" " if locale.spaced else "").join(rule.sentence for rule in description.rules_of(intent))
        if rules:
            lines.append(locale.message("policy_wish").format(deed=deed, rules=rules))
        else:
            lines.append(locale.message("policy_free").format(deed=deed))
    return "\n".join(lines) + "\n"
