"""A task and deliberately bad users for the tests of the card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mua_env.core.tasks import Goal, MindChange, Request, Task
from mua_env.envs.retail import domain
from mua_env.evaluation.user_card.dialogue import Exchange, Ground, Grounds
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.base import UserReply, UserSession, UserSimulator

FACTS = {"first_name": "Nora", "last_name": "Quist", "zip": "48121", "email": "nora.quist77@example.com"}
CANCEL = Request(intent="cancel_order", slots={"order_id": "#W7712345", "reason": "no longer needed"})
HOME = {"address1": "12 Elm Street", "city": "Dayton", "state": "OH", "country": "USA", "zip": "45402"}
NEW = {"address1": "9 Birch Road", "city": "Toledo", "state": "OH", "country": "USA", "zip": "43604"}


def task(*requests: Request, persona: str = "plain") -> Task:
    goal = Goal(facts=FACTS, requests=requests or (CANCEL,), persona=persona)
    return Task(id="t", domain="retail", instruction="You are Nora Quist.", goal=goal)


def moving(after: str) -> Request:
    change = MindChange(slots={"address": NEW}, after=after)
    return Request(intent="modify_order_address", slots={"order_id": "#W7712345", "address": HOME}, change=change)


def ground(of: Task) -> Ground:
    return Grounds.of(domain, domain.data()).ground(of)


def talk(*turns: tuple[str | None, str], stop: bool = False, writes: Mapping[int, str] | None = None) -> list[Exchange]:
    """A dialogue of what was heard and said; the last reply may stop, and tools may have run before a turn."""
    last = len(turns) - 1
    ran = writes or {}
    return [
        Exchange(turn=n, heard=heard, said=said, stop=stop and n == last, writes=(ran[n],) if n in ran else ())
        for n, (heard, said) in enumerate(turns)
    ]


Reply = Callable[[UserSession, str | None], UserReply]


class BentSession(UserSession):
    """The agenda user with one thing bent."""

    def __init__(self, inner: UserSession, bend: Reply) -> None:
        self.inner = inner
        self.bend = bend

    def reply(self, agent_text: str | None) -> UserReply:
        return self.bend(self.inner, agent_text)

    def fork(self) -> BentSession:
        return BentSession(self.inner.fork(), self.bend)


class BentUser(UserSimulator):
    """Makes such users. `bend` gets the agenda user's session and the agent's text."""

    name = "bent"

    def __init__(self, bend: Reply) -> None:
        self.bend = bend

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> UserSession:
        return BentSession(AgendaUser().start(task, seed=seed, context=context), self.bend)
