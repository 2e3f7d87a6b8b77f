"""User simulators by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mua_env.core.keywords import call_with
from mua_env.errors import ConfigError
from mua_env.inference.party import Party, read_party
from mua_env.users.base import UserSimulator

USERS = ("agenda", "llm", "local", "human")
GROUP = "mua_env.users"


def make_user(
    user: str | UserSimulator | Callable[..., UserSimulator], options: dict[str, Any] | None = None
) -> UserSimulator:
    """A user simulator.

    Args:
        user: ``"agenda"``, ``"llm"``, ``"local"`` (a model's folder), ``"human"``, or anything that
            `mua_env.inference.party` tells of: a model's folder or name, a server, an entry point of
            ``mua_env.users``, ``package.module:Name``. Also a simulator's class or a function that makes one; a
            simulator is returned as it is.
        options: keyword arguments for one that is made here.

    Raises:
        ConfigError: the name or an option is not known, or options came with a simulator.
        MissingExtra: ``"llm"`` without the [llm] extra, ``"local"`` without [train].
    """
    if isinstance(user, UserSimulator):
        if options:
            raise ConfigError("user_options go with a user that is given by name; this one is already made")
        return user
    party = named_user(user) if isinstance(user, str) else Party("", {}, user)
    given = {**party.options, **(options or {})}
    what = f"user {(party.kind or (user if isinstance(user, str) else getattr(user, '__name__', user)))!r}"
    if party.kind:
        if party.kind == "llm":
            from mua_env.llm.make import name_served_model

            given = name_served_model(given)
        simulator: UserSimulator = call_with(_class(party.kind), given, what=what, further=_further(party.kind))
        return simulator
    if isinstance(party.made, UserSimulator) and not given:
        return party.made
    if not callable(party.made):
        raise ConfigError(f"{what} is a {type(party.made).__name__}, and nothing that makes users")
    made: object = call_with(party.made, given, what=what)
    if not isinstance(made, UserSimulator):
        raise ConfigError(f"{what} makes a {type(made).__name__}, and no mua_env.UserSimulator")
    return made


def named_user(name: str) -> Party:
    """What a user's name stands for; raises as `make_user`."""
    return read_party(name, who="user", builtin=USERS, group=GROUP)


def _further(name: str) -> tuple[Any, ...]:
    """Who takes the options that a user passes on."""
    if name != "llm":
        return ()
    from mua_env.llm import LLMSettings, make_client

    return make_client, LLMSettings


def _class(name: str) -> Any:
    if name == "agenda":
        from mua_env.users.agenda.user import AgendaUser

        return AgendaUser
    if name == "llm":
        from mua_env.users.llm.user import LLMUser

        return LLMUser
    if name == "local":
        from mua_env.users.local.user import LocalUser

        return LocalUser
    from mua_env.users.human import HumanUser

    return HumanUser
