"""One turn of the user: what its rules share."""

from __future__ import annotations

from collections.abc import Sequence

from mua_env.users.agenda.goal_state import Agenda, Pending
from mua_env.users.agenda.language import DialogueLanguage, Operation
from mua_env.users.agenda.nlg.personas import Voice
from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.nlg.speaker import Speaker
from mua_env.users.agenda.nlu.hearing import Hearing
from mua_env.users.agenda.operations import Seen

INSIST = 2
"""Corrections or refusals of one permitted request that the user puts up with before it gives the request up."""


class TurnState(Speaker):
    """The state of a turn, what changes it, and what is asked of it by several rules."""

    def __init__(
        self,
        agenda: Agenda,
        language: DialogueLanguage,
        voice: Voice,
        acts: Hearing,
        seen: Sequence[Seen] = (),
        held: Operation | None = None,
    ) -> None:
        super().__init__(agenda, language, voice, acts)
        self.acts: Hearing = acts
        self._seen = seen
        self._held = held
        self._told: list[str] = []
        self.events: list[str] = []
        self.stop = False
        self._progress = False
        self._closed = False

    def _close(self, request: Pending, result: str) -> None:
        change = request.change
        if change and change.after == "confirmation" and result == "done":
            self._change_mind(request)
            return
        request.close(result)
        self._closed = self._progress = True

    def _change_mind(self, request: Pending) -> None:
        old = dict(request.slots)
        assert request.change is not None
        request.slots.update(request.change.slots)
        request.change, request.status, self._progress = None, "open", True
        wrong = self.language.difference(old, request.slots)
        self.parts.append(phrase("change", self.voice, fix=self.fix(request, wrong)))

    def _must_see(self, request: Pending) -> bool:
        intent = self.language.intents.get(request.intent)
        return intent is not None and intent.witnessed

    def _named(self, request: Pending) -> bool:
        return request.intent in self.language.named(self.acts.text)

    def _other_intent(self) -> bool:
        return bool(self.language.named(self.acts.text))

    def _forget(self) -> None:
        """Slots of a request that is over have not been given for the next one."""
        slots = self.language.slots
        self.agenda.given = {n: k for n, k in self.agenda.given.items() if n in slots and slots[n].personal}

    def _repeat(self) -> None:
        request = self.agenda.current
        if request is not None:
            self.parts.append(phrase("again", self.voice, wish=self.wish(request)))
            self._progress = self.acts.help and self.agenda.count("_wish") < 2
