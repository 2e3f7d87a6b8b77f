"""Whether the turn that lost a dialogue is named: dialogues of the expert with one fatal turn planted in each.

python benchmarks/blame.py --dialogues 300

A wrong write is a change that the user agreed to, made otherwise and for good; an early transfer hands over to a human
agent in the middle; a wrong refusal is repeated until the user takes it for an answer, and fatal is the last one.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from measure import show
from smallest import add_smoke

from mua_env import AgendaUser, Agent, AssistantMessage, Message, Session, Setting, TrajectoryWriter, hold, load_setting
from mua_env.core.messages import FunctionCall, ToolMessage, parse_agent_turn
from mua_env.evaluation.blame.result import Blame
from mua_env.evaluation.blame.run import BlameOptions, blame
from mua_env.evaluation.rollouts import Planned, plan

KINDS = ("wrong write", "early transfer", "wrong refusal")
DOMAINS = {"retail": 0.5, "airline": 0.3, "telecom": 0.2}
"""Shares of the dialogues."""
REFUSAL = "I'm sorry, but I can't do that; our policy does not allow it."
TRANSFER = {"name": "transfer_to_human_agents", "arguments": json.dumps({"summary": "The user needs help."})}

Values = dict[str, Any]


def _other_reason(values: Values) -> Values | None:
    reasons = ("no longer needed", "ordered by mistake")
    return {**values, "reason": reasons[values["reason"] == reasons[0]]}


def _one_item_less(values: Values) -> Values | None:
    lists = {name: value for name, value in values.items() if isinstance(value, list)}
    if any(len(value) < 2 for value in lists.values()):
        return None
    return values | {name: value[:-1] for name, value in lists.items()}


SPOILT: dict[str, Callable[[Values], Values | None]] = {
    "cancel_pending_order": _other_reason,
    "return_delivered_order_items": _one_item_less,
    "exchange_delivered_order_items": _one_item_less,
    "modify_pending_order_items": _one_item_less,
    "send_certificate": lambda values: {**values, "amount": values["amount"] + 50},
    "update_reservation_baggages": lambda values: {
        **values,
        "total_baggages": values["total_baggages"] + 1,
        "nonfree_baggages": values["nonfree_baggages"] + 1,
    },
    "refuel_data": lambda values: {**values, "gb_amount": values["gb_amount"] + 1},
}
"""Changes that nobody can take back, with other arguments that the tool takes too."""


class Planted(Agent):
    """An expert with one fatal turn.

    Args:
        expert: whose turns are taken.
        kind: of the fatal turn.
        place: at which of its turns; a wrong write and a wrong refusal come at the first that suits.
        taken: whether the user has given up what it wanted.
    """

    name = "planted"

    def __init__(self, expert: Agent, kind: str, place: int, taken: Callable[[], bool]) -> None:
        self._expert, self._kind, self._place, self._taken = expert, kind, place, taken

    def reset(self, *, system_prompt: str, tools: list[dict[str, Any]], seed: int) -> None:
        self._expert.reset(system_prompt=system_prompt, tools=tools, seed=seed)
        self.turn, self.fatal, self._refusing = 0, 0, False

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        self.turn += 1
        if self._refusing and not self._taken():
            self.fatal = self.turn
            return AssistantMessage(content=REFUSAL)
        self._refusing = False
        own = self._expert.act(messages)
        return own if self.fatal else self._spoil(own)

    def _spoil(self, own: AssistantMessage) -> AssistantMessage:
        if self._kind == "early transfer" and self.turn == self._place:
            own = parse_agent_turn({"content": None, "tool_calls": [{"id": "last", "function": TRANSFER}]})
            self.fatal = self.turn
        elif self._kind == "wrong refusal" and "(yes/no)" in (own.content or ""):
            self.fatal, self._refusing = self.turn, True
            return AssistantMessage(content=REFUSAL)
        elif self._kind == "wrong write" and len(own.tool_calls) == 1 and own.tool_calls[0].function.name in SPOILT:
            call = own.tool_calls[0]
            values = SPOILT[call.function.name](json.loads(call.function.arguments))
            if values is not None:
                self.fatal = self.turn
                function = FunctionCall(name=call.function.name, arguments=json.dumps(values))
                own = AssistantMessage(tool_calls=(call.model_copy(update={"function": function}),))
        return own


def _settled(session: Session) -> int:
    """How many requests the user has given up or seen done; whatever stands in their place counts too."""
    assert session._line is not None
    user = session._line.user
    requests = user.agenda.requests  # type: ignore[attr-defined]  # of the agenda user
    return hash(tuple((request.intent, request.status == "closed") for request in requests))


def planted(
    setting: Setting, kind: str, wanted: int, rng: Random, file: TrajectoryWriter, *, style: str = "plain"
) -> dict[str, int]:
    """Write failed dialogues with one fatal turn each; returns that turn by the dialogue's id."""
    truth: dict[str, int] = {}
    session = Session(setting, AgendaUser())
    for episode in _drawn(setting, rng):
        if len(truth) >= wanted:
            break
        clean = hold(session, setting.domain.expert(style=style), episode.task, seed=episode.seed)
        if clean.score is None or clean.score.reward != 1 or session.episode.turns < 3:
            continue
        before = 0

        def taken() -> bool:
            return _settled(session) != before  # noqa: B023 (asked within this round alone)

        agent = Planted(setting.domain.expert(style=style), kind, rng.randint(1, session.episode.turns - 1), taken)
        result = session.start(episode.task, seed=episode.seed)
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=episode.seed)
        while not result.done:
            if not agent._refusing:
                before = _settled(session)
            result = session.send(agent.act(result.messages))
        if result.score is None or result.score.reward != 0 or not agent.fatal or _refused(session, agent.fatal):
            continue
        name = f"{setting.domain.name} {kind} {episode.id}"
        truth[name] = agent.fatal
        file.write(session.trajectory(id=name, agent=agent.name))
    session.close()
    return truth


