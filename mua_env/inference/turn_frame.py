"""What a chat template puts around the agent's turns: their header, their beginning, their end.

All of it is found by rendering dummy dialogues, because nothing else says it for all families.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mua_env.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, dump
from mua_env.inference.chat_formats.dialect import Dialect
from mua_env.inference.chat_formats.families import ASKED, PROBE_CALL, PROBE_TOOL, shared_length
from mua_env.inference.chat_rendering import Rendering, stands_in

MARK = "A dummy turn."
RESULT = ToolMessage(tool_call_id="probe0000", name="probe_tool", content='{"found": "a \\"result\\""}')
REPLY = UserMessage(content="What the user replies.")
_SPEECH = AssistantMessage(content=MARK)


@dataclass(frozen=True)
class Frame:
    """The surroundings of a turn, by what the turn answers: ``"user"`` or ``"tool"``.

    Attributes:
        headers: what the template ends with where a turn is asked for.
        leads: what a turn without thoughts begins with, as an open thought's end; also by whether it is calls alone.
        speech_end: the token that ends a turn of words.
        call_end: the token that ends a turn with calls.
        named: whether results are only rendered after the calls that they belong to.
    """

    headers: Mapping[str, str]
    leads: Mapping[tuple[str, bool], str]
    speech_end: str
    call_end: str
    named: bool


class Learner:
    """Finds the frame of a template.

    Args:
        rendering: of the template.
        dialect: of its family.
        eos: the tokenizer's ``eos_token``.
        tools: whether there will be tools.
    """

    def __init__(self, rendering: Rendering, dialect: Dialect, *, eos: str, tools: bool) -> None:
        self._render, self._dialect, self._tools = rendering, dialect, tools
        self.ends = tuple(dict.fromkeys((*dialect.stops, *dialect.closers, eos)))
        self._eos = eos
        self._named = False

    def learn(self) -> Frame:
        """The frame.

        Raises:
            ConfigError: the template ends no turn, or does not show a tool's result.
        """
        self._named = self._tools and self._results_need_calls()
        kinds = ("user", "tool") if self._tools else ("user",)
        headers = {kind: self._header(kind) for kind in kinds}
        leads = {(kind, call): self._lead(kind, headers[kind], call) for kind in kinds for call in (False, self._tools)}
        speech, call = self._end_of_speech(), self._end_of_call()
        return Frame(headers, leads, speech, call or speech, self._named)

    def _results_need_calls(self) -> bool:
        for named in (False, True):
            try:
                text = self._render.attempt([*before_results([RESULT], named), dump(RESULT)], None, True)
            except Exception as error:  # whatever templates raise
                problem = f"{type(error).__name__}: {str(error)[:200]}"
                continue
            if stands_in(RESULT.content, text):
                return named
            problem = "it is left out"
        raise self._render.refusal(f"the result of a tool does not stand in its text ({problem})")

    def _header(self, kind: str) -> str:
        answered: Message = RESULT if kind == "tool" else REPLY
        messages = [*before_results([answered], self._named), dump(answered)]
        with_it, without = self._render(messages, None, True), self._render(messages, None, False)
        return with_it[shared_length(with_it, without) :]

    def _lead(self, kind: str, header: str, call: bool) -> str:
        """What stands before a turn without thoughts in a history; an open thought must be closed by it."""
        opened = self._dialect.leaves_thought_open(header)
        for text, prompt in self._with_turn(kind, call, last=opened):
            shared = shared_length(text, prompt)
            written = self._dialect.render(PROBE_CALL if call else _SPEECH, [PROBE_TOOL])
            lead = text[shared : max(shared, text.find(written, shared))]
            blank = not lead.replace(self._dialect.tags.begin, "").replace(self._dialect.tags.end, "").strip()
            if blank and (not opened or self._dialect.tags.end in lead):
                return lead
        return self._dialect.tags.end + "\n\n" if opened else ""

    def _with_turn(self, kind: str, call: bool, *, last: bool) -> Iterator[tuple[str, str]]:
        """Dialogues with a dummy turn after what it answers, and their beginnings up to it."""
        before = [ASKED, as_rendered(PROBE_CALL), dump(RESULT)] if kind == "tool" else [ASKED]
        turn = [as_rendered(PROBE_CALL)] if call else [dump(_SPEECH)]
        after = [*([dump(RESULT), dump(_SPEECH)] if call else []), ASKED]
        for messages in ([*before, *turn], [*before, *turn, *after]) if last else ([*before, *turn, *after],):
            try:
                yield self._render.attempt(messages, None), self._render.attempt(before, None, True)
            except Exception:  # as above
                continue

    def _end_of_speech(self) -> str:
        """What ends the last turn, which is what the model itself ends it with; else what ends it in a history."""
        for messages in ([ASKED, dump(_SPEECH)], [ASKED, dump(_SPEECH), dump(REPLY)]):
            text = self._render(messages)
            found = first_end(text, text.index(MARK) if MARK in text else len(text), self.ends)
            if found and found[1] not in self._dialect.closers:
                return found[1]
        raise self._render.refusal(f"it does not end a turn with {self._eos!r}, the tokenizer's eos_token")

    def _end_of_call(self) -> str | None:
        if not self._tools or not self._dialect.in_template:
            return None
        written = self._dialect.render(PROBE_CALL, [PROBE_TOOL])
        try:
            text = self._render.attempt([ASKED, as_rendered(PROBE_CALL), dump(RESULT)])
        except Exception:  # as above
            return None
        found = first_end(text, text.find(written) + len(written) if written in text else len(text), self.ends)
        return found[1] if found else None


def before_results(messages: Sequence[Message], named: bool) -> list[dict[str, Any]]:
    """A dummy dialogue that the messages may follow. The agent's turn holds `MARK`."""
    results = [message for message in messages if isinstance(message, ToolMessage)]
    if not (named and results):
        return [ASKED, dump(_SPEECH)]
    calls = [
        {
            "id": result.tool_call_id,
            "type": "function",
            "function": {"name": result.name, "arguments": {"dummy": MARK}},
        }
        for result in results
    ]
    return [ASKED, {"role": "assistant", "content": "", "tool_calls": calls}]


def as_rendered(message: AssistantMessage) -> dict[str, Any]:
    """A message with calls as templates want it: their arguments as objects."""
    data = dump(message)
    data["content"] = message.content or ""
    for call in data.get("tool_calls", ()):
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return data


def first_end(text: str, start: int, ends: Sequence[str]) -> tuple[int, str] | None:
    """The first token that ends a turn, from ``start`` on."""
    found = [(place, end) for end in ends if (place := text.find(end, start)) >= 0]
    return min(found) if found else None
