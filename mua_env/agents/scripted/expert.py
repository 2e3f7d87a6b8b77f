"""The skeleton of scripted experts: a dialogue written down as a generator.

A domain's expert is a subclass with a ``script``: it yields :class:`Say` or :class:`Call` and is sent what came back
(the user's text, or the tools' results). It sees what any agent sees, never the task.
"""

from __future__ import annotations

import copy
import json
from abc import abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from mua_env.core.agent import Agent, Slips
from mua_env.core.json_reader import read_object
from mua_env.core.limits import LONGEST_ARGUMENTS
from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall, UserMessage
from mua_env.core.outside import heard as as_heard
from mua_env.errors import ConfigError, EpisodeError, did_you_mean

STYLES = ("plain", "compact")
TRANSFERRED = "You are being transferred to a human agent."


@dataclass(frozen=True, slots=True)
class Say:
    """A message to the user."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call; ``changes`` marks what the user has asked for and agreed to, as against looking things up."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    changes: bool = False


@dataclass(frozen=True, slots=True)
class Calls:
    """Several independent tool calls in one turn."""

    calls: tuple[Call, ...]


Step = Say | Call | Calls
Heard = tuple[str, ...]
"""What comes back: the user's text, or the result of each call."""
Script = Generator[Step, Heard, None]
Asked = Generator[Step, Heard, str]
"""A part of a script that returns the user's last text."""


class ToolFailed(Exception):
    """A tool answered with an error; the text is what it said. For use inside scripts."""


def check_slips(slips: Slips, known: Iterable[str]) -> None:
    """Refuse chances by tool that name a tool which there is not.

    Raises:
        ConfigError: with the nearest name.
    """
    names = list(known)
    for name in slips if isinstance(slips, Mapping) else ():
        if name not in names:
            raise ConfigError(f"slips names the tool {name!r}, which there is not.{did_you_mean(name, names)}")


class ScriptedExpert(Agent):
    """An agent that follows a script.

    Args:
        style: ``"plain"`` (varied by the seed) or ``"compact"`` (short and regular, for training small models).
        slips: chance that a change which the user agreed to is only claimed, not made, from 0 (never, the default) to
            1; or such a chance by the name of the tool that makes the change. An expert that slips shows what
            demonstrations by people or models are like: not all are right.

    Raises:
        ConfigError: there is no such style, or the chance is none.
    """

    name = "expert"

    def __init__(self, *, style: str = "plain", slips: Slips = 0.0) -> None:
        if style not in STYLES:
            raise ConfigError(f"style is {style!r}; use {' or '.join(map(repr, STYLES))}")
        for chance in slips.values() if isinstance(slips, Mapping) else (slips,):
            if not 0 <= chance <= 1:
                raise ConfigError(f"slips is {slips!r}; use chances from 0 to 1")
        self.style = style
        self.slips = slips
        self.rng = Random(0)
        self._slipping = Random(0)
        self.system_prompt = ""
        self.tools: list[dict[str, Any]] = []
        self._seed = 0
        self._script: Script | None = None
        self._inputs: list[Heard] = []
        self._calls = 0
        self._said_before: tuple[str, ...] = ()

    @property
    def compact(self) -> bool:
        """Whether the phrasing is short and regular."""
        return self.style == "compact"

    @property
    def turns(self) -> int:
        """How many turns the expert has taken."""
        return len(self._inputs)

    @abstractmethod
    def script(self, opening: str) -> Script:
        """The dialogue, given the user's opening message."""

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue.

        Raises:
            ConfigError: a chance of slips is given for a tool that there is not.
        """
        check_slips(self.slips, [tool["function"]["name"] for tool in tools])
        self.system_prompt, self.tools, self._seed = system_prompt, tools, seed
        self.rng = Random(f"expert:{seed}")
        self._slipping = Random(f"slips:{seed}")
        self._script, self._inputs, self._calls, self._said_before = None, [], 0, ()

    def states_wish(self, text: str) -> bool:
        """Whether a message of the user states a wish: an expert that takes over begins with the last that does.

        By default none does, and it begins with what the user says next.
        """
        return False

    def resume(self, history: Sequence[Message]) -> None:
        """Take over a dialogue.

        Where this script would have taken the very turns that were taken, it goes on from there. Else it begins anew,
        as if the user had opened with its last wish and all that it has said since.
        """
        if self._follows(history):
            return
        self.reset(system_prompt=self.system_prompt, tools=self.tools, seed=self._seed)
        told = [self.read(message) for message in history if isinstance(message, UserMessage)]
        wishes = [place for place, text in enumerate(told) if self.states_wish(text)]
        self._said_before = tuple(told[wishes[-1] :]) if wishes else tuple(told[-1:])

    def _follows(self, history: Sequence[Message]) -> bool:
        new: list[Message] = []
        for message in history:
            if not isinstance(message, AssistantMessage):
                new.append(message)
                continue
            if not new or _deed(self.act(new)) != _deed(message):
                return False
            new = []
        return not new

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next step of the script.

        Raises:
            EpisodeError: there is no message to answer.
        """
        if not messages:
            raise EpisodeError("the expert has no message to answer; pass the new messages of the last step")
        step = self._advance(self._heard(messages))
        if isinstance(step, Say):
            return AssistantMessage(content=step.text)
        calls = step.calls if isinstance(step, Calls) else (step,)
        return AssistantMessage(tool_calls=tuple(map(self._tool_call, calls)))

    def read(self, message: Message) -> str:
        """The text of a message as the script hears it."""
        text = message.content or ""
        return as_heard(text) if isinstance(message, UserMessage) else text

    def _heard(self, messages: Sequence[Message]) -> Heard:
        before, self._said_before = self._said_before, ()
        if not before:
            return tuple(self.read(message) for message in messages)
        # Results of a predecessor's calls are no answer to anything that this script has asked.
        told = [self.read(message) for message in messages if isinstance(message, UserMessage)]
        if told and self.states_wish(told[-1]):
            before = ()
        return ("\n".join([*before, *told]),)

    def _tool_call(self, call: Call) -> ToolCall:
        self._calls += 1
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        return ToolCall(id=f"call_{self._calls}", function=FunctionCall(name=call.name, arguments=arguments))

    def fork(self) -> Self:
        """An expert in the same state: the script is run again over the same input."""
        twin = copy.copy(self)
        twin.reset(system_prompt=self.system_prompt, tools=self.tools, seed=self._seed)
        for texts in self._inputs:
            twin._advance(texts)
        twin._calls, twin._said_before = self._calls, self._said_before
        return twin

    def _advance(self, heard: Heard) -> Step:
        self._inputs.append(heard)
        try:
            if self._script is None:
                self._script = self.script(heard[-1])
                step = next(self._script)
            else:
                step = self._script.send(heard)
            while self._slips(step):
                step = self._script.send(("{}",))
            return step
        except StopIteration:
            return Say("Goodbye.")

    def _slips(self, step: Step) -> bool:
        """Whether the expert goes on as if it had made this call."""
        if not isinstance(step, Call) or not step.changes:
            return False
        chance = self.slips.get(step.name, 0.0) if isinstance(self.slips, Mapping) else self.slips
        return self._slipping.random() < chance


