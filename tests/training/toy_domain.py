"""A small real domain over the engine: orders in SQLite, two tools, a user who gives the id when asked.

The mechanics of training are tested on it, because its dialogues are short; the real domains have their own tests.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env.core.database import Rows
from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall
from mua_env.core.tasks import Action, Task
from mua_env.core.tools import Toolkit, tool
from mua_env.domain.contract import Domain
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.errors import ToolError, UserFault
from mua_env.users.base import UserReply, UserSession, UserSimulator


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[str] = mapped_column(primary_key=True)
    item: Mapped[str]
    status: Mapped[str]


class Tools(Toolkit):
    @tool
    def get_order(self, order_id: str) -> dict[str, Any]:
        """Look an order up."""
        order = self.db.get(Order, order_id)
        if order is None:
            raise ToolError("order not found")
        return order

    @tool(writes=True)
    def cancel_order(self, order_id: str) -> str:
        """Cancel an order."""
        if self.db.get(Order, order_id) is None:
            raise ToolError("order not found")
        self.db.update(Order, order_id, status="cancelled")
        return "ok"


class Toy(Domain):
    name = "toy"
    models = Base
    toolkit = Tools

    def data(self) -> Rows:
        rng = random.Random(0)
        items = ["lamp", "desk", "chair", "mug"]
        return {
            "orders": [
                {"id": f"#W{rng.randrange(10**5, 10**6)}", "item": rng.choice(items), "status": "pending"}
                for _ in range(40)
            ]
        }

    def policy(self, *, compact: bool = False) -> str:
        return "Ask for the order id, look it up, cancel it."

    def tasks(self, split: str) -> Sequence[Task]:
        orders = self.data()["orders"]
        return [
            Task(
                id=f"{split}-{number}",
                domain="toy",
                instruction=row["id"],
                # Every second user only wants to be asked, twice: a weak model has both rewards within reach.
                actions=(Action(name="cancel_order", arguments={"order_id": row["id"]}),) if number % 2 else (),
            )
            for number, row in enumerate(orders)
        ]


class ToyUser(UserSimulator):
    """Opens, gives the id when a text has "id" in it, stops at "done". Every `fault_every`-th session fails."""

    name = "toy"

    def __init__(self, fault_every: int = 0, fault: Exception | None = None) -> None:
        self.fault_every, self.fault, self.started = fault_every, fault, 0

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> UserSession:
        self.started += 1
        failing = self.fault_every and self.started % self.fault_every == 0
        return _ToyUserSession(task, seed, self.fault or UserFault("timed out") if failing else None)


class _ToyUserSession(UserSession):
    def __init__(self, task: Task, seed: int, fault: Exception | None) -> None:
        self.task, self.fault, self.rng, self.asked = task, fault, random.Random(seed), 0

    def reply(self, agent_text: str | None) -> UserReply:
        if agent_text is None:
            return UserReply(text=self.rng.choice(["hi, cancel my order", "please cancel an order", "cancel it"]))
        if self.fault is not None:
            raise self.fault
        self.asked += "order id" in agent_text
        if "done" in agent_text or (self.asked == 2 and not self.task.actions):
            return UserReply(text="", stop=True)
        if not self.task.actions:
            return UserReply(text="ask me again")
        if "id" in agent_text:
            return UserReply(text=f"it is {self.task.instruction}")
        return UserReply(text="sorry, i do not understand")

    def fork(self) -> UserSession:
        return copy.deepcopy(self)


def call(name: str, **arguments: str) -> AssistantMessage:
    return AssistantMessage(tool_calls=(ToolCall(function=FunctionCall(name=name, arguments=arguments)),))


def expert_dialogue(session: Session, task: Task, seed: int) -> list[Message]:
    """The messages of a solved dialogue, the agent's last turn included."""
    messages: list[Message] = []
    result = session.start(task, seed=seed)
    told = task.instruction
    question = AssistantMessage(content="what is the order id?")
    for turn in (
        question,
        *(() if task.actions else (question,)),
        call("get_order", order_id=told),
        call("cancel_order", order_id=told),
        AssistantMessage(content="done."),
    ):
        messages += [*result.messages, turn]
        result = session.send(turn)
        if result.done:
            break
    assert result.score is not None
    assert result.score.reward == 1
    return messages


def setting() -> Setting:
    domain = Toy()
    return Setting(domain, domain.task_set("train"))
