"""What an engine keeps of dialogues, so that one that goes on is not read again from its beginning."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from mua_env.errors import ConfigError
from mua_env.inference.backends.states import State
from mua_env.inference.chat_tokens import ChatTokens

ChatMessages = Sequence[dict[str, Any]]
"""OpenAI chat form: ``{"role": ..., "content": ...}``."""


class Memory:
    """The states of the dialogues that were read last.

    Args:
        size: how many are kept; 0 for none.
    """

    def __init__(self, size: int) -> None:
        if size < 0:
            raise ConfigError(f"remembered: at least 0, got {size}")
        self._size = size
        self._states: OrderedDict[tuple[tuple[int, ...], ...], State] = OrderedDict()

    def find(self, chunks: Sequence[Sequence[int]]) -> tuple[int, State | None]:
        """How many of the chunks the longest remembered beginning holds, and its state."""
        key = tuple(map(tuple, chunks))
        for length in range(len(key), 0, -1):
            if (state := self._states.get(key[:length])) is not None:
                self._states.move_to_end(key[:length])
                return length, state
        return 0, None

    def keep(self, chunks: Sequence[Sequence[int]], state: State) -> None:
        """Remember a state, in place of its dialogue's last one."""
        key = tuple(map(tuple, chunks))
        self._states.pop(key[:-1], None)
        self._states[key] = state
        while len(self._states) > self._size:
            self._states.popitem(last=False)


def split_turns(chat: ChatTokens, messages: ChatMessages) -> list[list[int]]:
    """The tokens of a chat, cut before each turn of the assistant; in one piece if the template rewrites history."""
    ends = [i for i, message in enumerate(messages) if i and message["role"] == "assistant"]
    whole, chunks, begin = chat.whole(messages), [], 0
    for end in ends:
        head = chat.whole(messages[:end])
        if whole[: len(head)] != head or len(head) <= begin:
            return [whole]
        chunks.append(head[begin:])
        begin = len(head)
    return [*chunks, whole[begin:]] if begin < len(whole) else [whole]
