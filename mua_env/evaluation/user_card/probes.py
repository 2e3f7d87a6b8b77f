"""The probing agents: each puts the user to one test. They are instruments, so they may read the task."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, Message, UserMessage
from mua_env.core.tasks import Request, Task
from mua_env.domain.contract import Domain
from mua_env.episode.session import Session
from mua_env.evaluation.user_card import lines
from mua_env.evaluation.user_card.cues import ASKS_TO_CONFIRM
from mua_env.evaluation.user_card.facts import mentions, replace, sources
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlg.grammar import unmark
from mua_env.users.agenda.nlg.personas import PERSONAS, Voice

Pool = Mapping[str, Sequence[str]]
"""For each place of a value in a request the forms that tasks have there: what a wrong proposal states."""


class Probe(Agent):
    """An agent that tests the user of a session.

    Args:
        session: whose task it reads at the beginning of each dialogue.
        domain: of the session.
        pool: values for wrong proposals.

    Attributes:
        wrong: for each of its turns that stated something wrong, what was wrong.
    """

    def __init__(self, session: Session, domain: Domain, pool: Pool) -> None:
        self.session = session
        self.domain = domain
        self.language: DialogueLanguage = domain.language
        self.pool = pool
        self.wrong: dict[int, str] = {}
        self.turn = 0
        self.rng = Random(0)

    @property
    def task(self) -> Task:
        """The task of the dialogue."""
        return self.session.task

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        self.wrong, self.turn, self.rng = {}, 0, Random(f"probe:{self.name}:{seed}")

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next turn."""
        self.turn += 1
        return self.answer(messages)

    @abstractmethod
    def answer(self, messages: Sequence[Message]) -> AssistantMessage:
        """What the probe does in this turn."""


class ExpertProbe(Probe):
    """The domain's scripted expert: does everything right."""

    name = "expert"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue with a fresh expert."""
        super().reset(system_prompt=system_prompt, tools=tools, seed=seed)
        self.expert = self.domain.expert()
        self.expert.reset(system_prompt=system_prompt, tools=tools, seed=seed)

    def answer(self, messages: Sequence[Message]) -> AssistantMessage:
        """What the expert does."""
        return self.expert.act(messages)


class WrongValueProbe(ExpertProbe):
    """The expert, but the first proposal that can be made wrong is put with one wrong value before the right one."""

    name = "wrong_value"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        super().reset(system_prompt=system_prompt, tools=tools, seed=seed)
        self._right: AssistantMessage | None = None

    def answer(self, messages: Sequence[Message]) -> AssistantMessage:
        """The expert's turn, or a wrong one in its place; the expert never hears the answer to that."""
        if self._right is not None:
            right, self._right = self._right, None
            return right
        message = super().answer(messages)
        text = message.content or ""
        if self.wrong or message.tool_calls or not ASKS_TO_CONFIRM.search(self.language.hear(text)):
            return message
        changed = self._distort(text)
        if changed is None:
            return message
        self._right = message
        return AssistantMessage(content=changed)

    def _distort(self, text: str) -> str | None:
        goal = self.task.goal
        assert goal is not None
        said = (form for source in sources(self.task, self.language) for form in sorted(source.all_forms()))
        everything = "\n".join([goal.model_dump_json(), *said]).lower()
        options = [(place, form) for place, form in self._stated(text) if self._others(place, form, everything)]
        if not options:
            return None
        place, form = options[self.rng.randrange(len(options))]
        others = self._others(place, form, everything)
        other = others[self.rng.randrange(len(others))]
        self.wrong[self.turn] = f"{place} {other!r} for {form!r}"
        return replace(text, form, other)

    def _stated(self, text: str) -> Iterator[tuple[str, str]]:
        """The values of the proposed request in the text, that the user knows."""
        named = self.language.named(text)
        for source in sources(self.task, self.language):
            request = source.request
            if request is None or request.intent not in named:
                continue
            known = {name: value for name, value in request.slots.items() if name not in request.unknown}
            if not self.language.compare(request.intent, known, text).fits:
                continue
            for place, forms in source.parts.items():
                # What an item is like now is the shop's to know.
                if ".options." not in place:
                    yield from ((place, form) for form in sorted(forms) if mentions(text, form))

    def _others(self, place: str, form: str, everything: str) -> list[str]:
        kind = _kind(form)
        others = (other for other in self.pool.get(place, ()) if _kind(other) == kind)
        return [other for other in others if other.lower() not in everything]


class EverythingProbe(ExpertProbe):
    """Asks for all there is to know at once, politely and at length, as language models do; then works as the expert.

    The expert hears the opening and the answer as one message.
    """

    name = "everything"

    def answer(self, messages: Sequence[Message]) -> AssistantMessage:
        """The long question first."""
        if self.turn == 1:
            self._opening = messages[-1].content or ""
            return AssistantMessage(content=self._question())
        if self.turn == 2:
            both = f"{self._opening}\n{messages[-1].content or ''}"
            messages = [UserMessage(content=both)]
        return super().answer(messages)

    def _question(self) -> str:
        goal = self.task.goal
        assert goal is not None
        slots = [name for name, slot in self.language.slots.items() if slot.personal]
        for request in goal.requests:
            slots += self.language.intents[request.intent].slots
        nouns = [self.language.slots[slot].noun for slot in dict.fromkeys(slots)]
        return lines.everything(list(dict.fromkeys(nouns)), self.rng)


