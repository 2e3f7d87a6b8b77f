"""An expert that knows gold by heart, for tasks whose user always says the same words.

It is told no task: it recognises one by the words that it hears. It is there for cold starts, and for trying an
environment out; what it scores says nothing about skill.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from mua_env.core.agent import Agent, Slips
from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall, UserMessage
from mua_env.core.tasks import Action, Task
from mua_env.errors import ConfigError

DONE = "Done."


@dataclass(frozen=True)
class Part:
    """What there is to know of one task, turn by turn of the user's.

    Attributes:
        heard: the user's lines, or the first of them.
        calls: made after each, one a turn of the agent.
        said: the text after the calls.
        last: said after every line that comes later.
    """

    heard: tuple[str, ...]
    calls: tuple[tuple[Action, ...], ...]
    said: tuple[str, ...]
    last: str = DONE


class ByHeart(Agent):
    """Plays a task's gold calls after the user's lines.

    Where several tasks begin with the same lines it goes for one whose calls are all among its tools, of these for the
    one with most calls.

    Args:
        parts: gives what is known, when the first dialogue begins.
        slips: has to be 0: it knows no other way.

    Raises:
        ConfigError: slips were asked for.
    """

    name = "expert"

    def __init__(self, parts: Callable[[], Iterable[Part]], *, slips: Slips = 0.0) -> None:
        if slips:
            raise ConfigError("the expert of these tasks plays gold as it is; it makes no slips")
        self._parts = parts
        self._known: Sequence[Part] = ()
        self.reset(system_prompt="", tools=[], seed=0)

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        """Begin a dialogue."""
        self._lines: tuple[str, ...] = ()
        self._queue: list[Action] = []
        self._text = DONE
        self._turn = 0
        self.equip(tools)

    def equip(self, tools: list[dict[str, Any]]) -> None:
        """Take note of the tools."""
        self._tools = {tool["function"]["name"] for tool in tools}

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next gold call, or the text after them."""
        self._turn += 1
        if isinstance(messages[-1], UserMessage):
            self._listen(messages[-1].content)
        if not self._queue:
            return AssistantMessage(content=self._text)
        action = self._queue.pop(0)
        call = FunctionCall(name=action.name, arguments=json.dumps(action.arguments, ensure_ascii=False))
        return AssistantMessage(tool_calls=(ToolCall(id=f"call_{self._turn}", function=call),))

    def _listen(self, text: str) -> None:
        self._known = self._known or list(self._parts())
        self._lines = (*self._lines, text)
        number = len(self._lines) - 1
        fitting = [part for part in self._known if part.heard[: number + 1] == self._lines[: len(part.heard)]]
        part = max(fitting, key=lambda part: self._worth(part, number), default=None)
        if part is None or number >= len(part.calls):
            self._queue, self._text = [], DONE if part is None else part.last
        else:
            self._queue, self._text = list(part.calls[number]), part.said[number]

    def _worth(self, part: Part, number: int) -> tuple[bool, int]:
        calls = part.calls[number] if number < len(part.calls) else ()
        return {call.name for call in calls} <= self._tools, len(calls)

    def fork(self) -> Self:
        """Another at the same place."""
        twin = type(self)(self._parts)
        twin._known, twin._lines, twin._queue = self._known, self._lines, list(self._queue)
        twin._text, twin._turn, twin._tools = self._text, self._turn, self._tools
        return twin


def part_of_script(task: Task, said: Sequence[str] = ()) -> Part:
    """What is known of a task with a script.

    Args:
        task: the task.
        said: the text after each turn's calls (default: always the same word).
    """
    texts = [*said, *[DONE] * (len(task.script) - len(said))]
    return Part(
        heard=tuple(turn.text for turn in task.script),
        calls=tuple(turn.actions for turn in task.script),
        said=tuple(text or DONE for text in texts),
    )
