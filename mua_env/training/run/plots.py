"""A run's metrics as curves: one picture of all, and each as an SVG that a page can hold."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mua_env.errors import missing_extra
from mua_env.training.run.run_folder import read_metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Sequence[dict[str, Any]]
_INK = "#010203"
"""Stands for the page's text colour until a curve is written as SVG."""


@dataclass(frozen=True)
class Panel:
    """One set of axes.

    Attributes:
        title: what is shown, with its unit.
        phase: whose lines are read.
        names: metrics that are drawn as lines.
        held_out: whether measurements on held-out tasks are drawn as points.
        share: whether the axis is 0 to 1.
    """

    title: str
    phase: str
    names: tuple[str, ...]
    held_out: bool = False
    share: bool = False


PANELS = (
    Panel("Cold start: loss of an agent token", "cold_start", ("loss",)),
    Panel("Reward of the rollouts, mean", "grpo", ("dialogue/reward",), share=True),
    Panel("Success on held-out tasks, with 95 % intervals", "grpo", (), held_out=True, share=True),
    Panel("Groups, share", "grpo", ("groups/all_equal", "groups/all_right", "groups/all_wrong"), share=True),
    Panel("Turns and tool calls a dialogue", "grpo", ("dialogue/turns", "dialogue/tool_calls")),
    Panel("Response length: agent tokens a dialogue", "grpo", ("dialogue/agent_tokens",)),
    Panel("KL to the reference model, an agent token", "grpo", ("kl",)),
    Panel("Entropy, an agent token (nats)", "grpo", ("entropy",)),
    Panel("Dialogues that a limit ended, share", "grpo", ("dialogue/truncated",), share=True),
)


def plot_run(path: str | os.PathLike[str]) -> Path:
    """Draw ``curves.png`` from ``metrics.jsonl``; returns its path.

    Raises:
        DataError: the run has no metrics.
        MissingExtra: matplotlib is not installed.
    """
    rows = list(read_metrics(path))
    with _figure(13, 9.5) as figure:
        for axes, panel in zip(figure.subplots(3, 3).flat, PANELS, strict=True):
            _draw(axes, panel, rows)
        target = Path(path) / "curves.png"
        figure.savefig(target, dpi=100)
    return target


def svg_curves(rows: Rows) -> list[str]:
    """The panels that have something to show, as SVG elements in the colour of the text around them."""
    found = []
    for number, panel in enumerate(PANELS):
        if not _points_of(panel, rows):
            continue
        with _figure(5, 3.1, salt=str(number)) as figure:
            _draw(figure.subplots(), panel, rows)
            written = StringIO()
            figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
        svg = written.getvalue()
        svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
        # Every element gets ids of its own, so that several can stand on one page; width follows the page.
        svg = re.sub(r'(id="|href="#|url\(#)', rf"\1c{number}-", svg)
        svg = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg height="[^"]*"', r"<svg \1", svg, count=1)
        found.append(svg)
    return found


def _points_of(panel: Panel, rows: Rows) -> bool:
    if panel.held_out:
        return any(row["phase"] == "evaluation" for row in rows)
    return any(row["phase"] == panel.phase and row.get(name) is not None for row in rows for name in panel.names)


@contextmanager
def _figure(width: float, height: float, *, salt: str = "") -> Iterator[Figure]:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("train", needed_by="the curves of a run") from None
    style: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": salt, "font.family": "sans-serif"}
    style |= dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK)
    with mpl.rc_context(style):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def _draw(axes: Axes, panel: Panel, rows: Rows) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel("update")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    mine = [row for row in rows if row["phase"] == panel.phase]
    for name in panel.names:
        known = [row for row in mine if row.get(name) is not None]
        label = name.split("/")[-1].replace("_", " ")
        marker = "." if len(known) < 30 else ""
        axes.plot(
            [row["step"] for row in known], [row[name] for row in known], label=label, linewidth=1.3, marker=marker
        )
    if panel.held_out:
        _held_out(axes, [row for row in rows if row["phase"] == "evaluation"])
    if panel.share:
        axes.set_ylim(-0.03, 1.03)
    if len(panel.names) > 1:
        axes.legend(fontsize=8, framealpha=0)
    if not _points_of(panel, rows):
        axes.text(0.5, 0.5, "not run", ha="center", va="center", transform=axes.transAxes)


def _held_out(axes: Axes, rows: Rows) -> None:
    """Success at GRPO updates. What was measured before training stands left of the start."""
    last = max((row["step"] for row in rows), default=0)
    early = -max(1.0, 0.08 * last)
    steps = [early if row.get("title") == "before training" else row["step"] for row in rows]
    axes.errorbar(
        steps,
        [row["success"] for row in rows],
        yerr=[1.96 * row["standard_error"] for row in rows],
        fmt="o-",
        capsize=3,
        linewidth=1.2,
    )
    if early in steps:
        axes.set_xticks([early, 0, *([last] if last else [])], ["before", "0", *([str(last)] if last else [])])
