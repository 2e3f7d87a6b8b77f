"""Generated retail tasks: composed from requests and twists at five levels, and kept only if they verify.

| level | requests | twists | noise |
| --- | --- | --- | --- |
| 1 | one of the simplest | none | none |
| 2 | one of any intent | perhaps one: order id unknown, change of mind, forbidden | none |
| 3 | two | one of any kind | 5 % |
| 4 | two or three | two | 10 % |
| 5 | three or four | three | 20 % |
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Final

from mua_env.core.database import Rows, Template, open_template
from mua_env.core.outcomes import settled
from mua_env.core.tasks import Action, Goal, Request, Task
from mua_env.domain.generator import Level, TaskGenerator
from mua_env.domain.verifier import Candidate, Verifier

from . import generate_requests as plain
from .generate_requests import Part
from .generate_text import instruction
from .generate_twists import TWISTS
from .goals import gold_actions, requirements
from .models import Base
from .shop import Draw, Record, Shop
from .tools import RetailTools
from .world_data import world_data

_TRIES: Final = 60
"""Users to try before another shape is drawn."""
_WITHOUT_ORDER: Final = frozenset({"modify_user_address", "ask", "refused"})
"""Parts of a shape that may do without an order of the user's own."""
ALL_INTENTS: Final = tuple(sorted(plain.BUILDERS))
_MIXED: Final = (*ALL_INTENTS, "ask")
_KINDS: Final = tuple(sorted(TWISTS))
LEVELS: Final = {
    1: Level(
        (1,), intents=("cancel_order", "cancel_order", "modify_user_address", "ask"), personas=("plain", "polite")
    ),
    2: Level((1,), intents=ALL_INTENTS, twists=1, kinds=("unknown", "change", "refused"), maybe=True),
    3: Level((2,), intents=_MIXED, twists=1, kinds=_KINDS, noise=0.05),
    4: Level((2, 3), intents=_MIXED, twists=2, kinds=_KINDS, noise=0.1),
    5: Level((3, 4, 4), intents=_MIXED, twists=3, kinds=_KINDS, noise=0.2),
}


class RetailGenerator(TaskGenerator):
    """Makes verified tasks over one retail database.

    Args:
        rows: the data.
        template: the same data loaded, where the caller has it already.
    """

    levels = tuple(LEVELS)
    attempts = 10 * _TRIES

    def __init__(self, rows: Rows, template: Template | None = None) -> None:
        self.shop = Shop(rows)
        self._own = None if template else open_template(Base, rows)
        reads = [Action(name="list_all_product_types")]
        reads += [Action(name="get_product_details", arguments={"product_id": key}) for key in self.shop.products]
        chosen = template or self._own
        assert chosen is not None
        self.verifier = Verifier(chosen, RetailTools, open_reads=reads)

    def propose(self, level: int, seed: int, split: str, index: int, attempt: int) -> Candidate | None:
        """One draw of a candidate, ``None`` where the drawn user's records do not hold what was drawn."""
        rng = random.Random(f"retail:{split}:{level}:{seed}:{index}:{attempt}")
        # What a task is made of is drawn apart from the user, so that rare records do not make for rare requests.
        shape = _shape(level, f"shape:{split}:{level}:{seed}:{index}:{attempt // _TRIES}")
        orders = sum(name not in _WITHOUT_ORDER for name in shape)
        user = self.shop.users[rng.choice(self.shop.customers(split, least_orders=orders))]
        parts = _compose(Draw(self.shop, user, rng), shape)
        if parts is None:
            return None
        goal = _goal(user, [request for part in parts for request in part.requests], LEVELS[level], rng)
        task = Task(
            id=f"retail-{split}-{level}-{seed}-{index}",
            domain="retail",
            split=split,
            level=level,
            user_id=user["user_id"],
            instruction=instruction(goal, rng),
            goal=goal,
            actions=gold_actions(self.shop, user, goal),
            requirements=requirements(goal),
        )
        return self._candidate(task, goal, user, parts)

    def close(self) -> None:
        """Release the verifier's database."""
        self.verifier.close()
        if self._own is not None:
            self._own.close()

    def _candidate(self, task: Task, goal: Goal, user: Record, parts: Sequence[Part]) -> Candidate:
        final = [settled(request) for request in goal.requests]
        last = [request for request in final if request.outcome == "transferred"]
        other_order = [request for request in reversed(final) if request.outcome != "transferred"] + last
        before = [settled(request, changed=False) for request in goal.requests]
        changes = any(request.change for request in goal.requests)
        new = [request.slots["address"] for request in (*final, *before) if "address" in request.slots]
        # The address in the profile is not private even if an order shall go there.
        private = {address["address1"] for address in new if address != user["address"]}
        return Candidate(
            task,
            reordered=gold_actions(self.shop, user, goal, requests=other_order) if len(final) > 1 else (),
            must_run=(gold_actions(self.shop, user, goal, requests=before),) if changes else (),
            must_fail=tuple(calls for part in parts for calls in part.must_fail),
            private=frozenset(private),
        )


