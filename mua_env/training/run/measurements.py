"""Success on the held-out tasks at several points of a run, each measured once however often the run is stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from mua_env.training.config.train import TrainConfig
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import MixedPool
from mua_env.training.rollout.recording import Recorder
from mua_env.training.run.console import Reporter
from mua_env.training.run.held_out import evaluate
from mua_env.training.run.processes import Processes
from mua_env.training.run.report import BEFORE
from mua_env.training.run.run_folder import RunFolder

_OF_THE_LINE = ("schema_version", "phase", "step", "title")
"""Fields of a line of metrics that are not what was measured."""


class Measurements:
    """Measures a run's model, and writes down and prints what came of it.

    Args:
        config: of the run.
        pool: held-out tasks and users.
        driver: holds the dialogues.
        folder: takes the metrics.
        recorder: takes the dialogues.
        reporter: prints.
        processes: share the work.
        known: lines of metrics from before the run was stopped.
        seed: of users and sampling.
    """

    def __init__(
        self,
        config: TrainConfig,
        pool: MixedPool,
        driver: RolloutDriver,
        *,
        folder: RunFolder,
        recorder: Recorder,
        reporter: Reporter,
        processes: Processes,
        known: Sequence[dict[str, Any]],
        seed: int,
    ) -> None:
        self._config, self._pool, self._driver, self._seed = config, pool, driver, seed
        self._folder, self._recorder, self._reporter, self._processes = folder, recorder, reporter, processes
        self._known = {line["title"]: line for line in reversed(known) if line["phase"] == "evaluation"}

    def measure(
        self, agent: Callable[[], AbstractContextManager[Any]], title: str, step: int, *, tasks: int | None = None
    ) -> dict[str, Any]:
        """The figures of `mua_env.training.run.held_out.evaluate`.

        Args:
            agent: gives the model, while its context lasts.
            title: of the point; what was measured under it before stands.
            step: update of GRPO that the model is from.
            tasks: measure on so many of the first tasks, once each, instead of as the configuration says.
        """
        if title in self._known:
            return {name: value for name, value in self._known[title].items() if name not in _OF_THE_LINE}
        settings = self._config.evaluation
        if tasks is not None:
            fewer = min(tasks, settings.tasks or tasks)
            settings = settings.model_copy(update={"tasks": fewer, "repeats": 1})
        name = "before" if title == BEFORE else ""
        with agent() as model, self._recorder.open("evaluation", step, name, title) as batch:
            values = evaluate(
                model,
                self._pool,
                self._driver,
                settings,
                seed=self._seed,
                rank=self._processes.rank,
                processes=self._processes.count,
                batch=batch,
                faults=self._config.safety.faults,
            )
        self._folder.add_metrics("evaluation", step, {"title": title, **values})
        self._reporter.evaluation(title, values)
        return values
