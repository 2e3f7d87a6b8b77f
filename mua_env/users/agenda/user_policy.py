"""What the user does with the agent's acts: the rules of its behaviour.

The user gives what is asked for and only that, confirms what fits its goal, corrects what does not, insists once
on what the agent should be able to do, accepts a reasoned refusal of what it should not, and ends when nothing is
pending any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.questions import Questions

_REPEATS = 3
"""How often doing the same thing with a tool leads on, for one request."""

_TRANSFERRED = re.compile(r"\byou are being transferred to a human agent\b", re.IGNORECASE)
"""Said where a transfer was made and does not end the dialogue itself: in tau2 the user does."""


class Turn(Questions):
    """One turn of the user: reads the agent's acts against the agenda, collects what to say.

    After :meth:`take`, ``parts`` holds what is said, ``events`` what the user registered, ``stop`` whether it ends.
    """

    def take(self) -> None:
        """Decide what to say."""
        self._tell()
        if self.acts.empty:
            self.parts.append(phrase("unclear", self.voice))
            self._repeat()
        else:
            self._react()
        self.parts = self._told + self.parts
        self.agenda.useless = 0 if self._progress else self.agenda.useless + 1
        if not self.stop and self.agenda.useless >= self.voice.persona.patience:
            self.parts, self.stop = [phrase("give_up", self.voice)], True

    def _react(self) -> None:
        if self.acts.handover and _TRANSFERRED.search(self.acts.text):
            self.parts, self.stop = [phrase("human", self.voice)], True
            return
        rules: tuple[Callable[[], None], ...] = (self._hear_answer, self._hear_done, self._hear_proposal)
        for rule in rules:
            rule()
        if self._refusal_comes_first():
            self._hear_refusal()
        self._choose_deed()
        if not self.parts or not self.acts.refused:
            self._answer_questions()
        self._name_the_right_one()
        if not self.parts and not self._closed:
            self._hear_refusal()
        if not self.parts and not self._closed:
            self._hear_handover()
        if not self.parts and not self._closed:
            self._hear_end()
        if self._closed and not self._goes_on():
            self._advance()
        elif not self.parts and not self._told:
            self._keep_going()

    def _tell(self) -> None:
        """Tell what the user has just done and seen, as the agent asked; it may settle the request."""
        for seen in self._seen:
            why = seen.result.rstrip(".")
            before = self.agenda.count(f"_{seen.operation.tool}")
            text = self.language.told(seen.operation, seen.result, self.voice, before=before) if seen.ok else None
            self._told.append(text or phrase("failed", self.voice, why=self.voice.keep(why)))
            self._progress |= before < _REPEATS
        if self._held is not None and self._seen:
            self._told.append(self.language.doubt(self._held, self.voice))
        shown: dict[str, str] = {}
        for seen in self._seen:
            if seen.ok and seen.result:
                shown.pop(seen.operation.tool, None)
                shown[seen.operation.tool] = seen.result
        current = self.agenda.current
        for request in self.agenda.unsettled() if shown else ():
            if not self.language.settled(request.intent, request.slots, shown):
                continue
            if request is current:
                self._close(request, "done")
            else:  # what it meant to bring up later is seen to already
                request.close("done")

    def _hear_end(self) -> None:
        current = self.agenda.current
        if current and self._must_see(current):
            return
        if current and current.status == "confirmed" and (self.acts.more or (self.acts.close and self._left_before())):
            self._close(current, "done")

    def _left_before(self) -> bool:
        """Whether the agent says goodbye once more: at first the user asks for what it has not been told of."""
        return self.agenda.count("_bye") > 0

    def _advance(self) -> None:
        """The next request, or the end."""
        request = self.agenda.current
        if request is None:
            self.parts.append(phrase("end" if self.acts.more else "bye", self.voice))
            self.stop = True
            return
        if request.status == "waiting":
            request.status = "open"
            self._forget()
            self.parts.append(phrase("next", self.voice, wish=self.wish(request)))
        elif not self.parts:
            self._repeat()

    def _keep_going(self) -> None:
        """Nothing in the turn needed an answer: keep the dialogue alive."""
        request, acts = self.agenda.current, self.acts
        if request is None:
            self.parts.append(phrase("bye", self.voice))
            self.stop = True
        elif request.status == "confirmed" or (acts.wait and not acts.question):
            self.parts.append(phrase("go_on", self.voice))
        elif acts.offer and not acts.help:
            yes = self._named(request) or not self._other_intent()
            self.parts.append(phrase("go_on" if yes else "no_offer", self.voice))
            self._progress = yes and self.agenda.count("_offer") < 2
        else:
            self._repeat()
