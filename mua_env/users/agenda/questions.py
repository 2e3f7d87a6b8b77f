"""What the user does with questions: it answers each of the request that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mua_env.users.agenda.goal_state import Pending
from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.nlu.hearing import Part, texts
from mua_env.users.agenda.refused import Refusals


class Questions(Refusals):
    """Rules for what is asked: of the request that is named with it, else of the current one and then the others."""

    def _answer_questions(self) -> None:
        request = self.agenda.current
        if self._closed or not self.acts.asked or request is None:
            return
        bound = self._bound(request)
        elsewhere = {slot for other, slots in bound.values() if other is not request for slot in slots}
        here = {slot for slot in self.acts.asked if slot not in elsewhere}
        here |= bound[id(request)][1] if id(request) in bound else set()
        asked = self.chosen([slot for slot in self.applicable(request) if slot in here])
        if asked:
            fresh = [self.agenda.count(slot) < 2 for slot in asked]
            self._progress |= any(fresh)
            self.give(self.language.group(asked), request)
        self._answer_of_others(request, set(asked), bound)
        if self.acts.help and request.status == "open":
            self.parts.append(phrase("wish", self.voice, wish=self.wish(request)))

    def _choose_deed(self) -> None:
        """Asked whether to do one thing or another, the user says what it wants."""
        request = self.agenda.current
        if request is None or self._closed or self.parts or self.acts.confirm:
            return
        options = self.acts.doing("option")
        laid_out = options + [part for part in self.acts.doing("ask") if part.segment.question and part not in options]
        deeds = frozenset[str]().union(*(self.steps.deeds(part.text) for part in laid_out))
        put = any(len(self.steps.deeds(part.text)) > 1 for part in laid_out) or len(options) > 1
        if put and len(deeds) > 1 and request.intent in deeds and request.status != "waiting":
            self.parts.append(phrase("wish", self.voice, wish=self.wish(request)))
            right = self.compare(request, texts(laid_out)).right
            said = tuple(slot for slot in right if slot not in self.steps.coded and slot in self.language.slots)
            self.parts += [self.fix(request, said)] if said else []
            self._progress = self.agenda.count("_deed") < 2

    def _name_the_right_one(self) -> None:
        """Asked about a record that is not the user's, it says which one it means."""
        request = self.agenda.current
        if request is None or self._closed or not self.acts.question:
            return
        codes, own = set(self.steps.codes(self.acts.text)), set(self.steps.codes_of(request))
        known = [slot for slot in self.steps.coded if request.known().get(slot)]
        if codes and known and not codes & self.steps.own:
            said = " ".join(self.parts)
            if not any(code in said for code in own):
                self.parts.append(self.fix(request, tuple(known)))
                self._progress |= self.agenda.count("_foreign") < 2

    def _answer_of_others(self, request: Pending, given: set[str], bound: dict[int, tuple[Pending, set[str]]]) -> None:
        """What is asked of requests that come later, or that nobody but they have."""
        mine = set(self._own(request, self.language.slots))
        for other in self.agenda.unsettled():
            if other is request:
                continue
            named = bound.get(id(other), (other, set()))[1]
            if other.status == "waiting" and given and not named:
                continue  # nobody can ask about what was not said
            slots = self._own(other, named or set(self.acts.asked) - given - mine)
            known = [slot for slot in slots if other.known().get(slot) is not None]
            if not known:
                continue
            self.give(tuple(known), other)
            given |= set(known)
            if other.status == "waiting":
                other.status = "open"
            fresh = [self.agenda.count(f"_{other.intent}_{slot}") < 2 for slot in known]
            self._progress |= any(fresh)

    def _own(self, request: Pending, slots: Iterable[str]) -> list[str]:
        intent = self.language.intents.get(request.intent)
        own = {*intent.slots, *intent.details} if intent else set()
        wanted = set(slots)
        return [slot for slot in self.language.slots if slot in own & wanted]

    def _bound(self, current: Pending) -> dict[int, tuple[Pending, set[str]]]:
        """The slots asked for of each request that is named with a question: by its code, or else by the deed."""
        found: dict[int, tuple[Pending, set[str]]] = {}
        if len(self.agenda.unsettled()) < 2:
            return found
        for part in self.acts.parts:
            if part.asked:
                about = self._about(part, current)
                found.setdefault(id(about), (about, set()))[1].update(part.asked)
        return found

    def _about(self, part: Part, current: Pending) -> Pending:
        for text in (part.text, part.segment.lead, part.segment.heading):
            text = self.language.legible(text) if text is not part.text else text
            codes, deeds = set(self.steps.codes(text)), self.steps.deeds(text)
            others = [r for r in self.agenda.unsettled() if r is not current and r.status != "waiting"]
            if codes and not codes & set(self.steps.codes_of(current)):
                found = [request for request in others if codes & set(self.steps.codes_of(request))]
                if found:
                    return found[0]
            if deeds and not self.steps.fits(current.intent, deeds):
                found = [request for request in others if self.steps.fits(request.intent, deeds)]
                if found:
                    return found[0]
        return current

    def _goes_on(self) -> bool:
        """One thing is done and the agent is at the next already: answer that."""
        request = self.agenda.current
        if request is None or not (self.acts.asked or self.acts.confirm):
            return False
        put: Sequence[Part] = self.acts.doing("ask", "confirm", "propose")
        meant, _ = self.steps.assign(put, self.agenda.unsettled())
        if not any(
            each.request is request and (each.deeds or self.compare(request, each.text).right) for each in meant
        ):
            return False
        if not texts(put).strip():
            return False
        self._closed = False
        if request.status == "waiting":
            request.status = "open"
            self._forget()
        before = len(self.parts)
        self._hear_proposal()
        if len(self.parts) == before:
            self._answer_questions()
        return len(self.parts) > before
