"""A domain's description, read: which slots there are, which tool does what, which rules are in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from mua_env.core.database import Rows
from mua_env.core.tools import Toolkit, ToolSpec
from mua_env.domain.description.arguments import Argument, Signature, signature_of
from mua_env.domain.description.cues import as_pattern, cues, joined, phrase_of, take_apart
from mua_env.domain.description.kinds import Caller, Key
from mua_env.domain.description.kinds.keys import key_column
from mua_env.domain.description.locales import Locale, locale_of
from mua_env.domain.description.rules import Rule, ownership, rules_of
from mua_env.domain.description.scope import Model, Scope
from mua_env.domain.description.wishes import Question, Wish
from mua_env.errors import ConfigError, DomainError, did_you_mean


@dataclass(frozen=True, eq=False)
class Description:
    """What everything else is derived from.

    Attributes:
        name: of the domain.
        toolkit: the agent's tools.
        users: the table of users.
        identify: the tools that find a user, each enough alone; they return the user's key, or the row.
        wishes: by intent.
        code: of the natural language that the description is written in.
        translations: its own texts in other languages: code -> text -> translation.
        rows: the domain's data.
    """

    name: str
    toolkit: type[Toolkit]
    users: Model
    identify: tuple[str, ...]
    wishes: Mapping[str, Wish | Question]
    code: str = "en"
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rows: Rows = field(default_factory=dict, repr=False)

    # Tools

    def spec(self, tool: str) -> ToolSpec:
        """A tool.

        Raises:
            DomainError: there is none of that name.
        """
        specs = self.toolkit.specs
        if tool not in specs:
            raise DomainError(f"{self.name}: there is no tool {tool!r}.{did_you_mean(tool, specs)}")
        return specs[tool]

    def signature(self, tool: str) -> Signature:
        """The slots of a tool, with kinds that know the domain's data and words."""
        if tool not in self._signatures:
            self.spec(tool)
            found = signature_of(getattr(self.toolkit, tool))
            slots = tuple(replace(slot, kind=self._known(slot)) for slot in found.slots)
            self._signatures[tool] = Signature(slots, found.without)
        return self._signatures[tool]

    @cached_property
    def _signatures(self) -> dict[str, Signature]:
        return {}

    @cached_property
    def _kinds(self) -> dict[int, Any]:
        return {}

    def _known(self, slot: Argument) -> Any:
        kept = self._kinds.get(id(slot.kind))
        if kept is None:
            # The kind itself is kept beside it, so that no other object can come to have its id.
            kept = self._kinds[id(slot.kind)] = (
                slot.kind,
                slot.kind.in_world(self.rows, [*self.translations.values()]),
            )
        return kept[1]

    def slots(self, tool: str) -> tuple[Argument, ...]:
        """The slots of a tool.

        Raises:
            DomainError: an argument has no kind.
        """
        found = self.signature(tool)
        if found.without:
            raise DomainError(
                f"{self.name}: the tool {tool!r} has arguments without a kind: {', '.join(found.without)}; "
                "write Annotated[str, Email] or the like"
            )
        return found.slots

    def only_argument(self, tool: str) -> str:
        """The name of a tool's one argument.

        Raises:
            DomainError: it has none or several.
        """
        names = list(self.spec(tool).arguments.model_fields)
        if len(names) != 1:
            raise DomainError(f"{self.name}: the tool {tool!r} should have one argument, it has {len(names)}")
        return names[0]

    @cached_property
    def readers(self) -> dict[Model, tuple[str, Argument]]:
        """For each table the tool that reads a record of it by its key."""
        found: dict[Model, tuple[str, Argument]] = {}
        for tool, spec in self.toolkit.specs.items():
            if spec.writes or spec.terminal or tool in self.identify:
                continue
            slots = self.signature(tool).slots
            lists = {slot.kind.listed_by for slot in self.all_slots if isinstance(slot.kind, Key)}
            if len(slots) == 1 and tool not in lists and len(slots[0].names) == 1:
                model = getattr(slots[0].kind, "of", None)
                if model is not None:
                    found.setdefault(model, (tool, slots[0]))
        return found

    @cached_property
    def all_slots(self) -> tuple[Argument, ...]:
        """The slots of all tools that carry out wishes, answer questions, or identify somebody; each name once."""
        tools = [*self.identify, *(self.tool_of(intent) for intent in self.wishes)]
        found = {slot.slot: slot for tool in tools for slot in self.signature(tool).slots}
        return tuple(found.values())

    @cached_property
    def open_reads(self) -> tuple[str, ...]:
        """Tools that read and take nothing: what they yield is public."""
        return tuple(
            name
            for name, spec in self.toolkit.specs.items()
            if not (spec.writes or spec.terminal) and not spec.arguments.model_fields
        )

    @property
    def user_key(self) -> str:
        """The key column of the table of users."""
        return key_column(self.users)

    # Wishes

    def tool_of(self, intent: str) -> str:
        """The tool that carries out a wish, or holds the answer to a question."""
        wish = self.wishes[intent]
        return wish.tool or intent

    def wish(self, intent: str) -> Wish:
        """What a request of an intent does.

        Raises:
            DomainError: it is a question.
        """
        found = self.wishes[intent]
        if not isinstance(found, Wish):
            raise DomainError(f"{self.name}: {intent!r} is a question")
        return found

    @cached_property
    def changes(self) -> tuple[str, ...]:
        """The intents that change something."""
        return tuple(name for name, wish in self.wishes.items() if isinstance(wish, Wish))

    @cached_property
    def questions(self) -> tuple[str, ...]:
        """The intents that only ask."""
        return tuple(name for name, wish in self.wishes.items() if isinstance(wish, Question))

    def needed(self, intent: str) -> tuple[Argument, ...]:
        """The slots of the tool of an intent."""
        return self.slots(self.tool_of(intent))

    def asked(self, intent: str) -> tuple[Argument, ...]:
        """The slots that the user knows and may be asked for."""
        looked_up = getattr(self.wishes[intent], "looked_up", {})
        return tuple(
            slot for slot in self.needed(intent) if slot.kind.known_by_user and not looked_up.keys() & set(slot.names)
        )

    def looked_up(self, intent: str, slot: Argument, scope: Scope) -> Any | None:
        """The value that the agent finds in the records; ``None`` for what the user is asked for."""
        if isinstance(slot.kind, Caller):
            return scope.person[self.user_key]
        find = getattr(self.wishes[intent], "looked_up", {}).get(slot.names[0])
        return None if find is None else find(scope)

    def subject(self, intent: str) -> Argument | None:
        """What a request is about: the first slot that is the key of a record."""
        return next((slot for slot in self.asked(intent) if isinstance(slot.kind, Key)), None)

    # Rules

    def rules_of(self, intent: str) -> tuple[Rule, ...]:
        """The rules that may forbid a request: that the record is the caller's own, and those of the tool."""
        if intent not in self.changes:
            return ()
        owned = (self._ownership.get(slot.record) for slot in self.needed(intent))
        return (*filter(None, owned), *rules_of(getattr(self.toolkit, self.tool_of(intent))))

    @cached_property
    def _ownership(self) -> dict[str, Rule]:
        """By record, for those that belong to somebody."""
        found: dict[str, Rule] = {}
        for slot in self.all_slots:
            if isinstance(slot.kind, Key) and slot.kind.owner and slot.record not in found:
                found[slot.record] = ownership(slot.record, slot.kind, self.users, self.locale())
        return found

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """All rules by id, in the order of the wishes."""
        return {each.id: each for intent in self.wishes for each in self.rules_of(intent)}

    # Words

    def locale(self, code: str | None = None) -> Locale:
        """A natural language with the domain's own texts; ``None`` is the one that the description is written in.

        Raises:
            ConfigError: the description has no translation into it.
        """
        if code is None or code == self.code:
            return locale_of(self.code)
        found = locale_of(code)
        if code not in self.translations:
            known = ", ".join(map(repr, (self.code, *self.translations)))
            raise ConfigError(f"the domain {self.name!r} has no translation into {code!r}; known: {known}")
        return found.with_translations(self.translations[code])

    def named(self, code: str | None = None) -> dict[str, str]:
        """For each intent a regular expression that finds it named."""
        locale = self.locale(code)
        deeds = {
            intent: take_apart(self.wish(intent).deed, self.wish(intent).done, self.wish(intent).also, locale)
            for intent in self.changes
        }
        nouns = [locale.text(slot.kind.noun) for slot in self.all_slots]
        found = cues(deeds, nouns, locale) | {name: self.wishes[name].also for name in self.questions}
        return {intent: joined([found[intent], as_pattern(self.phrase(intent, locale))]) for intent in self.wishes}

    def claim(self, intent: str, locale: Locale) -> str:
        """What the agent says that it has done, as ``"cancelled the booking"``."""
        wish = self.wish(intent)
        deed = take_apart(wish.deed, wish.done, "", locale)
        if not locale.spaced:
            return deed.verb + deed.object
        article = "the " if " the " in locale.text(wish.deed) else ""
        return f"{deed.done} {article}{deed.object}".strip()

    def phrase(self, intent: str, locale: Locale) -> str:
        """What the user says that it wants, in the grammar of phrasings."""
        wish = self.wishes[intent]
        if wish.phrase:
            return locale.text(wish.phrase)
        return phrase_of(locale.text(self.wish(intent).deed), locale)


def as_tuple(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several."""
    return (names,) if isinstance(names, str) else tuple(names)
