"""One request at a described desk: collect its values, check the rules, propose, carry out; or answer a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mua_env.agents.scripted.described.hearing import asking, together
from mua_env.agents.scripted.described.reading import Looking, look, look_together
from mua_env.agents.scripted.desk import Refusal, Switch
from mua_env.agents.scripted.expert import Asked, Heard, Step, ToolFailed, change
from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.kinds import Key, Kind, Named
from mua_env.domain.description.rules import broken
from mua_env.domain.description.scope import Scope
from mua_env.domain.description.wishes import Question
from mua_env.errors import ToolError

if TYPE_CHECKING:
    from mua_env.agents.scripted.described.expert import Desk

_TRIES = 5
_TOGETHER = 2
"""Slots that are asked for in one turn."""


class Serving:
    """Carries out one request.

    What it raises ends it: the desk says a :class:`~mua_env.agents.scripted.desk.Refusal`, and follows a
    :class:`~mua_env.agents.scripted.desk.Switch`.
    """

    def __init__(self, desk: Desk, intent: str) -> None:
        self.desk, self.intent = desk, intent
        self.description = desk.description
        self.raws: dict[str, Any] = {}
        self.scope = self._fresh()
        self._tries: Counter[str] = Counter()
        # What was answered to questions for slots that could not be read before others were known.
        self._waiting: dict[str, str] = {}
        self._recalled = False

    @property
    def deed(self) -> str:
        """What is to be done, in words."""
        wish = self.description.wishes[self.intent]
        text = wish.noun if isinstance(wish, Question) else wish.deed
        return self.desk.locale.verb(text)

    def run(self, text: str) -> Asked:
        """The request from the user's wish to the user's next message."""
        yield from self.hear(text, ())
        yield from self.collect()
        question = self.description.wishes[self.intent]
        if isinstance(question, Question):
            return (yield from self._answer(question))
        for _ in range(_TRIES):
            answer = yield from self.desk.say("propose", deed=self.deed, stated=self.stated())
            if self.desk.hearing.agrees(answer):
                return (yield from self._carry_out())
            self._notice_switch(answer)
            yield from self.amend(answer)
            yield from self.collect()
        raise Refusal(self.desk.message("no_agreement"))

    # Values

    def collect(self) -> Generator[Step, Heard, None]:
        """Ask for what is not known yet, and read what it stands for.

        Raises:
            Refusal: a rule stands in the way, or the user has no value.
            Switch: the user turned to another request.
        """
        while True:
            missing = yield from self._check()
            if not missing:
                return
            if (yield from self._told_before(missing)):
                continue
            asked = together(missing, self._tries, most=len(missing) if self.desk.late else _TOGETHER)
            for slot in asked:
                self._tries[slot.slot] += 1
                if self._tries[slot.slot] > _TRIES:
                    noun = self.desk.locale.text(slot.kind.noun)
                    raise Refusal(self.desk.message("no_value", noun=noun))
            again = any(self._tries[slot.slot] > 1 for slot in asked)
            text = yield from self.desk.say("ask_again" if again else "ask", what=asking(self.desk, asked, self.scope))
            self._notice_switch(text)
            yield from self.hear(text, asked)
            # What a record is told by names its parts, and says nothing of which of them are meant.
            waiting = [slot for slot in asked if slot.slot not in self.raws and not self._recalled]
            self._waiting = {slot.slot: text for slot in waiting}

    def _told_before(self, missing: Sequence[Argument]) -> Looking[bool]:
        """Read what was said of slots that can be read only now; whether anything was found."""
        found = False
        for slot in missing:
            if slot.slot not in self._waiting or not self.scope.has(slot.kind.within):
                continue
            text = self._waiting.pop(slot.slot)
            raw = yield from self._found(slot, text, asked=True)
            if raw is not None:
                self.raws[slot.slot], found = raw, True
        return found

    def hear(self, text: str, asked: Sequence[Argument]) -> Looking[None]:
        """Take what a text says: of what was asked for, and of what else is not known yet."""
        self._recalled = False
        for slot in self.description.asked(self.intent):
            if slot.slot in self.raws or not self.scope.has(slot.kind.within):
                continue
            found = yield from self._found(slot, text, asked=slot in asked)
            if found is not None:
                self.raws[slot.slot] = found

    def amend(self, text: str) -> Looking[bool]:
        """Take what the user corrects; whether anything is other than before."""
        before = dict(self.raws)
        for slot in self.description.asked(self.intent):
            if self.scope.has(slot.kind.within):
                found = yield from self._found(slot, text, asked=False)
                if found is not None:
                    self._put(slot, found)
        return self.raws != before

    def stated(self) -> str:
        """All values, in the agent's words."""
        locale = self.desk.locale
        parts = [
            self.desk.message(
                "stated",
                noun=locale.text(slot.kind.noun),
                value=slot.kind.state(self.raws[slot.slot], self.scope, locale),
            )
            for slot in self.description.asked(self.intent)
        ]
        return locale.comma.join(parts)

    def _put(self, slot: Argument, raw: Any) -> None:
        """A new value; what depends on the old one is not known any more."""
        if self.raws.get(slot.slot) == raw:
            return
        self.raws[slot.slot] = raw
        for other in self.description.asked(self.intent):
            if slot.record in other.kind.within:
                self.raws.pop(other.slot, None)

    def _found(self, slot: Argument, text: str, *, asked: bool) -> Looking[Any | None]:
        kind = slot.kind
        # A bare number or word is an answer to a question, and nothing where nobody asked.
        if not asked and not isinstance(kind, Named) and not _tells(kind, text):
            return None
        found = yield from look(lambda: kind.find(text, self.scope))
        if found is None and asked and isinstance(kind, Key):
            own = yield from look(lambda: self.desk.source.own(kind))
            if kind.contents is not None:
                yield from look_together(partial(self.scope.load, kind.of, key) for key in own)
            fit = yield from look(lambda: kind.recall(text, self.scope))
            found = fit[0] if fit else None
            self._recalled = found is not None
        return found

    # Rules

    def _check(self) -> Looking[list[Argument]]:
        """Look up the records of the known values; returns the slots that are to be asked for."""
        self.scope = self._fresh()
        missing: list[Argument] = []
        rules = self.description.rules_of(self.intent)
        yield from look_together(
            partial(slot.kind.record, self.raws[slot.slot], self.scope)
            for slot in self.description.asked(self.intent)
            if slot.slot in self.raws and self.scope.has(slot.kind.within)
        )
        for slot in self.description.needed(self.intent):
            if not self.scope.has(slot.kind.within):
                missing.append(slot)
                continue
            raw = yield from self._value(slot)
            if raw is None:
                missing.append(slot)
                continue
            try:
                self.scope[slot.record] = yield from look(partial(slot.kind.record, raw, self.scope))
            except ToolError:
                self.raws.pop(slot.slot, None)
                missing.append(slot)
                continue
            except KeyError:
                # No tool reads it: what rules say of it only the tool that writes can tell.
                self.scope.pop(slot.record, None)
            self.raws[slot.slot] = raw
            bad = yield from look(lambda: broken(rules, self.scope))
            if bad:
                raise Refusal(bad[0].why(self.scope, self.desk.locale))
        asked = self.description.asked(self.intent)
        return [slot for slot in missing if slot in asked]

    def _value(self, slot: Argument) -> Looking[Any | None]:
        if slot.slot in self.raws and slot in self.description.asked(self.intent):
            return self.raws[slot.slot]
        try:
            return (yield from look(lambda: self.description.looked_up(self.intent, slot, self.scope)))
        except KeyError:
            # The records that it is found in are not known yet.
            return None

    def _fresh(self) -> Scope:
        return Scope(self.desk.source, user=self.desk.source.user)

    def _notice_switch(self, text: str) -> None:
        intent = self.desk.hearing.stated(text)
        if intent is not None and intent != self.intent:
            raise Switch(intent, text)

    # The end

    def _carry_out(self) -> Asked:
        stated = self.stated()
        slots = self.description.needed(self.intent)
        arguments = {name: value for slot in slots for name, value in slot.put(self.raws[slot.slot]).items()}
        try:
            result = yield from change(self.description.tool_of(self.intent), **arguments)
        except ToolFailed as failure:
            error = str(failure).removeprefix("Error: ").rstrip(".")
            raise Refusal(self.desk.message("forbidden", error=error)) from None
        self.desk.source.forget(result)
        claim = self.description.claim(self.intent, self.desk.locale)
        return (yield from self.desk.say("done", claim=claim, stated=stated))

    def _answer(self, question: Question) -> Asked:
        last = self.description.needed(self.intent)[-1]
        noun = self.desk.locale.text(question.noun)
        told = self.desk.message("told", noun=noun, value=question.of(self.scope[last.record]))
        return (yield from self.desk.say("answer", answer=told))


def _tells(kind: Kind, text: str) -> bool:
    """Whether a text has a value that says by itself what it is; kinds without mentions find for themselves."""
    return type(kind).mentions is Kind.mentions or bool(kind.mentions(text))
