"""Success of a model on held-out tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mua_env.core.seeds import derive_seed
from mua_env.training.config.train import EvaluationConfig
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.episode_statistics import Outcome, check_faults, dialogue_metrics
from mua_env.training.rollout.pool import MixedPool
from mua_env.training.rollout.recording import Batch, Unrecorded

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def evaluate(
    model: PreTrainedModel,
    pool: MixedPool,
    driver: RolloutDriver,
    config: EvaluationConfig,
    *,
    seed: int,
    rank: int = 0,
    processes: int = 1,
    batch: Batch | Unrecorded | None = None,
    faults: float = 1.0,
) -> dict[str, Any]:
    """Hold each task's dialogue ``repeats`` times; processes share the work and all get the result.

    Every evaluation of a run meets the same users: seeds depend on the run's seed, the task and the repeat.

    Args:
        model: the agent.
        pool: held-out tasks and users.
        driver: holds the dialogues.
        config: how many, and how.
        seed: of users and sampling.
        rank: of this process.
        processes: how many share the work.
        batch: writes the dialogues down; None does not.
        faults: share of the dialogues that may fail.

    Raises:
        RunStopped: more of them failed.

    Returns:
        ``success`` (mean over the dialogues that count), its ``standard_error`` (over tasks, so that repeats
        of one task are not taken for independent), ``tasks``, ``dialogues``, ``temperature``, ``user``, and
        the means of `dialogue_metrics`.
    """
    count = len(pool) if config.tasks is None else min(config.tasks, len(pool))
    jobs = [(index, repeat) for index in range(count) for repeat in range(config.repeats)]
    mine = jobs[rank::processes]
    driver.update_weights(model)
    found: list[tuple[int, Outcome]] = []
    for start in range(0, len(mine), config.batch):
        part = mine[start : start + config.batch]
        seeds = [derive_seed(seed, "held out", index, repeat) for index, repeat in part]
        dialogues = pool.at([pool.mix[index] for index, _ in part], seeds)
        sampling = [derive_seed(seed, "sampling", index, repeat) for index, repeat in part]
        trajectories = (batch or Unrecorded()).hold(
            driver,
            model,
            dialogues,
            rows=[index * config.repeats + repeat for index, repeat in part],
            seeds=sampling,
            temperature=config.temperature,
        )
        found += [(index, Outcome.of(t)) for (index, _), t in zip(part, trajectories, strict=True)]
    if processes > 1:
        from accelerate.utils import gather_object  # type: ignore[import-untyped]

        found = gather_object(found)
    check_faults([outcome for _, outcome in found], faults, what="an evaluation")
    return _summary(sorted(found, key=lambda pair: pair[0]), config, pool, count)


def _summary(
    found: Sequence[tuple[int, Outcome]], config: EvaluationConfig, pool: MixedPool, count: int
) -> dict[str, Any]:
    by_task: dict[int, list[float]] = {}
    for index, outcome in found:
        if outcome.reward is not None:
            by_task.setdefault(index, []).append(float(outcome.reward == 1))
    means = [sum(values) / len(values) for values in by_task.values()]
    counted = sum(map(len, by_task.values()))
    success = sum(map(sum, by_task.values())) / counted if counted else 0.0
    spread = sum((mean - success) ** 2 for mean in means) / max(1, len(means) - 1)
    return {
        "success": success,
        "standard_error": math.sqrt(spread / len(means)) if means else 0.0,
        "tasks": count,
        "dialogues": counted,
        "temperature": config.temperature,
        "user": _users(pool, count),
        **dialogue_metrics([outcome for _, outcome in found]),
    }


def _users(pool: MixedPool, count: int) -> str:
    places = [pool.mix[index] for index in range(count)]
    first = {place.source: place for place in reversed(places)}
    named = [pool.part(place).user.describe(pool.task(place)) for _, place in sorted(first.items())]
    return ", ".join(dict.fromkeys(named))
