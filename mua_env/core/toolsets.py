"""What a world is made of besides its rows: whose tools there are, and what carries changes between two sides."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from sqlalchemy.orm import DeclarativeBase

from mua_env.core.database import Database
from mua_env.core.tools import Mode, Toolkit, tool
from mua_env.errors import DomainError

Settle = Callable[[Database, Mode], None]
"""Carries changes from one side of a world to the other, as a suspended line to the phone's status bar."""


@dataclass(frozen=True)
class Toolset:
    """The tools of a world, by whose hands they are in.

    Attributes:
        toolkit: the agent's tools.
        models: the declarative base of the tables; ``None`` takes the domain's.
        user_toolkit: the user's own tools over the same database, as a phone to operate.
        stage: functions that set a scene up (a task's initial actions) and check it (its assertions, which return a
            ``bool``). They are called by ``requestor="world"``; nobody is offered them.
        settle: runs after each successful writing call, inside its savepoint, and once when a scene is set up.
        settled_gold: whether it also runs between gold actions in ``compat`` mode (tau2 does not).
        solo: whether the agent has the user's tools too, and nobody is on the line.
        vocabularies: sets of all values, in lower case, that something can have, as the status of an order: an agent
            that states several of one has not answered which it is.
    """

    toolkit: type[Toolkit]
    models: type[DeclarativeBase] | None = None
    user_toolkit: type[Toolkit] | None = None
    stage: type[Toolkit] | None = None
    settle: Settle | None = None
    settled_gold: bool = True
    solo: bool = False
    vocabularies: tuple[frozenset[str], ...] = ()


class _Done(Toolkit):
    @tool(terminal=True)
    def done(self) -> str:
        """Close the ticket: call this once nothing is left to do."""
        return "The ticket is closed."


@lru_cache(maxsize=64)
def solo_toolset(toolset: Toolset) -> Toolset:
    """The same world with both pairs of hands in the agent's: its tools, the user's, and ``done``, which ends.

    Raises:
        DomainError: the user has no tools, or one has the name of a tool of the agent.
    """
    hands = toolset.user_toolkit
    if hands is None:
        raise DomainError("there is no solo mode here: the user has no tools that the agent could take over")
    if doubled := sorted(toolset.toolkit.specs.keys() & hands.specs.keys()):
        raise DomainError(f"agent and user both have a tool {doubled[0]!r}; solo mode needs different names")
    both = types.new_class(f"Solo{toolset.toolkit.__name__}", (toolset.toolkit, hands, _Done))
    return replace(toolset, toolkit=both, user_toolkit=None, solo=True)
