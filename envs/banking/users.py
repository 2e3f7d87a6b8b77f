"""A customer who works from the quoted lines and the facts of a scenario, without a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mua_env.core.messages import ToolCall, ToolMessage
from mua_env.core.tasks import Action, Task
from mua_env.errors import TaskError
from mua_env.users.base import UserReply, UserSession, UserSimulator

from .scenario import Scenario, read_scenario, words

_ASKED: Final = {
    "name": re.compile(r"\b(?:full |your )name\b", re.IGNORECASE),
    "user_id": re.compile(r"\b(?:user|customer) id\b", re.IGNORECASE),
    "email": re.compile(r"\be-?mail", re.IGNORECASE),
    "phone_number": re.compile(r"\bphone\b", re.IGNORECASE),
    "date_of_birth": re.compile(r"\bdate of birth\b|\bborn\b|\bDOB\b|\bbirth ?da", re.IGNORECASE),
    "address": re.compile(r"\b(?<!e-mail )(?<!email )address\b", re.IGNORECASE),
}
_REQUEST: Final = re.compile(r"\?|\bplease\b|\bneed\b|\bprovide\b|\bconfirm\b|\bverify\b", re.IGNORECASE)
_CARD: Final = re.compile(r"(?:[A-Z][\w-]*\s+)+Card\b|\bEcoCard\b|\bCrypto-Cash Back\b")
_ADVICE: Final = re.compile(r"\b(?:recommend|suggest|best|apply)", re.IGNORECASE)
_ENDS: Final = re.compile(r"\banything else\b|\btransferr(?:ing|ed)\b|\bgood ?bye\b", re.IGNORECASE)
_ID: Final = re.compile(r"[a-z]+_[0-9a-z_]+")


class ScenarioUser(UserSimulator):
    """Customers of tasks whose scenario can be scripted; results name them ``scripted (derived)``.

    What the customer does with their tools is what the gold actions have, done once the agent has named the tool (or
    the card, or the account) and every value that the scenario does not tell: a dispute is filed for the transactions
    that the agent names, right or wrong.
    """

    name = "scripted (derived)"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> ScenarioSession:
        """The customer of a task.

        Raises:
            TaskError: the scenario cannot be scripted; the text says why.
        """
        scenario = read_scenario(task)
        if isinstance(scenario, str):
            raise TaskError(
                f"task {task.id!r} has no scripted customer: {scenario}. Use a language model: user='llm' (--user llm)"
            )
        return ScenarioSession(scenario)

    def check(self, task: Task, *, context: Mapping[str, Any] | None = None) -> None:
        """Refuse what :meth:`start` refuses."""
        self.start(task, seed=0)


class ScenarioSession(UserSession):
    """One dialogue of a scripted customer."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._heard = ""
        self._now = ""
        self._left = list(scenario.deeds)
        self._lines = list(scenario.lines)
        self._tried: set[str] = set()

    def reply(self, agent_text: str | None) -> UserReply:
        """The first line; then deeds that have become possible, an answer, or a line that fits."""
        if agent_text is None:
            return UserReply(text=self._scenario.opening)
        self._now = agent_text
        self._heard += f"\n{agent_text}"
        calls = tuple(
            ToolCall.model_validate({"id": "", "function": {"name": deed.name, "arguments": deed.arguments}})
            for deed in self._possible()
        )
        return UserReply(text="", tool_calls=calls) if calls else self._speak()

    def observe(self, results: Sequence[ToolMessage]) -> UserReply:
        """What the tools said, handed on to the agent."""
        return UserReply(text="\n\n".join(["I have done that. This is what I got:", *(r.content for r in results)]))

    def fork(self) -> ScenarioSession:
        """Another at the same point."""
        twin = ScenarioSession(self._scenario)
        twin._heard, twin._now = self._heard, self._now
        twin._left, twin._lines, twin._tried = list(self._left), list(self._lines), set(self._tried)
        return twin

    def _possible(self) -> Iterator[Action]:
        """What can be done now, each once; other ids that the agent names are taken at its word."""
        named = set(_ID.findall(self._now))
        for deed in list(self._left):
            if self._is_called_for(deed) and all(map(self._is_known, _values(deed))):
                self._left.remove(deed)
                self._tried.add(_key(deed))
                yield deed
        for deed in self._scenario.deeds:
            if deed.name == "call_discoverable_user_tool" and self._is_called_for(deed):
                yield from self._at_its_word(deed, named)

    def _at_its_word(self, deed: Action, named: set[str]) -> Iterator[Action]:
        inner = json.loads(deed.arguments.get("arguments") or "{}")
        for name, value in inner.items():
            if not isinstance(value, str) or _ID.fullmatch(value) is None or self._scenario.knows(value):
                continue
            kind = value.partition("_")[0]
            for other in sorted(given for given in named if given.partition("_")[0] == kind):
                arguments = {**deed.arguments, "arguments": json.dumps({**inner, name: other})}
                said = Action(name=deed.name, arguments=arguments, requestor="user")
                if _key(said) not in self._tried:
                    self._tried.add(_key(said))
                    yield said

    def _is_called_for(self, deed: Action) -> bool:
        """Whether the agent has named the tool, or advises what it is to be used for."""
        if deed.name == "call_discoverable_user_tool":
            return str(deed.arguments["discoverable_tool_name"]) in self._heard
        if deed.name == "apply_for_credit_card":
            return set(_CARD.findall(self._now)) == {deed.arguments["card_type"]} and bool(_ADVICE.search(self._now))
        return str(deed.arguments.get("account_type", "\0")) in self._now and "refer" in self._now.lower()

    def _is_known(self, value: Any) -> bool:
        return self._scenario.knows(value) or str(value) in self._heard

    def _speak(self) -> UserReply:
        asked = [name for name, words in _ASKED.items() if words.search(self._now)] if self._asks() else []
        if asked:
            return UserReply(text=" ".join(map(self._fact, asked)))
        cues = words(self._now)
        fitting = max(self._lines, key=lambda line: len(line.cues & cues), default=None)
        if fitting is not None and len(fitting.cues & cues) > 1:
            self._lines.remove(fitting)
            return UserReply(text=fitting.text)
        if _ENDS.search(self._now):
            return UserReply(text="No, that is all. Thank you.", stop=True)
        return UserReply(text="Yes, please go ahead.")

    def _asks(self) -> bool:
        return _REQUEST.search(self._now) is not None

    def _fact(self, name: str) -> str:
        label = name.replace("_", " ").replace(" id", " ID")
        value = self._scenario.facts.get(name)
        return f"I don't have my {label} at hand." if value is None else f"My {label} is {value}."


def _values(deed: Action) -> Iterator[Any]:
    """The values that a deed takes, those within its JSON argument too."""
    for name, value in deed.arguments.items():
        if name == "arguments" and isinstance(value, str):
            yield from json.loads(value or "{}").values()
        elif name != "discoverable_tool_name":
            yield value


def _key(deed: Action) -> str:
    arguments = dict(deed.arguments)
    if isinstance(arguments.get("arguments"), str):
        arguments["arguments"] = json.loads(arguments["arguments"] or "{}")
    return json.dumps([deed.name, arguments], sort_keys=True)
