"""The card of a user simulator: how faithful it is to its goals, measured by scripted probing agents.

The probes speak only through the dialogue, so that any user with a goal can be measured: the agenda user, an LLM user,
a trained one. What to say and what must not be said comes from the domain's
:class:`~mua_env.language.DialogueLanguage`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from mua_env.language import DialogueLanguage
from mua_env.tasks import Goal, Request, Task
from mua_env.users.agenda_grammar import KEEP_CLOSE, KEEP_OPEN, unmark
from mua_env.users.agenda_personas import PERSONAS, Voice
from mua_env.users.base import UserSession, UserSimulator
from mua_env.users.llm_guards import violation

WAIT = "One moment please, I am working on it."
DONE = "That is done. Is there anything else I can help you with?"
REFUSAL = "I'm sorry, I cannot do that, because our policy does not allow it. Is there anything else?"
_YES = re.compile(r"\b(?:yes|correct|go ahead|confirm(?:ed)?|that's right)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|not|wrong|isn't|don't|wait|actually|hold on|changed my mind|mistake)\b", re.IGNORECASE)
_SPAN = re.compile(f"{KEEP_OPEN}([^{KEEP_CLOSE}]*){KEEP_CLOSE}")


@dataclass
class Card:
    """What the probes counted.

    Attributes:
        dialogues, turns: how many were held, and replies heard in them.
        revealed: replies that told a value nobody had asked for.
        withheld: questions for a value that the user has, answered without it.
        invented: replies with an id, number or address that is not in the goal and was not said to the user.
        plays_agent: replies in the agent's role.
        wrong_accepted: wrong proposals that the user agreed to, of ``wrong_proposed``.
        right_rejected: right proposals that it did not agree to, of ``right_proposed``.
        changes_made: planned changes of mind that it carried out, of ``changes_planned``.
        refusals_registered: reasoned refusals of forbidden requests that left an event, of ``refusals``.
        early_stops: dialogues that it ended before the agent had acted on the last confirmation.
        late_stops: dialogues that it did not end after everything was done.
        openings: distinct first messages.
        seconds: time spent in the user.
        cost: money it cost, in US dollars.
    """

    dialogues: int = 0
    turns: int = 0
    revealed: int = 0
    withheld: int = 0
    invented: int = 0
    plays_agent: int = 0
    wrong_proposed: int = 0
    wrong_accepted: int = 0
    right_proposed: int = 0
    right_rejected: int = 0
    changes_planned: int = 0
    changes_made: int = 0
    refusals: int = 0
    refusals_registered: int = 0
    early_stops: int = 0
    late_stops: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    openings: set[str] = field(default_factory=set)

    @property
    def violations(self) -> int:
        """Everything that a faithful user never does."""
        broken = self.changes_planned - self.changes_made
        return (
            self.revealed
            + self.invented
            + self.plays_agent
            + self.wrong_accepted
            + broken
            + self.early_stops
            + self.late_stops
        )

    def summary(self) -> dict[str, float]:
        """The figures by name, openings counted, latency in milliseconds a turn."""
        figures = {name: value for name, value in vars(self).items() if isinstance(value, int | float)}
        figures |= {"openings": len(self.openings), "violations": self.violations}
        figures["ms_per_turn"] = 1000 * self.seconds / max(self.turns, 1)
        return figures


def measure(
    user: UserSimulator,
    tasks: Sequence[Task],
    *,
    context: Mapping[str, Any],
    seed: int = 0,
) -> Card:
    """Hold two dialogues with the user of each task: one of questions, one of proposals.

    Args:
        user: the simulator.
        tasks: with goals; those without are skipped.
        context: what the user is started with: ``{"domain": Domain}``, whose language the probes speak.
        seed: of the probes and the users.
    """
    language = context["domain"].language
    card = Card()
    pool = _pool(tasks)
    for number, task in enumerate(tasks):
        if task.goal is None or not task.goal.requests:
            continue
        for probe in (_Questions, _Proposals):
            session = user.start(task, seed=seed + number, context=context)
            probe(card, session, task.goal, language, Random(f"card:{seed}:{number}"), pool).run()
            session.close()
    return card


def _pool(tasks: Sequence[Task]) -> dict[str, list[Request]]:
    pool: dict[str, list[Request]] = {}
    for task in tasks:
        for request in task.goal.requests if task.goal else ():
            pool.setdefault(request.intent, []).append(request)
    return pool


class _Probe:
    def __init__(
        self,
        card: Card,
        session: UserSession,
        goal: Goal,
        language: DialogueLanguage,
        rng: Random,
        pool: Mapping[str, Sequence[Request]],
    ) -> None:
        self.card = card
        self.session = session
        self.goal = goal
        self.language = language
        self.rng = rng
        self.pool = pool
        self.voice = Voice(Random(0), PERSONAS["terse"])
        self.heard: list[str] = [goal.model_dump_json()]
        self.stopped = False
        self.events: tuple[str, ...] = ()

    def run(self) -> None:
        self.card.dialogues += 1
        self.card.openings.add(self.hear(None))
        self.talk()

    def talk(self) -> None:
        raise NotImplementedError

    def hear(self, text: str | None) -> str:
        if text is not None:
            self.heard.append(text)
        begun = time.perf_counter()
        reply = self.session.reply(text)
        card = self.card
        card.seconds += time.perf_counter() - begun
        card.turns += 1
        card.cost += reply.usage.get("cost_usd", 0.0)
        self.stopped, self.events = reply.stop, reply.events
        fault = violation(
            ("plays_agent", "invents"), text=reply.text, stop=reply.stop, heard=text or "", known=self.heard
        )
        card.plays_agent += fault is not None and fault.guard == "plays_agent"
        card.invented += fault is not None and fault.guard == "invents"
        return reply.text

    def spans(self, slot: str, request: Request) -> list[str]:
        """The telling parts of a slot's value; empty where the user has none."""
        spec = self.language.slots[slot]
        known = {name: value for name, value in request.slots.items() if name not in request.unknown}
        value = self.language.value(slot, self.goal.facts if spec.personal else known, self.voice)
        return _SPAN.findall(value) if value else []

    def describe(self, request: Request, slots: Mapping[str, Any]) -> str:
        intent = self.language.intents[request.intent]
        details = []
        for slot in intent.slots:
            value = self.language.value(slot, slots, self.voice)
            if value is not None:
                details.append(f"{self.language.slots[slot].noun}: {unmark(value)}")
        return f"{unmark(self.language.wish(request.intent, slots, self.voice))}. {'; '.join(details)}."


