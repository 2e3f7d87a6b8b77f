"""What carries out requests at a desk: a handler for each kind, and the loop that all changes go through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Any, Generic, TypeVar

from mua_env.agents.scripted.desk import Desk, Refusal, Switch
from mua_env.agents.scripted.expert import Asked, Heard, Step, ToolFailed, change, transfer

_D = TypeVar("_D", bound=Desk)
Part = Generator[Step, Heard, None]
"""A part of a script that returns nothing."""


class Handler(ABC, Generic[_D]):
    """Carries out one request at a desk.

    What it raises ends it: the desk says a :class:`~mua_env.agents.scripted.desk.Refusal`, takes the text of a
    :class:`~mua_env.agents.scripted.desk.Declined`, and follows a :class:`~mua_env.agents.scripted.desk.Switch`.
    """

    def __init__(self, desk: _D, intent: str) -> None:
        self.desk = desk
        self.intent = intent

    @abstractmethod
    def run(self, text: str) -> Asked:
        """The request from the user's wish to the user's next message."""

    def ask(self, act: str, **values: str) -> Asked:
        """Ask for something; a new request in the answer is followed at once."""
        text = yield from self.desk.say(act, **values)
        self.notice_switch(text)
        return text

    def notice_switch(self, text: str) -> None:
        """Follow the user to another request.

        Raises:
            Switch: the text states an intent other than this one.
        """
        intent = self.desk.intent(text)
        if intent is not None and intent != self.intent:
            raise Switch(intent, text)


class Change(Handler[_D]):
    """A request that changes something once the user agrees: collect, then check and propose until there is a yes.

    It says the acts ``propose`` (with ``action``) and ``done`` (with ``claim``).

    Attributes:
        tool: that makes the change.
        claim: that it is made; ``{id}`` stands for :attr:`subject`.
    """

    tool = ""
    claim = ""

    def run(self, text: str) -> Asked:
        """The request from the user's wish to the user's next message."""
        yield from self.collect(text)
        while True:
            yield from self.check()
            answer = yield from self.desk.say("propose", action=self.action())
            if self.desk.agrees(answer):
                break
            self.notice_switch(answer)
            yield from self.amend(answer)
        yield from self.carry_out()
        return (yield from self.desk.say("done", claim=self.claim.format(id=self.subject)))

    @property
    @abstractmethod
    def subject(self) -> str:
        """Id of the record that is changed; empty where there is none."""

    @abstractmethod
    def collect(self, text: str) -> Part:
        """Ask for what is needed, and look it up."""

    def check(self) -> Part:
        """Look up what the proposal needs, and refuse what is not allowed (default: nothing).

        Raises:
            Refusal: with the reason.
        """
        yield from ()

    @abstractmethod
    def action(self) -> str:
        """What is going to be done, in words."""

    @abstractmethod
    def amend(self, text: str) -> Part:
        """Take over what the user corrects."""

    @abstractmethod
    def arguments(self) -> dict[str, Any]:
        """Arguments of the tool call."""

    def carry_out(self) -> Part:
        """Do it.

        Raises:
            Refusal: the tool does not let it happen.
        """
        try:
            record = yield from change(self.tool, **self.arguments())
        except ToolFailed as failure:
            text = str(failure).removeprefix("Error: ").rstrip(".")
            raise Refusal(f"the system does not allow it: {text}") from None
        if isinstance(record, dict):
            self.desk.take_over(record)


class Human(Handler[Desk]):
    """Hands over to a human agent."""

    def run(self, text: str) -> Asked:
        """Ends the dialogue."""
        yield from transfer("The user asks for a human agent.")
        return (yield from self.desk.say("bye"))
