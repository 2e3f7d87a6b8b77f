"""A user played by a language model, through LiteLLM or a local OpenAI-compatible server.

Strategies as in tau-bench (Yao et al. 2024): `llm`, `react`, `verify`, `reflection`; the prompts are our own. A fifth,
`brief`, is for a model that was trained to be the user (`mua_env.training.user_model.train`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mua_env.core.messages import ToolMessage, dump
from mua_env.core.tasks import Task
from mua_env.errors import ConfigError, TaskError
from mua_env.llm import ChatRequest, Completion, LLMClient, LLMError, LLMSettings, Usage, loop, make_client
from mua_env.llm.chat import replayable, turn_of
from mua_env.users.base import GREETING, UserReply, UserSession, UserSimulator
from mua_env.users.llm.assent import Assent, asks_to_confirm
from mua_env.users.llm.guards import GUARDS, NO_GROUND, Ground, Guard, Violation, check_guards, violation
from mua_env.users.llm.prompts import STRATEGIES, Strategy, check_prompt, prompt_version, system_prompt
from mua_env.users.llm.replies import Line, Unusable, better_line, is_good, read_line, without_stop

TRIES = 2
"""An unusable reply is asked for once more; then it is the user's fault."""
DRAFTS = {"verify": 3, "reflection": 2}
"""How many drafts a strategy has checked at most; what its check rejects is never said."""
_AGAIN = """

Your last attempt at the customer's next message could not be used: {why}. Write the message that the customer sends."""


