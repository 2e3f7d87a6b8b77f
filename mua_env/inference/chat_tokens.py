"""What a tokenizer makes of a dialogue, chunk by chunk, so that nothing is ever encoded twice.

Works with any fast tokenizer that has a chat template: the tokens that follow an agent's turn are computed by
rendering a dummy dialogue with the new messages and cutting after its k-th end-of-turn token, because some
templates (Qwen3's) rewrite earlier turns and no prefix comparison would hold.

Where a template has no place for tools (SmolLM2's), their schemas stand in the system prompt, and calls are text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mua_env.core.messages import AssistantMessage, Message, Source, dump, source_of
from mua_env.errors import ConfigError
from mua_env.inference.chat_formats import detect
from mua_env.inference.chat_template import SystemPrompt, tools_as_text

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Chunk = tuple[list[int], list[Source]]
"""Token ids, and the source of each."""

_DUMMY: list[dict[str, Any]] = [
    {"role": "user", "content": "dummy"},
    {"role": "assistant", "content": "dummy"},
]
_KNOWN = 32
"""System turns whose tokens are kept; a run has one for each domain."""
_PROBE_TOOL = {
    "type": "function",
    "function": {"name": "probe_tool", "description": "-", "parameters": {"type": "object", "properties": {}}},
}


class ChatTokens:
    """The token view of dialogues for one tokenizer.

    Args:
        tokenizer: a fast tokenizer with a chat template whose end-of-turn token is its ``eos_token``.
        template_options: further arguments of the template, as ``{"enable_thinking": False}`` for Qwen3.

    Attributes:
        end_id: the token that ends a turn; nothing else does.
        dialect: how the model family writes tool calls, found by trying the template.

    Raises:
        ConfigError: the tokenizer has no chat template or no offsets, or its turns end otherwise.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, template_options: dict[str, Any] | None = None) -> None:
        self.tokenizer = tokenizer
        self.options = dict(template_options or {})
        self._system_turns: dict[str, Chunk] = {}
        if not getattr(tokenizer, "chat_template", None):
            raise ConfigError("the tokenizer has no chat template; set tokenizer.chat_template")
        if not tokenizer.is_fast:
            raise ConfigError("a fast tokenizer is needed: the source of each token is found by its offsets")
        if tokenizer.eos_token_id is None:
            raise ConfigError("the tokenizer has no eos_token; it must be the token that ends a turn")
        self.end_id: int = int(tokenizer.eos_token_id)
        self.end_token: str = str(tokenizer.eos_token)
        pad = tokenizer.pad_token_id
        self.pad_id: int = self.end_id if pad is None else int(pad)
        self._turns = self._render(_DUMMY, None, False).count(self.end_token)
        if self._turns < 1:
            raise ConfigError(
                f"the chat template does not end a turn with {self.end_token!r}, the tokenizer's eos_token"
            )
        self.dialect = detect(lambda messages: self._render(messages, None, False))
        self._shows_tools = "probe_tool" in self._render(_DUMMY, [_PROBE_TOOL], False)

    def prompt(self, system: SystemPrompt, messages: Sequence[Message]) -> Chunk:
        """The first tokens of a dialogue: system prompt, opening messages, header of the agent's turn."""
        if system.tools and not self._shows_tools:
            system = SystemPrompt("\n\n".join(filter(None, [system.text, tools_as_text(system.tools)])), None)
        head = [{"role": "system", "content": system.text}] if system.text else []
        text = self._render([*head, *map(dump, messages)], system.tools, True)
        first: Chunk = ([], [])
        if head or system.tools:
            # Thousands of tokens, the same for all dialogues. A special token ends them, so they are encoded alone.
            end = text.index(self.end_token) + len(self.end_token)
            first, text = self._system_turn(text[:end], system.text), text[end:]
        ids, sources = self._encode(text, [(message.content or "", source_of(message)) for message in messages])
        return first[0] + ids, first[1] + sources

    def suffix(self, messages: Sequence[Message]) -> Chunk:
        """The tokens between two turns of the agent: what follows its end-of-turn token, the messages that
        answer it, and the header of its next turn."""
        text = self._render([*_DUMMY, *map(dump, messages)], None, True)
        cut = -1
        for _ in range(self._turns):
            cut = text.index(self.end_token, cut + 1)
        rest = text[cut + len(self.end_token) :]
        return self._encode(rest, [(message.content or "", source_of(message)) for message in messages])

    def whole(self, messages: Sequence[dict[str, Any]]) -> list[int]:
        """A chat in OpenAI form as it stands, with the header of the turn that is asked for."""
        return list(self.tokenizer(self._render(list(messages), None, True), add_special_tokens=False)["input_ids"])

    def agent_turn(self, message: AssistantMessage) -> list[int]:
        """The tokens of a turn that was not sampled, as an expert's: text, calls, end-of-turn token."""
        ids = self.tokenizer(self.dialect.render(message), add_special_tokens=False)["input_ids"]
        return [*ids, self.end_id]

    def read_turn(self, ids: Sequence[int], *, turn: int = 0) -> AssistantMessage:
        """What sampled ids say; see `mua_env.inference.tool_call_text.parse_turn`."""
        body = ids[:-1] if ids and ids[-1] == self.end_id else ids
        return self.dialect.parse(self.decode(body), turn)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special tokens included."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False))

    def _render(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None, header: bool) -> str:
        schemas: Any = tools
        return str(
            self.tokenizer.apply_chat_template(
                messages, tools=schemas, tokenize=False, add_generation_prompt=header, **self.options
            )
        )

    def _system_turn(self, text: str, system: str) -> Chunk:
        if text not in self._system_turns:
            if len(self._system_turns) >= _KNOWN:
                self._system_turns.clear()
            self._system_turns[text] = self._encode(text, [(self._content(text, system), "system")])
        return self._system_turns[text]

    def _content(self, text: str, system: str) -> str:
        """The content of the system turn as rendered, tool schemas included."""
        end = text.index(self.end_token)
        start = text.find(system) if system else text.find("\n") + 1
        return text[start:end] if 0 <= start < end else text[:end]

    def _encode(self, text: str, parts: Sequence[tuple[str, Source]]) -> Chunk:
        """Encode rendered text; a token has the source of the content that it starts in, else template."""
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        by_char: list[Source] = ["template"] * len(text)
        cursor = 0
        for content, source in parts:
            # As it is, or as the JSON string that Llama's template makes of a tool's result.
            forms = [content.strip(), json.dumps(content, ensure_ascii=False)] if content.strip() else []
            found = [(start, form) for form in forms if (start := text.find(form, cursor)) >= 0]
            if not found:
                continue
            start, form = found[0]
            cursor = start + len(form)
            by_char[start:cursor] = [source] * (cursor - start)
        sources: list[Source] = [
            by_char[start] if start < len(text) else "template" for start, _ in encoded["offset_mapping"]
        ]
        return list(encoded["input_ids"]), sources
