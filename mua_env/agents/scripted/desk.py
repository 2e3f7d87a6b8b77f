"""A desk for scripted experts: serve one request after the other, and follow the user from one to another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from mua_env.agents.scripted.expert import Asked, Say, Script, ScriptedExpert, say

_TRIES = 4


class Switch(Exception):
    """The user turned to another request."""

    def __init__(self, intent: str, text: str) -> None:
        super().__init__(intent)
        self.intent = intent
        self.text = text


class Refusal(Exception):
    """The policy document, or a tool, forbids the request; the text is the reason."""


class Declined(Exception):
    """The user took a refusal as an answer; the text is what it said."""


class Serving(Protocol):
    """What carries out one request; see :class:`~mua_env.agents.scripted.handlers.Handler`."""

    def run(self, text: str) -> Asked:
        """The request from the user's wish to the user's next message."""


Handlers = Mapping[str, Callable[[Any, str], Serving]]
"""What carries out a request, by intent: made of the desk and the intent. The expert hands its table to the desk."""


class Desk(ABC):
    """What an expert knows in one dialogue, and how it speaks.

    Args:
        expert: whose dialogue it is.
        handlers: what carries out requests.

    Attributes:
        late_after: turns after which :attr:`late` holds.
    """

    late_after: ClassVar[int]

    def __init__(self, expert: ScriptedExpert, handlers: Handlers) -> None:
        self._expert = expert
        self._handlers = handlers

    @property
    def compact(self) -> bool:
        """Whether the phrasing is short and regular."""
        return self._expert.compact

    @property
    def late(self) -> bool:
        """Whether so many turns have passed that everything is asked for at once (episodes end at 30)."""
        return self._expert.turns >= self.late_after

    @abstractmethod
    def phrase(self, act: str, **values: str) -> str:
        """A phrasing in the expert's style; it must know ``help``, ``bye`` and ``refuse`` (with ``reason``)."""

    @abstractmethod
    def intent(self, text: str) -> str | None:
        """The intent that a text of the user states."""

    @abstractmethod
    def agrees(self, text: str) -> bool:
        """Whether the user says yes to a proposal."""

    def handler(self, intent: str) -> Serving:
        """What carries out a request of an intent."""
        return self._handlers[intent](self, intent)

    @abstractmethod
    def take_over(self, record: dict[str, Any]) -> None:
        """Keep what a tool that made a change returned; it is empty where the expert slips."""

    def say(self, act: str, **values: str) -> Asked:
        """Say something; returns the user's answer."""
        return (yield from say(self.phrase(act, **values)))

    def attend(self, intent: str | None, text: str) -> Script:
        """Serve requests until the user has none; asks for one where no intent is known."""
        while True:
            for _ in range(_TRIES):
                if intent is not None:
                    break
                text = yield from self.say("help")
                intent = self.intent(text)
            if intent is None:
                yield Say(self.phrase("bye"))
                return
            text = yield from self.handle(intent, text)
            intent = self.intent(text)

    def handle(self, intent: str, text: str) -> Asked:
        """Carry out one request, whatever it turns into; returns the user's last text."""
        while True:
            try:
                return (yield from self.handler(intent).run(text))
            except Switch as switch:
                intent, text = switch.intent, switch.text
            except Refusal as refusal:
                return (yield from self.say("refuse", reason=str(refusal)))
            except Declined as declined:
                return str(declined)
