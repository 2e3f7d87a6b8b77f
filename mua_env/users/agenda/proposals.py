"""What the user does with proposals, and with what the agent says it did or found."""

from __future__ import annotations

from mua_env.users.agenda.goal_state import Pending
from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.turn import INSIST, TurnState


class Proposals(TurnState):
    """Rules for answers, claims and proposals: agree to what fits the goal, correct what does not."""

    def _hear_answer(self) -> None:
        current = self.agenda.current
        if current and current.outcome == "answered" and self.language.answered(current.slots, self.acts.text):
            self._close(current, "answered")

    def _hear_done(self) -> None:
        if not self.acts.done:
            return
        current = self.agenda.current
        if current and self._must_see(current):
            if not self._told and not self._closed:
                self.parts.append(phrase("not_seen", self.voice))
            return
        claim = " ".join(self.acts.done)
        named = [r for r in self.agenda.unsettled() if self._claims(r, claim)]
        fitting = [r for r in named if self._fits(r, claim, known=r.status != "waiting")]
        if fitting:
            agreed = [r for r in fitting if r.status == "confirmed"]
            self._close(agreed[0] if agreed else fitting[0], "done")
            return
        if named and named[0].status != "waiting":
            self._contradict(named[0], claim)
        elif current and current.status == "confirmed" and not self.acts.confirm and not self.acts.asked:
            self._close(current, "done")

    def _claims(self, request: Pending, claim: str) -> bool:
        intent = self.language.intents.get(request.intent)
        named = self.language.named(claim)
        if intent is None or (named and request.intent not in named):
            return False
        return intent.done_pattern.search(claim) is not None

    def _contradict(self, request: Pending, claim: str) -> None:
        request.corrected += 1
        if request.corrected > INSIST:
            self._close(request, "failed")
            return
        wrong = self.compare(request, claim).wrong
        self.parts.append(phrase("contradict", self.voice, fix=self.fix(request, wrong)))
        self._progress = True

    def _hear_proposal(self) -> None:
        acts = self.acts
        if not acts.confirm or self._closed or self.parts:
            return
        pending = self.agenda.unsettled()
        named = [r for r in pending if self._named(r)]
        current = self.agenda.current
        fitting = [r for r in named if self._meant(r, current if current in named else None)]
        candidates = fitting or named
        chosen = current if current in candidates or not candidates else candidates[0]
        if chosen is None:
            return
        comparison = self.compare(chosen, acts.text)
        if (acts.refused or acts.handover or acts.offer_handover) and (not comparison.fits or not named):
            return
        if not named and self._other_intent():
            if not acts.refused:
                self.parts.append(phrase("not_me", self.voice, wish=self.wish(chosen)))
            return
        if self._told and self._must_see(chosen) and comparison.fits and not comparison.right:
            return  # asked to confirm what its things show; it has just told
        self.agenda.focus(chosen)
        if chosen.status == "waiting":
            chosen.status = "open"
        if comparison.fits:
            self._agree(chosen)
        else:
            self._correct(chosen, comparison.wrong)

    def _meant(self, request: Pending, current: Pending | None) -> bool:
        """Whether a proposal fits a request, and not by nothing but what it has in common with the current one."""
        if request is current or current is None:
            return self._fits(request, self.acts.text, known=request is self.agenda.current)
        comparison = self.compare(request, self.acts.text)
        return comparison.fits and bool(set(comparison.right) - set(self.compare(current, self.acts.text).right))

    def _agree(self, request: Pending) -> None:
        change = request.change
        if change and (change.after == "proposal" or request.status == "confirmed"):
            self._change_mind(request)
            return
        request.confirmations += 1
        self._progress = request.confirmations <= INSIST + 1
        request.status = "confirmed"
        self.parts.append(phrase("confirm", self.voice))

    def _correct(self, request: Pending, wrong: tuple[str, ...]) -> None:
        request.corrected += 1
        self._progress = request.corrected <= INSIST
        self.parts.append(phrase("correct", self.voice, fix=self.fix(request, wrong)))
