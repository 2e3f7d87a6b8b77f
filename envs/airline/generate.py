"""Generated airline tasks: composed from requests and twists at five levels, and kept only if they verify.

| level | requests | twists | noise |
| --- | --- | --- | --- |
| 1 | one of the simplest | none | none |
| 2 | one of any intent but booking | perhaps one: id unknown, change of mind, forbidden | none |
| 3 | one or two | one of any kind | 5 % |
| 4 | two or three | two | 10 % |
| 5 | three or four | three | 20 % |

The vocabulary of intents and slots stands in :mod:`mua_env.envs.airline.goals`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from mua_env.core.database import Rows, open_template
from mua_env.core.database._statements import statements_of
from mua_env.core.outcomes import settled
from mua_env.core.tasks import Action, Goal, Request, Task
from mua_env.domain.generator import Level, TaskGenerator
from mua_env.domain.verifier import Candidate, Verifier

from . import generate_requests as plain
from .fleet import Draw, Fleet, Record
from .generate_text import instruction
from .generate_twists import KINDS, TWISTS, variant
from .goals import GoldWriter, full_name, requirements
from .models import Base
from .tools import AirlineTools
from .world_data import tables

_TRIES: Final = 80
"""Users to try before another shape is drawn."""
ALL_INTENTS: Final = tuple(plain.BUILDERS)
_SIMPLE: Final = ("cancel_reservation", "add_bags", "change_passenger", "ask")
_NO_BOOKING: Final = (*_SIMPLE, "change_cabin", "change_flights")
_MIXED: Final = (*ALL_INTENTS, "book_flight", "book_flight")
_KINDS: Final = tuple(TWISTS)
LEVELS: Final = {
    1: Level((1,), intents=_SIMPLE, personas=("plain", "polite")),
    2: Level((1,), intents=_NO_BOOKING, twists=1, kinds=("unknown", "change", "refused"), maybe=True),
    3: Level((1, 2), intents=_MIXED, twists=1, kinds=_KINDS, noise=0.05),
    4: Level((2, 3), intents=_MIXED, twists=2, kinds=_KINDS, noise=0.1),
    5: Level((3, 4), intents=_MIXED, twists=3, kinds=_KINDS, noise=0.2),
}


class AirlineGenerator(TaskGenerator):
    """Makes verified tasks over one airline database.

    Args:
        rows: the data.
    """

    levels = tuple(LEVELS)
    attempts = 40 * _TRIES

    def __init__(self, rows: Rows) -> None:
        self._template = open_template(Base, rows)
        self.fleet = Fleet(rows)
        self._gold = GoldWriter(self.fleet.users, self.fleet.reservations)
        sets = {name: statements_of(table).sets for name, table in self._template.tables.items()}
        reads = [Action(name="list_all_airports")]
        self.verifier = Verifier(self._template, AirlineTools, open_reads=reads, sets=sets)

    def propose(self, level: int, seed: int, split: str, index: int, attempt: int) -> Candidate | None:
        """One draw of a candidate, ``None`` where the drawn user's records do not hold what was drawn."""
        rng = random.Random(f"airline:{split}:{level}:{seed}:{index}:{attempt}")
        # What a task is made of is drawn apart from the user, so that rare records do not make for rare requests.
        shape = _shape(level, f"shape:{split}:{level}:{seed}:{index}:{attempt // _TRIES}")
        names = self.fleet.customers(split, *_needs(shape))
        if not names:
            return None
        user = self.fleet.users[rng.choice(names)]
        requests = _compose(Draw(self.fleet, user, rng), shape)
        if requests is None:
            return None
        facts = {"user_id": user["user_id"], **user["name"]}
        persona = rng.choice(LEVELS[level].personas)
        goal = Goal(facts=facts, requests=tuple(requests), persona=persona, noise=LEVELS[level].noise)
        task = Task(
            id=f"airline-{split}-{level}-{seed}-{index}",
            domain="airline",
            split=split,
            level=level,
            user_id=user["user_id"],
            instruction=instruction(goal, rng),
            goal=goal,
            actions=self._gold.actions(user["user_id"], [settled(request) for request in requests]),
            requirements=requirements(goal),
        )
        return self._candidate(task, goal, user)

    def close(self) -> None:
        """Release the databases."""
        self.verifier.close()
        self._template.close()

    def _candidate(self, task: Task, goal: Goal, user: Record) -> Candidate:
        final = [settled(request) for request in goal.requests]
        before = [settled(request, changed=False) for request in goal.requests]
        changes = any(request.change for request in goal.requests)
        write = self._gold.actions
        return Candidate(
            task,
            reordered=write(user["user_id"], _other_order(final)) if len(final) > 1 else (),
            must_run=(write(user["user_id"], before),) if changes else (),
            must_fail=tuple(
                (self._one_more(request),) for request in goal.requests if request.intent == "add_passenger"
            ),
            private=frozenset(_private([*final, *before], user)),
        )

    def _one_more(self, request: Request) -> Action:
        reservation = self.fleet.reservations[request.slots["reservation_id"]]
        passengers = [*reservation["passengers"], request.slots["new_passenger"]]
        arguments = {"reservation_id": reservation["reservation_id"], "passengers": passengers}
        return Action(name="update_reservation_passengers", arguments=arguments)