class LLMUser(UserSimulator):
    """Users that a language model plays.

    Args:
        model: a LiteLLM model name, settings, or a client (to share a ledger or a recording). None reads
            `MUA_LLM_MODEL`.
        strategy: see `Strategy`.
        guards: True (default) for all, False for none, or the names of some (see `mua_env.users.llm.guards`). A
            line that breaks one is asked for once more, then it is the user's fault; either way the reply's
            events hold `guard:<name>`. A stop that comes too early is dropped where there are words beside it
            (`stop_dropped`). A last line that tau2's tokens end holds `ending:transferred` or `ending:out_of_scope`.
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

    @property
    def drops_seed(self) -> bool:  # type: ignore[override]  # known once the provider is
        """Whether the provider takes no seed."""
        return self.client.drops_seed

    async def aready(self) -> None:
        """Import LiteLLM."""
        await self.client.aready()

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> LLMUserSession:
        """A user for one episode. Calls no model yet."""
        if not task.instruction.strip():
            raise TaskError(f"task {task.id!r} has no instruction, which an LLM user needs")
        tools = (context or {}).get("tools", ())
        ground = Ground.of(task, context)
        return LLMUserSession(self.client, self.strategy, task.instruction, seed, self.guards, tools, ground=ground)

    def check(self, task: Task, *, context: Mapping[str, Any] | None = None) -> None:
        """Refuse what :meth:`start` would refuse."""
        self.start(task, seed=0, context=context)


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
        self._notes: list[str] = []
        self._beside: str | None = None
        self._assent = Assent()
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
        self._beside = None
        self._assent.hear(heard)
        self._history.append({"role": "user", "content": heard})
        self._said.append(("Agent", heard))
        return await self._answer()

    def agent_acted(self, calls: int) -> None:
        """Take note of how many tools the agent has called since the customer last spoke."""
        self._assent.calls = calls

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
        self._broken, self._notes = [], []
        opening = all(who != "Customer" for who, _ in self._said)
        try:
            line = await self._compose(opening)
        except LLMError as error:
            return self._result(before, text="", fault=str(error))
        except Unusable as error:
            return self._result(before, text="", fault=f"unusable reply: {error}")
        if line.calls:
            self._beside = line.raw or self._beside
            turn = turn_of(Completion(text=line.raw or None, tool_calls=line.calls), self._history)
            self._history.append(replayable(turn, line.thinking))
            return self._result(before, text="", thought=line.thought, tool_calls=turn.tool_calls)
        self._assent.say(line.text, self._heard[-1], held=line.held)
        self._history.append({"role": "assistant", "content": line.raw})
        self._said.append(("Customer", line.text))
        if line.ending not in (None, "done"):
            self._notes.append(f"ending:{line.ending}")
        self._notes += ["stop_dropped"] if line.held else []
        return self._result(before, text=line.text, stop=line.stop, thought=line.thought)

    def fork(self) -> LLMUserSession:
        """A user with the same history and an account of its own. Its future is the model's to repeat."""
        own = (self._client, self._strategy, self._instruction, self._seed, self._guards, self._tools)
        twin = type(self)(*own, ground=self._ground)
        twin._history = list(self._history)
        twin._said = list(self._said)
        twin._wait = self._wait.copy()
        twin._usage = self._usage
        twin._beside, twin._assent = self._beside, self._assent.copy()
        return twin

    def _result(self, before: Usage, **fields: Any) -> UserReply:
        events = (*self._notes, *(f"guard:{name}" for name in self._broken))
        used, was = self._usage.as_dict(), before.as_dict()
        usage = {key: value - was[key] for key, value in used.items()}
        meta = {"prompt_version": self._version, **({"seed": "dropped"} if self._client.drops_seed else {})}
        return UserReply(usage=usage, meta=meta, events=events, **fields)

    async def _compose(self, opening: bool) -> Line:
        drafts = DRAFTS.get(self._strategy, 1)
        for draft in range(drafts):
            why = "it was checked and found wrong" if draft else None
            line = await self._draft(opening, first=draft * TRIES, why=why)
            said = await self._checked(line, opening, draft)
            if said is not None:
                self._notes += [f"rejected_drafts:{draft}"] if draft else []
                return said
        self._notes.append(f"rejected_drafts:{drafts}")
        raise Unusable(f"the check rejected {drafts} drafts")

    async def _checked(self, line: Line, opening: bool, draft: int) -> Line | None:
        """What the strategy's check lets pass: the line, or another in its place; None for neither."""
        if self._strategy not in DRAFTS or line.calls:
            return line
        answer = (await self._ask(self._check(line), index=draft)).text
        if is_good(answer):
            return line
        better = better_line(answer) if self._strategy == "reflection" else None
        if better is None:
            return None
        self._notes.append("rewritten")
        try:
            return self._read(Completion(text=better), opening)
        except Unusable:
            self._notes[-1] = "rewrite_unusable"
            return None

    def _check(self, line: Line) -> list[dict[str, Any]]:
        dialogue = "\n".join(f"{who}: {text}" for who, text in self._said)
        shown = line.raw if line.stop else line.text
        text = check_prompt(self._strategy, instruction=self._instruction, dialogue=dialogue, line=shown)
        return [{"role": "user", "content": text}]

    async def _draft(self, opening: bool, *, first: int = 0, why: str | None = None) -> Line:
        for index in range(first, first + TRIES):
            try:
                return self._read(await self._ask(self._told(why), index=index, tools=self._tools), opening)
            except Unusable as error:
                if index == first + TRIES - 1:
                    raise
                why = str(error)
        raise AssertionError("TRIES is at least 1")

    def _told(self, why: str | None) -> list[dict[str, Any]]:
        """The history, with what was wrong with the last attempt: many endpoints answer the same to the same."""
        if why is None:
            return self._history
        prompt, *rest = self._history
        return [{**prompt, "content": prompt["content"] + _AGAIN.format(why=why)}, *rest]

    @property
    def _heard(self) -> list[str]:
        return [text for who, text in self._said if who == "Agent"]

    def _read(self, completion: Completion, opening: bool) -> Line:
        # Whoever spoke beside a call, and has nothing to add to its result, has said its line.
        if self._beside and not completion.tool_calls and not (completion.text or "").strip():
            completion = Completion(text=self._beside)
        line = read_line(completion, self._strategy, opening=opening, tools=bool(self._tools))
        if line.calls:
            return line
        if self._beside and not line.text:
            line = replace(line, text=read_line(Completion(text=self._beside), self._strategy).text)
        broken = self._violation(line)
        if broken is not None and broken.guard == "early_stop" and self._may_stay(line):
            self._broken.append(broken.guard)
            line = without_stop(line, self._heard[-1])
            broken = self._violation(line)
        if broken is not None:
            self._broken.append(broken.guard)
            raise Unusable(broken.reason, guard=broken.guard)
        return line

    def _may_stay(self, line: Line) -> bool:
        """Whether a line is as good without its stop: it has words, or nothing was asked that they would answer."""
        return bool(line.text) or not asks_to_confirm(self._heard[-1])

    def _violation(self, line: Line) -> Violation | None:
        heard = self._heard[-1]
        known = [self._instruction, self._ground.holds, *(text for who, text in self._said if who != "Customer")]
        broken = violation(
            self._guards,
            text=line.text,
            stop=line.stop,
            heard=heard,
            known=known,
            briefing=self._instruction,
            shown=[text for who, text in self._said if who not in ("Agent", "Customer")],
            unmet=self._assent.unmet,
        )
        if broken is None and "agrees_wrongly" in self._guards:
            broken = self._ground.agrees_wrongly(line.text, heard)
        return broken

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
