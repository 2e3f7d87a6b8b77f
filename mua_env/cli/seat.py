"""A person in the user's seat: asked for each reply, and able to take the last one back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape

from mua_env.cli.stage import Stage, mistyped
from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage
from mua_env.core.tasks import Task
from mua_env.episode.session import Session, StepResult
from mua_env.episode.setting import Setting
from mua_env.errors import EpisodeError
from mua_env.evaluation.reports.terminal import plain
from mua_env.users.human import STOP_WORD, HumanSession, HumanUser

_COMMANDS = {
    "/help": "this list",
    "/tools": "your own tools, where you have any",
    "/undo": "take the last reply back",
    STOP_WORD: "end the dialogue, alone or at the end of what you say",
}


class TakeBack(Exception):
    """The person wants the last reply undone."""


@dataclass(frozen=True)
class _Asked:
    """The state before a message of the agent went to the user."""

    session: Session
    agent: Agent
    message: AssistantMessage


class UserSeat:
    """Runs one dialogue of an agent with the person at the terminal.

    Args:
        console: where the person is.
        setting: domain and tasks.
        max_turns: turns before the dialogue is cut.
        full: show the results of tools in full.
    """

    def __init__(self, console: Console, setting: Setting, *, max_turns: int | None = None, full: bool = False) -> None:
        self.console = console
        user = _Person(self._ask, show=lambda text: console.print(plain(text)))
        self.stage = Stage(console, Session(setting, user, max_turns=max_turns), full=full, echo_user=False)
        self._past: list[_Asked] = []
        self._setting = setting
        self._tools: dict[str, dict[str, Any]] = {}

    def play(self, agent: Agent, task: Task, *, seed: int) -> None:
        """Hold the dialogue, and print the score."""
        schemas = self._setting.worlds.user_schemas(task)
        self._tools = {tool["function"]["name"]: tool["function"] for tool in schemas}
        self.stage.head(task)
        result, agent = self._open(agent, task, seed)
        while not result.done:
            message = agent.act(result.messages)
            if message.tool_calls:
                result = self.stage.session.send(message)
                self.stage.show()
            else:
                self._past.append(_Asked(self.stage.session.fork(), _fork(agent), message))
                result, agent = self._say(message, agent, task, seed)
        self.stage.finish()
        for asked in self._past:
            asked.session.close()

    def _open(self, agent: Agent, task: Task, seed: int) -> tuple[StepResult, Agent]:
        session = self.stage.session
        while True:
            try:
                result = session.start(task, seed=seed)
            except TakeBack:
                self.console.print("There is nothing to take back.")
                continue
            agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
            return result, agent

    def _say(self, message: AssistantMessage, agent: Agent, task: Task, seed: int) -> tuple[StepResult, Agent]:
        while True:
            try:
                return self.stage.session.send(message), agent
            except TakeBack:
                self._past.pop().session.close()
                self.stage.session.close()
                self.console.print("Taken back.")
                if not self._past:
                    self.stage.replace(self.stage.session.sibling())
                    return self._open(agent, task, seed)
                asked = self._past[-1]
                self.stage.replace(asked.session.fork())
                agent, message = _fork(asked.agent), asked.message

    def _ask(self, agent_text: str | None) -> str:
        self.stage.show()
        line = self.console.input("[bold cyan] you>  [/bold cyan]").strip()
        if line == "/undo":
            raise TakeBack
        if line == "/help":
            for name, what in _COMMANDS.items():
                self.console.print(f"[bold]{name}[/bold]  {escape(what)}")
            return ""
        if line == "/tools":
            self.stage.list_tools(self._tools.values())
            if not self._tools:
                self.console.print("You have no tools here; the agent has.")
            return ""
        if line.startswith("/") and not line.startswith(STOP_WORD):
            self.console.print(f"Unknown command {escape(line)}; there are {', '.join(_COMMANDS)}.")
            return ""
        hint = mistyped(line, self._tools) if self._tools else None
        if hint is not None:
            self.console.print(escape(hint))
            return ""
        tool = self._tools.get(line)
        if tool is None:
            return line
        arguments = self.stage.form(tool)
        return "" if arguments is None else f"{line} {arguments}"


class _Person(HumanUser):
    """Shows the instruction once, also when the opening is taken back."""

    _shown = False

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> HumanSession:
        if self._shown:
            return HumanSession(self._ask, (context or {}).get("tools", ()), self._show)
        self._shown = True
        session = super().start(task, seed=seed, context=context)
        self._show("/undo takes a reply back.\n")
        return session


def _fork(agent: Agent) -> Agent:
    try:
        return agent.fork()
    except EpisodeError:
        return agent  # it goes on from where it is; only its own memory of what was taken back stays
