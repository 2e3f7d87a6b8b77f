"""One request before many: a key that is wrong, or a server that is not there, is told before the first dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mua_env.errors import ConfigError
from mua_env.llm.chat import ChatRequest
from mua_env.llm.client import LLMClient
from mua_env.llm.errors import LLMError

ASKED = "This only checks that you can be reached. Reply with the one word OK."


def probe(client: LLMClient, who: str, tools: Sequence[dict[str, Any]] = ()) -> None:
    """Ask a model for one word; where replies come from a recording, nobody is asked.

    Args:
        client: of the model.
        who: whose it is, for the message.
        tools: schemas that it must be able to take.

    Raises:
        ConfigError: it does not answer; the message says why.
    """
    if client.cache is not None and client.cache.mode != "record" and len(client.cache):
        return
    request = ChatRequest(messages=[{"role": "user", "content": ASKED}], tools=list(tools))
    try:
        client.complete(request, client.wait_limit())
    except LLMError as error:
        if error.kind != "budget":
            raise ConfigError(
                f"the {who}'s model {client.settings.model!r} gives no answer, so nothing was run: {error}"
            ) from error
