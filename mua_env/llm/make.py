"""A client from plain options, as they come from `user_options`, a YAML file or the command line.

With it, the one request before many that tells of a wrong key before the first dialogue.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mua_env.errors import ConfigError, missing_extra
from mua_env.llm.cache import CacheMode, ReplyCache
from mua_env.llm.chat import ChatRequest
from mua_env.llm.client import LLMClient
from mua_env.llm.errors import LLMError
from mua_env.llm.ledger import Ledger
from mua_env.llm.settings import LLMSettings


def make_client(
    model: str | LLMSettings | LLMClient | None = None,
    *,
    cache: str | Path | None = None,
    cache_mode: CacheMode = "auto",
    ledger: Ledger | None = None,
    **settings: Any,
) -> LLMClient:
    """A client for a model.

    Args:
        model: a LiteLLM name, settings, or a client (returned as it is). None reads `MUA_LLM_MODEL`, and
            `MUA_LLM_BASE_URL` where no `base_url` is given.
        cache: folder of recorded replies, None to record nothing.
        cache_mode: see `mua_env.llm.cache.CacheMode`.
        ledger: counts what is used, and may stop the run.
        settings: fields of `LLMSettings`.

    Raises:
        ConfigError: no model is named, or options came with a finished client.
        MissingExtra: the [llm] extra is not installed.
        TypeError: an unknown setting.
    """
    if isinstance(model, LLMClient):
        if settings or cache is not None:
            raise ConfigError("options go with a model that is given by name; this client is already made")
        return model
    if importlib.util.find_spec("litellm") is None:
        raise missing_extra("llm", needed_by="a language model")
    if isinstance(model, LLMSettings) and settings:
        raise ConfigError("options go with a model that is given by name; these settings are complete")
    chosen = model if isinstance(model, LLMSettings) else _settings(model, settings)
    store = None if cache is None else ReplyCache(cache, cache_mode)
    return LLMClient(chosen, cache=store, ledger=ledger)


def _settings(model: str | None, options: dict[str, Any]) -> LLMSettings:
    if model is None:
        options.setdefault("base_url", os.environ.get("MUA_LLM_BASE_URL") or None)
        model = os.environ.get("MUA_LLM_MODEL")
    if not model:
        raise ConfigError("no model is named: give one, or set MUA_LLM_MODEL")
    return LLMSettings(model, **options)


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


_ASK_S = 5.0


def name_served_model(options: dict[str, Any]) -> dict[str, Any]:
    """Options with the model that a server has, where they name a `base_url` and no model.

    Raises:
        ConfigError: the server does not say, or has several.
    """
    url = options.get("base_url")
    if not isinstance(url, str) or options.get("model") is not None:
        return options
    import httpx

    key = options.get("api_key")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx.get(f"{url.rstrip('/')}/models", timeout=_ASK_S, headers=headers).json()
        names = [str(entry["id"]) for entry in answer["data"]]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{url} does not say which models it has ({type(error).__name__}); name one: model=..."
        ) from None
    if len(names) != 1:
        held = ", ".join(names[:10]) or "none"
        raise ConfigError(f"{url} has {len(names)} models ({held}); name one: model=...")
    return {**options, "model": names[0]}
