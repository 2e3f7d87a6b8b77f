"""A language model as the judge of a task's statements."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from mua_env.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from mua_env.llm.cache import CacheMode
from mua_env.llm.client import ChatRequest, Completion, LLMClient
from mua_env.llm.errors import LLMError
from mua_env.llm.ledger import Ledger, Usage
from mua_env.llm.make import make_client
from mua_env.llm.settings import LLMSettings
from mua_env.scoring.judges import Judge, Judgement

EDITION = 1
"""Raised by hand when the wording changes on purpose; the hash in the version catches the rest."""
TRIES = 3
"""How often an answer that cannot be read is asked for."""

_PROMPT = """\
You check how a service agent has dealt with a customer. Below you get a whole dialogue, with the agent's tool calls
and what they returned, and numbered statements about it. Say of each statement, on its own, whether it holds.

- Go by the dialogue alone. What the agent only announced did not happen; what a tool returned an error for failed.
- A statement about what the agent said holds if the customer was told so in any words.
- A statement about what the agent did not do holds if nothing in the dialogue shows that it did.

Answer with one JSON object and nothing else, with an entry for each statement in order:
{"verdicts": [{"number": 1, "reason": "one short sentence", "holds": true}]}"""

_CASE = """\
<dialogue>
{dialogue}
</dialogue>

<statements>
{statements}
</statements>"""


def prompt_version() -> str:
    """Edition and content of the judge's prompt, as ``"1-0123abcd"``."""
    return f"{EDITION}-{hashlib.sha256((_PROMPT + _CASE).encode()).hexdigest()[:8]}"


class LLMJudge(Judge):
    """Asks a model whether statements hold. Calls are limited, recorded and counted as those of an LLM user are.

    Args:
        model: a LiteLLM name, settings, or a client; see :func:`mua_env.llm.make.make_client`.
        cache: folder of recorded replies, ``None`` to record nothing.
        cache_mode: how it is used.
        ledger: counts what is used, and may stop the run.
        settings: fields of :class:`~mua_env.llm.settings.LLMSettings` (temperature 0 by default).

    Raises:
        ConfigError: no model is named.
        MissingExtra: the [llm] extra is not installed.
    """

    def __init__(
        self,
        model: str | LLMSettings | LLMClient | None = None,
        *,
        cache: str | Path | None = None,
        cache_mode: CacheMode = "auto",
        ledger: Ledger | None = None,
        **settings: Any,
    ) -> None:
        self.client = make_client(model, cache=cache, cache_mode=cache_mode, ledger=ledger, **settings)

    @property
    def name(self) -> str:
        """The model, and the version of the prompt."""
        return f"{self.client.settings.model} (prompt {prompt_version()})"

    def judge(self, statements: Sequence[str], dialogue: Sequence[Message], *, seed: int) -> Judgement:
        """Whether each statement holds of a dialogue; see :class:`mua_env.scoring.judges.Judge`."""
        wait = self.client.wait_limit()
        steps = self._steps(statements, dialogue, seed)
        try:
            request = next(steps)
            while True:
                request = steps.send(self.client.complete(request, wait))
        except StopIteration as end:
            found: Judgement = end.value
            return found
        except LLMError as error:
            return self._failed(error)

    async def ajudge(self, statements: Sequence[str], dialogue: Sequence[Message], *, seed: int) -> Judgement:
        """:meth:`judge` for the event loop."""
        wait = self.client.wait_limit()
        steps = self._steps(statements, dialogue, seed)
        try:
            request = next(steps)
            while True:
                request = steps.send(await self.client.acomplete(request, wait))
        except StopIteration as end:
            found: Judgement = end.value
            return found
        except LLMError as error:
            return self._failed(error)

    def _steps(
        self, statements: Sequence[str], dialogue: Sequence[Message], seed: int
    ) -> Generator[ChatRequest, Completion, Judgement]:
        """What is asked, one request after another, and in the end what was found."""
        numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(statements, start=1))
        case = _CASE.format(dialogue=rendered(dialogue), statements=numbered)
        messages = [{"role": "system", "content": _PROMPT}, {"role": "user", "content": case}]
        used, answer = Usage(), ""
        for index in range(TRIES):
            request = ChatRequest(messages=messages, seed=seed, index=index, prompt_version=f"judge/{prompt_version()}")
            completion = yield request
            used += completion.usage
            answer = completion.text or ""
            found = read_verdicts(answer, len(statements))
            if found is not None:
                verdicts, reasons = found
                return Judgement(judge=self.name, verdicts=verdicts, reasons=reasons, usage=used.as_dict())
        fault = f"no verdicts on {len(statements)} statement(s) in {TRIES} answers; the last: {answer[:200]!r}"
        return Judgement(judge=self.name, usage=used.as_dict(), fault=fault)

    def _failed(self, error: LLMError) -> Judgement:
        if error.kind == "budget":
            raise error
        return Judgement(judge=self.name, fault=str(error))


def rendered(dialogue: Sequence[Message]) -> str:
    """A dialogue as the judge reads it, a line for each text, call and result."""
    lines = []
    for message in dialogue:
        if isinstance(message, UserMessage):
            lines.append(f"customer: {message.content}")
        elif isinstance(message, ToolMessage):
            lines.append(f"result of {message.name}: {message.content}")
        elif isinstance(message, AssistantMessage):
            lines += [f"agent: {message.content}"] if message.content else []
            lines += [f"agent calls {call.function.name} {call.function.arguments}" for call in message.tool_calls]
    return "\n".join(lines)


def read_verdicts(answer: str, count: int) -> tuple[tuple[bool, ...], tuple[str, ...]] | None:
    """Verdicts and reasons of an answer, or ``None`` where it does not hold one for each statement."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        entries = json.loads(answer[start : end + 1])["verdicts"]
        by_number = {entry["number"]: (entry["holds"], str(entry.get("reason", ""))) for entry in entries}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if set(by_number) != set(range(1, count + 1)) or len(entries) != count:
        return None
    if not all(isinstance(holds, bool) for holds, _ in by_number.values()):
        return None
    found = [by_number[number] for number in range(1, count + 1)]
    return tuple(holds for holds, _ in found), tuple(reason for _, reason in found)
