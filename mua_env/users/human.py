"""A person at the keyboard as the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from mua_env.errors import UserFault
from mua_env.tasks import Task
from mua_env.users.base import UserReply, UserSession, UserSimulator

STOP_WORD = "/stop"

Ask = Callable[[str | None], str]
"""Shows what the agent said (None at the start) and returns the person's line."""


def ask_on_terminal(agent_text: str | None) -> str:
    """Print and `input`."""
    if agent_text is not None:
        print(f"agent: {agent_text}")
    return input("you: ")


class HumanUser(UserSimulator):
    """Asks a person for each reply. `/stop` ends the dialogue; text before it is said first.

    Args:
        ask: where the person is (default: the terminal).
        show: shown once, with the task's instruction, when an episode starts (default: print).
    """

    name = "human"

    def __init__(self, ask: Ask = ask_on_terminal, show: Callable[[str], None] = print) -> None:
        self._ask = ask
        self._show = show

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> HumanSession:
        """Show the instruction and wait for the opening."""
        self._show(f"You are the user. {task.instruction}\nWrite {STOP_WORD} when you are done.")
        return HumanSession(self._ask)


class HumanSession(UserSession):
    """One dialogue of a person."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def reply(self, agent_text: str | None) -> UserReply:
        """Ask the person.

        Raises:
            UserFault: the person left (end of input).
        """
        try:
            line = self._ask(agent_text).strip()
            while not line:
                line = self._ask(None).strip()
        except EOFError:
            raise UserFault("the person left the dialogue") from None
        text, stop, _ = line.partition(STOP_WORD)
        return UserReply(text=text.strip(), stop=bool(stop))

    async def areply(self, agent_text: str | None) -> UserReply:
        """`reply` in a thread, so that other dialogues go on."""
        return await asyncio.to_thread(self.reply, agent_text)

    def fork(self) -> HumanSession:
        """The same person: a fork asks at the same place."""
        return self
