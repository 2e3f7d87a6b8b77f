"""How a language model is reached and sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mua_env.core.redaction import remember, remember_all
from mua_env.errors import ConfigError


@dataclass(frozen=True)
class LLMSettings:
    """One model at one endpoint, with its sampling and its limits.

    Args:
        model: a LiteLLM name (`openai/gpt-4.1`, `anthropic/...`); with `base_url`, the server's name for it.
        base_url: an OpenAI-compatible server (vLLM, llama.cpp, ...), as `http://127.0.0.1:8000/v1`.
        api_key: sent as it is. None: no key with `base_url`, else LiteLLM reads the provider's variable.
        temperature, top_p, max_tokens: sampling; None leaves the endpoint's default.
        send_seed: forward the episode's seed (endpoints that take none never see it).
        timeout_s: limit for one attempt, in seconds.
        deadline_s: limit for all waiting in one episode, retries and pauses included, in seconds.
        attempts: how often one request is sent at most, when the failure may pass.
        concurrency: requests in flight at once to this endpoint, over all episodes of the process.
        context_tokens: how many tokens the model reads. Only asked where an endpoint refuses a request in words that
            say nothing of its length; None takes it from LiteLLM's list, or from the server's list of models.
        extra: further arguments of `litellm.acompletion`.
    """

    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    send_seed: bool = True
    timeout_s: float = 60.0
    deadline_s: float = 300.0
    attempts: int = 4
    concurrency: int = 16
    context_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("model: the name of a model is needed, got ''")
        for name in ("timeout_s", "deadline_s", "attempts", "concurrency", "context_tokens"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ConfigError(f"{name}: must be above 0, got {getattr(self, name)!r}")
        remember(self.api_key)
        remember_all(self.extra)
        for name, least, most in (("temperature", 0, 100), ("top_p", 0, 1), ("max_tokens", 1, 10**9)):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise ConfigError(f"{name}: from {least} to {most}, got {value!r}")

    @property
    def endpoint(self) -> str:
        """What the concurrency limit is shared by: the server, or the provider in the model's name."""
        return self.base_url or self.model.partition("/")[0]

    def sampling(self) -> dict[str, Any]:
        """What decides the reply beside the messages; the part of the settings that addresses a recording."""
        values = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens}
        return {**{key: value for key, value in values.items() if value is not None}, **self.extra}

    def route(self, providers: frozenset[str]) -> dict[str, Any]:
        """The arguments that tell LiteLLM where to send a request; `providers` are its prefixes."""
        if self.base_url is None:
            return {"model": self.model, **({"api_key": self.api_key} if self.api_key else {})}
        known = self.model.partition("/")[0] in providers
        return {
            "model": self.model if known else f"openai/{self.model}",
            "api_base": self.base_url,
            # Without this LiteLLM would send OPENAI_API_KEY to whatever server base_url names.
            "api_key": self.api_key or "none",
        }
