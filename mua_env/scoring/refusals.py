"""Hearing a refusal: "the user was told no, and why", for users that register no such act themselves.

The agenda user weighs a refusal against what it wants and registers it. A language model, a person or a record does
not; for these, and only for tasks that require a refusal, the session listens to what the agent says:

- a *refusal* is a sentence that says no or that something cannot be had, and is neither a question nor a condition;
- its *reason* stands in that sentence or in one beside it; a bare "no" counts once the reason follows in the agent's
  next message, as when the user asks for it;
- it is *about* those of the required intents that the refusing sentence names, else the message, else the one that
  the user spoke of last. (Agents rarely name what they refuse, and users phrase it in their own way: where only one
  refusal is required, it is that one.)

Whoever is told no is not asked whether the no was right: an agent that refuses what it should have done leaves the
database as it was, and one that refuses and then does it anyway changes it. Both fail on the database.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from mua_env.core.tasks import Task
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlu.cues import ENGLISH
from mua_env.users.agenda.nlu.dialogue_acts import AgentActs, plain, readable, sentences, understand
from mua_env.users.agenda.nlu.glossary import with_refusals

EVENT = "refusal:{}"
"""The event of a refusal, by intent."""


def required_refusals(task: Task) -> tuple[str, ...]:
    """The intents for which a task requires a refusal, in order."""
    found = (item.intent for item in task.requirements if item.kind == "refusal" and item.intent)
    return tuple(dict.fromkeys(found))


def rules_of_refusals(task: Task) -> dict[str, tuple[str, ...]]:
    """For each intent of a task's requests the rules that a refusal must name one of, where the goal names any."""
    requests = task.goal.requests if task.goal else ()
    return {request.intent: request.rules for request in requests if request.rules}


@dataclass
class RefusalListener:
    """Registers refusals in one dialogue.

    Args:
        language: of the domain; its intents tell what a sentence is about.
        required: the intents that matter.
        rules: for each intent the rules of which the refusal must name one; any reason will do for the others.
    """

    language: DialogueLanguage
    required: tuple[str, ...]
    rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    _topic: tuple[str, ...] = field(default=(), init=False)
    _languages: tuple[DialogueLanguage, ...] = field(default=(), init=False)
    _without_reason: tuple[str, ...] = field(default=(), init=False)
    _before: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self._languages = tuple(self.language.every())
        if len(self.required) == 1:
            self._topic = self.required

    def user_says(self, text: str) -> None:
        """Note what the user speaks of."""
        self._topic = self._named(self._heard(text)) or self._topic

    def agent_says(self, text: str) -> list[str]:
        """The events that an agent's message to the user registers, as ``["refusal:cancel_order"]``."""
        text = self._heard(text)
        parts = [part for sentence in sentences(plain(text)) for part in _CLAUSES.split(sentence) if part]
        acts = [understand(part, self.language) for part in parts]
        reasons = [_explains(act) for act in acts]
        told = self._without_reason if any(reasons) and not any(act.confirm for act in acts) else ()
        bare: list[str] = []
        heard = list(told)
        for at, act in enumerate(acts):
            if not _refuses(act):
                continue
            about = self._named(parts[at]) or self._named(text) or self._topic
            (heard if any(reasons[max(0, at - 1) : at + 2]) else bare).extend(about)
        self._without_reason = tuple(bare)
        said, self._before = f"{self._before}\n{text}", text
        wanted = [intent for intent in self.required if intent in heard and self._named_a_rule(intent, said)]
        return [EVENT.format(intent) for intent in wanted]

    def _named_a_rule(self, intent: str, text: str) -> bool:
        rules = self.rules.get(intent, ())
        return not rules or self.language.explains(rules, intent, text)

    def fork(self) -> Self:
        """A listener that has heard the same and goes on independently."""
        return copy.copy(self)

    def _heard(self, text: str) -> str:
        """A text of any language that the domain has with the cue words by which it is understood."""
        text = with_refusals(readable(text))
        for language in self._languages:
            text = language.hear(text)
        return text

    def _named(self, text: str) -> tuple[str, ...]:
        """The required intents that a text names."""
        known = self.language.intents
        return tuple(name for name in self.required if name in known and known[name].named_pattern.search(text))


_CLAUSES = re.compile(r"\s[-\u2013\u2014]+\s|;\s")
"""Where a sentence falls apart into a statement and a question, or into several statements."""


def _explains(acts: AgentActs) -> bool:
    return not acts.question and (acts.reason or ENGLISH.because.search(acts.text.lower()) is not None)


def _refuses(acts: AgentActs) -> bool:
    return not acts.question and (acts.refused or acts.unavailable)