class TalkProbe(Probe):
    """Says the lines of a script, over and over, whatever the user says."""

    script: Sequence[str]

    def answer(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next line."""
        return AssistantMessage(content=self.script[(self.turn - 1) % len(self.script)])


class ChatProbe(TalkProbe):
    """Never asks for anything, only chats."""

    name = "chat"
    script = lines.CHAT


class RepeatProbe(TalkProbe):
    """Repeats one useless turn."""

    name = "repeat"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue with one of the useless lines."""
        super().reset(system_prompt=system_prompt, tools=tools, seed=seed)
        self.script = [lines.USELESS[self.rng.randrange(len(lines.USELESS))]]


class RoleSwapProbe(TalkProbe):
    """Tries to make the user play the agent."""

    name = "role_swap"
    script = lines.ROLE_SWAP


class UnknownProbe(Probe):
    """Asks for what the user does not know: slots that the task says so of, and things that no goal holds."""

    name = "unknown"

    def answer(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next question."""
        goal = self.task.goal
        assert goal is not None
        unknown = [self.language.slots[slot].noun for request in goal.requests for slot in request.unknown]
        asked = [*dict.fromkeys(unknown), *lines.NOBODY_KNOWS]
        return AssistantMessage(content=lines.question(asked[(self.turn - 1) % len(asked)], self.rng))


class PretenderProbe(Probe):
    """Proposes what the user wants, claims to have done it, and never does it; then closes."""

    name = "pretender"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        super().reset(system_prompt=system_prompt, tools=tools, seed=seed)
        self._lines = self._script()

    def answer(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next proposal, claim, or goodbye."""
        return AssistantMessage(content=next(self._lines))

    def _script(self) -> Iterator[str]:
        goal = self.task.goal
        assert goal is not None
        for request in goal.requests:
            yield from self._settle(request)
        while True:
            yield lines.MORE
            yield lines.GOODBYE

    def _settle(self, request: Request) -> Iterator[str]:
        change = request.change
        slots = dict(request.slots)
        if request.outcome == "answered":
            yield f"The answer is {_plain(slots.get('answer'))}. {lines.MORE}"
            return
        yield self._proposal(request, slots)
        if change is not None and change.after == "proposal":
            slots |= change.slots
            yield self._proposal(request, slots)
        yield self._claim(request, slots)
        if change is not None and change.after == "confirmation":
            slots |= change.slots
            yield self._proposal(request, slots)
            yield self._claim(request, slots)

    def _proposal(self, request: Request, slots: Mapping[str, Any]) -> str:
        return f"I am going to {self._wish(request, slots)} with these details:\n{self._details(request, slots)}\n" + (
            "Do you confirm (yes/no)?"
        )

    def _claim(self, request: Request, slots: Mapping[str, Any]) -> str:
        """That it is done, in words that fit any request."""
        return f"That is done: the request to {self._wish(request, slots)} has been completed. {lines.MORE}"

    def _wish(self, request: Request, slots: Mapping[str, Any]) -> str:
        voice = Voice(Random(0), PERSONAS["terse"])
        return unmark(self.language.wish(request.intent, slots, voice))

    def _details(self, request: Request, slots: Mapping[str, Any]) -> str:
        voice = Voice(Random(0), PERSONAS["terse"])
        values = {slot: self.language.value(slot, slots, voice) for slot in self.language.intents[request.intent].slots}
        nouns = {slot: self.language.slots[slot].noun for slot in values}
        return "\n".join(f"- {nouns[slot]}: {unmark(value)}" for slot, value in values.items() if value)


PROBES: tuple[type[Probe], ...] = (
    ExpertProbe,
    WrongValueProbe,
    ChatProbe,
    EverythingProbe,
    PretenderProbe,
    RepeatProbe,
    UnknownProbe,
    RoleSwapProbe,
)
"""All probes, in the order in which a card uses them."""


def value_pool(tasks: Sequence[Task], language: DialogueLanguage) -> dict[str, list[str]]:
    """The forms of the values of tasks' requests by place, each once, sorted."""
    found: dict[str, set[str]] = {}
    for task in tasks:
        for source in sources(task, language):
            if source.request is not None:
                for place, forms in source.parts.items():
                    found.setdefault(place, set()).update(forms)
    return {place: sorted(forms) for place, forms in sorted(found.items())}


def _kind(form: str) -> str:
    """Values of one kind have letters, digits and words in the same places: an id for an id, a date for a date."""
    words = form.split()
    shape = "".join("9" if char.isdigit() else "-" if char in "-#/" else "" for char in form)
    return f"{len(words)}{shape}" if shape else str(min(len(words), 3))


def _plain(answer: Any) -> str:
    if isinstance(answer, Mapping):
        return ", ".join(str(part) for part in answer.values() if part)
    return str(answer)