def generate_tasks(
    rows: Rows, *, level: int, seed: int, split: str = "train", limit: int | None = None
) -> Iterator[Task]:
    """Verified tasks of one level over any retail data, without end or ``limit`` of them.

    Args:
        rows: the retail data.
        level: 1 to 5.
        seed: equal seeds give equal tasks.
        split: ``"train"`` or ``"test"``; they share no user.
        limit: how many; ``None`` for no end.

    Raises:
        TaskError: an argument is out of range, or the data yields no further task.
    """
    generator = RetailGenerator(rows)
    try:
        yield from islice(generator.stream(level=level, seed=seed, split=split), limit)
    finally:
        generator.close()


@cache
def shared_generator(world: int | None = None) -> RetailGenerator:
    """The generator over the domain's own data, or those of another world, one in a process."""
    return RetailGenerator(world_data(world))


@lru_cache(maxsize=64)
def _shape(number: int, seed: str) -> tuple[str, ...]:
    """Names of twists and intents for one task of a level, in their order; a transfer comes last."""
    level, rng = LEVELS[number], random.Random(seed)
    kinds = level.draw_kinds(rng)
    # "twice" makes two requests; no task may need more turns than an episode has.
    size = max(rng.choice(level.requests) - ("twice" in kinds), len(kinds))
    shape = [*kinds, *[rng.choice(level.intents) for _ in range(size - len(kinds))]]
    rng.shuffle(shape)
    return tuple(sorted(shape, key=lambda kind: kind == "transfer"))


def _compose(draw: Draw, shape: Sequence[str]) -> list[Part] | None:
    parts = []
    for name in shape:
        part = TWISTS[name](draw) if name in TWISTS else _plain(draw, name)
        if part is None:
            return None
        parts.append(part)
    return parts if _sensible(parts) else None


def _plain(draw: Draw, intent: str) -> Part | None:
    request = plain.BUILDERS[intent](draw)
    return None if request is None else Part((request,))


def _sensible(parts: Sequence[Part]) -> bool:
    """A task with a transfer leaves something to do before it; no two requests are about the same thing."""
    requests = [settled(request) for part in parts for request in part.requests]
    outcomes = {request.outcome for request in requests}
    profile_changes = sum(request.intent == "modify_user_address" for request in requests)
    topics = [request.slots["topic"] for request in requests if request.intent == "ask"]
    idle = "transferred" in outcomes and "done" not in outcomes
    return not idle and profile_changes <= 1 and len(set(topics)) == len(topics)


def _goal(user: Record, requests: Sequence[Request], level: Level, rng: random.Random) -> Goal:
    facts = {**user["name"], "zip": user["address"]["zip"], "email": user["email"]}
    if rng.random() < 0.3:
        del facts["email"]
    return Goal(facts=facts, requests=tuple(requests), persona=rng.choice(level.personas), noise=level.noise)
