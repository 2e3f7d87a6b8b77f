"""The model families whose turns can be read and written, and the one that a chat template is made for.

A family is found by trying: the template renders a call, and the dialect is the one that reads it back as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.core.thoughts import Tags
from mua_env.errors import ConfigError
from mua_env.inference.chat_formats.addressed_turns import Harmony, Muse
from mua_env.inference.chat_formats.dialect import Dialect
from mua_env.inference.chat_formats.json_calls import LLAMA_FORM
from mua_env.inference.chat_formats.literal_calls import GEMMA_FORM, PYTHON_FORM
from mua_env.inference.chat_formats.tagged_calls import GLM_FORM, XML_FORM

Render = Callable[..., str]
"""Messages, tools, and whether to add the header of a turn -> text by the template; raises whatever templates raise."""

HERMES = Dialect("hermes")
HERMES_AS_TEXT = replace(HERMES, name="hermes as text", in_template=False)
LFM2 = Dialect("lfm2", PYTHON_FORM, joint="")
KNOWN: tuple[Dialect, ...] = (
    HERMES,
    Dialect("llama 3.1", LLAMA_FORM),
    Dialect("xml", XML_FORM),
    Dialect("glm", GLM_FORM, stops=("<|user|>", "<|observation|>"), openers=("<|user|>", "<|observation|>")),
    LFM2,
    Dialect(
        "gemma 4",
        GEMMA_FORM,
        tags=Tags("<|channel>", "<channel|>"),
        stops=("<turn|>", "<|tool_response>"),
        openers=("<|tool_response>",),
        joint="",
    ),
    Harmony("harmony", stops=("<|return|>", "<|call|>"), closers=("<|end|>",), most_calls=1),
    Muse("atem", stops=("<|eot|>",)),
)

PROBE_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "probe_tool",
        "description": "A probe.",
        "parameters": {
            "type": "object",
            "properties": {
                "probe_flag": {"type": "boolean", "description": "A flag."},
                "probe_key": {"type": "string", "description": "A key."},
                "probe_list": {"type": "array", "items": {"type": "integer"}, "description": "A list."},
            },
            "required": ["probe_key"],
        },
    },
}
PROBE_ARGUMENTS = {"probe_flag": True, "probe_key": "12", "probe_list": [1, 2]}
PROBE_CALL = AssistantMessage(
    tool_calls=(
        ToolCall(id="probe0000", function=FunctionCall(name="probe_tool", arguments=json.dumps(PROBE_ARGUMENTS))),
    )
)
ASKED: dict[str, Any] = {"role": "user", "content": "What is asked?"}
_MARKS = (
    ("<|turn>", "Gemma 4"),
    ("<start_of_image>", "Gemma 3"),
    ("<start_of_turn>", "Gemma"),
    ("<\uff5cAssistant\uff5c>", "DeepSeek"),
    ("<|START_OF_TURN_TOKEN|>", "Cohere"),
    ("<|observation|>", "GLM-4"),
    ("<atem:", "Muse Glimmer"),
    ("<|channel|>", "gpt-oss"),
    ("<|start_header_id|>", "Llama 3"),
    ("<end_of_utterance>", "Idefics 3 or SmolVLM"),
    ("<|tool_list_start|>", "LFM2"),
    ("[INST]", "Llama 2, Mistral or LLaVA"),
    ("<|assistant|>", "Phi-3"),
    ("<function=", "Qwen3.5 or Nemotron 3"),
    ("<|im_start|>", "ChatML"),
)
"""What the templates of a family hold, from the rarest mark to the most common."""


def family_of(template: str, path: str = "") -> str:
    """The family of a chat template in words, and where its tokenizer comes from, for messages."""
    name = next((family for mark, family in _MARKS if mark in template), "an unknown family")
    return f"{name} ({path})" if path else name


def detect(render: Render, template: str, *, eos: str, shows_tools: bool) -> Dialect:
    """The dialect that a chat template writes tool calls in.

    Args:
        render: by the template.
        template: its text.
        eos: the tokenizer's ``eos_token``.
        shows_tools: whether it has a place for tools.

    Returns:
        `HERMES_AS_TEXT` where the template knows neither tools nor calls: then calls are written as text, and the
        model is to learn them.

    Raises:
        ConfigError: it writes calls in a form that is not known here; the text shows it.
    """
    header = render([ASKED], [PROBE_TOOL], True)
    for text in _with_call(render):
        body = text[shared_length(header, text) :]
        if "probe_tool" not in body:
            continue
        for dialect in KNOWN:
            if _reads(dialect, body, eos):
                return _as_rendered(dialect, render)
        raise ConfigError(f"it writes a tool call in a form that is not read here: {body.strip()[:120]!r}")
    if "<|tool_list_start|>" in template:  # the first LFM2's, whose calls stand in the text of a turn
        return replace(LFM2, in_template=False)
    if not shows_tools and "tool_calls" not in template:
        return HERMES_AS_TEXT
    raise ConfigError("it knows tools or calls of them, but renders no call, so their form cannot be seen")


def shared_length(first: str, second: str) -> int:
    """How many characters two texts begin with alike; a tag that they share in part, as ``<think>`` and
    ``<tool_call>`` do, is not shared."""
    pairs = enumerate(zip(first, second, strict=False))
    length = next((place for place, (a, b) in pairs if a != b), min(len(first), len(second)))
    begun = first.rfind("<", 0, length)
    return begun if length < min(len(first), len(second)) and begun > first.rfind(">", 0, length) else length


def _with_call(render: Render) -> Iterator[str]:
    """A dialogue with a call, in the ways that templates want it: text as text or None, arguments as object or JSON."""
    for content in ("", None):
        for arguments in (PROBE_ARGUMENTS, json.dumps(PROBE_ARGUMENTS)):
            function = {"name": "probe_tool", "arguments": arguments}
            call = {"id": "probe0000", "type": "function", "function": function}
            try:
                yield render(
                    [ASKED, {"role": "assistant", "content": content, "tool_calls": [call]}], [PROBE_TOOL], False
                )
            except Exception:  # templates raise errors of their own for what they do not know
                continue


def _reads(dialect: Dialect, body: str, eos: str) -> bool:
    places = [body.find(stop) for stop in (*dialect.stops, eos) if stop in body]
    calls = dialect.parse(body[: min(places)] if places else body, tools=[PROBE_TOOL]).tool_calls
    found = [(call.function.name, call.function.arguments) for call in calls]
    return len(found) == 1 and found[0][0] == "probe_tool" and _same(found[0][1], PROBE_ARGUMENTS)


def _same(arguments: str, wanted: object) -> bool:
    try:
        return bool(json.loads(arguments) == wanted)
    except ValueError:
        return False


def _as_rendered(dialect: Dialect, render: Render) -> Dialect:
    """The dialect with what this template puts around calls, where it can be seen."""
    said = "One moment."
    message = PROBE_CALL.model_copy(update={"content": said})
    function = {"name": "probe_tool", "arguments": PROBE_ARGUMENTS}
    call = {"id": "probe0000", "type": "function", "function": function}
    result = {"role": "tool", "tool_call_id": "probe0000", "name": "probe_tool", "content": "A result."}
    try:
        text = render(
            [ASKED, {"role": "assistant", "content": said, "tool_calls": [call]}, result, ASKED], [PROBE_TOOL], False
        )
    except Exception:  # as above
        return dialect
    begin = text.find(said) + len(said)
    for python in (False, True):
        written = dialect.form.write([call.function for call in message.tool_calls], [PROBE_TOOL], python=python)
        start = text.find(written, begin)
        joint = text[begin:start]
        if begin >= len(said) and start >= 0 and not joint.strip():
            rest = text[start + len(written) :]
            trail = rest[: len(rest) - len(rest.lstrip())]
            return replace(dialect, joint=joint, trail=trail, python=python)
    return dialect
