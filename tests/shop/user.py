"""A user that follows rules: gives email and order when asked, agrees, takes a no, and goes when it is done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from random import Random
from typing import Any

from mua_env.core.tasks import Goal, Task
from mua_env.errors import UserFault
from mua_env.users.base import UserReply, UserSession, UserSimulator

OPENINGS = ("I want to cancel an order.", "Please cancel my order.", "Can you cancel something for me?")


class ShopUser(UserSimulator):
    """``delay`` is how long it takes to think in ``areply`` (seconds); ``intervals`` holds when it did."""

    name = "shopper"

    def __init__(self, *, delay: float = 0.0) -> None:
        self.delay = delay
        self.intervals: list[tuple[float, float]] = []

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> ShopUserSession:
        assert task.goal is not None
        return ShopUserSession(self, task.goal, Random(seed))


class ShopUserSession(UserSession):
    registers_refusals = True

    def __init__(self, simulator: ShopUser, goal: Goal, rng: Random) -> None:
        self.simulator, self.goal, self.rng = simulator, goal, rng
        self.heard: list[str] = []

    def reply(self, agent_text: str | None) -> UserReply:
        if agent_text is None:
            return UserReply(text=self.rng.choice(OPENINGS), usage={"tokens": 5})
        self.heard.append(agent_text)
        text = agent_text.lower()
        if "crash the user" in text:
            raise UserFault("the line went dead")
        if "cannot" in text:
            return UserReply(text="That is a pity.", stop=True, events=(f"refusal:{self.goal.requests[0].intent}",))
        if "done" in text:
            return UserReply(text=self.rng.choice(("Thanks!", "Bye.")), stop=True, thought="it worked")
        if "email" in text:
            return UserReply(text=str(self.goal.facts["email"]), usage={"tokens": 3})
        if "order" in text:
            return UserReply(text=f"It is {self.goal.requests[0].slots['order']}.", usage={"tokens": 4})
        return UserReply(text=self.rng.choice(("Yes.", "Right.", "Go on.", "Hm?")))

    async def areply(self, agent_text: str | None) -> UserReply:
        begun = time.monotonic()
        await asyncio.sleep(self.simulator.delay)
        reply = self.reply(agent_text)
        self.simulator.intervals.append((begun, time.monotonic()))
        return reply

    def fork(self) -> ShopUserSession:
        twin = ShopUserSession(self.simulator, self.goal, Random())
        twin.rng.setstate(self.rng.getstate())
        twin.heard = list(self.heard)
        return twin
