"""The dialogues of one batch of groups: held, drawn anew where a group teaches nothing, credited by turns.

Every process holds its own rows; all learn all outcomes and so come to the same decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mua_env.core.seeds import derive_seed
from mua_env.training.config.train import GrpoSettings
from mua_env.training.data.curriculum import Curriculum, TaskSampler
from mua_env.training.data.mixing import Place
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.advantages import GroupAdvantages, batch_advantages
from mua_env.training.rollout.driver import Dialogue, RolloutDriver
from mua_env.training.rollout.episode_statistics import Outcome, dialogue_metrics, what_happened
from mua_env.training.rollout.pool import MixedPool
from mua_env.training.rollout.recording import Batch, Unrecorded
from mua_env.training.rollout.turn_credit import Credit, ForkKeeper, measure_credits

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_ATTEMPT = 1 << 20
"""More than any batch has rows: what is held in place of a row has a number of its own in the record."""
Gather = Callable[[list[Any]], list[Any]]
"""Lists of all processes, joined in order of rank, on all of them."""


@dataclass
class HeldBatch:
    """What came of a batch.

    Attributes:
        trajectories: of this process's rows, in order.
        outcomes: of the rows of all processes, in order.
        groups: advantages of the groups of all processes, in order.
        credits: of this process's rows; empty lists without turn-level credit.
        metrics: of the dialogues that were drawn first, and of the options that are on.
    """

    trajectories: list[TokenTrajectory]
    outcomes: list[Outcome]
    groups: list[GroupAdvantages]
    credits: list[list[Credit]]
    metrics: dict[str, float] = field(default_factory=dict)


class GroupRollout:
    """Holds batches of groups.

    Args:
        pool: sessions and tasks.
        driver: holds the dialogues.
        settings: group size, advantages, options.
        seed: of draws, users and sampling.
        rank: of this process.
        gather: joins the lists of all processes.
    """

    def __init__(
        self, pool: MixedPool, driver: RolloutDriver, settings: GrpoSettings, *, seed: int, rank: int, gather: Gather
    ) -> None:
        self._pool, self.driver, self._settings, self._seed = pool, driver, settings, seed
        self._rank, self._gather = rank, gather
        curriculum = None if settings.curriculum is None else Curriculum(len(pool.parts), settings.curriculum)
        self.task_sampler = TaskSampler(pool.mix, seed=seed, curriculum=curriculum)

    def hold(
        self,
        model: PreTrainedModel,
        rows: Sequence[int],
        *,
        number: int,
        group: int,
        temperature: float,
        record: Batch | Unrecorded,
    ) -> HeldBatch:
        """Hold a batch.

        Args:
            model: the agent.
            rows: of the data set, for this process; each process has as many.
            number: of the batch.
            group: size of a group.
            temperature: of the sampling.
            record: writes the dialogues down.
        """
        work = _Work(self, model, list(rows), number, group, temperature, record)
        return work.hold()


class _Work:
    """One batch while it is held."""

    def __init__(
        self,
        rollout: GroupRollout,
        model: PreTrainedModel,
        rows: list[int],
        number: int,
        group: int,
        temperature: float,
        record: Batch | Unrecorded,
    ) -> None:
        self._of, self._model, self._number, self._group = rollout, model, number, group
        self._temperature, self._record = temperature, record
        self._start = rollout._rank * len(rows)
        self._mine = range(self._start, self._start + len(rows))
        task_sampler = rollout.task_sampler
        self._places = {row: task_sampler.first(number, row // group, rows[row - self._start]) for row in self._mine}
        self._held: dict[int, TokenTrajectory] = {}
        self._sources: dict[int, int] = {}
        self._keeper: ForkKeeper | None = None
        if rollout._settings.turn_credit is not None:
            self._keeper = ForkKeeper(rollout._settings.turn_credit.points)

    def hold(self) -> HeldBatch:
        settings, curriculum = self._of._settings, self._of.task_sampler.curriculum
        try:
            outcomes = self._round(0, self._mine)
            groups = self._groups(outcomes)
            # The figures are those of the first draws: what is drawn anew is chosen by its outcome.
            metrics = dialogue_metrics(list(outcomes.values()), groups)
            self._learn(groups, range(len(groups)))
            attempt = redrawn = held_again = 0
            while attempt < settings.dynamic_sampling and (dull := _dull(groups)):
                attempt, redrawn = attempt + 1, redrawn + len(dull)
                fresh = self._again(attempt, dull)
                held_again += len(fresh)
                outcomes.update(fresh)
                groups = self._groups(outcomes)
                self._learn(groups, dull)
            if settings.dynamic_sampling:
                metrics["groups/redrawn"], metrics["groups/redrawn_dialogues"] = float(redrawn), float(held_again)
                metrics["groups/teaching"] = 1 - len(_dull(groups)) / len(groups)
            if curriculum is not None:
                metrics |= curriculum.metrics()
            credits, more = self._credits(groups)
            trajectories = [self._held[row] for row in self._mine]
            return HeldBatch(trajectories, list(outcomes.values()), groups, credits, metrics | more)
        finally:
            if self._keeper is not None:
                self._keeper.close()

    def _groups(self, outcomes: dict[int, Outcome]) -> list[GroupAdvantages]:
        rewards = [outcome.reward for _, outcome in sorted(outcomes.items())]
        return batch_advantages(rewards, self._group, std=self._of._settings.std)

    def _round(self, attempt: int, rows: Sequence[int]) -> dict[int, Outcome]:
        """Hold this process's rows; the outcomes of all processes' rows, in order."""
        rows = list(rows)
        dialogues = self._of._pool.at([self._places[row] for row in rows], [self._user(row, attempt) for row in rows])
        held = self._sample(dialogues, [(row, attempt) for row in rows])
        self._held.update(zip(rows, held, strict=True))
        facts = [(row, self._places[row].source, Outcome.of(t)) for row, t in zip(rows, held, strict=True)]
        # They come by process; groups are cut by row, in the same order everywhere.
        found = sorted(self._of._gather(facts), key=lambda fact: int(fact[0]))
        self._sources.update({row: source for row, source, _ in found})
        return {row: outcome for row, _, outcome in found}

    def _again(self, attempt: int, groups: Sequence[int]) -> dict[int, Outcome]:
        """Hold groups again, on other tasks."""
        rows = [row for row in self._mine if row // self._group in groups]
        for row in rows:
            self._places[row] = self._of.task_sampler.again(self._number, row // self._group, attempt)
        if self._keeper is not None:
            self._keeper.drop(rows)
        return self._round(attempt, rows)

    def _sample(self, dialogues: list[Dialogue], keys: list[tuple[int, int]]) -> list[TokenTrajectory]:
        driver, seed = self._of.driver, self._of._seed
        if self._keeper is not None:
            kept = self._keeper
            # By session, not by place: of a batch that a killed run had begun, only some dialogues are held now.
            rows = {id(dialogue.session): row for dialogue, (row, _) in zip(dialogues, keys, strict=True)}
            driver.on_turn = lambda _, dialogue, tokens: kept.keep(rows[id(dialogue.session)], dialogue, tokens)
        try:
            return self._record.hold(
                driver,
                self._model,
                dialogues,
                rows=[row + attempt * _ATTEMPT for row, attempt in keys],
                seeds=[derive_seed(seed, "sampling", self._number, *_key(*key)) for key in keys],
                temperature=self._temperature,
            )
        finally:
            driver.on_turn = None

    def _user(self, row: int, attempt: int) -> int:
        """The seed of a row's user: the same for all rollouts of a query, or one for each."""
        place: Place = self._places[row]
        apart = self._of._settings.user_seed == "rollout"
        who = (place.source, place.index, row if apart else "group")
        return derive_seed(self._of._seed, "user", self._number, *who, *([attempt] if attempt else []))

    def _learn(self, groups: Sequence[GroupAdvantages], numbers: Sequence[int]) -> None:
        curriculum = self._of.task_sampler.curriculum
        if curriculum is not None:
            counted = [number for number in numbers if groups[number].valid]
            curriculum.learn((self._sources[n * self._group], not groups[n].all_equal) for n in counted)

    def _credits(self, groups: list[GroupAdvantages]) -> tuple[list[list[Credit]], dict[str, float]]:
        settings = self._of._settings.turn_credit
        if settings is None or self._keeper is None:
            return [[] for _ in self._mine], {}
        baselines = [groups[row // self._group].mean for row in self._mine]
        forks = {row - self._start: kept for row, kept in self._keeper.forks.items()}
        seed, number = self._of._seed, self._number
        spent: list[tuple[int, int, float]] = []

        def hold(dialogues: Sequence[Dialogue], keys: Sequence[tuple[int, int, int]]) -> list[TokenTrajectory]:
            seeds = [derive_seed(seed, "fork", number, self._start + row, *which) for row, *which in keys]
            before = [(what_happened(d.session), sum(d.begun.mask if d.begun else ())) for d in dialogues]
            held = self._of.driver.run(self._model, dialogues, seeds=seeds, temperature=self._temperature)
            for (was, sampled), after in zip(before, held, strict=True):
                replies = after.info.get("replies", was["replies"]) - was["replies"]
                cost = after.info.get("usage", {}).get("cost_usd", 0.0) - was["usage"].get("cost_usd", 0.0)
                spent.append((sum(after.mask) - sampled, replies, max(0.0, cost)))
            return held

        credits = measure_credits(
            forks,
            [self._held[row] for row in self._mine],
            baselines,
            continuations=settings.continuations,
            hold=hold,
        )
        sizes = self._of._gather([abs(each.value) for row in credits for each in row])
        spent = self._of._gather(spent)
        return credits, {
            "credit/dialogues": float(len(spent)),
            "credit/agent_tokens": float(sum(tokens for tokens, _, _ in spent)),
            "credit/replies": float(sum(replies for _, replies, _ in spent)),
            "credit/cost": float(sum(cost for _, _, cost in spent)),
            "credit/size": sum(sizes) / len(sizes) if sizes else 0.0,
        }


def _key(row: int, attempt: int) -> tuple[int, ...]:
    return (row, attempt) if attempt else (row,)


def _dull(groups: Sequence[GroupAdvantages]) -> list[int]:
    """Groups that teach nothing: rewards all equal, or none at all."""
    return [number for number, group in enumerate(groups) if group.all_equal or not group.valid]
