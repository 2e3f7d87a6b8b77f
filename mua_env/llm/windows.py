"""How many tokens a model reads: by the settings, LiteLLM's list, or the server's own list of models."""

from __future__ import annotations

from typing import Any

from mua_env.llm.settings import LLMSettings

_NAMES = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length", "n_ctx")
"""As vLLM, LM Studio, OpenRouter, Groq and llama.cpp call it."""
_ASK_S = 5.0


async def window_of(litellm: Any, settings: LLMSettings) -> int | None:
    """The model's window in tokens; None where nobody says."""
    if settings.context_tokens is not None:
        return settings.context_tokens
    if settings.base_url is not None:
        return await _served(settings)
    try:
        known = litellm.get_model_info(settings.model).get("max_input_tokens")
    except Exception:  # not on the list
        return None
    return int(known) if known else None


async def _served(settings: LLMSettings) -> int | None:
    import httpx

    headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    try:
        async with httpx.AsyncClient(timeout=_ASK_S, headers=headers) as client:
            answer = (await client.get(f"{str(settings.base_url).rstrip('/')}/models")).json()
        models = answer["data"]
        (model,) = [entry for entry in models if entry.get("id") == settings.model] or models[:1]
        for values in (model, model.get("meta") or {}):
            for name in _NAMES:
                if isinstance(values.get(name), int):
                    return int(values[name])
    except (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError):  # no such list, or in another form
        return None
    return None
