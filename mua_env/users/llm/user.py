"""A user played by a language model, through LiteLLM or a local OpenAI-compatible server.

Strategies as in tau-bench (Yao et al. 2024): `llm`, `react`, `verify`, `reflection`; the prompts are our own. A fifth,
`brief`, is for a model that was trained to be the user (`mua_env.training.user_model.train`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mua_env.core.messages import ToolMessage, dump
from mua_env.core.tasks import Task
from mua_env.errors import ConfigError, TaskError
from mua_env.llm import ChatRequest, Completion, LLMClient, LLMError, LLMSettings, Usage, loop, make_client
from mua_env.llm.history import replayable, turn_of
from mua_env.users.base import GREETING, UserReply, UserSession, UserSimulator
from mua_env.users.llm.guards import (
    GUARDS,
    NO_GROUND,
    Ground,
    Guard,
    asks_to_confirm,
    check_guards,
    declines,
    violation,
)
from mua_env.users.llm.prompts import STRATEGIES, Strategy, check_prompt, prompt_version, system_prompt
from mua_env.users.llm.replies import Line, Unusable, better_line, is_good, read_line

TRIES = 2
"""An unusable reply is asked for once more; then it is the user's fault."""
DRAFTS = 3
"""How many drafts `verify` has checked at most."""


class LLMUser(UserSimulator):
    """Users that a language model plays.

    Args:
        model: a LiteLLM model name, settings, or a client (to share a ledger or a recording). None reads
            `MUA_LLM_MODEL`.
        strategy: see `Strategy`.
        guards: True (default) for all, False for none, or the names of some (see `mua_env.users.llm.guards`). A
            line that breaks one is asked for once more, then it is the user's fault; either way the reply's
            events hold `guard:<name>`. A last line that tau2's tokens end holds `ending:transferred` or
            `ending:out_of_scope`.
        options: what `mua_env.llm.make_client` takes: `base_url`, `temperature`, `cache`, ...

    Raises:
        ConfigError: an unknown strategy, or no model.
        MissingExtra: the [llm] extra is not installed.
    """

    def __init__(
        self,
        model: str | LLMSettings | LLMClient | None = None,
        *,
        strategy: Strategy = "llm",
        guards: bool | Sequence[str] = True,
        **options: Any,
    ) -> None:
        if strategy not in STRATEGIES:
            raise ConfigError(f"strategy: one of {', '.join(STRATEGIES)}, got {strategy!r}")
        self.guards = check_guards(guards)
        self.client = make_client(model, **options)
        self.strategy: Strategy = strategy
        self.name = f"llm:{strategy}:{self.client.settings.model}"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> LLMUserSession:
        """A user for one episode. Calls no model yet."""
        if not task.instruction.strip():
            raise TaskError(f"task {task.id!r} has no instruction, which an LLM user needs")
        tools = (context or {}).get("tools", ())
        ground = Ground.of(task, context)
        return LLMUserSession(self.client, self.strategy, task.instruction, seed, self.guards, tools, ground=ground)


