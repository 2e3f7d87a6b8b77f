"""Agents by name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from mua_env.core.agent import Agent
from mua_env.core.keywords import call_with
from mua_env.domain.contract import Domain
from mua_env.errors import ConfigError
from mua_env.inference.party import read_party

if TYPE_CHECKING:
    from mua_env.agents.local import LocalAgent
    from mua_env.inference.text_calls import CallStyle
    from mua_env.llm import LLMClient

AGENTS = ("expert", "llm", "local", "random")
GROUP = "mua_env.agents"

AgentFactory = Callable[[], Agent]
"""Makes the agent of one dialogue slot. A driver calls it once for each dialogue that it runs at the same time."""


def agent_factory(
    name: str | Callable[..., Agent], domain: Domain, options: dict[str, Any] | None = None
) -> AgentFactory:
    """What makes agents of a kind.

    Args:
        name: `expert` (the domain's scripted one), `llm`, `local` (a transformers model), `random`, or anything that
            `mua_env.inference.party` tells of: a model's folder or name, a server, an entry point of
            ``mua_env.agents``, ``package.module:Name``. Also an agent's class, or a function that makes one.
        domain: whose expert is meant.
        options: of the agent. For `llm`: `calls`, and `client` or what `mua_env.llm.make_client` takes; for `local`
            those of `mua_env.agents.local.LocalAgent`, whose model is loaded once.

    Raises:
        ConfigError: the name or an option is not known.
        DomainError: the domain has no expert.
        MissingExtra: `llm` without the [llm] extra, or `local` without [train].
    """
    return AgentMaker(name, options, domain=domain).factory(domain)


class AgentMaker:
    """Makes agents of one kind for any domain; a model is loaded, and its client made, once.

    Args:
        name, options: as of `agent_factory`.
        domain: one of those that agents will be made for, where options are looked at.
        adapt: makes the options of those that were asked for, once the kind is known.

    Attributes:
        kind: the built-in name, or "" for an agent of somebody else's.
        options: those in the name among them.
        client: of a language model behind an API; None for others.
        local: the agent that copies are made of, for a model in this process; None for others.

    Raises:
        as `agent_factory`.
    """

    def __init__(
        self,
        name: str | Callable[..., Agent],
        options: dict[str, Any] | None = None,
        *,
        domain: Domain,
        adapt: Callable[[str, dict[str, Any]], dict[str, Any]] = lambda kind, options: options,
    ) -> None:
        self.client: LLMClient | None = None
        self.local: LocalAgent | None = None
        self._make: Callable[..., Any] | None = None
        self._calls: CallStyle = "native"
        if not isinstance(name, str):
            if isinstance(name, Agent) or not callable(name):
                raise ConfigError("an agent is a name, a class, or a function that makes one for each dialogue at once")
            self.kind, self.options, self._make = "", dict(options or {}), name
            self._what = f"agent {getattr(name, '__name__', name)!r}"
        else:
            party = read_party(name, who="agent", builtin=AGENTS, group=GROUP)
            self.kind, self.options = party.kind, {**party.options, **(options or {})}
            self._make, self._what = party.made, f"agent {(party.kind or name)!r}"
        self._open(domain, dict(adapt(self.kind, self.options)))

    def factory(self, domain: Domain) -> AgentFactory:
        """What makes its agents for a domain.

        Raises:
            ConfigError, DomainError: as `agent_factory`.
        """
        if self.kind == "expert":
            call_with(domain.expert, self.options, what=self._what)  # fails here rather than in the middle of a run
            return partial(domain.expert, **self.options)
        if self.client is not None:
            from mua_env.agents.llm import LLMAgent

            return partial(LLMAgent, self.client, calls=self._calls)
        if self.local is not None:
            return partial(copy.copy, self.local.on(domain))
        assert self._make is not None
        return partial(self._make, **self.options)

    def _open(self, domain: Domain, options: dict[str, Any]) -> None:
        if self.kind == "llm":
            from mua_env.inference.text_calls import text_dialect

            self._calls = options.pop("calls", "native")
            text_dialect(self._calls)  # fails here rather than in the middle of a run
            self.client = _client(options, self._what)
        elif self.kind == "local":
            from mua_env.agents.local import LocalAgent

            self.local = call_with(LocalAgent, {"domain": domain, **options}, what=self._what)
        elif self.kind == "random":
            from mua_env.agents.random import RandomAgent

            self._make = RandomAgent
            call_with(RandomAgent, options, what=self._what)
        elif self.kind == "":
            assert self._make is not None
            if not callable(self._make):
                raise ConfigError(f"{self._what} is a {type(self._make).__name__}, and nothing that makes agents")
            made: object = call_with(self._make, options, what=self._what)
            if not isinstance(made, Agent):
                raise ConfigError(f"{self._what} makes a {type(made).__name__}, and no mua_env.Agent")


def _client(options: dict[str, Any], what: str) -> LLMClient:
    from mua_env.llm import LLMSettings, make_client
    from mua_env.llm.make import name_served_model

    given: LLMClient | None = options.get("client")
    if given is not None:
        return given
    return call_with(make_client, name_served_model(options), what=what, further=(LLMSettings,))
