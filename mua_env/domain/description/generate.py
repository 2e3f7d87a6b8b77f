"""Tasks generated from a description: composed from requests and twists by level, kept only if they verify."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, Final

from mua_env.core.database import Changes, open_template
from mua_env.core.outcomes import required, settled
from mua_env.core.tasks import Action, Goal, Request, Task
from mua_env.core.world import SQLWorld
from mua_env.domain.description.description import Description
from mua_env.domain.description.draws import Draw
from mua_env.domain.description.instruction import instruction
from mua_env.domain.description.kinds import Key, Speech
from mua_env.domain.description.rows import RowsSource, Tables
from mua_env.domain.description.rules import Rule
from mua_env.domain.description.twists import BREAKING, LEVELS, TWISTS, Part, plain, possible
from mua_env.domain.generator import Level, TaskGenerator
from mua_env.domain.verifier import Candidate, Verifier
from mua_env.errors import TaskError

_TRIES: Final = 60
"""Users to try before another shape is drawn."""
_AGAIN: Final = 3
"""Draws of one request before another user is tried."""
Element = tuple[str, str, str]
"""Twist (empty for none), intent, and id of the rule that is to be broken, of one request."""
Shape = tuple[Element, ...]


class DescribedGenerator(TaskGenerator):
    """Makes verified tasks of a described domain.

    Args:
        description: of the domain.
        models: its tables.
        speech: makes the voice in which instructions are written.
        manners: how a persona is told to a language model, by its name.
        levels: those that the domain has.
    """

    attempts = 10 * _TRIES

    def __init__(
        self,
        description: Description,
        models: Any,
        speech: Callable[[Random], Speech],
        manners: Mapping[str, Sequence[str]],
        levels: Sequence[int] = tuple(LEVELS),
    ) -> None:
        unknown = set(levels) - LEVELS.keys()
        if unknown:
            raise TaskError(
                f"{description.name}: there is no level {min(unknown)}; there are {', '.join(map(str, LEVELS))}"
            )
        self.description = description
        self.levels = tuple(levels)  # type: ignore[misc]
        self._speech, self._manners = speech, manners
        self._tables = Tables(description.rows)
        template = open_template(models, description.rows)
        self.world = SQLWorld(template, description.toolkit)
        reads = [Action(name=name) for name in description.open_reads]
        self.verifier = Verifier(template, description.toolkit, open_reads=reads)
        self._users = list(self._tables.by_key(description.users).values())
        self._shapes = lru_cache(maxsize=64)(self._shape)
        self._able = lru_cache(maxsize=256)(self._able_users)
        self._elements = lru_cache(maxsize=len(TWISTS) + 1)(self._possible)
        if not description.wishes:
            raise TaskError(f"the domain {description.name!r} has no wishes, so there is nothing to generate")

    def propose(self, level: int, seed: int, split: str, index: int, attempt: int) -> Candidate | None:
        """One draw of a candidate, ``None`` where the drawn user's records do not hold what was drawn."""
        name = self.description.name
        rng = Random(f"{name}:{split}:{level}:{seed}:{index}:{attempt}")
        # What a task is made of is drawn apart from the user, so that rare records do not make for rare requests.
        shape = self._shapes(level, f"{name}:shape:{split}:{level}:{seed}:{index}:{attempt // _TRIES}")
        users = self._able(split, self._records(shape))
        if not users:
            return None
        user = rng.choice(users)
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
            instruction=instruction(self.description, goal, self._speech(rng), self._manners.get(goal.persona, ())),
            goal=goal,
            actions=self._gold(draw, way, made),
            requirements=required(map(settled, goal.requests), handed_over=()),
        )
        return self._candidate(draw, task, made)

    def task(self, *, level: int, seed: int, split: str, index: int) -> Task:
        """The task at a position of an endless sequence.

        Raises:
            TaskError: the level or split is unknown, or the data yields no sound task.
        """
        try:
            return super().task(level=level, seed=seed, split=split, index=index)
        except TaskError as error:
            if level not in self.levels or split not in self.splits:
                raise
            raise TaskError(
                f"{self.description.name}: level {level} cannot be made from these rows ({error}); give users more "
                "records of their own, in more states, or leave the level out of the domain's levels"
            ) from None

    def close(self) -> None:
        """Release the databases."""
        self.verifier.close()
        self.world.close()

    # Composing

    def _shape(self, number: int, seed: str) -> Shape:
        level, rng = LEVELS[number], Random(seed)
        kinds = [kind for kind in level.draw_kinds(rng) if self._elements(kind)]
        size = max(rng.choice(level.requests), len(kinds))
        shape = [rng.choice(self._elements(kind)) for kind in (*kinds, *[""] * (size - len(kinds)))]
        rng.shuffle(shape)
        return tuple(shape)

    def _possible(self, twist: str) -> tuple[Element, ...]:
        """What a twist can be made of: tried out, since a rule may be one that nothing can be had in place of."""
        description = self.description
        intents = possible(description, twist) if twist else list(description.wishes)
        breaking = {name: [rule.id for rule in description.rules_of(name)] for name in intents if twist in BREAKING}
        elements = [(twist, intent, rule) for intent in intents for rule in breaking.get(intent, [""])]
        return tuple(element for element in elements if self._can_be(element))

    def _can_be(self, element: Element) -> bool:
        rng = Random(f"{self.description.name}:{element}")
        users = self._able("train", self._records((element,)))
        return any(self._part(self._draw(rng.choice(users), {}, rng), element) for _ in range(_TRIES if users else 0))

    def _part(self, draw: Draw, element: Element) -> Part | None:
        twist, intent, broken = element
        rule: Rule | None = self.description.rules.get(broken)
        return TWISTS[twist](draw, intent, rule) if twist else plain(draw, intent)

    def _records(self, shape: Shape) -> tuple[tuple[str, int], ...]:
        """How many records of their own the users of a shape must have, by slot: no two requests are about one."""
        subjects = (self.description.subject(intent) for _, intent, rule in shape if not rule.startswith("own-"))
        counted = Counter(s.slot for s in subjects if s is not None and isinstance(s.kind, Key) and s.kind.owner)
        return tuple(sorted(counted.items()))

    def _able_users(self, split: str, records: tuple[tuple[str, int], ...]) -> list[dict[str, Any]]:
        kinds = {slot.slot: slot.kind for slot in self.description.all_slots if isinstance(slot.kind, Key)}
        split_users = self._users[self.splits.index(split) :: len(self.splits)]
        found = []
        for user in split_users:
            source = RowsSource(self._tables, user, self.description.user_key)
            if all(len(source.own(kinds[slot])) >= count for slot, count in records):
                found.append(user)
        return found

    def _compose(self, user: dict[str, Any], shape: Shape, rng: Random) -> tuple[Draw, list[Part]] | None:
        made: list[Part] = []
        draw = self._draw(user, {}, rng)
        for number, element in enumerate(shape):
            if number:
                # What earlier requests have done is seen by later ones.
                draw = self._draw(user, self._after(draw, made), rng, draw.taken)
            tried = (self._part(draw, element) for _ in range(_AGAIN))
            part = next((part for part in tried if part is not None and not self._repeats(part, made)), None)
            if part is None:
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
        return any(other.end.intent == part.end.intent and other.end.raws == part.end.raws for other in made)

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