def say(text: str) -> Asked:
    """Say something to the user from a script; returns the answer."""
    heard = yield Say(text)
    return heard[-1]


def call(name: str, /, **arguments: Any) -> Generator[Step, Heard, Any]:
    """Call a tool from a script; returns its result, parsed where it is JSON.

    Raises:
        ToolFailed: the tool answered with an error.
    """
    heard = yield Call(name, arguments)
    return result_of(heard[-1])


def change(name: str, /, **arguments: Any) -> Generator[Step, Heard, Any]:
    """`call` for what the user agreed to; the result is empty where the expert slips.

    Raises:
        ToolFailed: the tool answered with an error.
    """
    heard = yield Call(name, arguments, changes=True)
    return result_of(heard[-1])


def transfer(summary: str) -> Generator[Step, Heard, None]:
    """Hand over to a human agent, and say so where the tool does not end the dialogue."""
    yield from call("transfer_to_human_agents", summary=summary)
    yield Say(TRANSFERRED)


def call_all(*calls: Call) -> Generator[Step, Heard, list[Any]]:
    """Make several calls in one turn; returns their results.

    Raises:
        ToolFailed: one of the calls answered with an error.
    """
    if not calls:
        return []
    heard = yield Calls(calls)
    return [result_of(text) for text in heard[-len(calls) :]]


def _deed(message: AssistantMessage) -> tuple[str | None, list[tuple[str, Any]]]:
    """What a turn comes to, without the ids of its calls and the spaces in their arguments."""
    return message.content, [
        (call.function.name, read_object(call.function.arguments, longest=LONGEST_ARGUMENTS))
        for call in message.tool_calls
    ]


def result_of(result: str) -> Any:
    """A tool's result, parsed where it is JSON.

    Raises:
        ToolFailed: the tool answered with an error.
    """
    if result.startswith("Error"):
        raise ToolFailed(result)
    try:
        return json.loads(result)
    except json.JSONDecodeError:
        return result
