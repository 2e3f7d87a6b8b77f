"""What a call will use, before it is made: by its length, and by what calls like it have used."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Sequence
from typing import Any

from mua_env.llm.ledger import Usage
from mua_env.llm.settings import LLMSettings

RECENT = 64
"""Calls that are looked back at."""
REPLY = 256
"""Tokens of a reply, while none was seen and no limit is set."""


class Estimate:
    """Of the calls to one model: as much as the largest of the last ones, since a dialogue grows by little from call to
    call; and more where a request is more than twice as long.

    Args:
        settings: of the model.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._seen: deque[tuple[int, Usage]] = deque(maxlen=RECENT)

    @property
    def guesses(self) -> bool:
        """Whether no call was seen yet."""
        return not self._seen

    def learn(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], used: Usage) -> None:
        """Look at what a request has used."""
        self._seen.append((rough_tokens(messages, tools), used))

    def of(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Usage:
        """What a request will use, as one call."""
        length = rough_tokens(messages, tools)
        if not self._seen:
            reply = self._settings.max_tokens or REPLY
            return Usage(1, length, reply, self._price(length, reply))
        more = max(0, length - 2 * max(seen for seen, _ in self._seen))
        prompt = more + max(used.prompt_tokens for _, used in self._seen)
        reply = max(used.completion_tokens for _, used in self._seen)
        return Usage(1, prompt, reply, self._price(more, 0) + max(used.cost_usd for _, used in self._seen))

    def _price(self, prompt: int, reply: int) -> float:
        litellm = sys.modules.get("litellm")
        if litellm is None:  # its import is not worth a guess
            return 0.0
        try:
            costs = litellm.cost_per_token(model=self._settings.model, prompt_tokens=prompt, completion_tokens=reply)
        except Exception:  # no price is known; a call costs what LiteLLM says afterwards
            return 0.0
        return float(sum(costs))


def rough_tokens(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> int:
    """The length of a request: a token is some four letters, but one Chinese character."""
    text = json.dumps([messages, tools], ensure_ascii=False, default=str)
    wide = sum(char > "\u2e80" for char in text)
    return wide + (len(text) - wide) // 4
