"""Rows of ``id``, ``source``, ``messages`` and ``tools`` as tasks: the layout of MUA-RL's release.

Calls may stand in ``tool_calls``, in ``function_call``, or in the text as Hermes and Qwen write them; results in
messages of the role ``tool``, or in a user's between ``<tool_response>`` and ``</tool_response>``. ``messages`` and
``tools`` may be JSON texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mua_env.core.json_reader import read_object
from mua_env.core.tasks import Action, Task, UserTurn
from mua_env.domain.public.row_files import Row
from mua_env.errors import TaskError
from mua_env.inference.text_calls import TEXT_DIALECTS

_STOP = re.compile(r"###[A-Z-]+###")
_RESULT = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)


@dataclass
class _Turn:
    text: str
    actions: list[Action] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@dataclass
class _Dialogue:
    """A dialogue while its messages are read."""

    policy: str = ""
    turns: list[_Turn] = field(default_factory=list)
    calls: list[Action] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    def take(self, message: Mapping[str, Any]) -> None:
        """Read one message.

        Raises:
            TaskError: it is of no known role.
        """
        role, text = message.get("role"), _text(message.get("content"))
        if role == "system":
            self.policy = text
        elif role in ("tool", "function", "observation"):
            self.results.append(text)
        elif role == "user":
            found = _RESULT.findall(text)
            self.results += found
            if (said := _RESULT.sub("", text).strip()) or not found:
                self._say(said)
        elif role == "assistant":
            self._answer(message, text)
        else:
            raise TaskError(f"a message of the role {role!r}")

    def _say(self, text: str) -> None:
        text, stops = _STOP.subn("", text)
        if stops and not (text := text.strip()):  # the users of tau-bench end a dialogue so; here it ends by itself
            return
        # Two messages of the user's in a row are one turn: the agent had no word in between.
        last = self.turns[-1] if self.turns else None
        if last is not None and not (last.actions or last.said):
            last.text += f"\n{text}"
        else:
            self.turns.append(_Turn(text))

    def _answer(self, message: Mapping[str, Any], text: str) -> None:
        written = TEXT_DIALECTS["hermes"].parse(text)
        calls = list(_calls(message)) or [_action(call.function.model_dump()) for call in written.tool_calls]
        if not self.turns:  # a greeting: dialogues begin with the user here
            if calls:
                raise TaskError("the agent calls a tool before the user has said a word")
            return
        self.calls += calls
        self.turns[-1].actions += calls
        if written.content and written.content.strip():
            self.turns[-1].said.append(written.content.strip())


def read_dialogue(row: Row) -> Task:
    """The task of a row.

    Raises:
        TaskError: it cannot be one; the text says why.
    """
    if row.value is None:
        raise TaskError(row.fault)
    messages, tools = (_opened(row.value[name], name) for name in ("messages", "tools"))
    schemas = [_schema(tool) for tool in tools]
    read = _Dialogue()
    for message in messages:
        if not isinstance(message, Mapping):
            raise TaskError("a message that is no object")
        read.take(message)
    if not read.turns:
        raise TaskError("no word of a user")
    names = {schema["function"]["name"] for schema in schemas}
    if strange := [call.name for call in read.calls if call.name not in names]:
        raise TaskError(f"a call of {strange[0]!r}, which is not among its tools")
    # A call at the very end, as that of a transfer, has no result.
    results = [*read.results, *[""] * (len(read.calls) - len(read.results))]
    if len(results) > len(read.calls):
        raise TaskError(f"{len(results)} results of {len(read.calls)} calls")
    return Task(
        id=str(row.value.get("id", row.where)),
        domain="dialogues",
        policy=read.policy,
        actions=tuple(read.calls),
        script=tuple(UserTurn(text=turn.text, actions=tuple(turn.actions)) for turn in read.turns),
        scene={
            "tools": schemas,
            "results": results,
            "said": [turn.said for turn in read.turns],
            "source": str(row.value.get("source", "")),
        },
        split=str(row.value.get("source", "")),
    )


def _opened(value: Any, name: str) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise TaskError(f"{name} is no JSON ({error})") from None
    if not isinstance(value, list):
        raise TaskError(f"{name} is no list")
    return value


def _text(content: Any) -> str:
    if isinstance(content, list):  # parts, as some servers take them
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return "" if content is None else str(content)


def _schema(tool: Any) -> dict[str, Any]:
    tool = read_object(tool) if isinstance(tool, str) else tool
    function = tool.get("function", tool) if isinstance(tool, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise TaskError("a tool that is no function schema")
    parameters = function.get("parameters")
    opened = read_object(parameters) if isinstance(parameters, str) else parameters
    whole = {"type": "object", "properties": {}, **(opened if isinstance(opened, Mapping) else {})}
    return {"type": "function", "function": {"description": "", **function, "parameters": whole}}


def _calls(message: Mapping[str, Any]) -> Iterator[Action]:
    for call in message.get("tool_calls") or ():
        yield _action(call.get("function", call) if isinstance(call, Mapping) else call)
    if message.get("function_call"):
        yield _action(message["function_call"])


def _action(function: Any) -> Action:
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise TaskError("a call without a name")
    arguments = function.get("arguments") or {}
    values = read_object(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(values, Mapping):
        raise TaskError(f"a call of {function['name']!r} whose arguments are no JSON object")
    return Action(name=function["name"], arguments=dict(values))