@cache
def shared_generator(world: int | None = None) -> AirlineGenerator:
    """The generator over the domain's own data, or those of another world, one in a process."""
    return AirlineGenerator(tables(world))


def _other_order(requests: Sequence[Request]) -> list[Request]:
    """The requests in reverse; a transfer stays last, and a certificate for a delay behind its cancellation."""
    turned = [request for request in reversed(requests) if request.outcome != "transferred"]
    return turned + [request for request in requests if request.outcome == "transferred"]


def _private(requests: Sequence[Request], user: Record) -> Iterator[str]:
    """What only the user can know: new travellers and the days of travel."""
    known = {full_name(passenger) for passenger in user["saved_passengers"]} | {full_name(user["name"])}
    for request in requests:
        slots = request.slots
        new = [*slots.get("passengers", ()), *([slots["new_passenger"]] if "new_passenger" in slots else [])]
        yield from (passenger["dob"] for passenger in new if full_name(passenger) not in known)
        if request.intent == "book_flight":
            yield from (slots[name] for name in ("date", "return_date") if name in slots)


@lru_cache(maxsize=64)
def _shape(number: int, seed: str) -> tuple[str, ...]:
    """Names of twists and intents for one task of a level, in their order; a transfer comes last."""
    level, rng = LEVELS[number], random.Random(seed)
    kinds = level.draw_kinds(rng)
    # A task with a transfer has something else to do before it, or an agent could hand everything over at once.
    least = max(len(kinds), 2 if "transfer" in kinds else 1)
    variants = [f"{kind}/{rng.choice(tuple(TWISTS[kind]))}" for kind in kinds]
    # A delay makes two requests; no task may need more turns than an episode has.
    size = max(rng.choice(level.requests) - ("compensation/delayed" in variants), least)
    shape = [*variants, *[rng.choice(level.intents) for _ in range(size - len(kinds))]]
    rng.shuffle(shape)
    return tuple(sorted(shape, key=lambda name: name.startswith("transfer")))


def _needs(shape: Sequence[str]) -> tuple[int, tuple[tuple[str, ...], ...]]:
    """How many reservations a user must have for a shape, and of which kinds at least one."""
    kinds = [KINDS[name] for name in shape if name in KINDS]
    return sum("book_flight" not in name for name in shape), tuple(kinds)


def _compose(draw: Draw, shape: Sequence[str]) -> list[Request] | None:
    requests: list[Request] = []
    for name in shape:
        if "/" in name:
            made = variant(name)(draw)
        else:
            request = plain.BUILDERS[name](draw)
            made = (request,) if request else None
        if made is None:
            return None
        requests += made
    return requests if _sensible(requests) else None


def _sensible(requests: Sequence[Request]) -> bool:
    """At most one booking, and a transfer leaves something to do before it."""
    final = [settled(request) for request in requests]
    outcomes = [request.outcome for request in final]
    idle = "transferred" in outcomes and "done" not in outcomes
    return not idle and sum(request.intent == "book_flight" for request in final) <= 1
