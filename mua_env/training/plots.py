"""A run's metrics as one picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mua_env.errors import missing_extra
from mua_env.training.run_folder import read_metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Rows = Sequence[dict[str, Any]]


def plot_run(path: str | os.PathLike[str]) -> Path:
    """Draw ``curves.png`` from ``metrics.jsonl``; returns its path.

    Raises:
        DataError: the run has no metrics.
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("train", needed_by="the plot of a run") from None
    rows = list(read_metrics(path))
    phases = {phase: [row for row in rows if row["phase"] == phase] for phase in ("cold_start", "grpo")}
    held_out = [row for row in rows if row["phase"] == "evaluation"]
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    FigureCanvasAgg(figure)
    (loss, success), (groups, lengths) = figure.subplots(2, 2)
    _lines(loss, "Cold start: loss of the agent's tokens", phases["cold_start"], ["loss"])
    _lines(success, "GRPO: success", phases["grpo"], ["dialogue/success"])
    _points(success, held_out)
    _lines(groups, "GRPO: share of groups", phases["grpo"], ["groups/all_right", "groups/all_wrong"])
    _lines(lengths, "GRPO: turns and tool calls", phases["grpo"], ["dialogue/turns", "dialogue/tool_calls"])
    for axes in (success, groups):
        axes.set_ylim(-0.03, 1.03)
    target = Path(path) / "curves.png"
    figure.savefig(target, dpi=110)
    return target


def _lines(axes: Axes, title: str, rows: _Rows, names: Sequence[str]) -> None:
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("update")
    axes.grid(alpha=0.3)
    for name in names:
        known = [row for row in rows if row.get(name) is not None]
        label = name.split("/")[-1].replace("_", " ")
        axes.plot([row["step"] for row in known], [row[name] for row in known], label=label, linewidth=1.2)
    if any(row.get(name) is not None for row in rows for name in names):
        axes.legend(fontsize=8)
    else:
        axes.text(0.5, 0.5, "not run", ha="center", va="center", transform=axes.transAxes)


def _points(axes: Axes, held_out: _Rows) -> None:
    """Held-out success at GRPO updates, with its 95 % interval."""
    if not held_out:
        return
    axes.errorbar(
        [row["step"] for row in held_out],
        [row["success"] for row in held_out],
        yerr=[1.96 * row["standard_error"] for row in held_out],
        fmt="o",
        capsize=3,
        label="held-out tasks",
    )
    axes.legend(fontsize=8)
