"""An evaluation: an agent on task sources with users, into a folder that may grow, to figures with intervals.

results = mua_env.evaluate(agent="expert", tasks="retail:test:level=1", count=20)
print(results.success, results.rows[0].metrics.interval)
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mua_env.core.running import run_coroutine
from mua_env.core.trajectory import Trajectory
from mua_env.errors import ConfigError, WriteError
from mua_env.evaluation.eval_config import EvalConfig, read_eval_config
from mua_env.evaluation.eval_folder import EvalFolder
from mua_env.evaluation.eval_plan import EvalPlan
from mua_env.evaluation.held_parts import hold_parts
from mua_env.evaluation.results import Results, results_of
from mua_env.evaluation.results_table import markdown

OnEnd = Callable[[Trajectory], None]
OnOpen = Callable[[EvalFolder], None]


def evaluate(
    config: EvalConfig | str | os.PathLike[str] | None = None,
    /,
    *,
    folder: str | os.PathLike[str] | None = None,
    on_end: OnEnd = lambda trajectory: None,
    **settings: Any,
) -> Results:
    """Evaluate an agent.

    Args:
        config: every setting, or a YAML file with some.
        folder: where dialogues and figures are written. One that holds an evaluation is gone on with: what is missing
            or ended by a fault is held, and tasks, trials, sources and users may be more than before; the results are
            those of all that it holds. None (default) keeps the figures alone.
        on_end: called with each dialogue as it ends.
        settings: instead of ``config``, the fields of `EvalConfig`: ``agent``, ``tasks``, ``user`` (or ``users``),
            ``reward``, ``preset``, ``trials``, ``count``, ... The agent may be a class or a function that makes one,
            a user a simulator, the reward a function of a task and a trajectory.

    Raises:
        ConfigError: a setting is unknown or cannot be, a model does not answer, or the folder holds something else.
        DomainError, TaskError: tasks that cannot be had, or that a user cannot play.
        MissingExtra: what was asked for needs an extra that is not installed.
        OSError: a dialogue could not be written; what had ended is kept.
    """
    return run_coroutine(aevaluate(config, folder=folder, on_end=on_end, **settings))


async def aevaluate(
    config: EvalConfig | str | os.PathLike[str] | None = None,
    /,
    *,
    folder: str | os.PathLike[str] | None = None,
    on_end: OnEnd = lambda trajectory: None,
    **settings: Any,
) -> Results:
    """`evaluate` on the caller's event loop."""
    planned = EvalPlan(_config(config, settings))
    try:
        if folder is not None:
            return await run_plan(planned, Path(folder), on_end=on_end)
        with tempfile.TemporaryDirectory() as place:
            results = await run_plan(planned, Path(place), on_end=on_end, report=False)
            return results.model_copy(update={"folder": None})
    finally:
        planned.close()


async def run_plan(
    planned: EvalPlan, path: Path, *, on_end: OnEnd, report: bool = True, open_folder: OnOpen = lambda folder: None
) -> Results:
    """Hold what a folder lacks of a plan, and write what came of it.

    Args:
        planned: what is to be held.
        path: the folder.
        on_end: called with each dialogue.
        report: write the page as well.
        open_folder: called with the folder before the first dialogue.
    """
    folder = EvalFolder(path, planned.described(), planned.task_hashes)

    def ended(trajectory: Trajectory) -> None:
        folder.outcomes.add(trajectory)
        on_end(trajectory)

    stopped: str | None = None
    try:
        open_folder(folder)
        stopped = await hold_parts(planned.parts, folder, planned.ledger, planned.clients, on_end=ended)
    except BaseException:
        with suppress(WriteError, OSError):  # what ended the run is said, not what followed from it
            _write(folder, planned, None, report=False)
        raise
    finally:
        folder.close()
    return _write(folder, planned, stopped, report=report)


def _write(folder: EvalFolder, planned: EvalPlan, stopped: str | None, *, report: bool) -> Results:
    results = results_of(
        folder.outcomes,
        counting=planned.config.counting,
        agent=planned.agent,
        config=folder.config,
        notes=list(planned.notes()),
        stopped=stopped,
        unfinished=_unfinished(folder, planned),
        folder=str(folder.path),
    )
    folder.write_json("results.json", results.model_dump(mode="json"))
    folder.write_text("results.md", markdown(results))
    if report:
        from mua_env.evaluation.reports.evaluation import write_evaluation

        write_evaluation(results, folder.outcomes, folder.path)
    return results


def _unfinished(folder: EvalFolder, planned: EvalPlan) -> int:
    """Planned dialogues that nobody held; one that ended by a fault was."""
    held = {outcome.id for outcome in folder.outcomes}
    return sum(episode.id not in held for part in planned.parts for episode in part.episodes)


def _config(config: EvalConfig | str | os.PathLike[str] | None, settings: dict[str, Any]) -> EvalConfig:
    if config is not None and settings:
        raise ConfigError(f"settings stand in the configuration or beside it, not both: {', '.join(settings)}")
    if isinstance(config, EvalConfig):
        return config
    return read_eval_config(settings if config is None else config)


def read_results(folder: str | os.PathLike[str]) -> Results:
    """The results of an evaluation's folder.

    Raises:
        ConfigError: there are none, or they cannot be read.
    """
    file = Path(folder) / "results.json"
    try:
        return Results.model_validate_json(file.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the results of an evaluation from {file}: {error}") from None
