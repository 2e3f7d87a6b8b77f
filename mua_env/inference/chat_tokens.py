"""What a tokenizer makes of a dialogue, chunk by chunk, so that nothing is ever encoded twice.

Works with any fast tokenizer whose chat template passes a self-test (`mua_env.inference.chat_check`): the tokens that
follow an agent's turn are computed by rendering a dummy dialogue with the new messages and cutting after the end of its
dummy turn, because some templates (Qwen3's) rewrite earlier turns and no prefix comparison would hold.

Where a template has no place for tools (SmolLM2's), their schemas stand in the system prompt, and calls are text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mua_env.core.messages import AssistantMessage, Message, Source, ToolMessage, UserMessage, dump, source_of
from mua_env.errors import ConfigError
from mua_env.inference.chat_check import check
from mua_env.inference.chat_formats.argument_types import Tools
from mua_env.inference.chat_formats.dialect import Dialect
from mua_env.inference.chat_formats.families import ASKED, HERMES_AS_TEXT, PROBE_TOOL, detect
from mua_env.inference.chat_rendering import Rendering, forms_of
from mua_env.inference.chat_template import SystemPrompt, tools_as_text
from mua_env.inference.turn_frame import MARK, Frame, Learner, before_results, first_end

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Chunk = tuple[list[int], list[Source]]
"""Token ids, and the source of each."""

_KNOWN = 32
"""System turns whose tokens are kept; a run has one for each domain."""
_TAIL = 32
"""Tokens in which a header is looked for."""


class ChatTokens:
    """The token view of dialogues for one tokenizer.

    Args:
        tokenizer: a fast tokenizer with a chat template.
        template_options: further arguments of the template, as ``{"enable_thinking": False}`` for Qwen3.
        tools: whether the agent will have tools; False for a model that plays the user.
        dialect: calls as text in this form, with the tools in the system prompt; None for the template's own.

    Attributes:
        family: whose template it is, in words.
        dialect: how the model family writes its turns, found by trying the template.
        end_id: the token that ends a turn of words.
        end_ids: all tokens that end a turn; nothing else does.

    Raises:
        ConfigError: the tokenizer has no chat template or no offsets, or the template fails the self-test.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        template_options: dict[str, Any] | None = None,
        *,
        tools: bool = True,
        dialect: Dialect | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.options = dict(template_options or {})
        self._system_turns: dict[str, Chunk] = {}
        if not getattr(tokenizer, "chat_template", None):
            raise ConfigError("the tokenizer has no chat template; set tokenizer.chat_template")
        if not tokenizer.is_fast:
            raise ConfigError("a fast tokenizer is needed: the source of each token is found by its offsets")
        if tokenizer.eos_token_id is None:
            raise ConfigError("the tokenizer has no eos_token; it must be the token that ends a turn")
        self.render = Rendering(tokenizer, self.options)
        self.family = self.render.family
        eos = str(tokenizer.eos_token)
        shown = self.render([ASKED], [PROBE_TOOL]) if tools else ""
        self._shows_tools = dialect is None and "probe_tool" in shown and "probe_key" in shown
        self.dialect = dialect or (self._find_dialect(eos) if tools else HERMES_AS_TEXT)
        learner = Learner(self.render, self.dialect, eos=eos, tools=tools)
        self._ends = learner.ends
        self.frame: Frame = learner.learn()
        self.end_token = self.frame.speech_end
        self.end_id = self._id_of(self.end_token)
        self._call_end_id = self._id_of(self.frame.call_end)
        stops = [
            stop for stop in self.dialect.stops if tokenizer.convert_tokens_to_ids(stop) not in _unknown(tokenizer)
        ]
        self.end_ids = tuple(dict.fromkeys([self.end_id, self._call_end_id, *map(self._id_of, [*stops, eos])]))
        pad = tokenizer.pad_token_id
        self.pad_id: int = self.end_id if pad is None else int(pad)
        check(self, tools=tools)

    def prompt(self, system: SystemPrompt, messages: Sequence[Message]) -> Chunk:
        """The first tokens of a dialogue: system prompt, opening messages, header of the agent's turn."""
        if system.tools and not self._shows_tools:
            text = "\n\n".join(filter(None, [system.text, tools_as_text(system.tools, self.dialect.form)]))
            system = SystemPrompt(text, None)
        if self.frame.named:  # a result at the very beginning, as of a window, has no call that it could follow
            messages = [UserMessage(content=m.content) if isinstance(m, ToolMessage) else m for m in messages]
        head = [{"role": "system", "content": system.text}] if system.text else []
        text = self.render([*head, *map(dump, messages)], system.tools, True)
        first: Chunk = ([], [])
        if head or system.tools:
            # Thousands of tokens, the same for all dialogues. A special token ends them, so they are encoded alone.
            told = max(0, text.find(system.text.strip())) + len(system.text.strip())
            if (end := first_end(text, told, self._ends)) is not None:
                cut = end[0] + len(end[1])
                first, text = self._system_turn(text[:cut], end[0], system.text), text[cut:]
        ids, sources = self._encode(text, [(message.content or "", source_of(message)) for message in messages])
        return first[0] + ids, first[1] + sources

    def suffix(self, messages: Sequence[Message], *, end: int | None = None) -> Chunk:
        """The tokens between two turns of the agent: what follows its end-of-turn token, the messages that
        answer it, and the header of its next turn.

        Args:
            messages: what the agent is told.
            end: the token that ended its turn, if it may be another than the template puts there.
        """
        text = self.render([*before_results(messages, self.frame.named), *map(dump, messages)], None, True)
        found = first_end(text, text.index(MARK) + len(MARK), self._ends)
        assert found is not None, "the self-test has seen that turns end"
        place, token = found
        if end is None or self._closes(end, token):
            place += len(token)
        return self._encode(text[place:], [(message.content or "", source_of(message)) for message in messages])

    def whole(self, messages: Sequence[dict[str, Any]]) -> list[int]:
        """A chat in OpenAI form as it stands, with the header of the turn that is asked for."""
        return self._ids(self.render(messages, None, True))

    def agent_turn(
        self, message: AssistantMessage, *, before: Sequence[int] | None = None, tools: Tools = ()
    ) -> list[int]:
        """The tokens of a turn that was not sampled, as an expert's: text, calls, end-of-turn token.

        Args:
            message: the turn. Where its header opens a thought, the turn begins with the thought's end.
            before: the tokens that it follows; None for those that follow a user's message.
            tools: OpenAI function schemas, which type values that are written as plain text.

        Raises:
            ConfigError: the family makes fewer calls in a turn.
        """
        calls, most = len(message.tool_calls), self.dialect.most_calls
        if most is not None and calls > most:
            raise self.render.refusal(f"a turn makes {calls} calls, and it takes at most {most} in a turn")
        text = self.dialect.render(message, tools)
        return [*self._ids(self._led(text, message, self._kind(before))), self._call_end_id if calls else self.end_id]

    def read_turn(
        self, ids: Sequence[int], *, turn: int = 0, before: Sequence[int] | None = None, tools: Tools = ()
    ) -> AssistantMessage:
        """What sampled ids say; see `mua_env.inference.tool_call_text.parse_turn`.

        Args:
            ids: of the turn, with its end or without.
            turn: its number.
            before: the tokens that it follows; None for those that follow a user's message.
            tools: OpenAI function schemas, which type values that are written as plain text.
        """
        body = ids[:-1] if ids and ids[-1] in self.end_ids else ids
        return self.dialect.parse(self.decode(body), turn, tools=tools, opened=self.thinks_after(before))

    def thinks_after(self, before: Sequence[int] | None = None) -> bool:
        """Whether a turn after these tokens begins within a thought, because its header opens one."""
        return self.dialect.leaves_thought_open(self.frame.headers[self._kind(before)])

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special tokens included."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False))

    def _find_dialect(self, eos: str) -> Dialect:
        try:
            return detect(self.render.attempt, self.render.template, eos=eos, shows_tools=self._shows_tools)
        except ConfigError as error:
            raise self.render.refusal(str(error)) from None

    def _kind(self, before: Sequence[int] | None) -> str:
        """What the turn after these tokens answers, as far as its header tells."""
        headers = self.frame.headers
        if before is None or headers["user"] == headers.get("tool", headers["user"]):
            return "user"
        return "user" if self.decode(before[-_TAIL:]).endswith(headers["user"]) else "tool"

    def _led(self, text: str, message: AssistantMessage, kind: str) -> str:
        """A turn's text with what the template has it begin with."""
        header, tags = self.frame.headers[kind], self.dialect.tags
        if tags.end not in (message.content or ""):
            return self.frame.leads[kind, bool(message.tool_calls and not message.content)] + text
        if self.dialect.leaves_thought_open(header) and text.startswith(tags.begin):
            # It brings its own thoughts, which the header has begun already.
            return text.removeprefix(tags.begin).removeprefix(header.rpartition(tags.begin)[2])
        return text

    def _closes(self, end: int, token: str) -> bool:
        """Whether a sampled token ended the turn as the template's would have done."""
        ended: Any = self.tokenizer.convert_ids_to_tokens(end)
        return bool(ended == token) or not {ended, token} & set(self.dialect.openers)

    def _id_of(self, token: str) -> int:
        found: Any = self.tokenizer.convert_tokens_to_ids(token)
        if found in _unknown(self.tokenizer):
            raise self.render.refusal(f"its turns end with {token!r}, which the tokenizer does not have as a token")
        return int(found)

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _system_turn(self, text: str, end: int, system: str) -> Chunk:
        if text not in self._system_turns:
            if len(self._system_turns) >= _KNOWN:
                self._system_turns.clear()
            self._system_turns[text] = self._encode(text, [(_content(text[:end], system), "system")])
        return self._system_turns[text]

    def _encode(self, text: str, parts: Sequence[tuple[str, Source]]) -> Chunk:
        """Encode rendered text; a token has the source of the content that it starts in, else template."""
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        by_char: list[Source] = ["template"] * len(text)
        cursor = 0
        for content, source in parts:
            found = [(start, form) for form in forms_of(content) if (start := text.find(form, cursor)) >= 0]
            if not found:
                continue
            start, form = found[0]
            cursor = start + len(form)
            by_char[start:cursor] = [source] * (cursor - start)
        sources: list[Source] = [
            by_char[start] if start < len(text) else "template" for start, _ in encoded["offset_mapping"]
        ]
        return list(encoded["input_ids"]), sources


def _content(text: str, system: str) -> str:
    """The content of the system turn as rendered, tool schemas included."""
    start = text.find(system) if system else text.find("\n") + 1
    return text[start:] if 0 <= start < len(text) else text


def _unknown(tokenizer: PreTrainedTokenizerBase) -> tuple[Any, ...]:
    """What a tokenizer gives for a token that it does not have."""
    return (None, tokenizer.unk_token_id)
