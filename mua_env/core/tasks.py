"""Tasks: what a user wants, and the gold actions whose effect on the database is success."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from mua_env.core.tools import Requestor


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Action(_Model):
    """One tool call by name, with its arguments; ``requestor`` is whose tool it is."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    requestor: Requestor = "agent"

    @model_serializer(mode="wrap")
    def _leave_out_the_agent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Tasks without a user's tools keep the form, and so the revision, that they always had.
        fields: dict[str, Any] = handler(self)
        if self.requestor == "agent":
            fields.pop("requestor", None)
        return fields


Outcome = Literal["done", "refused", "transferred", "answered"]


class MindChange(_Model):
    """A planned change of mind: slots that get other values once the agent has asked for confirmation.

    ``after`` says when it comes up: at the first request for confirmation (default), or after the user has confirmed.
    """

    slots: dict[str, Any]
    after: Literal["proposal", "confirmation"] = "proposal"


class Request(_Model):
    """One thing that the user wants. The vocabulary of intents and slots is the domain's.

    Attributes:
        intent: what the user wants, as ``"cancel_order"``.
        slots: the values by slot name; told only when asked for.
        outcome: what the right end is: done, refused (the policy document forbids it), transferred to a human, or
            answered (a question).
        unknown: slots whose values the user does not know and so never says.
        fallback: what the user wants instead when told that this one cannot be had.
        change: a planned change of mind.
        rules: ids of the domain's rules that stand in the way of a request that is to be refused; a refusal counts
            only with one of these as its reason. Empty: any reason counts.
    """

    intent: str
    slots: dict[str, Any] = Field(default_factory=dict)
    outcome: Outcome = "done"
    unknown: tuple[str, ...] = ()
    fallback: Request | None = None
    change: MindChange | None = None
    rules: tuple[str, ...] = ()

    @model_serializer(mode="wrap")
    def _leave_out_no_rules(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # As in Action: tasks whose requests name no rule keep their form, and so their revision.
        fields: dict[str, Any] = handler(self)
        if not self.rules:
            fields.pop("rules", None)
        return fields


class Goal(_Model):
    """The agenda of a simulated user (agenda-based user simulation, Schatzmann et al. 2007).

    Attributes:
        facts: who the user is, by slot name; told only when asked for.
        requests: what the user wants, in order.
        persona: manner of speaking, as ``"polite"`` or ``"terse"``.
        noise: share of utterances with typing noise, 0 to 1 (default 0).
        derived: made from gold actions rather than generated (results then say ``agenda (derived)``).
    """

    facts: dict[str, Any] = Field(default_factory=dict)
    requests: tuple[Request, ...] = ()
    persona: str = "polite"
    noise: float = Field(default=0.0, ge=0, le=1)
    derived: bool = False


class Requirement(_Model):
    """What must hold besides the database.

    - ``refusal``: the user was told no for ``intent``, and why (a bare "no" is none, see `mua_env.scoring.refusals`);
    - ``terminal_tool``: the episode ended by the tool ``name``, for the right reason;
    - ``told``: a message of the agent to the user holds ``value``.

    ``reason`` goes with ``terminal_tool``: beginnings of words, of which one must begin a word in the call's
    arguments, case ignored (``"process"`` is in "already Processed"). Without any, every call will do.
    """

    kind: Literal["refusal", "terminal_tool", "told"]
    intent: str | None = None
    name: str | None = None
    value: str | None = None
    reason: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _says_what_of(self) -> Requirement:
        needed = {"refusal": "intent", "terminal_tool": "name", "told": "value"}[self.kind]
        if not getattr(self, needed):
            raise ValueError(f"a requirement of the kind {self.kind!r} needs {needed!r}")
        return self


class Assertion(_Model):
    """Something that must be so in the world at the end: a function of the domain's stage, and what it must say."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    expected: bool = True


class ActionCheck(_Model):
    """A call that must have been made, by the agent or the user (source: tau2-bench).

    ``compare`` names the arguments that must agree; none of them for ``()``. ``None`` compares all arguments, and in
    ``compat`` mode those alone that the call itself has, as tau2 does. ``reason`` counts in ``strict`` mode: beginnings
    of words, of which one must begin a word in the call's arguments, as in :class:`Requirement`.
    """

    action: Action
    compare: tuple[str, ...] | None = None
    reason: tuple[str, ...] = ()

    @model_serializer(mode="wrap")
    def _leave_out_no_reason(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # As in Action: tasks without a reason keep their form, and so their revision.
        fields: dict[str, Any] = handler(self)
        if not self.reason:
            fields.pop("reason", None)
        return fields


Part = Literal["database", "requirements", "outputs", "assertions", "actions", "judged"]
"""A part of a score; :class:`mua_env.core.scores.Score` says what each is."""


class Criteria(_Model):
    """How a task is scored where its gold actions alone do not say (source: tau2-bench's evaluation criteria).

    Attributes:
        basis: the parts whose product is the reward.
        assertions: what must be so in the world.
        action_checks: the calls that must have been made.
        statements: sentences about the dialogue that a model judges.
        tables: the tables that the part ``database`` compares; ``None`` is all of them.
    """

    basis: tuple[Part, ...] = ("database",)
    assertions: tuple[Assertion, ...] = ()
    action_checks: tuple[ActionCheck, ...] = ()
    statements: tuple[str, ...] = ()
    tables: tuple[str, ...] | None = None


class Limits(_Model):
    """Where an episode is cut.

    Attributes:
        turns: turns of the agent (default 30, paper section 4.1).
        steps: turns of the agent between one word of the user and the next; ``None`` for no limit.
        messages: messages of all sides, the results of one turn's calls counting as one; ``None`` for no limit.
    """

    turns: int = Field(default=30, ge=1)
    steps: int | None = Field(default=None, ge=1)
    messages: int | None = Field(default=None, ge=1)


class UserTurn(_Model):
    """One turn of a user whose words are fixed.

    Attributes:
        text: what the user says.
        reveals: names of tools that the agent has from this turn on, and had not before.
        actions: gold actions of the turn (none where the right answer is to call nothing).
    """

    text: str
    reveals: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()


class Task(_Model):
    """A task of a domain.

    Attributes:
        id: unique in its set.
        domain: name of the domain, as ``"retail"``.
        instruction: the user's side in words, for LLM users. Never shown to the agent.
        goal: the same as an agenda, for the agenda user; ``None`` where there is none.
        actions: gold actions. Their effect on a fresh database is the expected one.
        outputs: strings that the agent must say, in the evaluation of tau-bench.
        requirements: what else must hold.
        initial_actions: run before the dialogue, on both sides of the comparison.
        criteria: how it is scored, where the database alone does not say.
        ticket: what an agent in solo mode is told instead of a dialogue.
        script: the user's turns, where they are fixed: any text of the agent ends a turn, and the next line follows.
        scene: the initial state, for a world that is no database; ``database`` in it names the one of several.
        policy: the policy document of this task alone, where it is not that of its set.
        split: name of the split it belongs to.
        level: difficulty, 1 (one request) to 5; ``None`` for public tasks.
        user_id: key of the user in the database, where there is one.
    """

    id: str
    domain: str
    instruction: str = ""
    goal: Goal | None = None
    actions: tuple[Action, ...] = ()
    outputs: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    initial_actions: tuple[Action, ...] = ()
    criteria: Criteria | None = None
    ticket: str = ""
    script: tuple[UserTurn, ...] = ()
    scene: dict[str, Any] = Field(default_factory=dict)
    policy: str = ""
    split: str = ""
    level: int | None = None
    user_id: str | None = None

    @model_serializer(mode="wrap")
    def _leave_out_what_few_have(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # As in Action: tasks without these keep their form, and so their revision.
        fields: dict[str, Any] = handler(self)
        for name in ("criteria", "ticket", "script", "scene", "policy"):
            if not getattr(self, name):
                fields.pop(name, None)
        return fields
