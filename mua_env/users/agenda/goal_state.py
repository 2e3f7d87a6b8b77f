"""The state of a user's goal: what is still to be done, what was said, what was agreed.

Agenda-based user simulation after Schatzmann, Thomson, Weilhammer, Ye and Young, "Agenda-Based User Simulation for
Bootstrapping a POMDP Dialogue System" (NAACL-HLT 2007): the goal is split into constraints (slots) and requests,
and an agenda keeps what is still pending, in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mua_env.core.tasks import Goal, MindChange, Request

Status = Literal["waiting", "open", "confirmed", "closed"]
"""``waiting``: not yet mentioned; ``open``: stated; ``confirmed``: the user said yes to a proposal that fits."""


@dataclass(slots=True)
class Pending:
    """One request of the goal on its way through a dialogue."""

    intent: str
    slots: dict[str, Any]
    outcome: str
    unknown: tuple[str, ...]
    fallback: Request | None
    change: MindChange | None
    rules: tuple[str, ...] = ()
    status: Status = "waiting"
    result: str = ""
    pushed: int = 0
    corrected: int = 0
    confirmations: int = 0
    asked_why: bool = False

    @classmethod
    def of(cls, request: Request) -> Pending:
        """The request, not yet mentioned."""
        return cls(
            request.intent,
            dict(request.slots),
            request.outcome,
            request.unknown,
            request.fallback,
            request.change,
            request.rules,
        )

    def close(self, result: str) -> None:
        """The user takes the request as settled."""
        self.status, self.result = "closed", result

    def known(self) -> dict[str, Any]:
        """The slots that the user can say."""
        return {name: value for name, value in self.slots.items() if name not in self.unknown}


@dataclass(slots=True)
class Agenda:
    """Facts, pending requests in order, and what was said so far."""

    facts: dict[str, Any]
    requests: list[Pending]
    given: dict[str, int] = field(default_factory=dict)
    """How often each slot was given for the current request (personal slots: in the dialogue)."""
    useless: int = 0
    """Agent turns in a row that led nowhere."""

    @classmethod
    def of(cls, goal: Goal) -> Agenda:
        """The agenda at the start of a dialogue."""
        return cls(dict(goal.facts), [Pending.of(request) for request in goal.requests])

    @property
    def current(self) -> Pending | None:
        """The first request that is not settled."""
        for request in self.requests:
            if request.status != "closed":
                return request
        return None

    def unsettled(self) -> list[Pending]:
        """The requests that are not settled, in order."""
        return [request for request in self.requests if request.status != "closed"]

    def focus(self, request: Pending) -> None:
        """Deal with this request first."""
        if self.current is not request:
            at = next(position for position, other in enumerate(self.requests) if other is request)
            self.requests.insert(0, self.requests.pop(at))

    def count(self, slot: str) -> int:
        """Note that a slot is given once more; returns how often it was given before."""
        before = self.given.get(slot, 0)
        self.given[slot] = before + 1
        return before

    def fork(self) -> Agenda:
        """An independent copy. Slot values are never changed in place, so they are shared."""
        requests = [replace(request, slots=dict(request.slots)) for request in self.requests]
        return Agenda(dict(self.facts), requests, dict(self.given), self.useless)
