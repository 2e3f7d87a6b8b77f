"""Drawing one request: values that keep all rules, or that break one which was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from mua_env.core.tasks import Action, Request
from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.description import Description
from mua_env.domain.description.kinds import Caller, Named
from mua_env.domain.description.rows import RecordingSource, RowsSource
from mua_env.domain.description.rules import Rule, broken
from mua_env.domain.description.scope import Scope
from mua_env.domain.description.wishes import Question
from mua_env.errors import ToolError


@dataclass(frozen=True)
class Drawn:
    """The values of one request.

    Attributes:
        intent: what is wanted.
        raws: raw values by slot.
        scope: the records that they stand for.
        broken: the rules that they break.
    """

    intent: str
    raws: Mapping[str, Any]
    scope: Scope
    broken: tuple[Rule, ...] = ()


class Draw:
    """Draws requests for one user.

    Args:
        description: of the domain.
        source: the user's records.
        rng: of everything random here.
    """

    def __init__(self, description: Description, source: RowsSource, rng: Random) -> None:
        self.description = description
        self.source = source
        self.rng = rng
        self.taken: list[Any] = []

    def values(
        self,
        intent: str,
        *,
        given: Mapping[str, Any] | None = None,
        breaking: Rule | None = None,
        tries: int = 8,
    ) -> Drawn | None:
        """Values of a request that keep all rules, or break ``breaking`` (alone, where that comes up soon)."""
        rules = self.description.rules_of(intent)
        for attempt in range(tries):
            drawn = self._once(intent, given or {}, wild=breaking is not None)
            if drawn is None:
                continue
            raws, scope = drawn
            bad = tuple(broken(rules, scope))
            alone = bad == (breaking,) or (attempt > tries // 2 and breaking in bad)
            if (breaking is None and not bad) or (breaking is not None and alone):
                return Drawn(intent, raws, scope, bad)
        return None

    def _once(self, intent: str, given: Mapping[str, Any], *, wild: bool) -> tuple[dict[str, Any], Scope] | None:
        scope, raws = self.source.scope(() if given else self.taken), dict[str, Any]()
        try:
            for slot in self.description.needed(intent):
                found = self.description.looked_up(intent, slot, scope)
                if found is None:
                    found = given[slot.slot] if slot.slot in given else slot.kind.draw(self.rng, scope, wild=wild)
                if found is None:
                    return None
                raws[slot.slot] = found
                scope[slot.record] = slot.kind.record(found, scope)
        except ToolError:
            return None
        return raws, scope

    # What becomes of drawn values

    def request(self, drawn: Drawn) -> Request:
        """The request of a goal."""
        rules = tuple(each.id for each in drawn.broken)
        outcome = "refused" if rules else "done"
        slots = self.wanted(drawn)
        question = self.description.wishes[drawn.intent]
        if isinstance(question, Question):
            outcome, slots["answer"] = "answered", self.answer(drawn, question)
        return Request(intent=drawn.intent, slots=slots, outcome=outcome, rules=rules)

    def wanted(self, drawn: Drawn, only: Sequence[Argument] | None = None) -> dict[str, Any]:
        """What the user knows of the values, by slot."""
        slots = self.description.asked(drawn.intent) if only is None else only
        return {slot.slot: slot.kind.wanted(drawn.raws[slot.slot], drawn.scope) for slot in slots}

    def answer(self, drawn: Drawn, question: Question) -> str:
        """What the user of a question must be told."""
        last = self.description.needed(drawn.intent)[-1]
        return question.of(drawn.scope[last.record])

    def action(self, drawn: Drawn) -> Action:
        """The call that carries a request out."""
        slots = self.description.needed(drawn.intent)
        arguments = {name: value for slot in slots for name, value in slot.put(drawn.raws[slot.slot]).items()}
        return Action(name=self.description.tool_of(drawn.intent), arguments=arguments)

    def reads(self, drawn: Drawn, *, unknown: Sequence[str] = ()) -> list[Action]:
        """What must be looked up before a request is carried out.

        That is what is called by a name or not known, and the records that its values stand for and its rules need.
        """
        rules = self.description.rules_of(drawn.intent)
        # As things stood when it was drawn: what it is about may be another by the end of the task.
        source = RecordingSource(drawn.scope.source)
        scope = Scope(source, user=drawn.scope["user"])
        found: list[Action] = []
        for slot in self.description.needed(drawn.intent):
            kind, raw = slot.kind, drawn.raws[slot.slot]
            listed_by = getattr(kind, "listed_by", "")
            if isinstance(kind, Named) and kind.found_by:
                name = self.description.only_argument(kind.found_by)
                found.append(Action(name=kind.found_by, arguments={name: kind.wanted(raw, drawn.scope)}))
            elif listed_by and (isinstance(kind, Named) or slot.slot in unknown):
                found.append(Action(name=listed_by, arguments=self.caller_of(listed_by)))
            before = len(source.loaded)
            scope[slot.record] = kind.record(raw, scope)
            # A search shows the record; and the caller's row is not read unless a rule is about it.
            if isinstance(kind, Named) or (
                isinstance(kind, Caller) and not any(slot.record in rule.needs for rule in rules)
            ):
                del source.loaded[before:]
        broken(rules, scope)
        readers = self.description.readers
        found += [Action(name=readers[model][0], arguments=readers[model][1].put(key))
                  for model, key in dict.fromkeys(source.loaded) if model in readers]  # fmt: skip
        return list({action.model_dump_json(): action for action in found}.values())

    def caller_of(self, tool: str) -> dict[str, Any]:
        """The arguments of a tool that takes the caller's key, or nothing."""
        slots = self.description.slots(tool)
        key = self.source.user[self.description.user_key]
        return {slot.names[0]: key for slot in slots if isinstance(slot.kind, Caller)}
