"""User simulators by name."""

from __future__ import annotations

from typing import Any

from mua_env.errors import ConfigError, did_you_mean
from mua_env.users.base import UserSimulator

USERS = ("agenda", "llm", "local", "human")


def make_user(user: str | UserSimulator, options: dict[str, Any] | None = None) -> UserSimulator:
    """A user simulator.

    Args:
        user: ``"agenda"``, ``"llm"``, ``"local"`` (a model's folder), ``"human"``, or a simulator, which is
            returned as it is.
        options: keyword arguments for one given by name.

    Raises:
        ConfigError: the name or an option is not known, or options came with a simulator.
        MissingExtra: ``"llm"`` without the [llm] extra, ``"local"`` without [train].
    """
    if isinstance(user, UserSimulator):
        if options:
            raise ConfigError("user_options go with a user that is given by name; this one is already made")
        return user
    if user not in USERS:
        raise ConfigError(f"user is {user!r}; use one of {', '.join(map(repr, USERS))}.{did_you_mean(user, USERS)}")
    try:
        simulator: UserSimulator = _class(user)(**(options or {}))
    except TypeError as error:
        raise ConfigError(f"user {user!r}: {error}") from None
    return simulator


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
