"""What is asked of a model, and what it answers."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from mua_env.core.messages import ToolCall
from mua_env.core.outside import Name, Text
from mua_env.llm.ledger import Usage


class ChatRequest(BaseModel):
    """What is asked of a model.

    Args:
        messages: OpenAI chat form.
        tools: OpenAI function schemas, empty for none.
        seed: forwarded to the endpoint, and to the pauses between retries.
        index: tells repeated requests with equal content apart in a recording.
        prompt_version: of the prompt that the messages were made with.
    """

    model_config = ConfigDict(frozen=True)

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] = Field(default_factory=list)
    seed: int = 0
    index: int = 0
    prompt_version: str = ""


class Completion(BaseModel):
    """A model's reply. `finish_reason` is `length` when it was cut; `text` may be None beside tool calls.

    `thinking_blocks` are those of Anthropic's models, signed, which the next request must hold.
    """

    model_config = ConfigDict(frozen=True)

    text: Text | None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: Name = "stop"
    usage: Usage = Usage()
    thinking_blocks: tuple[dict[str, Any], ...] = ()
