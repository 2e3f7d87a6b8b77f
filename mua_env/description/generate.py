"""Tasks generated from a description: composed from requests and twists at five levels, kept only if they verify.

| level | requests | twists | noise |
| --- | --- | --- | --- |
| 1 | one that can be had | none | none |
| 2 | one | perhaps one: code unknown, change of mind, forbidden, forbidden with a second choice | none |
| 3 | two | perhaps one | 5 % |
| 4 | two or three | two | 10 % |
| 5 | three or four | three | 20 % |

How much must be looked up before a write is an axis of its own: ``reads=3`` in a task source keeps the tasks whose gold
has three calls that read, or more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Final

from mua_env.database import Changes, open_template
from mua_env.description.description import Description
from mua_env.description.draws import Draw
from mua_env.description.instruction import instruction
from mua_env.description.kinds import Speech
from mua_env.description.rows import RowsSource, Tables
from mua_env.description.rules import Rule
from mua_env.description.twists import BREAKING, TWISTS, Part, plain, possible
from mua_env.errors import TaskError
from mua_env.generation import Level, TaskGenerator
from mua_env.settling import required, settled
from mua_env.tasks import Action, Goal, Request, Task
from mua_env.verification import Candidate, Verifier
from mua_env.world import SQLWorld

_TRIES: Final = 60
"""Users to try before another shape is drawn."""
_KINDS: Final = tuple(TWISTS)
LEVELS: Final = {
    1: Level((1,), (), personas=("plain", "polite")),
    2: Level((1,), (), twists=1, kinds=_KINDS, maybe=True),
    3: Level((2,), (), twists=1, kinds=_KINDS, maybe=True, noise=0.05),
    4: Level((2, 3), (), twists=2, kinds=_KINDS, noise=0.1),
    5: Level((3, 4), (), twists=3, kinds=_KINDS, noise=0.2),
}

Shape = tuple[tuple[str, str, str], ...]
"""Twist (empty for none), intent, and id of the rule that is to be broken, of each request."""


class DescribedGenerator(TaskGenerator):
    """Makes verified tasks of a described domain.

    Args:
        description: of the domain.
        models: its tables.
        speech: makes the voice in which instructions are written.
        manners: how a persona is told to a language model, by its name.
    """

    levels = tuple(LEVELS)
    attempts = 10 * _TRIES

    def __init__(
        self,
        description: Description,
        models: Any,
        speech: Callable[[Random], Speech],
        manners: Mapping[str, Sequence[str]],
    ) -> None:
        self.description = description
        self._speech, self._manners = speech, manners
        self._tables = Tables(description.rows)
        template = open_template(models, description.rows)
        self.world = SQLWorld(template, description.toolkit)
        reads = [Action(name=name) for name in description.open_reads]
        self.verifier = Verifier(template, description.toolkit, open_reads=reads)
        self._users = list(self._tables.by_key(description.users).values())
        self._shapes = lru_cache(maxsize=64)(self._shape)
        # Twists that nothing in this domain can have are no part of any shape.
        self._possible = {twist: possible(description, twist) for twist in TWISTS}
        if not description.wishes:
            raise TaskError(f"the domain {description.name!r} has no wishes, so there is nothing to generate")

    def propose(self, level: int, seed: int, split: str, index: int, attempt: int) -> Candidate | None:
        """One draw of a candidate, ``None`` where the drawn user's records do not hold what was drawn."""
        name = self.description.name
        rng = Random(f"{name}:{split}:{level}:{seed}:{index}:{attempt}")
        # What a task is made of is drawn apart from the user, so that rare records do not make for rare requests.
        shape = self._shapes(level, f"{name}:shape:{split}:{level}:{seed}:{index}:{attempt // _TRIES}")
        user = rng.choice(self._users[self.splits.index(split) :: len(self.splits)])
        parts = self._compose(user, shape, rng)
        if parts is None:
            return None
        draw, made = parts
        goal = self._goal(user, [part.request for part in made], LEVELS[level], rng)
        way = self._way(goal)
        task = Task(
            id=f"{name}-{split}-{level}-{seed}-{index}",
            domain=name,
            split=split,
            level=level,
            user_id=str(user[self.description.user_key]),
            instruction=instruction(
                self.description, goal, self._speech(rng), self._manners.get(goal.persona, ())
            ),
            goal=goal,
            actions=self._gold(draw, way, made),
            requirements=required(map(settled, goal.requests), handed_over=()),
        )
        return self._candidate(draw, task, made)

    def close(self) -> None:
        """Release the databases."""
        self.verifier.close()
        self.world.close()

    # Composing

    def _shape(self, number: int, seed: str) -> Shape:
        level, rng = LEVELS[number], Random(seed)
        kinds = [kind for kind in level.draw_kinds(rng) if self._possible[kind]]
        size = max(rng.choice(level.requests), len(kinds))
        shape = [self._element(kind, rng) for kind in (*kinds, *[""] * (size - len(kinds)))]
        rng.shuffle(shape)
        return tuple(shape)

    def _element(self, twist: str, rng: Random) -> tuple[str, str, str]:
        intents = self._possible[twist] if twist else list(self.description.wishes)
        intent = rng.choice(sorted(intents))
        rules = self.description.rules_of(intent) if twist in BREAKING else ()
        return twist, intent, rng.choice(rules).id if rules else ""

    def _compose(self, user: dict[str, Any], shape: Shape, rng: Random) -> tuple[Draw, list[Part]] | None:
        made: list[Part] = []
        draw = self._draw(user, {}, rng)
        for number, (twist, intent, broken) in enumerate(shape):
            if number:
                # What earlier requests have done is seen by later ones.
                draw = self._draw(user, self._after(draw, made), rng, draw.taken)
            rule: Rule | None = self.description.rules.get(broken)
            part = TWISTS[twist](draw, intent, rule) if twist else plain(draw, intent)
            if part is None or self._repeats(part, made):
                return None
            made.append(part)
            subject = self.description.subject(part.end.intent)
            if subject is not None:
                draw.taken.append(part.end.raws[subject.slot])
        return draw, made

    def _draw(self, user: dict[str, Any], changes: Changes, rng: Random, taken: Sequence[Any] = ()) -> Draw:
        source = RowsSource(self._tables, user, self.description.user_key, changes)
        draw = Draw(self.description, source, rng)
        draw.taken = list(taken)
        return draw

    def _after(self, draw: Draw, made: Sequence[Part]) -> Changes:
        self.world.load()
        for part in made:
            if settled(part.request).outcome == "done":
                action = draw.action(part.end)
                self.world.call(action.name, action.arguments)
        return self.world.snapshot()

    def _repeats(self, part: Part, made: Sequence[Part]) -> bool:
        return any(
            other.end.intent == part.end.intent and other.end.raws == part.end.raws
            for other in made
        )

    # The task

    def _goal(self, user: dict[str, Any], requests: Sequence[Request], level: Level, rng: Random) -> Goal:
        way = rng.choice(self.description.identify)
        facts: dict[str, Any] = {}
        for slot in self.description.slots(way):
            facts |= slot.put(slot.of_person(user))
        return Goal(facts=facts, requests=tuple(requests), persona=rng.choice(level.personas), noise=level.noise)

    def _way(self, goal: Goal) -> Action:
        """The call that identifies the user by the facts."""
        for tool in self.description.identify:
            names = [name for slot in self.description.slots(tool) for name in slot.names]
            if all(name in goal.facts for name in names):
                return Action(name=tool, arguments={name: goal.facts[name] for name in names})
        raise TaskError(f"no way to identify anybody by {', '.join(goal.facts)}")

    def _gold(self, draw: Draw, way: Action, made: Sequence[Part]) -> tuple[Action, ...]:
        found = [way]
        for part in made:
            reads = draw.reads(part.end, unknown=part.request.unknown)
            found += [action for action in reads if action not in found]
            if settled(part.request).outcome == "done":
                found.append(draw.action(part.end))
        return tuple(found)

    def _candidate(self, draw: Draw, task: Task, made: Sequence[Part]) -> Candidate:
        fails, runs = [], []
        for number, part in enumerate(made):
            before = [draw.action(other.end) for other in made[:number] if settled(other.request).outcome == "done"]
            # Rules about who is talking bind the agent alone: no tool refuses what they forbid.
            if part.refused is not None and not all(rule.about_caller for rule in part.refused.broken):
                fails.append((*before, draw.action(part.refused)))
            if part.before is not None:
                runs.append((*before, draw.action(part.before)))
        return Candidate(task, must_fail=tuple(fails), must_run=tuple(runs))
