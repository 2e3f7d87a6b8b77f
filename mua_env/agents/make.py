"""Agents by name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from mua_env.core.agent import Agent
from mua_env.core.keywords import call_with
from mua_env.domain.contract import Domain
from mua_env.errors import ConfigError, did_you_mean

AGENTS = ("expert", "llm", "local", "random")

AgentFactory = Callable[[], Agent]
"""Makes the agent of one dialogue slot. A driver calls it once for each dialogue that it runs at the same time."""


def agent_factory(name: str, domain: Domain, options: dict[str, Any] | None = None) -> AgentFactory:
    """What makes agents of a kind.

    Args:
        name: `expert` (the domain's scripted one), `llm`, `local` (a transformers model) or `random`.
        domain: whose expert is meant.
        options: of the agent. For `llm`: `calls`, and `client` or what `mua_env.llm.make_client` takes; for `local`
            those of `mua_env.agents.local.LocalAgent`, whose model is loaded once.

    Raises:
        ConfigError: the name or an option is not known.
        DomainError: the domain has no expert.
        MissingExtra: `llm` without the [llm] extra, or `local` without [train].
    """
    if name not in AGENTS:
        known = ", ".join(map(repr, AGENTS))
        raise ConfigError(f"agent is {name!r}; use one of {known}.{did_you_mean(name, AGENTS)}")
    return _factory(name, domain, dict(options or {}), f"agent {name!r}")


def _factory(name: str, domain: Domain, options: dict[str, Any], what: str) -> AgentFactory:
    if name == "llm":
        from mua_env.agents.llm import LLMAgent
        from mua_env.inference.text_calls import text_dialect
        from mua_env.llm import LLMSettings, make_client

        calls = options.pop("calls", "native")
        text_dialect(calls)  # fails here rather than in the middle of a run
        client = options.pop("client", None) or call_with(make_client, options, what=what, further=(LLMSettings,))
        return partial(LLMAgent, client, calls=calls)
    if name == "local":
        from mua_env.agents.local import LocalAgent

        return partial(copy.copy, call_with(LocalAgent, options, what=what))
    if name == "random":
        from mua_env.agents.random import RandomAgent

        call_with(RandomAgent, options, what=what)
        return RandomAgent
    call_with(domain.expert, options, what=what)  # fails here rather than in the middle of a run
    return partial(domain.expert, **options)
