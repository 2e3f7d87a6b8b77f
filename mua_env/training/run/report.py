"""A run's report: curves, tables, and the same held-out tasks before and after training, as one static page."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mua_env.core.scores import bounded
from mua_env.core.trajectory import Trajectory
from mua_env.evaluation.reports.dialogues import Dialogue, distinct_policies, read_dialogue, template_environment
from mua_env.evaluation.reports.pages import unheard, write_page
from mua_env.training.run.plots import svg_curves
from mua_env.training.run.run_folder import read_metrics

SHOWN = 10
"""Tasks whose dialogues are shown."""
BEFORE, COLD_START, AFTER = "before training", "after the cold start", "after GRPO"
_STAGES = (BEFORE, COLD_START, "before GRPO", AFTER)
_COLUMNS = (
    ("update", "step", "{:.0f}"),
    ("reward", "dialogue/reward", "{:.3f}"),
    ("success", "dialogue/success", "{:.1%}"),
    ("all equal", "groups/all_equal", "{:.2f}"),
    ("turns", "dialogue/turns", "{:.1f}"),
    ("tool calls", "dialogue/tool_calls", "{:.1f}"),
    ("tokens", "dialogue/tokens", "{:.0f}"),
    ("agent tokens", "dialogue/agent_tokens", "{:.0f}"),
    ("cut", "dialogue/truncated", "{:.2f}"),
    ("faults", "dialogue/faults", "{:.0f}"),
    ("KL", "kl", "{:.5f}"),
    ("entropy", "entropy", "{:.3f}"),
    ("user cost, $", "user/cost", "{:.4f}"),
    ("seconds", "seconds", "{:.1f}"),
)
_OF_REWARDS = ("success", "dialogue/success", "dialogue/reward")
_MEASURED = (
    ("after", "title", "{}"),
    ("update", "step", "{:.0f}"),
    ("success", "success", "{:.1%}"),
    ("standard error", "standard_error", "{:.1%}"),
    ("tasks", "tasks", "{}"),
    ("dialogues", "dialogues", "{}"),
    ("temperature", "temperature", "{:g}"),
    ("turns", "dialogue/turns", "{:.1f}"),
    ("cut", "dialogue/truncated", "{:.2f}"),
    ("user", "user", "{}"),
)


def write_training_report(
    run: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    on_replace: Callable[[Path], None] = unheard,
) -> Path:
    """Write the page; returns where it is.

    Args:
        run: a run's folder; the run may still be going on.
        out: the page; ``report.html`` in the run's folder if None.
        force, on_replace: as of `mua_env.evaluation.reports.pages.write_page`.

    Raises:
        ConfigError: a file is there that is no page of this package.
        DataError: the folder has no metrics.
        MissingExtra: matplotlib is not installed.
    """
    folder = Path(run)
    rows = list(read_metrics(folder))
    shown = _tasks(folder)
    everything = [dialogue.trajectory for _, stages in shown for _, dialogue in stages]
    page = (
        template_environment()
        .get_template("training.html.j2")
        .render(
            name=folder.resolve().name,
            figures=_figures(folder, rows),
            measured=_table(_MEASURED, [row for row in rows if row["phase"] == "evaluation"]),
            curves=svg_curves(rows),
            updates=_table(_COLUMNS, [row for row in rows if row["phase"] == "grpo"]),
            tasks=shown,
            policies=distinct_policies(everything),
        )
    )
    target = folder / "report.html" if out is None else Path(out)
    write_page(target, page, force=force, on_replace=on_replace)
    return target


def _figures(folder: Path, rows: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    summary = _read(folder / "summary.json")
    updates = [row for row in rows if row["phase"] == "grpo"]
    measured = {row["title"]: row for row in rows if row["phase"] == "evaluation" and "title" in row}
    found = [
        (f"success {stage}", _cell(measured[stage], "success", "{:.1%}")) for stage in _STAGES if stage in measured
    ]
    found.append(("updates of GRPO", f"{len(updates)}"))
    if "parameters" in summary:
        found.append(("parameters", f"{summary['parameters']:,}"))
    cost = sum(row.get("user/cost") or 0.0 for row in rows)
    if cost:
        found.append(("spent on users", f"${cost:.2f}"))
    found.append(("failed dialogues", f"{sum(row.get('dialogue/faults') or 0 for row in rows):.0f}"))
    return found


def _tasks(folder: Path) -> list[tuple[str, list[tuple[str, Dialogue]]]]:
    """The first tasks that were measured at several stages, each with its dialogues in order of stages."""
    found: dict[tuple[str, int], dict[str, Trajectory]] = {}
    for trajectory in _measured(folder):
        stages = found.setdefault((trajectory.task_id, trajectory.seed), {})
        stages[trajectory.meta["stage"]] = trajectory
    most = max(map(len, found.values()), default=0)
    full = [stages for stages in found.values() if len(stages) == most]
    full.sort(key=lambda stages: min(int(t.meta["row"]) for t in stages.values()))
    shown: dict[str, dict[str, Trajectory]] = {}
    for stages in full:
        shown.setdefault(next(iter(stages.values())).task_id, stages)
    return [
        (id, [(stage, read_dialogue(stages[stage])) for stage in _STAGES if stage in stages])
        for id, stages in list(shown.items())[:SHOWN]
    ]


def _measured(folder: Path) -> Iterator[Trajectory]:
    """Dialogues of the measurements before and after the parts of the training, in one pass over the files."""
    for file in sorted(folder.glob("trajectories*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n") and '"stage":' in line:
                    trajectory = Trajectory.model_validate_json(line)
                    if trajectory.meta.get("stage") in _STAGES:
                        yield trajectory


def _table(columns: Sequence[tuple[str, str, str]], rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Titles, then rows as text; columns that no row knows are left out."""
    known = [column for column in columns if any(row.get(column[1]) is not None for row in rows)]
    if not rows:
        return []
    body = [["-" if row.get(key) is None else _cell(row, key, form) for _, key, form in known] for row in rows]
    return [[title for title, _, _ in known], *body]


def _cell(row: dict[str, Any], key: str, form: str) -> str:
    figure = form.format(row[key])
    return bounded(figure, row.get("dialogue/upper_bounds", 0)) if key in _OF_REWARDS else figure


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a run that goes on has none yet
        return {}
    return found if isinstance(found, dict) else {}