def _drawn(setting: Setting, rng: Random) -> Iterator[Planned]:
    episodes = plan(setting.tasks)
    rng.shuffle(episodes)
    yield from episodes


def _refused(session: Session, turn: int) -> bool:
    """Whether a tool did not take what was planted, so that nothing was lost by it."""
    said = [entry.message for entry in session.episode.entries if entry.turn == turn]
    return any(isinstance(message, ToolMessage) and message.content.startswith("Error") for message in said)


def main() -> None:
    """Measure and print."""
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=300, help="in all (default 300)")
    parser.add_argument("--continuations", type=int, default=4)
    parser.add_argument(
        "--style",
        default="plain",
        help="of the expert that holds the dialogues; one that the reference, which is plain,"
        " does not share must take every dialogue over",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wrong", action="store_true", help="list the dialogues whose turn was not named")
    add_smoke(parser)
    options = parser.parse_args()
    shares = {"retail": 1.0} if options.smoke else DOMAINS
    if options.smoke:
        options.dialogues, options.continuations = 3, 2
    rows: dict[str, dict[str, Any]] = {}
    missed: list[tuple[int, Blame]] = []
    for domain, share in shares.items():
        for kind in KINDS:
            with tempfile.TemporaryDirectory() as folder:
                rng = Random(f"{options.seed} {domain} {kind}")
                wanted = round(options.dialogues / len(KINDS) * share)
                with TrajectoryWriter(Path(folder) / "trajectories.jsonl", sync=False) as file:
                    truth = planted(load_setting(domain, "test"), kind, wanted, rng, file, style=options.style)
                found = blame(folder, options=BlameOptions(continuations=options.continuations))
            right = sum(one.turn == truth[one.id] for one in found)
            missed += [(truth[one.id], one) for one in found if one.turn != truth[one.id]]
            steepest = sum(one.steepest == truth[one.id] for one in found)
            rows[f"{domain}, {kind}"] = {"dialogues": len(found), "named": right, "steepest": steepest}
    total = {name: sum(row[name] for row in rows.values()) for name in ("dialogues", "named", "steepest")}
    rows["all"] = total
    rows["share of all, %"] = {name: 100 * total[name] / max(1, total["dialogues"]) for name in ("named", "steepest")}
    show("Planted fatal turns", ["dialogues", "named", "steepest"], rows)
    for turn, one in missed if options.wrong else ():
        print(f"{one.id}: turn {turn}, {one.verdict} {one.turn}: {[value.successes for value in one.values]} {one.why}")


if __name__ == "__main__":
    main()
