"""The chat template for models made here, and how the system prompt is rendered for the agent.

The template is append-only: every message renders the same whatever follows it, so that a dialogue's
tokens only ever grow. ``{% generation %}`` covers exactly what the agent samples: its text, its calls, its
end of turn.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mua_env.core.messages import FunctionCall, Message, UserMessage
from mua_env.inference.chat_formats.json_calls import HERMES_FORM
from mua_env.inference.tool_call_text import CallForm

Detail = Literal["full", "compact", "none"]
"""How much of a document the agent is shown."""

END_OF_TEXT, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
SPECIAL_TOKENS = (END_OF_TEXT, TURN_START, TURN_END, "<tool_call>", "</tool_call>", "<think>", "</think>")

CHAT_TEMPLATE = r"""
{%- set lead = messages and messages[0].role == 'system' -%}
{%- if lead or tools -%}
{{- '<|im_start|>system\n' + (messages[0].content if lead else '') -}}
{%- if tools -%}
{{- ('\n\n' if lead else '') + '# Tools' -}}
{%- for tool in tools -%}{{- '\n' + (tool | tojson) -}}{%- endfor -%}
{%- endif -%}
{{- '<|im_end|>\n' -}}
{%- endif -%}
{%- for m in messages -%}
{%- if m.role == 'assistant' -%}
{{- '<|im_start|>assistant\n' -}}
{%- generation -%}
{{- m.content or '' -}}
{%- for call in m.tool_calls or [] -%}
{%- set f = call.function or call -%}
{{- '\n' if m.content or not loop.first else '' -}}
{{- '<tool_call>\n{"name": "' + f.name + '", "arguments": ' -}}
{{- f.arguments if f.arguments is string else f.arguments | tojson -}}
{{- '}\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>' -}}
{%- endgeneration -%}
{{- '\n' -}}
{%- elif m.role != 'system' -%}
{{- '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}
""".strip()


@dataclass(frozen=True)
class SystemPrompt:
    """What the agent is shown before the dialogue.

    Attributes:
        text: content of the system message; empty for no system message.
        tools: OpenAI function schemas that the chat template itself is to render; None for none.
        schemas: those of all tools, shown or not: some formats need them to read and write calls.
    """

    text: str
    tools: list[dict[str, Any]] | None
    schemas: Sequence[dict[str, Any]] = ()


def system_prompt(policy: str, tools: Sequence[dict[str, Any]], *, tool_detail: Detail = "full") -> SystemPrompt:
    """Put policy document and tools together.

    Args:
        policy: the policy document as the agent is to read it (full, compact, or empty).
        tools: OpenAI function schemas.
        tool_detail: ``full`` leaves the whole schemas to the chat template; ``compact`` lists
            ``name(argument, optional?)``, one a line; ``none`` shows nothing (the model knows its tools).
    """
    if tool_detail == "full":
        return SystemPrompt(policy.strip(), list(tools), list(tools))
    lines = [signature(tool) for tool in tools] if tool_detail == "compact" else []
    text = "\n".join([policy.strip(), *(["Tools:"] if lines else []), *lines])
    return SystemPrompt(text.strip(), None, list(tools))


def with_new_tools(
    messages: Sequence[Message], new_tools: Sequence[dict[str, Any]], tool_detail: Detail
) -> Sequence[Message]:
    """Tools that come in mid-dialogue, told before the user's words: the system prompt's tokens stay as they were.

    Args:
        messages: new messages for the agent, the user's last.
        new_tools: schemas of the tools that came with them.
        tool_detail: as of :func:`system_prompt`.
    """
    if not new_tools or tool_detail == "none" or not isinstance(messages[-1], UserMessage):
        return messages
    lines = [signature(tool) if tool_detail == "compact" else json.dumps(tool) for tool in new_tools]
    told = "\n".join(["Tools:", *lines, messages[-1].content])
    return [*messages[:-1], UserMessage(content=told)]


def tools_as_text(tools: Sequence[dict[str, Any]], form: CallForm = HERMES_FORM) -> str:
    """Schemas and the form of a call, for models that are to write calls as text: by default that of Hermes."""
    lines = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    example = form.write([FunctionCall(name="tool", arguments='{"argument": "value"}')], ())
    return f"# Tools\n{lines}\n\nCall a tool so:\n{example}"


def signature(tool: dict[str, Any]) -> str:
    """``name(argument, optional?)`` for one OpenAI function schema."""
    function = tool["function"]
    parameters = function.get("parameters", {})
    required = set(parameters.get("required", ()))
    names = [name if name in required else f"{name}?" for name in parameters.get("properties", {})]
    return f"{function['name']}({', '.join(names)})"
