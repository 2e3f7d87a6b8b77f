"""The turn machine: takes a turn, says what must happen next. It does no I/O, sleeps never and knows no model.

    episode = Episode(task, world, limits=Limits(turns=30))
    messages = episode.user_turn(user.reply(None))          # the user opens
    step = episode.agent_turn(agent_message)                 # tool results, or step.ask_user is the text for the user
    messages = episode.user_turn(user.reply(step.ask_user))

A user with tools of its own may act before it speaks: :meth:`Episode.user_acts` runs its calls, the user observes.

``DialogueEnv``, ``DialogueVectorEnv`` and the rollout drivers are shells over it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal

from mua_env.core.json_reader import read_object
from mua_env.core.limits import LONGEST_ARGUMENTS, MOST_CALLS
from mua_env.core.messages import (
    KEPT_CALLS,
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    with_own_ids,
)
from mua_env.core.outside import line
from mua_env.core.redaction import scrub
from mua_env.core.scores import Fault, Record
from mua_env.core.tasks import Action, Limits, Task
from mua_env.core.tools import Requestor
from mua_env.core.trajectory import Entry, UserActs
from mua_env.core.world import World
from mua_env.errors import EpisodeError
from mua_env.users.base import UserReply

USER_ROUNDS = 10
"""Rounds of tool calls that a user may make before it must speak; one more is its fault."""

End = Literal["user_stop", "terminal_tool", "max_turns", "token_limit", "fault"]
_Waiting = Literal["user", "agent", "end"]


@dataclass(slots=True)
class AgentStep:
    """What an agent's turn came to.

    ``messages`` are the tool messages, one for each call. ``ask_user`` is the text that the user must answer next
    (with :meth:`Episode.user_turn`), or ``None``.
    """

    messages: list[Message] = field(default_factory=list)
    ask_user: str | None = None


class Episode:
    """One dialogue about one task.

    Args:
        task: what the dialogue is about.
        world: what the tools act on, already loaded with the task's initial state.
        limits: where it is truncated (default after 30 turns, paper section 4.1). A turn of the agent leads to one
            user reply or one round of tool calls.
        text_with_calls_reaches_user: whether text beside tool calls is said to the user (default: it is kept in the
            trajectory only).
    """

    def __init__(
        self,
        task: Task,
        world: World,
        *,
        limits: Limits | None = None,
        text_with_calls_reaches_user: bool = False,
    ) -> None:
        self.task = task
        self.limits = limits or Limits()
        self.turns = 0
        self.entries: list[Entry] = []
        self.ended_by: End | None = None
        self.cause: str | None = None
        self.fault: Fault | None = None
        self._world = world
        self._mixed = text_with_calls_reaches_user
        self._waiting: _Waiting = "user"
        self._events: list[str] = []
        self._acts: list[tuple[UserReply, UserActs]] = []
        # The two sides are apart: each refers to the calls of its own.
        self._ids: dict[Requestor, set[str]] = {"agent": set(), "user": set()}
        self._terminal_tool: str | None = None
        self._terminal_text = ""
        self._steps = 0  # turns of the agent since the user spoke
        self._messages = 0  # the results of one turn's calls are one message

    @property
    def ended(self) -> bool:
        """Whether no further turn is taken."""
        return self._waiting == "end"

    @property
    def terminated(self) -> bool:
        """It came to an end of its own: the user stopped, or a terminal tool was called."""
        return self.ended_by in ("user_stop", "terminal_tool")

    @property
    def truncated(self) -> bool:
        """It was cut: turn limit, token limit, or a failure that is not the agent's."""
        return self.ended and not self.terminated

    @property
    def calls_since_user(self) -> int:
        """How many tools the agent has called since the user last spoke."""
        since = takewhile(lambda entry: entry.source != "user", reversed(self.entries))
        return sum(entry.source == "tool" for entry in since)

    def agent_turn(self, message: AssistantMessage) -> AgentStep:
        """Take the agent's turn: run its tool calls in order, or hand its text to the user.

        Raises:
            EpisodeError: it is not the agent's turn.
        """
        self._expect("agent")
        calls = self._with_ids(message.tool_calls[:KEPT_CALLS], "agent", f"call_{self.turns + 1}")
        message = message.model_copy(update={"tool_calls": calls}) if calls != message.tool_calls else message
        self.turns += 1
        self._steps += 1
        self._messages += 1 if not message.tool_calls else 2
        self.entries.append(Entry(source="agent", message=message, turn=self.turns))
        if not message.tool_calls:
            self._waiting = "user"
            return AgentStep(ask_user=message.content or "")
        step = AgentStep(messages=[self._run(call, place) for place, call in enumerate(message.tool_calls)])
        self.entries += [Entry(source="tool", message=result, turn=self.turns) for result in step.messages]
        if self._terminal_tool is not None:
            self._end("terminal_tool")
        elif self._mixed and message.content:
            self._waiting = "user"
            step.ask_user = message.content
        else:
            self._check_turns()
        return step

    def user_turn(self, reply: UserReply) -> list[Message]:
        """Take the user's reply; returns the new messages for the agent (none for a silent stop).

        Raises:
            EpisodeError: it is not the user's turn, or its tool calls have not been run.
        """
        self._expect("user")
        reply, acts = self._take_acts(reply)
        messages: list[Message] = [UserMessage(content=reply.text)] if reply.text else []
        hidden = reply.model_dump(mode="json", exclude={"text", "tool_calls"}, exclude_defaults=True) | acts
        content = UserMessage(content=reply.text)
        self.entries.append(Entry(source="user", message=content, turn=self.turns, hidden=hidden))
        if reply.fault is not None:  # recorded all the same: it has cost something
            self.fail("user", reply.fault)
            return []
        self._events += reply.events
        self._world.reveal(reply.reveals)
        self._steps = 0
        self._messages += 1
        self._waiting = "agent"
        if reply.stop:
            self._end("user_stop")
        else:
            self._check_turns()
        return messages

    def user_acts(self, reply: UserReply) -> list[ToolMessage]:
        """Run what the user does with its own tools before it speaks.

        Returns:
            One result for each call, for the user alone. Empty where the reply is one for :meth:`user_turn`: it has
            no calls, it is unusable, or the user has made ``USER_ROUNDS`` rounds of calls already.

        Raises:
            EpisodeError: it is not the user's turn.
        """
        self._expect("user")
        if not reply.tool_calls or reply.fault is not None or len(self._acts) >= USER_ROUNDS:
            return []
        prefix = f"user_{self.turns}_{len(self._acts)}"
        calls = self._with_ids(reply.tool_calls[:KEPT_CALLS], "user", prefix)
        results = tuple(self._run_for_user(call, place) for place, call in enumerate(calls))
        self._acts.append((reply, UserActs(tool_calls=calls, results=results, thought=reply.thought)))
        return list(results)

    def fail(self, fault: Fault, cause: str) -> None:
        """End the episode by a failure that is not the agent's: truncated, never scored."""
        self._end("fault", cause)
        self.fault = fault

    def truncate(self, cause: str) -> None:
        """End the episode at a limit that the driver keeps, as a number of tokens."""
        self._end("token_limit", cause)

    def record(self) -> Record:
        """What scoring needs to know."""
        messages = [entry.message for entry in self.entries if isinstance(entry.message, AssistantMessage)]
        heard = {True: [], False: []}  # type: dict[bool, list[str]]
        for message in messages:
            if message.content:
                heard[self._mixed or not message.tool_calls].append(message.content)
        return Record(
            agent_texts=tuple(heard[True]),
            texts_beside_calls=tuple(heard[False]),
            events=tuple(self._events),
            terminal_tool=self._terminal_tool,
            terminal_text=self._terminal_text,
            calls=self._calls() if self.task.criteria is not None else (),
            turns=self._calls_by_turn() if self.task.script or self.task.scene else (),
            truncated=self.truncated,
            fault=self.fault,
        )

    def _calls(self) -> tuple[Action, ...]:
        """Every call that can be read, of agent and user."""
        acts = [act for entry in self.entries for act in entry.user_acts] + [act for _, act in self._acts]
        said = [entry.message for entry in self.entries if isinstance(entry.message, AssistantMessage)]
        calls: list[tuple[Requestor, ToolCall]] = [("agent", call) for message in said for call in message.tool_calls]
        calls += [("user", call) for act in acts for call in act.tool_calls]
        read = (_read(call, requestor) for requestor, call in calls)
        return tuple(action for action in read if action is not None)

    def _calls_by_turn(self) -> tuple[tuple[Action, ...], ...]:
        """The readable calls of the agent between one word of the user and the next, empty turns too."""
        turns: list[list[Action]] = []
        for entry in self.entries:
            if entry.source == "user":
                turns.append([])
            elif isinstance(entry.message, AssistantMessage):
                read = (_read(call, "agent") for call in entry.message.tool_calls)
                turns[-1] += [action for action in read if action is not None]
        return tuple(map(tuple, turns))

    def fork(self, world: World) -> Episode:
        """A copy that goes on independently, in a fork of the world."""
        twin = object.__new__(Episode)
        twin.__dict__.update(self.__dict__)
        twin.entries, twin._events, twin._world = list(self.entries), list(self._events), world
        twin._acts, twin._ids = list(self._acts), {who: set(ids) for who, ids in self._ids.items()}
        return twin

    def _run(self, call: ToolCall, place: int) -> ToolMessage:
        name = call.function.name
        if place >= MOST_CALLS:
            content = _one_too_many(name)
        elif self._terminal_tool is not None:
            content = f"Error: {name} was not run: {self._terminal_tool} has ended the dialogue"
        else:
            result = self._world.call(name, call.function.arguments)
            content = result.content
            if result.ok and self._world.is_terminal(name):
                self._terminal_tool = name
                self._terminal_text = _values(call.function.arguments)
        return ToolMessage(tool_call_id=call.id, name=name, content=content)

    def _run_for_user(self, call: ToolCall, place: int) -> ToolMessage:
        name = call.function.name
        if place >= MOST_CALLS:
            return ToolMessage(tool_call_id=call.id, name=name, content=_one_too_many(name))
        result = self._world.call(name, call.function.arguments, requestor="user")
        return ToolMessage(tool_call_id=call.id, name=name, content=result.content)

    def _take_acts(self, reply: UserReply) -> tuple[UserReply, dict[str, Any]]:
        """The reply with what the rounds of calls before it cost and registered, and the rounds as they are kept."""
        if reply.tool_calls and reply.fault is None:
            if len(self._acts) < USER_ROUNDS:
                raise EpisodeError("the user calls tools: run them with user_acts, and let the user observe")
            fault = f"the user called tools {USER_ROUNDS + 1} times without a word in between"
            reply = reply.model_copy(update={"fault": fault, "text": ""})
        if not self._acts:
            return reply, {}
        rounds, self._acts = self._acts, []
        replies = [*(said for said, _ in rounds), reply]
        usage: dict[str, float] = {}
        for each in replies:
            for name, value in each.usage.items():
                usage[name] = usage.get(name, 0) + value
        meta = {name: value for each in replies for name, value in each.meta.items()}
        events = tuple(event for each in replies for event in each.events)
        acts = [kept.model_dump(mode="json", exclude_defaults=True) for _, kept in rounds]
        return reply.model_copy(update={"usage": usage, "meta": meta, "events": events}), {"acts": acts}

    def _with_ids(self, calls: tuple[ToolCall, ...], requestor: Requestor, prefix: str) -> tuple[ToolCall, ...]:
        calls = with_own_ids(calls, self._ids[requestor], prefix)
        self._ids[requestor].update(call.id for call in calls)
        return calls

    def _check_turns(self) -> None:
        limits, messages = self.limits, self._messages
        if self.turns >= limits.turns:
            self._end("max_turns", f"{limits.turns} turns")
        elif limits.steps is not None and self._steps >= limits.steps:
            self._end("max_turns", f"{limits.steps} turns of the agent without a word to the user")
        elif limits.messages is not None and messages >= limits.messages:
            self._end("max_turns", f"{limits.messages} messages")
        else:
            self._waiting = "agent"

    def _end(self, by: End, cause: str | None = None) -> None:
        if self.ended:
            raise EpisodeError("the episode has already ended")
        self._waiting, self.ended_by = "end", by
        self.cause = None if cause is None else line(scrub(cause))

    def _expect(self, who: _Waiting) -> None:
        if self._waiting != who:
            now = "it has ended; reset before the next step" if self.ended else f"the {self._waiting}'s turn comes next"
            raise EpisodeError(f"no turn of the {who} is due: {now}")


def _one_too_many(name: str) -> str:
    return f"Error: {name} was not run, nor was any call after it: a turn has at most {MOST_CALLS} calls"


def _read(call: ToolCall, requestor: Requestor) -> Action | None:
    arguments = read_object(call.function.arguments or "{}", longest=LONGEST_ARGUMENTS)
    return None if arguments is None else Action(name=call.function.name, arguments=arguments, requestor=requestor)


def _values(arguments: str) -> str:
    """The values of a successful call's arguments as one text."""
    return " ".join(map(str, (read_object(arguments or "{}", longest=LONGEST_ARGUMENTS) or {}).values()))
