"""A scripted expert that follows from a description.

It identifies the user, asks for what it needs two slots at a time (all at once when turns run short), reads the records
that it needs, refuses as soon as a rule stands in the way, states what it is going to do and asks "(yes/no)", acts, and
asks for anything else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mua_env.agents.scripted.described.hearing import Hearing
from mua_env.agents.scripted.described.reading import Profile, ReadSource
from mua_env.agents.scripted.described.serving import Serving
from mua_env.agents.scripted.desk import Refusal, Switch
from mua_env.agents.scripted.expert import Asked, Heard, Say, Script, ScriptedExpert, Step, ToolFailed, call, say
from mua_env.core.agent import Slips
from mua_env.domain.description import Description
from mua_env.domain.description.scope import Scope
from mua_env.users.agenda.nlg.grammar import expand

if TYPE_CHECKING:
    from collections.abc import Generator

    from mua_env.domain.description import Description


class DescribedExpert(ScriptedExpert):
    """Solves the tasks of a described domain through dialogue.

    Args:
        description: of the domain.
        language: that it speaks and understands; ``None`` is the one that the description is written in.
        style: ``"plain"`` or ``"compact"``, see :class:`~mua_env.agents.scripted.expert.ScriptedExpert`.
        slips: chance that a change which the user agreed to is only claimed.

    Raises:
        ConfigError: the description has no translation into the language.
    """

    def __init__(
        self, description: Description, *, language: str | None = None, style: str = "plain", slips: Slips = 0.0
    ) -> None:
        super().__init__(style=style, slips=slips)
        self.description = description
        self.locale = description.locale(language)
        self.code = language

    def states_wish(self, text: str) -> bool:
        """Whether a message of the user states a wish."""
        return _hearing(self.description, self.code).stated(text) is not None

    def script(self, opening: str) -> Script:
        """The dialogue from the user's opening to the end."""
        desk = Desk(self)
        text = yield from desk.identify(opening)
        if text is not None:
            yield from desk.attend(opening, text)


_TRIES = 6
_LATE = 9
"""Turns after which everything is asked for at once: episodes end at 30."""


@lru_cache(maxsize=32)
def _hearing(description: Description, code: str | None) -> Hearing:
    return Hearing(description, description.locale(code), code)


class Desk:
    """What the expert knows in one dialogue, and how it speaks."""

    def __init__(self, expert: DescribedExpert) -> None:
        self._expert = expert
        self.description = expert.description
        self.locale = expert.locale
        self.hearing = _hearing(expert.description, expert.code)
        self.source = ReadSource(expert.description)

    @property
    def late(self) -> bool:
        """Whether turns run short."""
        return self._expert.turns >= _LATE

    def message(self, act: str, **values: str) -> str:
        """A phrasing in the expert's style."""
        template = self.locale.message(act, compact=self._expert.compact)
        return " ".join(expand(template, self._expert.rng, values).split())

    def say(self, act: str, **values: str) -> Asked:
        """Say something; returns the user's answer."""
        return (yield from say(self.message(act, **values)))

    # Who is talking

    def identify(self, text: str) -> Generator[Step, Heard, str | None]:
        """Find the user; returns the user's last text, or ``None`` where nobody could be found."""
        heard, act = text, "identify"
        for _ in range(_TRIES):
            if (yield from self._found(heard)):
                return text
            text = yield from self.say(act, what=self._ways())
            # Parts of a name and a number may come one after the other.
            heard, act = f"{heard}\n{text}", "not_identified"
        yield Say(self.message("bye"))
        return None

    def _ways(self) -> str:
        """What is asked for: each way to find somebody, as alternatives."""
        ways = []
        for tool in self.description.identify:
            nouns = [self.locale.text(slot.kind.noun) for slot in self.description.slots(tool)]
            ways.append(self.locale.listing([self.message("your", noun=noun) for noun in nouns]))
        text = ways[0]
        for other in ways[1:]:
            text = self.message("or_else", one=text, other=other)
        return text

    def _found(self, heard: str) -> Generator[Step, Heard, bool]:
        scope = Scope(self.source)
        for tool in self.description.identify:
            given = {slot: slot.kind.find(heard, scope) for slot in self.description.slots(tool)}
            if any(value is None for value in given.values()):
                continue
            arguments = {name: value for slot, raw in given.items() for name, value in slot.put(raw).items()}
            try:
                result = yield from call(tool, **arguments)
            except ToolFailed:
                continue
            key = result[self.description.user_key] if isinstance(result, dict) else result
            self.source.user = Profile(self.description, key, result if isinstance(result, dict) else None)
            return True
        return False

    # Requests

    def attend(self, opening: str, text: str) -> Script:
        """Serve requests until the user has none."""
        intent = self.hearing.intent(opening) or self.hearing.intent(text)
        said = f"{opening}\n{text}" if text != opening else opening
        while True:
            for _ in range(_TRIES - 2):
                if intent is not None or self.hearing.leaves(said):
                    break
                said = yield from self.say("help")
                intent = self.hearing.intent(said)
            if intent is None:
                break
            said = yield from self.serve(Serving(self, intent), said)
            intent = self.hearing.stated(said)
        yield Say(self.message("bye"))

    def _refuse(self, deed: str, reason: str) -> Asked:
        """Refuse, and say why again to whoever asks or does not believe it."""
        text = yield from self.say("refuse", deed=deed, reason=reason)
        for _ in range(_TRIES // 2):
            if not self.locale.disbelief.search(text):
                break
            text = yield from self.say("refuse", deed=deed, reason=reason)
        return text

    def serve(self, serving: Serving, text: str) -> Asked:
        """One request, whatever it turns into; returns the user's last text."""
        while True:
            try:
                return (yield from serving.run(text))
            except Switch as switch:
                serving, text = Serving(self, switch.intent), switch.text
            except Refusal as refusal:
                text = yield from self._refuse(serving.deed, str(refusal))
                # Nothing but another value in place of the one that cannot be had: the same wish, once more.
                if self.hearing.stated(text) is not None or not (yield from serving.amend(text)):
                    return text
                text = ""
