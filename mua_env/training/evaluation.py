"""Success of a model on held-out tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mua_env.tasks import Task
from mua_env.training.config import EvaluationConfig
from mua_env.training.outcomes import Outcome, dialogue_metrics
from mua_env.training.pool import DialoguePool
from mua_env.training.rollout import RolloutDriver
from mua_env.training.seeds import derive_seed

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def evaluate(
    model: PreTrainedModel,
    pool: DialoguePool,
    driver: RolloutDriver,
    config: EvaluationConfig,
    *,
    seed: int,
    rank: int = 0,
    processes: int = 1,
) -> dict[str, Any]:
    """Hold each task's dialogue ``repeats`` times; processes share the work and all get the result.

    Every evaluation of a run meets the same users: seeds depend on the run's seed, the task and the repeat.

    Returns:
        ``success`` (mean over the dialogues that count), its ``standard_error`` (over tasks, so that repeats
        of one task are not taken for independent), ``tasks``, ``dialogues``, ``temperature``, ``user``, and
        the means of `dialogue_metrics`.
    """
    tasks = held_out_tasks(pool, config.tasks)
    jobs = [(index, repeat) for index in range(len(tasks)) for repeat in range(config.repeats)]
    mine = jobs[rank::processes]
    driver.update_weights(model)
    found: list[tuple[int, Outcome]] = []
    for start in range(0, len(mine), config.batch):
        part = mine[start : start + config.batch]
        seeds = [derive_seed(seed, "held out", index, repeat) for index, repeat in part]
        dialogues = pool.dialogues([tasks[index] for index, _ in part], seeds)
        sampling = [derive_seed(seed, "sampling", index, repeat) for index, repeat in part]
        trajectories = driver.run(model, dialogues, seeds=sampling, temperature=config.temperature)
        found += [(index, Outcome.of(t)) for (index, _), t in zip(part, trajectories, strict=True)]
    if processes > 1:
        from accelerate.utils import gather_object  # type: ignore[import-untyped]

        found = gather_object(found)
    return _summary(sorted(found, key=lambda pair: pair[0]), config, pool, tasks)


def held_out_tasks(pool: DialoguePool, count: int | None) -> list[Task]:
    """The first tasks of the pool's source."""
    available = len(pool.setting.tasks)
    return [pool.setting.tasks[i] for i in range(available if count is None else min(count, available))]


def _summary(
    found: Sequence[tuple[int, Outcome]], config: EvaluationConfig, pool: DialoguePool, tasks: Sequence[Task]
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
        "tasks": len(tasks),
        "dialogues": counted,
        "temperature": config.temperature,
        "user": pool.user.describe(tasks[0]),
        **dialogue_metrics([outcome for _, outcome in found]),
    }
