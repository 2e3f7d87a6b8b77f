"""A user that says what the agenda user says, and registers nothing: as a language model would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mua_env.core.tasks import Task
from mua_env.users.agenda.user import AgendaSession, AgendaUser
from mua_env.users.base import UserReply


class QuietSession(AgendaSession):
    registers_refusals = False

    def reply(self, agent_text: str | None) -> UserReply:
        return super().reply(agent_text).model_copy(update={"events": ()})

    def fork(self) -> QuietSession:
        twin = super().fork()
        return QuietSession(twin.agenda, twin.language, twin.voice)


class QuietUser(AgendaUser):
    name = "quiet"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> QuietSession:
        session = super().start(task, seed=seed, context=context)
        return QuietSession(session.agenda, session.language, session.voice)
