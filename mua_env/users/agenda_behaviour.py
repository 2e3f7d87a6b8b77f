"""What the user does with the agent's acts: the rules of its behaviour.

The user gives what is asked for and only that, confirms what fits its goal, corrects what does not, insists once
on what the agent should be able to do, accepts a reasoned refusal of what it should not, and ends when nothing is
pending any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mua_env.language import DialogueLanguage, Operation
from mua_env.users.agenda_goal import Agenda, Pending
from mua_env.users.agenda_operations import Seen
from mua_env.users.agenda_personas import Voice
from mua_env.users.agenda_phrases import phrase
from mua_env.users.agenda_speaking import Speaker
from mua_env.users.agenda_understanding import AgentActs

_INSIST = 2
"""Corrections or refusals of one permitted request that the user puts up with before it gives the request up."""


_REPEATS = 3
"""How often doing the same thing with a tool leads on, for one request."""


_TRANSFERRED = re.compile(r"\byou are being transferred to a human agent\b", re.IGNORECASE)
"""Said where a transfer was made and does not end the dialogue itself: in tau2 the user does."""


class Turn(Speaker):
    """One turn of the user: reads the agent's acts against the agenda, collects what to say.

    After :meth:`take`, ``parts`` holds what is said, ``events`` what the user registered, ``stop`` whether it ends.
    """

    def __init__(
        self,
        agenda: Agenda,
        language: DialogueLanguage,
        voice: Voice,
        acts: AgentActs,
        seen: Sequence[Seen] = (),
        held: Operation | None = None,
    ) -> None:
        super().__init__(agenda, language, voice, acts)
        self._seen = seen
        self._held = held
        self._told: list[str] = []
        self.events: list[str] = []
        self.stop = False
        self._progress = False
        self._closed = False

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
        if not self.parts or not self.acts.refused:
            self._answer_questions()
        if not self.parts and not self._closed:
            self._hear_refusal()
        if not self.parts and not self._closed:
            self._hear_handover()
        if not self.parts and not self._closed:
            self._hear_end()
        if self._closed:
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

    def _refusal_comes_first(self) -> bool:
        """Whether a refusal counts before the questions beside it: where it is in order, or asks for nothing useful."""
        request = self.agenda.current
        if request is None or self.parts or self._closed or not (self.acts.refused or self.acts.unavailable):
            return False
        if request.fallback is not None:
            return True
        return request.outcome in ("refused", "transferred") and not self.useful(request)

    # what the agent says it did or found

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

    def _must_see(self, request: Pending) -> bool:
        intent = self.language.intents.get(request.intent)
        return intent is not None and intent.witnessed

    def _claims(self, request: Pending, claim: str) -> bool:
        intent = self.language.intents.get(request.intent)
        named = self.language.named(claim)
        if intent is None or (named and request.intent not in named):
            return False
        return intent.done_pattern.search(claim) is not None

    def _contradict(self, request: Pending, claim: str) -> None:
        request.corrected += 1
        if request.corrected > _INSIST:
            self._close(request, "failed")
            return
        wrong = self.compare(request, claim).wrong
        self.parts.append(phrase("contradict", self.voice, fix=self.fix(request, wrong)))
        self._progress = True

    # proposals

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

    def _fits(self, request: Pending, text: str, *, known: bool) -> bool:
        """Whether a text is right; of a request that was not mentioned yet it must have something right in it."""
        comparison = self.compare(request, text)
        return comparison.fits and (known or bool(comparison.right))

    def _meant(self, request: Pending, current: Pending | None) -> bool:
        """Whether a proposal fits a request, and not by nothing but what it has in common with the current one."""
        if request is current or current is None:
            return self._fits(request, self.acts.text, known=request is self.agenda.current)
        comparison = self.compare(request, self.acts.text)
        return comparison.fits and bool(set(comparison.right) - set(self.compare(current, self.acts.text).right))

    def _named(self, request: Pending) -> bool:
        return request.intent in self.language.named(self.acts.text)

    def _other_intent(self) -> bool:
        return bool(self.language.named(self.acts.text))

    def _agree(self, request: Pending) -> None:
        change = request.change
        if change and (change.after == "proposal" or request.status == "confirmed"):
            old = dict(request.slots)
            request.slots.update(change.slots)
            request.change = None
            request.status = "open"
            wrong = self.language.difference(old, request.slots)
            self.parts.append(phrase("change", self.voice, fix=self.fix(request, wrong)))
            self._progress = True
            return
        request.confirmations += 1
        self._progress = request.confirmations <= _INSIST + 1
        request.status = "confirmed"
        self.parts.append(phrase("confirm", self.voice))

    def _correct(self, request: Pending, wrong: tuple[str, ...]) -> None:
        request.corrected += 1
        self._progress = request.corrected <= _INSIST
        self.parts.append(phrase("correct", self.voice, fix=self.fix(request, wrong)))

    # questions

    def _answer_questions(self) -> None:
        if self._closed or not self.acts.asked:
            return
        request = self.agenda.current
        if request is None:
            return
        asked = self.chosen(self.applicable(request))
        fresh = [self.agenda.count(slot) < 2 for slot in asked]
        self._progress |= any(fresh)
        self.give(self.language.group(asked), request)

    # refusals

    def _hear_refusal(self) -> None:
        request, acts = self.agenda.current, self.acts
        if request is None:
            return
        if acts.not_found and not acts.refused and not acts.unavailable:
            self._say_again(request)
            return
        told_why = request.asked_why and acts.reason and not acts.asked and not acts.confirm
        if not (acts.refused or acts.unavailable or told_why):
            return
        if request.outcome in ("refused", "transferred"):
            self._accept_refusal(request)
        elif request.fallback is not None:
            self._fall_back(request)
        elif request.pushed < _INSIST:
            request.pushed += 1
            self._progress = True
            self.parts.append(phrase("push", self.voice, wish=self.wish(request)))
        else:
            self.parts.append(phrase("accept", self.voice))
            self._close(request, "failed")

    def _accept_refusal(self, request: Pending) -> None:
        if not self.acts.reason and not request.asked_why:
            request.asked_why = True
            self._progress = True
            self.parts.append(phrase("why", self.voice))
            return
        if self.acts.reason:
            self.events.append(f"refusal:{request.intent}")
        if request.fallback is not None:
            self._fall_back(request)
            return
        self.parts.append(phrase("accept", self.voice))
        self._close(request, "refused")

    def _fall_back(self, request: Pending) -> None:
        fallback = request.fallback
        assert fallback is not None
        new = Pending.of(fallback)
        new.status = "open"
        self.agenda.requests[self.agenda.requests.index(request)] = new
        self._progress = True
        if new.intent == request.intent and new.slots.get("order_id") == request.slots.get("order_id"):
            changed = self.language.difference(request.slots, new.slots)
            fix = self.fix(new, changed)
        else:
            self._forget()
            fix = phrase("wish", self.voice, wish=self.wish(new))
        self.parts.append(
            phrase("fallback", self.voice, fix=fix[:1].lower() + fix[1:] if fix[:2] not in ("I ", "I'") else fix)
        )

    def _say_again(self, request: Pending) -> None:
        """The agent found nothing under what the user said last: say it again."""
        last = [slot for slot in self.agenda.given if slot in self.language.slots][-3:]
        said = [text for slot in self.language.group(last) if (text := self.say(slot, request)) is not None]
        if said:
            self.parts.extend(said)
            self._progress = self.agenda.count("_again") < 2

    def _hear_handover(self) -> None:
        request, acts = self.agenda.current, self.acts
        if request is None or not (acts.handover or acts.offer_handover):
            return
        if request.outcome in ("transferred", "refused"):
            self.parts.append(phrase("human", self.voice))
            self._progress = acts.offer_handover and request.pushed < _INSIST
            request.pushed += 1
        elif request.pushed < _INSIST:
            request.pushed += 1
            self._progress = True
            self.parts.append(phrase("no_human", self.voice, wish=self.wish(request)))
        else:
            self.parts.append(phrase("human", self.voice))

    # the end of a request, and of the dialogue

    def _hear_end(self) -> None:
        current = self.agenda.current
        if current and self._must_see(current):
            return
        if current and current.status == "confirmed" and (self.acts.more or (self.acts.close and self._left_before())):
            self._close(current, "done")

    def _left_before(self) -> bool:
        """Whether the agent says goodbye once more: at first the user asks for what it has not been told of."""
        return self.agenda.count("_bye") > 0

    def _close(self, request: Pending, result: str) -> None:
        change = request.change
        if change and change.after == "confirmation" and result == "done":
            self._change_after(request)
            return
        request.close(result)
        self._closed = self._progress = True

    def _change_after(self, request: Pending) -> None:
        old = dict(request.slots)
        assert request.change is not None
        request.slots.update(request.change.slots)
        request.change, request.status, self._progress = None, "open", True
        wrong = self.language.difference(old, request.slots)
        self.parts.append(phrase("change", self.voice, fix=self.fix(request, wrong)))

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

    def _forget(self) -> None:
        """Slots of a request that is over have not been given for the next one."""
        slots = self.language.slots
        self.agenda.given = {n: k for n, k in self.agenda.given.items() if n in slots and slots[n].personal}

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

    def _repeat(self) -> None:
        request = self.agenda.current
        if request is not None:
            self.parts.append(phrase("again", self.voice, wish=self.wish(request)))
            self._progress = self.acts.help and self.agenda.count("_wish") < 2
