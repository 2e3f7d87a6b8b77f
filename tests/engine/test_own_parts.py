"""Whoever writes a domain, an agent, a user or a judge of their own needs no name but those that `mua_env` exports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any, Literal

import gymnasium as gym
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import (
    Action,
    AgendaUser,
    Agent,
    AssistantMessage,
    Candidate,
    Comparison,
    Criteria,
    DialogueEnv,
    DialogueLanguage,
    Domain,
    FunctionCall,
    Goal,
    Intent,
    Judge,
    Judgement,
    Message,
    Request,
    Requirement,
    RolloutOptions,
    Rows,
    Session,
    Slot,
    Task,
    TaskGenerator,
    ToolCall,
    ToolError,
    Toolkit,
    Trajectory,
    UserReply,
    UserSession,
    UserSimulator,
    Verifier,
    Voice,
    hold,
    load_setting,
    open_template,
    run_rollout,
    tool,
)
from mua_env.evaluation.rollouts import plan


class Base(DeclarativeBase):
    pass


class Booking(Base):
    __tablename__ = "bookings"
    booking_id: Mapped[str] = mapped_column(primary_key=True)
    room: Mapped[str]
    status: Mapped[str]


ROOMS = ("single", "double", "suite")


class Desk(Toolkit):
    @tool
    def get_booking(self, booking_id: str) -> dict[str, Any]:
        """A booking."""
        booking = self.db.get(Booking, booking_id)
        if booking is None:
            raise ToolError(f"no booking {booking_id}")
        return booking

    @tool(writes=True)
    def change_room(self, booking_id: str, room: Literal["single", "double", "suite"]) -> dict[str, Any]:
        """Give a confirmed booking another room."""
        if self.get_booking(booking_id)["status"] != "confirmed":
            raise ToolError(f"booking {booking_id} is not confirmed")
        self.db.update(Booking, booking_id, room=room)
        return self.get_booking(booking_id)


class HotelLanguage(DialogueLanguage):
    name = "hotel"
    slots: Mapping[str, Slot] = {
        "booking_id": Slot("booking_id", "booking number", r"\bbooking number\b", code=4),
        "room": Slot("room", "kind of room", r"\bkind of room\b"),
    }
    intents: Mapping[str, Intent] = {
        "change_room": Intent("change_room", ("booking_id", "room"), r"\bchange", r"\bhas been changed\b"),
    }

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        return "have another room"

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        return voice.keep(str(source[slot])) if slot in source else None

    def compare(self, intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
        said = {"booking_id": re.findall(r"\bH\d{4}\b", text), "room": [room for room in ROOMS if room in text]}
        wrong = tuple(slot for slot, values in said.items() if values and slots[slot] not in values)
        return Comparison(wrong, tuple(slot for slot, values in said.items() if values and slot not in wrong))


def rows() -> Rows:
    rng = Random(0)
    status = ("confirmed", "confirmed", "past")
    return {
        "bookings": [
            {"booking_id": f"H{1000 + n}", "room": rng.choice(ROOMS), "status": rng.choice(status)} for n in range(60)
        ]
    }


class Generator(TaskGenerator):
    levels = (1,)
    attempts = 100

    def __init__(self) -> None:
        self.bookings = list(rows()["bookings"])
        self.verifier = Verifier(open_template(Base, rows()), Desk)

    def propose(self, level: int, seed: int, split: str, index: int, attempt: int) -> Candidate:
        rng = Random(f"{split}/{level}/{seed}/{index}/{attempt}")
        booking = rng.choice(self.bookings[("train", "test").index(split) :: 2])
        slots = {"booking_id": booking["booking_id"], "room": rng.choice([r for r in ROOMS if r != booking["room"]])}
        able = booking["status"] == "confirmed"
        read = Action(name="get_booking", arguments={"booking_id": booking["booking_id"]})
        write = Action(name="change_room", arguments=slots)
        task = Task(
            id=f"hotel-{split}-{seed}-{index}",
            domain="hotel",
            split=split,
            level=1,
            instruction=f"You want another room for booking {slots['booking_id']}: a {slots['room']}.",
            goal=Goal(requests=(Request(intent="change_room", slots=slots, outcome="done" if able else "refused"),)),
            actions=(read, write) if able else (read,),
            requirements=() if able else (Requirement(kind="refusal", intent="change_room"),),
        )
        return Candidate(task, must_fail=() if able else ((write,),))


class Hotel(Domain):
    name = "hotel"
    models = Base
    toolkit = Desk
    language = HotelLanguage()

    def data(self) -> Rows:
        return rows()

    def policy(self, *, compact: bool = False) -> str:
        return "Only confirmed bookings can be changed. Ask for a yes before you change one."

    def tasks(self, split: str) -> Sequence[Task]:
        return tuple(islice(self.generate(level=1, seed=1, split=split), 10))

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        return Generator().stream(level=level, seed=seed, split=split)


class Clerk(Agent):
    """Asks for the booking and the room, looks, and changes or refuses."""

    name = "clerk"

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        self.booking = self.room = ""
        self.proposed = self.changed = False

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        text = messages[-1].content or ""
        if messages[-1].role == "tool":
            if self.changed:
                return AssistantMessage(content=f"Booking {self.booking} has been changed. Anything else?")
            if '"confirmed"' not in text:
                why = f"I am sorry, I cannot change booking {self.booking}, because it is not confirmed. Anything else?"
                return AssistantMessage(content=why)
            self.proposed = True
            return AssistantMessage(content=f"I would change {self.booking} to a {self.room}. Do you confirm (yes/no)?")
        self.booking = (re.findall(r"H\d{4}", text) or [self.booking])[0]
        self.room = next((room for room in ROOMS if room in text), self.room)
        if not self.booking:
            return AssistantMessage(content="What is the booking number, please?")
        if not self.room:
            return AssistantMessage(content="Which kind of room would you like?")
        if not self.proposed:
            return self._call("get_booking", f'{{"booking_id": "{self.booking}"}}')
        if not self.changed:
            self.changed = True
            return self._call("change_room", f'{{"booking_id": "{self.booking}", "room": "{self.room}"}}')
        return AssistantMessage(content="Goodbye.")

    def _call(self, name: str, arguments: str) -> AssistantMessage:
        return AssistantMessage(tool_calls=(ToolCall(id="1", function=FunctionCall(name=name, arguments=arguments)),))


class Terse(UserSession):
    """Says what its instruction says, then agrees to everything."""

    def __init__(self, task: Task) -> None:
        self.lines = [task.instruction, "yes"]

    def reply(self, agent_text: str | None) -> UserReply:
        return UserReply(text=self.lines.pop(0)) if self.lines else UserReply(text="Bye.", stop=True)

    def fork(self) -> Terse:
        raise NotImplementedError


class TerseUser(UserSimulator):
    name = "terse"

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> Terse:
        return Terse(task)


class Strict(Judge):
    """Finds a statement true if a message of the dialogue holds it, word for word."""

    @property
    def name(self) -> str:
        return "strict"

    def judge(self, statements: Sequence[str], messages: Sequence[Message], *, seed: int) -> Judgement:
        said = [message.content or "" for message in messages]
        return Judgement(judge=self.name, verdicts=tuple(any(one in text for text in said) for one in statements))

    async def ajudge(self, statements: Sequence[str], messages: Sequence[Message], *, seed: int) -> Judgement:
        return self.judge(statements, messages, seed=seed)


def test_an_own_agent_solves_an_own_domains_tasks_with_the_agenda_user() -> None:
    setting = load_setting(Hotel(), "test")
    session = Session(setting, AgendaUser(noise=0.0))
    results = [hold(session, Clerk(), task, seed=seed) for seed, task in enumerate(setting.tasks)]
    session.close()
    refused = [bool(task.requirements) for task in setting.tasks]
    assert any(refused)
    assert not all(refused)
    done = [result.reward for result, refusal in zip(results, refused, strict=True) if not refusal]
    assert done == [1.0] * len(done)


def test_an_own_user_and_an_own_judge_sit_in_a_rollout() -> None:
    setting = load_setting(Hotel(), "train")
    said = [("has been changed", 1.0), ("has been burnt down", 0.0)]
    change = next(task for task in setting.tasks if not task.requirements)
    judged = [
        change.model_copy(
            update={"id": text, "criteria": Criteria(basis=("database", "judged"), statements=(text,))},
        )
        for text, _ in said
    ]
    ended: list[Trajectory] = []
    options = RolloutOptions(judge=Strict())
    assert run_rollout(setting, TerseUser(), Clerk, plan(judged), options=options, on_end=ended.append) == 2
    assert {item.task_id: item.score.reward for item in ended if item.score is not None} == dict(said)


def test_an_own_domain_is_a_gymnasium_environment() -> None:
    env: gym.Env[Any, Any] = DialogueEnv(Hotel(), tasks="generate:level=1")
    messages, info = env.reset(seed=0)
    assert messages[0]["role"] == "user"
    assert [schema["function"]["name"] for schema in info["tools"]] == ["change_room", "get_booking"]
    env.close()
