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
    """Of the calls to one model. A dialogue grows by little from call to call, so the largest of the last ones serves.

    Args:
        settings: of the model.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._seen: deque[Usage] = deque(maxlen=RECENT)

    @property
    def guesses(self) -> bool:
        """Whether no call was seen yet."""
        return not self._seen

    def learn(self, used: Usage) -> None:
        """Look at what a call has used."""
        self._seen.append(used)

    def of(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Usage:
        """What a request will use, as one call."""
        text = json.dumps([messages, tools], ensure_ascii=False, default=str)
        wide = sum(char > "\u2e80" for char in text)  # a token is some four letters, but one Chinese character
        prompt = max([wide + (len(text) - wide) // 4, *(usage.prompt_tokens for usage in self._seen)])
        reply = max((usage.completion_tokens for usage in self._seen), default=self._settings.max_tokens or REPLY)
        cost = max([self._price(prompt, reply), *(usage.cost_usd for usage in self._seen)])
        return Usage(1, prompt, reply, cost)

    def _price(self, prompt: int, reply: int) -> float:
        litellm = sys.modules.get("litellm")
        if litellm is None:  # its import is not worth a guess
            return 0.0
        try:
            costs = litellm.cost_per_token(model=self._settings.model, prompt_tokens=prompt, completion_tokens=reply)
        except Exception:  # no price is known; a call costs what LiteLLM says afterwards
            return 0.0
        return float(sum(costs))
