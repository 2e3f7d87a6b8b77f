"""LiteLLM itself: imported late, since that takes seconds, and asked what it knows of providers and tokens.

How many tokens a model reads is said by the settings, LiteLLM's list, or the server's own list of models.
"""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any

from mua_env.errors import missing_extra
from mua_env.llm.bounded_http import bound_responses
from mua_env.llm.chat import ChatRequest, sendable
from mua_env.llm.settings import LLMSettings


def providers(litellm: Any) -> frozenset[str]:
    """The prefixes of model names that LiteLLM knows."""
    return frozenset(str(getattr(item, "value", item)) for item in litellm.provider_list)


def takes_seed(litellm: Any, model: str) -> bool:
    """Whether a model's provider takes a seed, as far as LiteLLM knows."""
    try:
        known = litellm.get_supported_openai_params(model=model)
    except Exception:  # a provider that it does not know; the call itself will say so
        return True
    return known is None or "seed" in known


def count_tokens(litellm: Any, request: ChatRequest) -> int:
    """The request's length in tokens, by LiteLLM's own tokenizer: near, and not exact, for most models."""
    return int(litellm.token_counter(model="", messages=sendable(request.messages), tools=request.tools or None))


_lock = threading.Lock()
_loaded = False


def import_litellm() -> Any:
    """LiteLLM ready for its first call, without its fetch of a price list from the network.

    The first time this takes seconds, which no time limit of a call may hold; whoever comes meanwhile waits.

    Raises:
        MissingExtra: it is not installed.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # Importing it makes pydantic warn a dozen times of its own types.
    warnings.filterwarnings("ignore", message=r".*`ReadOnly` qualifier", category=UserWarning)
    try:
        import litellm
        import tenacity  # noqa: F401
    except ImportError as error:
        raise missing_extra("llm", needed_by="a language model through LiteLLM") from error
    litellm.suppress_debug_info = True
    with _lock:
        _load(litellm)
    return litellm


def _load(litellm: Any) -> None:
    global _loaded
    if _loaded:
        return
    bound_responses()
    # The classes of providers are imported with the first call to any; this one goes nowhere.
    nothing = [{"role": "user", "content": "-"}]
    litellm.completion(model="openai/none", messages=nothing, mock_response="-", api_key="none")
    _loaded = True


def _forget() -> None:
    global _lock
    _lock = threading.Lock()  # another thread of the parent may have held it


if hasattr(os, "register_at_fork"):  # not on Windows, which forks nothing
    os.register_at_fork(after_in_child=_forget)


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
