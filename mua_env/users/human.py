"""A person at the keyboard as the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mua_env.core.characters import visible
from mua_env.core.messages import FunctionCall, ToolCall, ToolMessage
from mua_env.core.tasks import Task
from mua_env.errors import UserFault
from mua_env.users.base import UserReply, UserSession, UserSimulator

STOP_WORD = "/stop"

Ask = Callable[[str | None], str]
"""Shows what the agent said (None at the start) and returns the person's line."""


def ask_on_terminal(agent_text: str | None) -> str:
    """Print and `input`."""
    if agent_text is not None:
        print(f"agent: {visible(agent_text)}")
    return input("you: ")


class HumanUser(UserSimulator):
    """Asks a person for each reply. `/stop` ends the dialogue; text before it is said first.

    Where the user has tools of its own, a line `name {"argument": "value"}` calls one, and its result is shown.

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
        session = HumanSession(self._ask, (context or {}).get("tools", ()), self._show)
        if session.tools:
            self._show(f'Your own tools, called as name {{"argument": "value"}}: {", ".join(session.tools)}')
        return session


class HumanSession(UserSession):
    """One dialogue of a person, who may have `tools` (function schemas; kept by name)."""

    def __init__(self, ask: Ask, tools: Sequence[dict[str, Any]] = (), show: Callable[[str], None] = print) -> None:
        self._ask = ask
        self._show = show
        self.tools = {tool["function"]["name"]: tool["function"] for tool in tools}

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
        name, _, arguments = line.partition(" ")
        if name in self.tools and arguments.strip()[:1] in ("", "{"):
            call = FunctionCall(name=name, arguments=arguments.strip() or "{}")
            return UserReply(text="", tool_calls=(ToolCall(function=call),))
        text, stop, _ = line.partition(STOP_WORD)
        return UserReply(text=text.strip(), stop=bool(stop))

    async def areply(self, agent_text: str | None) -> UserReply:
        """`reply` in a thread, so that other dialogues go on."""
        return await asyncio.to_thread(self.reply, agent_text)

    def observe(self, results: Sequence[ToolMessage]) -> UserReply:
        """Show the results, and ask the person again."""
        for result in results:
            self._show(f"{result.name}: {visible(result.content)}")
        return self.reply(None)

    async def aobserve(self, results: Sequence[ToolMessage]) -> UserReply:
        """`observe` in a thread."""
        return await asyncio.to_thread(self.observe, results)

    def fork(self) -> HumanSession:
        """The same person: a fork asks at the same place."""
        return self