class LLMUserSession(UserSession):
    """One dialogue of an `LLMUser`. To its model, the agent is `user` and the customer `assistant`.

    `tools` are function schemas of the customer's own tools. It calls them by function calling; what is wrong with a
    call comes back to it as the call's result.
    """

    def __init__(
        self,
        client: LLMClient,
        strategy: Strategy,
        instruction: str,
        seed: int,
        guards: tuple[Guard, ...] = GUARDS,
        tools: Sequence[dict[str, Any]] = (),
        *,
        ground: Ground = NO_GROUND,
    ) -> None:
        self._client = client
        self._strategy: Strategy = strategy
        self._instruction = instruction
        self._seed = seed
        self._guards = guards
        self._tools = list(tools)
        self._ground = ground
        self._broken: list[str] = []
        prompt = system_prompt(strategy, instruction, tools=bool(tools))
        self._history: list[dict[str, Any]] = [{"role": "system", "content": prompt}]
        self._said: list[tuple[str, str]] = []
        self._wait = client.wait_limit()
        self._usage = Usage()
        self._version = prompt_version(strategy, tools=bool(tools))

    def reply(self, agent_text: str | None) -> UserReply:
        """Answer the agent; a failure comes back as `fault`, with what was used until then."""
        return loop.run(self.areply(agent_text))

    async def areply(self, agent_text: str | None) -> UserReply:
        """`reply` for the event loop."""
        heard = GREETING if agent_text is None else agent_text
        self._history.append({"role": "user", "content": heard})
        self._said.append(("Agent", heard))
        return await self._answer()

    def observe(self, results: Sequence[ToolMessage]) -> UserReply:
        """Go on after tool calls; as `reply`."""
        return loop.run(self.aobserve(results))

    async def aobserve(self, results: Sequence[ToolMessage]) -> UserReply:
        """`observe` for the event loop."""
        self._history += [dump(result) for result in results]
        self._said += [(f"Customer's tool {result.name}", result.content) for result in results]
        return await self._answer()

    async def _answer(self) -> UserReply:
        before = self._usage
        self._broken = []
        opening = all(who != "Customer" for who, _ in self._said)
        try:
            line, events = await self._compose(opening)
        except LLMError as error:
            return self._result(before, text="", fault=str(error))
        except Unusable as error:
            return self._result(before, text="", fault=f"unusable reply: {error}")
        if line.calls:
            turn = turn_of(Completion(text=line.raw or None, tool_calls=line.calls), position=len(self._history))
            self._history.append(replayable(turn))
            return self._result(before, text="", thought=line.thought, events=events, tool_calls=turn.tool_calls)
        self._history.append({"role": "assistant", "content": line.raw})
        self._said.append(("Customer", line.text))
        if line.ending not in (None, "done"):
            events += (f"ending:{line.ending}",)
        return self._result(before, text=line.text, stop=line.stop, thought=line.thought, events=events)

    def fork(self) -> LLMUserSession:
        """A user with the same history and an account of its own. Its future is the model's to repeat."""
        own = (self._client, self._strategy, self._instruction, self._seed, self._guards, self._tools)
        twin = type(self)(*own, ground=self._ground)
        twin._history = list(self._history)
        twin._said = list(self._said)
        twin._wait = self._wait.copy()
        twin._usage = self._usage
        return twin

    def _result(self, before: Usage, *, events: tuple[str, ...] = (), **fields: Any) -> UserReply:
        events += tuple(f"guard:{name}" for name in self._broken)
        used, was = self._usage.as_dict(), before.as_dict()
        usage = {key: value - was[key] for key, value in used.items()}
        return UserReply(usage=usage, meta={"prompt_version": self._version}, events=events, **fields)

    async def _compose(self, opening: bool) -> tuple[Line, tuple[str, ...]]:
        if self._strategy == "verify":
            return await self._verified(opening)
        line = await self._draft(opening)
        if self._strategy == "reflection" and not line.calls:
            return await self._reflected(line, opening)
        return line, ()

    async def _verified(self, opening: bool) -> tuple[Line, tuple[str, ...]]:
        for draft in range(DRAFTS):
            line = await self._draft(opening, first=draft * TRIES)
            if line.calls:
                return line, ()
            verdict = await self._ask(self._check(line), index=draft)
            if is_good(verdict.text):
                return line, (f"rejected_drafts:{draft}",) if draft else ()
        return line, (f"rejected_drafts:{DRAFTS}", "unverified")

    async def _reflected(self, line: Line, opening: bool) -> tuple[Line, tuple[str, ...]]:
        critique = (await self._ask(self._check(line), index=0)).text
        better = None if is_good(critique) else better_line(critique)
        if better is None:
            return line, ()
        try:
            return self._read(Completion(text=better), opening), ("rewritten",)
        except Unusable:
            return line, ("rewrite_unusable",)

    def _check(self, line: Line) -> list[dict[str, Any]]:
        dialogue = "\n".join(f"{who}: {text}" for who, text in self._said)
        shown = line.raw if line.stop else line.text
        text = check_prompt(self._strategy, instruction=self._instruction, dialogue=dialogue, line=shown)
        return [{"role": "user", "content": text}]

    async def _draft(self, opening: bool, *, first: int = 0) -> Line:
        for index in range(first, first + TRIES - 1):
            try:
                return self._read(await self._ask(self._history, index=index, tools=self._tools), opening)
            except Unusable:
                continue
        last = await self._ask(self._history, index=first + TRIES - 1, tools=self._tools)
        return self._read(last, opening)

    def _read(self, completion: Completion, opening: bool) -> Line:
        line = read_line(completion, self._strategy, opening=opening, tools=bool(self._tools))
        if line.calls:
            return line
        heard = [text for who, text in self._said if who == "Agent"]
        known = [self._instruction, self._ground.holds, *(text for who, text in self._said if who != "Customer")]
        agreed = self._agreed(heard)
        broken = violation(self._guards, text=line.text, stop=line.stop, heard=heard[-1], known=known, agreed=agreed)
        if broken is None and "agrees_wrongly" in self._guards:
            broken = self._ground.agrees_wrongly(line.text, heard[-1])
        if broken is not None:
            self._broken.append(broken.guard)
            raise Unusable(broken.reason, guard=broken.guard)
        return line

    def _agreed(self, heard: Sequence[str]) -> bool:
        """Whether the customer's last line said yes to what the agent had proposed."""
        said = [text for who, text in self._said if who == "Customer"]
        return bool(said) and len(heard) > 1 and asks_to_confirm(heard[-2]) and not declines(said[-1])

    async def _ask(
        self, messages: list[dict[str, Any]], *, index: int, tools: Sequence[dict[str, Any]] = ()
    ) -> Completion:
        # Another seed for each attempt: at temperature 0 the same one would fail the same way.
        request = ChatRequest(
            messages=list(messages),
            tools=list(tools),
            seed=(self._seed + index) % 2**31,
            index=index,
            prompt_version=self._version,
        )
        completion = await self._client.acomplete(request, self._wait)
        self._usage += completion.usage
        return completion
