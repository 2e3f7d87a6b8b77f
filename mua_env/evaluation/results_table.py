"""The figures of an evaluation as Markdown, for a terminal, a file and a page alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mua_env.core.scores import bounded
from mua_env.core.screen import counted
from mua_env.evaluation.metrics import Metrics, Share
from mua_env.evaluation.results import Results, Row, Spread

Cells = Sequence[str]


def markdown(results: Results, *, whole: bool = True) -> str:
    """The tables, with what must be known to read them; without ``whole`` success is not broken down."""
    parts = [f"# {results.agent}"]
    shown = tables(results) if whole else [("", main_table(results)), *_by_user(results)]
    parts += [(f"## {title}\n\n" if title else "") + _table(rows) for title, rows in shown]
    notes = [f"- {note}" for note in [*remarks(results), *results.notes]]
    return "\n\n".join([*parts, "\n".join(notes)]).rstrip("\n") + "\n"


def tables(results: Results) -> Iterator[tuple[str, list[Cells]]]:
    """Each table with its title; the first, of all figures, has none."""
    yield "", main_table(results)
    yield from _by_user(results)
    yield from _broken_down(results)


def main_table(results: Results) -> list[Cells]:
    """The head and a row for each task source and user."""
    most = max((k for row in results.rows for k in row.metrics.pass_k), default=1)
    ks = [k for k in range(2, most + 1) if k in (2, 3, 4, 8, 16, most)]
    has_tcr = any(row.metrics.tcr is not None for row in results.rows)
    head = ["tasks", "user", "success", "95 %", "over"]
    head += [name for k in ks for name in (f"pass^{k}", f"pass@{k}")]
    head += [*(["TCR"] if has_tcr else []), "turns", "tokens", "tool errors", "not scored", "cost"]
    return [head, *(_row(row, ks, has_tcr=has_tcr, user=_played(results, row)) for row in results.rows)]


def percent(value: float | None) -> str:
    """A share as it stands in a table."""
    return "-" if value is None else f"{100 * value:.1f} %"


def success(share: Share) -> str:
    """Success as it stands in a table: "at most" where some of it hangs on statements that nobody has judged."""
    return "-" if share.success is None else bounded(percent(share.success), share.upper_bounds)


def interval(share: Share) -> str:
    """A share's interval in percent."""
    return "-" if share.interval is None else f"{100 * share.interval.low:.1f} to {100 * share.interval.high:.1f}"


def _played(results: Results, row: Row) -> str:
    """The user of a row as it was asked for, or the one that its tasks bring instead."""
    noted = results.config.get("tasks", {}).get(row.source)
    return str(noted.get("user", row.user)) if isinstance(noted, dict) else row.user


def _row(row: Row, ks: Sequence[int], *, has_tcr: bool, user: str) -> Cells:
    figures = row.metrics
    cells = [row.source, user, success(figures), interval(figures), _over(figures)]
    for k in ks:
        told = f" ({figures.k_tasks[k]})" if 0 < figures.k_tasks.get(k, 0) < figures.tasks else ""
        known = (values.get(k) for values in (figures.pass_k, figures.pass_at_k))
        cells += ["-" if value is None else bounded(_number(value, 3), figures.upper_bounds) + told for value in known]
    if has_tcr:
        cells.append(percent(figures.tcr))
    faults = ", ".join(f"{count} {whose}" for whose, count in figures.faults.items())
    return [
        *cells,
        _number(figures.turns, 1),
        "-" if figures.agent_tokens is None else f"{figures.agent_tokens:,.0f}",
        _number(figures.tool_errors, 2),
        faults or "0",
        f"${figures.cost_usd:.2f}" if figures.cost_usd else "-",
    ]


def _over(figures: Metrics) -> str:
    return f"{counted(figures.tasks, 'task')}, {counted(figures.dialogues, 'dialogue')}"


def _by_user(results: Results) -> Iterator[tuple[str, list[Cells]]]:
    sources = list(dict.fromkeys(row.source for row in results.rows))
    users = list(results.users)
    if len(users) < 2 and len(sources) < 2:
        return
    found = {(row.source, row.user): row.metrics for row in results.rows}
    rows: list[Cells] = [["tasks", *users, "mean", "spread over users"]]
    for source in sources:
        cells = [success(found[source, user]) if (source, user) in found else "-" for user in users]
        rows.append([source, *cells, *_spread(results.spread.get(source))])
    if len(sources) > 1:
        means = [f"{success(results.users[user])} ({interval(results.users[user])})" for user in users]
        rows.append(["mean of these", *means, *_spread(results.spread.get("all"))])
    yield "Success by user", rows


def _spread(spread: Spread | None) -> Cells:
    if spread is None:
        return ["-", "-"]
    if spread.deviation is None:
        return [bounded(percent(spread.mean), spread.upper_bounds), "one user"]
    told = f"{percent(spread.low)} to {percent(spread.high)}, deviation {100 * spread.deviation:.1f}"
    return [bounded(percent(spread.mean), spread.upper_bounds), told]


def _broken_down(results: Results) -> Iterator[tuple[str, list[Cells]]]:
    for what, title in (("levels", "level"), ("kinds", "kind of request"), ("rules", "rule of the policy")):
        rows: list[Cells] = [["tasks", "user", title, "success", "95 %", "over"]]
        for row in results.rows:
            user = _played(results, row)
            shares: Mapping[str, Share] = getattr(row, what)
            for name, part in shares.items():
                over = f"{counted(part.tasks, 'task')}, {counted(part.dialogues, 'dialogue')}"
                rows.append([row.source, user, name, success(part), interval(part), over])
        if len(rows) > 1:
            yield f"By {title}", rows


def remarks(results: Results) -> Iterator[str]:
    """What the figures do not show by themselves."""
    counting = {row.metrics.counting for row in results.rows}
    if "tau-bench" in counting:
        yield "Counted as tau-bench does: a dialogue that is not scored is a failure."
    unjudged = sum(row.metrics.unjudged for row in results.rows)
    if unjudged:
        bounds = sum(row.metrics.upper_bounds for row in results.rows)
        hanging = f", {bounds} of the successes among them: upper bounds" if bounds else ""
        yield f"{counted(unjudged, 'scored dialogue')} with statements that nobody has judged{hanging} (--judge MODEL)."
    if results.retaken:
        yield f"Taken again after a fault: {results.retaken}."
    if results.cost_usd:
        yield f"Models have cost ${results.cost_usd:.4f}, attempts that were taken again included."
    if results.stopped:
        yield f"Stopped, since every further dialogue would end so: {results.stopped}"
    if results.unfinished:
        yield f"{counted(results.unfinished, 'planned dialogue')} were not held; the same command goes on."


def _table(rows: Sequence[Cells]) -> str:
    rows = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rule = ["-" * width for width in widths]
    lines = [rows[0], rule, *rows[1:]]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
