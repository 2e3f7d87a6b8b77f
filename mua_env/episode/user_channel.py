"""The user's end of one dialogue: its replies, with its failures and the refusals that were heard written on them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from mua_env.core.messages import ToolMessage
from mua_env.core.outside import heard
from mua_env.core.tasks import Task
from mua_env.episode.setting import Setting
from mua_env.errors import DomainError, UserFault
from mua_env.scoring.refusals import RefusalListener, required_refusals, rules_of_refusals
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.base import UserReply, UserSession, UserSimulator


@dataclass
class UserChannel:
    """A user on the line, and what listens for refusals beside it (``None`` where nothing has to).

    ``seconds`` is how long the user took for its replies so far.
    """

    user: UserSession
    listener: RefusalListener | None
    seconds: float = 0.0

    @classmethod
    def open(cls, simulator: UserSimulator, setting: Setting, task: Task, *, seed: int) -> Self:
        """Start a user for a task; it knows the domain and its own tools.

        Raises:
            ConfigError: the simulator cannot play this task.
        """
        context = {"domain": setting.domain, "setting": setting, "tools": setting.worlds.user_schemas(task)}
        user = simulator.start(task, seed=seed, context=context)
        return cls(user, None if user.registers_refusals else _listener(setting, task))

    def ask(self, text: str | None, results: Sequence[ToolMessage] = (), *, calls: int = 0) -> UserReply:
        """The user's reply to a message, or to the results of its own calls; a fault is part of it.

        Of a message that is over the bound the user gets beginning and end: an agent that runs on must not cost a paid
        user's money and time, and then count as its fault.

        Args:
            text: what the agent said; ``None`` for the opening.
            results: of the user's own calls.
            calls: how many tools the agent has called since the user last spoke.
        """
        if not results:
            self.user.agent_acted(calls)
        with self._clock():
            try:
                return self.user.observe(results) if results else self.user.reply(_heard(text))
            except UserFault as error:
                return _faulty(error)

    async def aask(self, text: str | None, results: Sequence[ToolMessage] = (), *, calls: int = 0) -> UserReply:
        """:meth:`ask` for the event loop."""
        if not results:
            self.user.agent_acted(calls)
        with self._clock():
            try:
                return await (self.user.aobserve(results) if results else self.user.areply(_heard(text)))
            except UserFault as error:
                return _faulty(error)

    def with_refusals(self, reply: UserReply, said: str | None) -> UserReply:
        """A reply to what the agent ``said``, with the refusals that were heard in it as events."""
        if self.listener is None or reply.fault is not None:
            return reply
        events = [] if said is None else self.listener.agent_says(heard(said))
        self.listener.user_says(heard(reply.text))
        return reply.model_copy(update={"events": tuple(dict.fromkeys([*reply.events, *events]))})

    def fork(self) -> Self:
        """A line in the same state that goes on independently."""
        listener = None if self.listener is None else self.listener.fork()
        return type(self)(self.user.fork(), listener, self.seconds)

    def close(self) -> None:
        """Release the user. May be called again."""
        self.user.close()

    @contextmanager
    def _clock(self) -> Iterator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - begun


def _heard(text: str | None) -> str | None:
    return None if text is None else heard(text)


def _listener(setting: Setting, task: Task) -> RefusalListener | None:
    required = required_refusals(task)
    if not required:
        return None
    try:
        language = setting.domain.language
    except DomainError:
        return None
    if not isinstance(language, DialogueLanguage):
        return None
    return RefusalListener(language, required, rules_of_refusals(task))


def _faulty(error: UserFault) -> UserReply:
    return UserReply(text="", fault=str(error) or type(error).__name__)
