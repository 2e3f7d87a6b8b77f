"""The hands of a user with tools: what it looks at before it acts, and what it then does.

A tool that flips a switch is used only where the switch stands wrong, as a person would: the user looks first. A wary
user wants to hear once that something is needed before it does it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from mua_env.core.messages import FunctionCall, ToolCall, ToolMessage
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.operations import Deed, Seen

_SURE = re.compile(
    r"\b(?:yes|sure|certain|safe|go ahead|please|because|necessary|needed|needs?|won't|will not|can|fix|help|reset|"
    r"trust|worry|required|should)\b",
    re.IGNORECASE,
)
_DROPPED = re.compile(r"\b(?:skip|leave (?:it|that)|never ?mind|don't|do not|no need|not necessary)\b", re.IGNORECASE)


@dataclass
class Hands:
    """What the user is doing with its tools.

    Attributes:
        deeds: what the agent asked for.
        held: what the user has not done yet because it doubts that it should.
        doubted: whether it has asked once.
    """

    deeds: list[Deed] = field(default_factory=list)
    held: list[Deed] = field(default_factory=list)
    doubted: bool = False
    _checks: list[str] = field(default_factory=list)
    _acting: list[Deed] = field(default_factory=list)
    _looking: bool = False

    def take(self, deeds: list[Deed], text: str) -> None:
        """What a text of the agent asks for; what was held back is done once the agent stands by it."""
        held, self.held = self.held, []
        if held and not deeds and _SURE.search(text) and not _DROPPED.search(text):
            deeds = held
        self.deeds = deeds

    def doubts(self) -> Deed | None:
        """The first deed that a wary user holds back, with all behind it; once in a dialogue."""
        acts = [deed for deed in self.deeds if not deed.operation.look]
        if self.doubted or not acts:
            return None
        self.doubted = True
        at = self.deeds.index(acts[0])
        self.deeds, self.held = self.deeds[:at], self.deeds[at:]
        return acts[0]

    def begin(self) -> tuple[ToolCall, ...]:
        """The first calls: looks at the switches that are to be set, or else the deeds themselves."""
        asked = (deed.operation for deed in self.deeds if deed.operation.state is not None)
        self._checks = list(dict.fromkeys(operation.check for operation in asked if operation.check))
        self._looking = bool(self._checks)
        if self._looking:
            return tuple(_call(name) for name in self._checks)
        self._acting = list(self.deeds)
        return tuple(deed.call for deed in self._acting)

    def go_on(self, results: Sequence[ToolMessage], language: DialogueLanguage) -> tuple[ToolCall, ...]:
        """What is done after the looks; nothing where these were the deeds or all stands right."""
        if not self._looking:
            return ()
        self._looking = False
        shown = dict(zip(self._checks, (message.content for message in results), strict=True))
        self._acting = list(_to_do(self.deeds, shown, language))
        return tuple(deed.call for deed in self._acting)

    def seen(self, results: Sequence[ToolMessage]) -> list[Seen]:
        """What all deeds came to; those that were not needed have an empty result."""
        done = dict(zip(map(id, self._acting), results, strict=True)) if self._acting else {}
        return [
            Seen.of(deed, done[id(deed)]) if id(deed) in done else Seen(deed.operation, "", ok=True)
            for deed in self.deeds
        ]

    def fork(self) -> Hands:
        """An independent copy."""
        twin = replace(self, deeds=list(self.deeds), held=list(self.held))
        twin._checks, twin._acting, twin._looking = list(self._checks), list(self._acting), self._looking
        return twin


def _call(name: str) -> ToolCall:
    return ToolCall(function=FunctionCall(name=name, arguments=json.dumps({})))


def _to_do(deeds: Iterable[Deed], shown: dict[str, str], language: DialogueLanguage) -> Iterable[Deed]:
    states: dict[str, bool | None] = {}
    for deed in deeds:
        operation = deed.operation
        if operation.look or not operation.switch:
            yield deed
            continue
        stands = states.get(operation.switch, language.switched(operation.switch, shown.get(operation.check, "")))
        if operation.state is not None and stands == operation.state:
            continue
        states[operation.switch] = None if stands is None else not stands
        yield deed
