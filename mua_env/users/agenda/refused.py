"""What the user does when it is refused something, or handed over to somebody else."""

from __future__ import annotations

import re

from mua_env.users.agenda.goal_state import Pending
from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.nlu.hearing import Part, texts
from mua_env.users.agenda.proposals import Proposals
from mua_env.users.agenda.turn import INSIST

_THIS = re.compile(
    r"\b(?:this|that|it|these|them|those|they|your (?:\w+ )?(?:request|orders?|items?|reservation|booking|trip|"
    r"flights?|tickets?|plan|line|account)|what you|"
    r"the (?:\w+ )?(?:request|order|items?|reservation|booking|flights?|option|refund))\b"
)
"""What a refusal without a value points back to."""
_WORDS = re.compile(r"\w+")
_BARE = 4
"""Words of a refusal that has no object of its own: "Sorry, I can't"."""
_NO_REASON = frozenset({"option", "offer", "later", "more", "ask", "confirm", "propose"})
_DENIES = re.compile(
    r"n't\b|\b(?:not|cannot|unable|never|neither|only|decline|sorry|unfortunately|afraid)\b", re.IGNORECASE
)
_GOES_ON = frozenset({"propose", "claim", "confirm", "option", "ask"})
_WHY = re.compile(r"(?<=\w)(?:,|\s)\s*(?:because|since|due to|as (?=it|they|the|this|that|your|you))\b", re.IGNORECASE)
"""Where the reason begins, which may name anything."""


class Refusals(Proposals):
    """Rules for refusals: insist on what should be possible, accept a reasoned refusal of the rest, or fall back."""

    def _refused(self, request: Pending) -> bool:
        """Whether the text refuses this request: the deed is named, or one of its values, or it is pointed at."""
        refused = self.acts.doing("refuse")
        if any(self._refuses(part, request) for part in refused):
            return True
        if self._states_the_rule(request):
            return True
        # "That is not possible": what names nothing at all is about this, if its reason is.
        return any(self._names_nothing(part) for part in refused) and self._explained(request)

    def _states_the_rule(self, request: Pending) -> bool:
        """Whether the text says what is in the way, as "only pending orders can be": a refusal, unless it goes on."""
        if request.outcome != "refused" or not request.rules or not self._explained(request):
            return False
        if self.acts.refused or _DENIES.search(self.acts.text):
            return True
        return not any(self._goes_on_to(part, request) for part in self.acts.parts)

    def _goes_on_to(self, part: Part, request: Pending) -> bool:
        """Whether a part goes on to something else; the sentence that gives the reason is often taken for such."""
        if not part.asked and part.acts.isdisjoint(_GOES_ON):
            return False
        return not self.language.explains(request.rules, request.intent, part.segment.text)

    def _names_nothing(self, part: Part) -> bool:
        return not self.steps.codes(part.text) and not self.steps.deeds(_WHY.split(part.text, maxsplit=1)[0])

    def _refuses(self, part: Part, request: Pending) -> bool:
        said = _WHY.split(part.text, maxsplit=1)[0]
        codes = set(self.steps.codes(said))
        if codes and not codes & set(self.steps.codes_of(request)):
            return "order_id" in request.unknown
        if self.compare(request, said).right or self.steps.touches(request, said):
            return True
        deeds = self.steps.deeds(said)
        if deeds:
            return self.steps.fits(request.intent, deeds)
        return len(_WORDS.findall(said)) <= _BARE or _THIS.search(said.lower()) is not None

    def _refusal_comes_first(self) -> bool:
        """Whether a refusal counts before the questions beside it: where it is in order, or asks for nothing useful."""
        request = self.agenda.current
        if request is None or self.parts or self._closed or not self._refused(request):
            return False
        if request.fallback is not None:
            return True
        if request.outcome not in ("refused", "transferred"):
            return False
        return not self.useful(request) or self._states_the_rule(request)

    def _hear_refusal(self) -> None:
        request, acts = self.agenda.current, self.acts
        if request is None:
            return
        unheard = acts.not_found and not acts.refused and not acts.unavailable
        if unheard and not self._states_the_rule(request):
            self._say_again(request)
            return
        told_why = request.asked_why and self._explained(request) and not acts.asked and not acts.confirm
        if not (self._refused(request) or told_why):
            return
        if request.outcome in ("refused", "transferred"):
            self._accept_refusal(request)
        elif request.fallback is not None:
            self._fall_back(request)
        elif request.pushed < INSIST:
            request.pushed += 1
            self._progress = True
            self.parts.append(phrase("push", self.voice, wish=self.wish(request)))
        else:
            self.parts.append(phrase("accept", self.voice))
            self._close(request, "failed")

    def _explained(self, request: Pending) -> bool:
        """Whether the agent says why: one of the rules that the goal names, or that can be in the way of the intent."""
        if not request.rules and not self.acts.reason:
            return False
        if request.rules:
            return self.language.explains(request.rules, request.intent, self.acts.text)
        # What else there is, what comes later and what is asked for gives no reason.
        told = [part for part in self.acts.parts if not part.acts & _NO_REASON or "refuse" in part.acts]
        said = [part.segment.text for part in told if part.segment.text != part.text]
        return self.language.explains(request.rules, request.intent, "\n".join([*said, texts(told)]))

    def _accept_refusal(self, request: Pending) -> None:
        explained = self._explained(request)
        if not explained and not request.asked_why:
            request.asked_why = True
            self._progress = True
            self.parts.append(phrase("why", self.voice))
            return
        if not explained:
            self._dispute(request)
            return
        self.events.append(f"refusal:{request.intent}")
        if request.fallback is not None:
            self._fall_back(request)
            return
        self.parts.append(phrase("accept", self.voice))
        self._close(request, "refused")

    def _dispute(self, request: Pending) -> None:
        """The reason is none: insist, and leave the request unsatisfied in the end."""
        if request.pushed < INSIST:
            request.pushed += 1
            self._progress = request.pushed < INSIST
            self.parts.append(phrase("push", self.voice, wish=self.wish(request)))
        else:
            self.parts.append(phrase("accept", self.voice))
            self._close(request, "failed")

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
            self._progress = acts.offer_handover and request.pushed < INSIST
            request.pushed += 1
        elif request.pushed < INSIST:
            request.pushed += 1
            self._progress = True
            self.parts.append(phrase("no_human", self.voice, wish=self.wish(request)))
        else:
            self.parts.append(phrase("human", self.voice))
