"""Answers of chat endpoints, in OpenAI's form and Anthropic's, made fit for LiteLLM, which fails where they stray.

What a model wrote badly (a call without a name, arguments that are a list) is the model's, and reaches the environment
as a malformed call. What stands around it (token counts, types, ids) is the server's, and no reason to lose the reply.
A body that holds no reply stays as it is: that is a failure of the server.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from mua_env.core.limits import DEEPEST_JSON

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_MESSAGE = ("reasoning_content", "reasoning", "refusal", "thinking_blocks", "provider_specific_fields")
"""What is taken over of a message beside its role, content and calls, each of the type that LiteLLM asks for."""
_TYPES: dict[str, type] = {"thinking_blocks": list, "provider_specific_fields": dict}


@dataclass
class Answer:
    """What an endpoint answered to the request in progress.

    Attributes:
        taken: whether the request was taken, as the status says and the body does not deny.
        aside: arguments that LiteLLM cannot read, by what stands for them in the body that it gets.
    """

    taken: bool = False
    aside: dict[str, str] = field(default_factory=dict)

    def arguments(self, text: str) -> str:
        """What a call's arguments were in the endpoint's own body."""
        return self.aside.get(text, text)


heard: ContextVar[Answer | None] = ContextVar("heard", default=None)
"""The answer to the request of this task; None for requests that are not ours, whose answers are left alone."""


def repaired(path: str, body: bytes, answer: Answer) -> bytes:
    """The body of a reply as LiteLLM reads it; the same bytes where it is none.

    Args:
        path: of the request, which tells the form.
        body: as it came.
        answer: to note what is set aside.
    """
    form = next((form for end, form in _FORMS.items() if path.endswith(end)), None)
    try:
        value = json.loads(body) if form is not None else None
    except (ValueError, RecursionError):
        return body
    if form is None or not isinstance(value, dict):
        return body
    if value.get("error") and not (value.get("choices") or value.get("content")):
        answer.taken = False  # gateways pass on a refusal with status 200
        return body
    try:
        return json.dumps(form(value, answer)).encode()
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        return body


def _anthropic(value: dict[str, Any], answer: Answer) -> dict[str, Any]:
    content = value["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    counts = value.get("usage")
    usage = counts if isinstance(counts, dict) else {}
    numbers = {name: number for name, number in usage.items() if _number(number)}
    known = {name: _count(usage.get(name)) for name in ("input_tokens", "output_tokens")}
    said = [_block(block) for block in blocks if isinstance(block, dict)]
    return {**value, "content": said, "usage": {**numbers, **known}}


def _block(block: dict[str, Any]) -> dict[str, Any]:
    kind = block.get("type")
    if kind == "text" and not isinstance(block.get("text"), str):
        raise ValueError("a block that is text and has none")
    if kind != "tool_use":
        return block
    id = block.get("id")
    return {
        **block,
        "id": id if isinstance(id, str) else "",
        "name": _text(block.get("name")),
        "input": block.get("input", {}),
    }


def _openai(value: dict[str, Any], answer: Answer) -> dict[str, Any]:
    choice = value["choices"][0]
    said = _message(choice["message"], answer)
    reason = choice.get("finish_reason")
    return {
        **{name: text for name, text in value.items() if isinstance(text, str)},
        "id": _text(value.get("id")) or "chatcmpl-none",
        "object": "chat.completion",
        "created": value["created"] if _whole(value.get("created")) else 0,
        "model": _text(value.get("model")),
        "choices": [{"index": 0, "message": said, "finish_reason": reason if isinstance(reason, str) else "stop"}],
        "usage": _usage(value.get("usage")),
    }


_FORMS = {"/chat/completions": _openai, "/messages": _anthropic}


def _message(message: dict[str, Any], answer: Answer) -> dict[str, Any]:
    kept = {
        name: message[name] for name in _MESSAGE if name in message and isinstance(message[name], _TYPES.get(name, str))
    }
    calls = message.get("tool_calls")
    if not calls:
        one = message.get("function_call")  # OpenAI's form before it had tools
        calls = [{"function": one}] if one else []
    if not isinstance(calls, list):
        calls = [calls]
    read = [_call(call, answer) for call in calls]
    said = {**kept, "role": "assistant", "content": spoken_parts(message.get("content"))}
    return {**said, "tool_calls": read} if read else said


def spoken_parts(content: Any) -> str | None:
    """What is said, of a content that is a text or a list of parts; thoughts among them are not said.

    Raises:
        ValueError: it is neither.
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        raise ValueError(f"a content that is {type(content).__name__}")
    return "".join(_part(part) for part in content)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise ValueError("a part of a content that is none")
    if part.get("type", "text") not in ("text", "output_text"):
        return ""
    text = part.get("text")
    if not isinstance(text, str):
        raise ValueError("a part that is text and has none")
    return text


def _call(call: Any, answer: Answer) -> dict[str, Any]:
    """A call, whatever it is: what has no name is answered as an unknown tool."""
    whole = call if isinstance(call, dict) else {}
    function = whole.get("function")
    if function is None and isinstance(whole.get("custom"), dict):  # a tool that takes plain text, not JSON
        function = {"name": whole["custom"].get("name"), "arguments": whole["custom"].get("input")}
    if function is None and "name" in whole:
        function = whole
    if not isinstance(function, dict):
        function = {"arguments": call if function is None else function}
    id = whole.get("id")
    return {
        "id": id if isinstance(id, str) else "",
        "type": "function",
        "function": {"name": _text(function.get("name")), "arguments": _arguments(function.get("arguments"), answer)},
    }


def _arguments(value: Any, answer: Answer) -> str:
    text = "{}" if value is None else value if isinstance(value, str) else json.dumps(value)
    # LiteLLM parses them, and dies of those that are nested too deeply.
    if text.count("[") + text.count("{") > DEEPEST_JSON:
        sign = f"(set aside: {len(answer.aside)})"
        answer.aside[sign] = text
        return sign
    return text


def _usage(value: Any) -> dict[str, Any]:
    counts = value if isinstance(value, dict) else {}
    details = {
        name: {key: count for key, count in part.items() if _whole(count)}
        for name, part in counts.items()
        if name.endswith("_details") and isinstance(part, dict)
    }
    others = {name: number for name, number in counts.items() if _number(number)}  # what it cost, what was cached
    return {**others, **details, **{name: _count(counts.get(name)) for name in _COUNTS}}


def _count(value: Any) -> int:
    return max(0, int(value)) if _number(value) else 0


def _number(value: Any) -> bool:
    return _whole(value) or (isinstance(value, float) and isfinite(value))


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
