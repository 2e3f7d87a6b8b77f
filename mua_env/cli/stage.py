"""One dialogue on the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Entry, TrajectoryWriter
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.errors import EpisodeError
from mua_env.evaluation.reports.terminal import print_entry, print_score
from mua_env.llm.errors import LLMError


class Stage:
    """Runs one episode and prints each message as it comes.

    Args:
        console: where to.
        session: in which the episode runs; `session` is another one after an undo.
        full: show the results of tools in full.
        echo_user: print the user's messages (not where the person has just typed them).
    """

    def __init__(self, console: Console, session: Session, *, full: bool = False, echo_user: bool = True) -> None:
        self.console = console
        self.session = session
        self._full = full
        self._echo_user = echo_user
        self._shown = 0

    def perform(self, agent: Agent, task: Task, *, seed: int) -> None:
        """Let an agent talk with the session's user."""
        self.head(task)
        try:
            hold(self.session, agent, task, seed=seed, on_step=lambda result: self.show())
        except LLMError as error:
            self.session.fail(f"agent: {error}")
            self.show()
        self.finish()

    def play_agent(self, task: Task, *, seed: int) -> None:
        """Let the person at the terminal be the agent."""
        self.head(task)
        self.console.print("You are the agent. /tools, /policy, /undo, /quit; anything else goes to the user.\n")
        result = self.session.start(task, seed=seed)
        self.show()
        past: list[Session] = []
        while not result.done:
            line = self._read()
            if line is None or line == "/quit":
                self.session.fail("the person left")
                break
            if line == "/undo":
                self._undo(past)
                continue
            turn = self._turn(line)
            if turn is not None:
                past.append(self.session.fork())
                result = self.session.send(turn)
                self.show()
        for session in past:
            session.close()
        self.finish()

    def save(self, path: Path, *, agent: str) -> None:
        """Append the trajectory to a file."""
        with TrajectoryWriter(path) as writer:
            writer.write(self.session.trajectory(id=self.session.task.id, agent=agent))
        self.console.print(f"Saved to {escape(str(path))}.")

    def replace(self, session: Session) -> None:
        """Go on with another session, whose messages so far are taken as shown."""
        self.session = session
        self._shown = len(_entries(session))

    def finish(self) -> None:
        """Print what is left, and the score."""
        self.show()
        print_score(self.console, self.session)

    def head(self, task: Task) -> None:
        """Print what is played."""
        setting = self.session.setting
        user = self.session.user.describe(task)
        title = f"{setting.domain.name}, {setting.tasks.name}, task {task.id}; user: {user}"
        self.console.print(f"[bold]{escape(title)}[/bold]\n")

    def show(self) -> None:
        """Print the messages that are new."""
        entries = _entries(self.session)
        for entry in entries[self._shown :]:
            if self._echo_user or entry.source != "user":
                print_entry(self.console, entry, full=self._full)
        self._shown = len(entries)

    def form(self, tool: dict[str, Any]) -> str | None:
        """Ask for the arguments of a tool, one by one; JSON text, or None at a command or the end of the input."""
        values: dict[str, Any] = {}
        needed = tool["parameters"].get("required", ())
        for name, schema in tool["parameters"].get("properties", {}).items():
            hint = str(schema.get("description") or schema.get("type", "")).rstrip(".")
            choices = f", one of {', '.join(map(str, schema['enum']))}" if "enum" in schema else ""
            optional = "" if name in needed else ", empty to leave it out"
            try:
                text = self.console.input(f"  {escape(f'{name} ({hint}{choices}{optional})')}: ").strip()
            except EOFError:
                return None
            if text.startswith("/"):
                self.console.print("The call is dropped.")
                return None
            if text or name in needed:
                values[name] = _value(text, schema)
        return json.dumps(values, ensure_ascii=False)

    def _read(self) -> str | None:
        try:
            line = ""
            while not line:
                line = self.console.input("[bold]> [/bold]").strip()
        except EOFError:
            return None
        return line

    def _undo(self, past: list[Session]) -> None:
        if not past:
            self.console.print("There is nothing to take back.")
            return
        self.session.close()
        self.replace(past.pop())
        self.console.print("Taken back. The last message was:")
        print_entry(self.console, self.session.episode.entries[-1], full=self._full)

    def _turn(self, line: str) -> AssistantMessage | None:
        if line == "/policy":
            self.console.print(Markdown(self.session.system_prompt))
        elif line == "/tools":
            self._list_tools()
        elif line.startswith("/"):
            self.console.print(f"Unknown command {escape(line)}; there are /tools, /policy, /undo, /quit.")
        else:
            return self._message(line)
        return None

    def _list_tools(self) -> None:
        for tool in self._tools().values():
            needed = tool["parameters"].get("required", ())
            names = [name if name in needed else f"[{name}]" for name in tool["parameters"].get("properties", {})]
            self.console.print(f"[bold]{tool['name']}[/bold] {escape(' '.join(names))}")
            self.console.print(f"    {escape(tool['description'])}")

    def _message(self, line: str) -> AssistantMessage | None:
        name, _, rest = line.partition(" ")
        tool = self._tools().get(name)
        rest = rest.strip()
        if tool is None or not (rest == "" or rest.startswith("{")):
            return AssistantMessage(content=line)
        arguments = rest or self.form(tool)
        if arguments is None:
            return None
        call = ToolCall(function=FunctionCall(name=name, arguments=arguments))
        return AssistantMessage(tool_calls=(call,))

    def _tools(self) -> dict[str, dict[str, Any]]:
        return {tool["function"]["name"]: tool["function"] for tool in self.session.tools}


def _entries(session: Session) -> list[Entry]:
    try:
        return session.episode.entries
    except EpisodeError:
        return []


def _value(text: str, schema: dict[str, Any]) -> Any:
    """A typed form field: text as it is, everything else as JSON (a list of words may be written with commas)."""
    if schema.get("type") == "string" or "enum" in schema:
        return text
    try:
        return json.loads(text)
    except ValueError:
        if schema.get("type") == "array":
            return [part.strip() for part in text.split(",") if part.strip()]
        return text
