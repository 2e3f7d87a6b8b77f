"""What the user does with proposals, and with what the agent says it did or found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from mua_env.users.agenda.goal_state import Pending
from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.nlu.hearing import texts
from mua_env.users.agenda.steps import Meant, Step, Steps
from mua_env.users.agenda.turn import INSIST, TurnState

_NO_PLAN = frozenset({"later", "more", "other", "refuse", "claim", "option", "offer", "close", "help", "ask", "wait"})
"""Parts that do one of these alone say nothing of what is proposed."""
_ALL = re.compile(
    r"\b(?:all(?! (?:done|set|good|right)\b)|both|each|"
    r"every\w*|(?:two|three|four|five|\d) (?:\w+ )?(?=\w+s\b)|(?:the|your) (?:\w+ )?(?:order|"
    r"reservation|booking|request|change)s)\b"
)
"""Speaks of several things as one."""


class Proposals(TurnState):
    """Rules for answers, claims and proposals: agree to what fits the goal, correct what does not."""

    @cached_property
    def steps(self) -> Steps:
        """Finds the request that words are about."""
        return Steps(self.language, self.agenda.requests, self.compare)

    def _hear_answer(self) -> None:
        current = self.agenda.current
        if current and current.outcome == "answered" and self.language.answered(current.slots, self.acts.text):
            self._close(current, "answered")

    # Claims

    def _hear_done(self) -> None:
        claimed = self.acts.doing("claim")
        if not claimed:
            return
        current = self.agenda.current
        if current and self._must_see(current):
            if not self._told and not self._closed:
                self.parts.append(phrase("not_seen", self.voice))
            return
        agreed = [request for request in self.agenda.unsettled() if request.status == "confirmed"]
        meant, _ = self.steps.assign(claimed, self.agenda.unsettled())
        for each in meant:
            self._hear_claim(each)
        said = texts(claimed)
        if _ALL.search(said.lower()) and not self.steps.codes(said) and not self.parts:
            self._hear_of_all(said)
        if not meant and not self.acts.confirm and not self.acts.asked:
            for request in agreed:
                self._close(request, "done")

    def _hear_of_all(self, said: str) -> None:
        """What was done to all of them, though none is named."""
        deeds = self.steps.deeds(said)
        for request in self.agenda.unsettled() if deeds else ():
            if self._must_see(request) or request.outcome != "done":
                continue
            if self.steps.fits(request.intent, deeds) and not self.compare(request, said).wrong:
                self._close(request, "done")

    def _hear_claim(self, claim: Meant) -> None:
        request = claim.request
        right = self.compare(request, claim.text).right
        if request.status != "confirmed" and not right and (request.status == "waiting" or not claim.deeds):
            return  # says nothing by which one could tell that this one is meant
        wrong = self.faults(claim)
        if not wrong:
            self._close(request, "done")
        elif request.status != "waiting":
            self._contradict(request, wrong)

    def _contradict(self, request: Pending, wrong: Sequence[str]) -> None:
        request.corrected += 1
        if request.corrected > INSIST:
            self._close(request, "failed")
            return
        wrong = (*wrong, "intent") if set(wrong) & set(self.steps.coded) else wrong  # what was done to another one
        self.parts.append(phrase("contradict", self.voice, fix=self.mend(request, wrong)))
        self._progress = True

    # Proposals

    def _hear_proposal(self) -> None:
        if not self.acts.confirm or self._closed or self.parts or self.agenda.current is None:
            return
        meant, strange = self._proposed()
        if (self.acts.refused or self.acts.handover or self.acts.offer_handover) and not self._stated(meant):
            return
        if not meant and not strange:
            self._about_nothing(self.agenda.current)
        elif not self._only_shown(meant):
            self._judge(meant, strange)

    def _proposed(self) -> tuple[list[Meant], list[Step]]:
        """What is proposed, of each request: by the parts that propose it, else by all that could."""
        pending = self.agenda.unsettled()
        meant, strange = self.steps.assign(self.acts.doing("propose", "confirm"), pending)
        if self._stated(meant) or strange:
            return meant, strange
        return self.steps.assign([part for part in self.acts.parts if not part.acts <= _NO_PLAN], pending)

    def _stated(self, meant: Sequence[Meant]) -> bool:
        return any(self.compare(each.request, each.text).right for each in meant)

    def _about_nothing(self, current: Pending) -> None:
        """A yes is asked for without a value: agree, unless it is for a deed that nobody wished for."""
        plan = texts(self.acts.doing("propose", "confirm"))
        deeds = self.steps.deeds(plan)
        mine = any(self.steps.fits(request.intent, deeds) for request in self.agenda.unsettled())
        wrong = self.compare(current, plan).wrong
        if not mine:
            if not self.acts.refused:
                self.parts.append(phrase("not_me", self.voice, wish=self.wish(current)))
        elif wrong:
            self._correct(current, wrong)
        elif not self._only_shown([Meant(current)]):
            self._agree([current])

    def _only_shown(self, meant: Sequence[Meant]) -> bool:
        """Asked to confirm what its things show, of which the user has just told."""
        shown = bool(self._told) and all(self._must_see(each.request) for each in meant)
        return shown and not any(any(self._compared_of(each)) for each in meant)

    def _compared_of(self, each: Meant) -> tuple[tuple[str, ...], tuple[str, ...]]:
        comparison = self.compare(each.request, each.text)
        return comparison.wrong, comparison.right

    def _judge(self, meant: Sequence[Meant], strange: Sequence[Step]) -> None:
        requests = [each.request for each in meant]
        fixes: list[str] = []
        for each in meant:
            wrong = tuple(slot for slot in self.faults(each) if slot not in self.acts.choices)
            if each.request.status == "waiting":
                each.request.status = "open"
            if wrong:
                each.request.corrected += 1
                self._progress |= each.request.corrected <= INSIST
                fixes.append(self.mend(each.request, wrong))
        if requests and self.agenda.current not in requests:
            self.agenda.focus(requests[0])
        if strange:
            fixes.append(self._without(strange))
        if fixes:
            self.parts.append(phrase("correct", self.voice, fix=self.joined(fixes)))
        else:
            self._agree(requests)

    def _without(self, strange: Sequence[Step]) -> str:
        """What is too much, and what alone is wanted."""
        current = self.agenda.current
        assert current is not None
        self._progress |= self.agenda.count("_strange") < INSIST
        return phrase("only", self.voice, wrong=self.voice.keep(strange[0].codes[0]), wish=self.wish(current))

    def _agree(self, requests: Sequence[Pending]) -> None:
        for request in requests:
            change = request.change
            if change and (change.after == "proposal" or request.status == "confirmed"):
                self._change_mind(request)
                return
        for request in requests:
            request.confirmations += 1
            self._progress |= request.confirmations <= INSIST + 1
            request.status = "confirmed"
        self.parts.append(phrase("confirm", self.voice))

    def _correct(self, request: Pending, wrong: tuple[str, ...]) -> None:
        request.corrected += 1
        self._progress = request.corrected <= INSIST
        self.parts.append(phrase("correct", self.voice, fix=self.mend(request, wrong)))

    # What is wrong

    def faults(self, said: Meant) -> tuple[str, ...]:
        """The slots that are stated wrongly; ``intent`` where another deed is named."""
        comparison = self.compare(said.request, said.text)
        wrong = list(comparison.wrong)
        if said.misread:
            wrong += [slot for slot in self.steps.coded if said.request.slots.get(slot)]
        if not self.steps.fits(said.request.intent, said.deeds) and not self._only_its_own(said, comparison.right):
            wrong.append("intent")
        return tuple(wrong)

    def _only_its_own(self, said: Meant, right: Sequence[str]) -> bool:
        """Whether what is right is nothing that the deed that is named has: then it was only called by another name."""
        intents = self.language.intents
        theirs = {slot for deed in said.deeds for slot in intents[deed].slots}
        return not theirs.issuperset(right)

    def mend(self, request: Pending, wrong: Sequence[str]) -> str:
        """What is wrong, said as it should be."""
        slots = tuple(slot for slot in wrong if slot != "intent")
        fixes = [self.fix(request, slots)] if slots else []
        if "intent" in wrong:
            fixes.append(phrase("wish", self.voice, wish=self.wish(request)))
        return self.joined(fixes)

    def joined(self, fixes: Sequence[str]) -> str:
        """Sentences in a row."""
        space = self.voice.locale.space if self.voice.locale else " "
        return space.join(filter(None, fixes))