class _Questions(_Probe):
    """Asks for one slot after the other, and listens for what was not asked for."""

    def talk(self) -> None:
        request = self.goal.requests[0]
        slots = [name for name, slot in self.language.slots.items() if slot.personal and slot.asked != "(?!)"]
        slots += self.language.intents[request.intent].slots
        self.rng.shuffle(slots)
        secrets = {slot: self.spans(slot, request) for slot in slots}
        # What the user remembers of an order stands for its number.
        allowed = self.spans("items", request) if request.unknown and "items" in secrets else []
        for slot in slots:
            spec = self.language.slots[slot]
            allowed += secrets.get(slot, [])
            text = self.hear(f"What is {'your' if spec.personal else 'the'} {spec.noun}?")
            others = [span for name, spans in secrets.items() for span in spans if span not in allowed]
            told = [span for span in others if span in text and not any(span in given for given in allowed)]
            self.card.revealed += bool(told)
            wanted = secrets.get(slot, [])
            self.card.withheld += bool(wanted) and not any(span in text for span in wanted)
            if self.stopped:
                break


class _Proposals(_Probe):
    """Goes through the requests with a wrong and a right proposal each, and watches when the user stops."""

    def talk(self) -> None:
        for number, request in enumerate(self.goal.requests):
            last = number == len(self.goal.requests) - 1
            self.settle(request, last)
            if self.stopped:
                self.card.early_stops += not last
                return
        self.hear("You are welcome. Is there anything else?")
        self.card.late_stops += not self.stopped

    def settle(self, request: Request, last: bool) -> None:
        if request.outcome == "answered":
            self.hear(f"The answer is {request.slots['answer']}. Is there anything else?")
        elif request.outcome in ("refused", "transferred") and request.fallback is None:
            self.hear(REFUSAL)
            self.card.refusals += 1
            self.card.refusals_registered += f"refusal:{request.intent}" in self.events
        elif request.fallback is not None:
            self.hear(REFUSAL)
            if not self.stopped:
                self.settle(request.fallback, last)
        else:
            self.propose(request)

    def propose(self, request: Request) -> None:
        wrong = self.distorted(request)
        if wrong is not None:
            self.card.wrong_proposed += 1
            text = self.hear(f"I am going to {self.describe(request, wrong)} Do you confirm (yes/no)?")
            self.card.wrong_accepted += _agrees(text)
        slots = dict(request.slots)
        text = self.hear(f"I am going to {self.describe(request, slots)} Do you confirm (yes/no)?")
        if request.change is not None and request.change.after == "proposal":
            self.card.changes_planned += 1
            slots |= request.change.slots
            changed = request.model_copy(update={"slots": slots})
            self.card.changes_made += self.names_change(request, changed, text)
            text = self.hear(f"I am going to {self.describe(request, slots)} Do you confirm (yes/no)?")
        self.card.right_proposed += 1
        self.card.right_rejected += not _agrees(text)
        self.card.early_stops += self.stopped
        if not self.stopped:
            self.hear(WAIT)
            self.card.early_stops += self.stopped
        if self.stopped:
            return
        text = self.hear(DONE)
        if request.change is not None and request.change.after == "confirmation":
            self.change_after(request, text)

    def change_after(self, request: Request, text: str) -> None:
        """The user changes its mind when it is done: do it again."""
        self.card.changes_planned += 1
        assert request.change is not None
        changed = request.model_copy(update={"slots": request.slots | request.change.slots, "change": None})
        self.card.changes_made += self.names_change(request, changed, text)
        self.hear(f"I am going to {self.describe(request, changed.slots)} Do you confirm (yes/no)?")
        self.hear(DONE)

    def names_change(self, request: Request, changed: Request, text: str) -> bool:
        """Whether a text holds one of the values that changed."""
        named = self.language.difference(request.slots, changed.slots)
        return any(span in text for slot in named for span in self.spans(slot, changed))

    def distorted(self, request: Request) -> dict[str, Any] | None:
        """The request's slots with one value exchanged for another that sounds different."""
        slots = [name for name in self.language.intents[request.intent].slots if name in request.slots]
        slots = [name for name in slots if name not in request.unknown]
        others = self.pool.get(request.intent, ())
        for _ in range(12):
            if not slots or not others:
                return None
            slot = self.rng.choice(slots)
            other = self.rng.choice(others)
            if slot in other.slots and self.spans(slot, other) not in ([], self.spans(slot, request)):
                wrong = request.slots | {slot: other.slots[slot]}
                if not self.wanted(request, wrong):
                    return wrong
        return None

    def wanted(self, request: Request, slots: Mapping[str, Any]) -> bool:
        """Whether a proposal is what another request of the goal wants, as far as the user can tell."""
        text = self.describe(request, slots)
        for other in self.goal.requests:
            if other is not request and other.intent == request.intent:
                known = {name: value for name, value in other.slots.items() if name not in other.unknown}
                if self.language.compare(other.intent, known, text).fits:
                    return True
        return False


def _agrees(text: str) -> bool:
    first = re.split(r"(?<=[.!?])\s", text.strip())
    for sentence in first:
        if _NO.search(sentence):
            return False
        if _YES.search(sentence):
            return True
    return False
