"""`mua-env compare`, `runs` and `tables`: runs held beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from mua_env.core.paths import write_whole
from mua_env.core.screen import counted, echo, echo_json, open_console
from mua_env.errors import ConfigError, DataError

if TYPE_CHECKING:
    from mua_env.evaluation.comparison.paired import Comparison
    from mua_env.evaluation.comparison.runs import RunLine

JSONOption = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]
CountingOption = Annotated[
    str, typer.Option("--counting", help="scored (faults are left out), or tau-bench (a fault is a failure).")
]


def compare(
    runs: Annotated[list[Path], typer.Argument(help="Folders; each is compared with the first.", show_default=False)],
    by: Annotated[
        str, typer.Option("--by", help="seed: dialogues of the same task, trial and user seed; or task: their means.")
    ] = "seed",
    metric: Annotated[str, typer.Option("--metric", help="success, tcr, turns or tool_errors.")] = "success",
    counting: CountingOption = "scored",
    seed: Annotated[int, typer.Option("--seed", help="Of the bootstrap.")] = 0,
    json: JSONOption = False,
) -> None:
    """Compare runs dialogue by dialogue: difference, interval, flips, and what could have been seen at all."""
    from mua_env.cli.rollout_run import check_counting
    from mua_env.evaluation.comparison.paired import compare as compare_runs

    if len(runs) < 2:
        raise ConfigError("compare takes two folders or more")
    how: Any = {"by": by, "metric": metric, "counting": check_counting(counting), "seed": seed}
    found = [compare_runs(runs[0], other, **how) for other in runs[1:]]
    if json:
        echo_json("[" + ", ".join(one.model_dump_json() for one in found) + "]")
        return
    for one in found:
        _print_comparison(one)


def _print_comparison(one: Comparison) -> None:
    from mua_env.core.scores import bounded

    points = one.metric in ("success", "tcr")

    def told(value: float, sign: str = "") -> str:
        return f"{100 * value:{sign}.1f}" if points else f"{value:{sign}.2f}"

    unit = " points" if points else ""
    pairs = f"{counted(one.pairs, 'pair')}" if one.by == "seed" else "means of tasks"
    echo(f"{one.b} against {one.a}: {one.metric}, {pairs} over {counted(one.tasks, 'task')}")
    means = (bounded(told(one.mean_a), one.upper_bounds_a), bounded(told(one.mean_b), one.upper_bounds_b))
    echo(f"  {one.a}: {means[0]}; {one.b}: {means[1]}")
    verdict = "more than chance" if one.significant else "may be chance"
    interval = f"[{told(one.interval.low, '+')}, {told(one.interval.high, '+')}]"
    echo(f"  difference {told(one.difference, '+')}{unit}, {one.interval.level:.0%} interval {interval}: {verdict}")
    if one.flip_rate is not None:
        echo(f"  flip rate {one.flip_rate:.1%}: {one.won} won, {one.lost} lost")
    if one.variance_removed is not None:
        echo(f"  pairing removed {one.variance_removed:.0%} of the variance")
    if one.detectable is not None:
        echo(f"  the smallest difference that shows with 80 % power at 5 %: {told(one.detectable)}{unit}")
    for why, count in one.left_out.items():
        echo(f"  left out: {count:,} {why}")
    for note in one.notes:
        echo(f"  note: {note}")


def runs(
    folders: Annotated[list[Path] | None, typer.Argument(help="Where runs lie.  [default: runs]")] = None,
    json: JSONOption = False,
) -> None:
    """List runs with agent, tasks, user and success; the newest is last."""
    from rich.markup import escape
    from rich.table import Table

    from mua_env.evaluation.comparison.runs import list_runs

    found = list_runs(*(folders or [Path("runs")]))
    if json:
        echo_json("[" + ", ".join(line.model_dump_json() for line in found) + "]")
        return
    if not found:
        echo("No runs.")
        return
    table = Table()
    for column in ("folder", "agent", "tasks", "user"):
        table.add_column(column, overflow="fold")
    for column in ("dialogues", "success"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in found:
        words = (line.folder, line.agent, line.tasks, line.user)
        table.add_row(*map(escape, words), f"{line.dialogues:,}", escape(_success(line)))
    open_console().print(table)


def _success(line: RunLine) -> str:
    from mua_env.core.scores import bounded

    if line.broken:
        return "cannot be read"
    if line.success is None:
        return "-"
    around = "" if line.interval is None else f" [{100 * line.interval.low:.0f}, {100 * line.interval.high:.0f}]"
    return bounded(f"{line.success:.1%}{around}", line.upper_bounds)


def tables(
    results: Annotated[list[str], typer.Argument(help="Folders, or NAME=FOLDER.", show_default=False)],
    layout: Annotated[str, typer.Option("--layout", help="table1, table2 or table3 of the paper.")] = "table1",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown instead.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write Markdown to a file.")] = None,
    intervals: Annotated[bool, typer.Option("--intervals", help="With 95 % intervals of what was measured.")] = False,
    own: Annotated[bool, typer.Option("--own", help="Leave the published rows out.")] = False,
    counting: CountingOption = "scored",
) -> None:
    """Show runs as the paper's tables, beside its rows; footnotes say what was taken otherwise."""
    from mua_env.cli.rollout_run import check_counting
    from mua_env.evaluation.comparison.published import Layout
    from mua_env.evaluation.comparison.tables import make_table

    chosen = cast(Layout, layout)  # checked there
    table = make_table(results, layout=chosen, published=not own, counting=check_counting(counting))
    text = table.markdown(intervals=intervals)
    if output is not None:
        if output.is_dir():
            raise DataError(f"{output} is a folder; name a file")
        write_whole(output, text)
        echo(str(output))
    elif markdown:
        echo(text.rstrip("\n"))
    else:
        open_console().print(table.render(intervals=intervals))
