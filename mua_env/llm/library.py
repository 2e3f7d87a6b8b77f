"""LiteLLM itself: imported late, since that takes seconds, and asked what it knows of providers and tokens."""

from __future__ import annotations

import os
import warnings
from typing import Any

from mua_env.errors import missing_extra
from mua_env.llm.bounded_http import bound_responses
from mua_env.llm.chat import ChatRequest
from mua_env.llm.history import sendable


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


def import_litellm() -> Any:
    """LiteLLM, without its fetch of a price list from the network.

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
    bound_responses()
    return litellm
