"""Changes, refusals and switches at a desk that sells tickets."""

from __future__ import annotations

from typing import Any

import pytest

from mua_env.agents.scripted.desk import Declined, Desk, Refusal
from mua_env.agents.scripted.expert import Asked, Script, ScriptedExpert
from mua_env.agents.scripted.handlers import Change, Handler, Human, Part
from mua_env.core.messages import AssistantMessage, Message, ToolMessage, UserMessage


class TicketDesk(Desk):
    late_after = 9

    def __init__(self, expert: ScriptedExpert) -> None:
        super().__init__(expert, {"buy": Buy, "ask": Question, "human": Human})
        self.sold: list[dict[str, Any]] = []

    def phrase(self, act: str, **values: str) -> str:
        return " ".join([act, *values.values()])

    def intent(self, text: str) -> str | None:
        return next((word for word in ("buy", "ask", "human") if text.startswith(word)), None)

    def agrees(self, text: str) -> bool:
        return text == "yes"

    def take_over(self, record: dict[str, Any]) -> None:
        self.sold.append(record)


class Buy(Change[TicketDesk]):
    tool = "sell"
    claim = "Sold {id}."
    count = 0

    @property
    def subject(self) -> str:
        return f"{self.count} tickets"

    def collect(self, text: str) -> Part:
        yield from self.amend((yield from self.ask("how many")))

    def check(self) -> Part:
        if self.count > 5:
            raise Refusal("five at most")
        if self.count == 0:
            raise Declined((yield from self.desk.say("sold out")))

    def action(self) -> str:
        return f"Sell {self.count}."

    def amend(self, text: str) -> Part:
        self.count = int(text)
        yield from ()

    def arguments(self) -> dict[str, Any]:
        return {"count": self.count}


class Question(Handler[TicketDesk]):
    def run(self, text: str) -> Asked:
        return (yield from self.desk.say("answer"))


class Clerk(ScriptedExpert):
    def script(self, opening: str) -> Script:
        self.desk = TicketDesk(self)
        yield from self.desk.attend(self.desk.intent(opening), opening)


def heard(text: str) -> Message:
    is_result = text.startswith(("{", "Error"))
    return ToolMessage(content=text, tool_call_id="1", name="sell") if is_result else UserMessage(content=text)


def talk(*said: str, slips: float = 0.0) -> tuple[list[str], list[dict[str, Any]]]:
    """What the clerk says, or calls, after each message, and the records that it kept."""
    clerk = Clerk(slips=slips)
    clerk.reset(system_prompt="", tools=[], seed=0)
    return [shown(clerk.act([heard(text)])) for text in said], clerk.desk.sold


def shown(message: AssistantMessage) -> str:
    calls = [f"{call.function.name} {call.function.arguments}" for call in message.tool_calls]
    return message.content or " ".join(calls)


def test_a_change_is_proposed_until_there_is_a_yes() -> None:
    steps, sold = talk("buy", "2", "3", "yes", '{"left": 7}', "bye")
    assert steps == [
        "how many", "propose Sell 2.", "propose Sell 3.", 'sell {"count": 3}', "done Sold 3 tickets.", "help",
    ]  # fmt: skip
    assert sold == [{"left": 7}]


def test_a_slip_is_claimed_but_not_made() -> None:
    steps, sold = talk("buy", "2", "yes", slips=1.0)
    assert steps[-1] == "done Sold 2 tickets."
    assert sold == [{}]


@pytest.mark.parametrize(
    ("said", "last"),
    [
        (("buy", "9"), "refuse five at most"),
        (("buy", "2", "9"), "refuse five at most"),
        (("buy", "2", "yes", "Error: sold out."), "refuse the system does not allow it: sold out"),
        (("buy", "0", "ask then"), "answer"),
        (("buy", "ask first"), "answer"),
        (("buy", "2", "ask first"), "answer"),
        (("human",), 'transfer_to_human_agents {"summary": "The user asks for a human agent."}'),
    ],
)
def test_refusals_are_said_and_other_requests_followed(said: tuple[str, ...], last: str) -> None:
    assert talk(*said)[0][-1] == last
