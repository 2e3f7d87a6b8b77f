"""Results as the tables of the paper, beside its rows, with footnotes where they were not taken the same way.

table = make_table(["runs/retail", "runs/airline"], layout="table1")
print(table.markdown())
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from pydantic import BaseModel, Field
from rich.markup import escape
from rich.table import Table as RichTable

from mua_env.core.scores import bounded
from mua_env.core.trajectory import read_trajectories
from mua_env.errors import ConfigError, DataError, did_you_mean
from mua_env.evaluation.comparison.published import COLUMNS, MEANS, ROWS, SOURCE, SOURCES, TRIALS, USER, Layout
from mua_env.evaluation.metrics import Interval, Metrics, measure
from mua_env.evaluation.outcomes import Outcome, Outcomes
from mua_env.evaluation.rollout_folder import trajectory_file
from mua_env.evaluation.stored_run import read_config
from mua_env.evaluation.summary import Counting


class Cell(BaseModel):
    """A figure in per cent; `notes` are numbers of footnotes, `upper_bounds` successes in it that nobody has judged."""

    value: float | None = None
    interval: Interval | None = None
    notes: list[int] = Field(default_factory=list)
    upper_bounds: int = 0

    def text(self, *, intervals: bool = False) -> str:
        """The figure with its marks; "-" where there is none."""
        if self.value is None:
            return "-"
        around = f" [{100 * self.interval.low:.1f}, {100 * self.interval.high:.1f}]" if self.interval else ""
        marks = " " + ",".join(f"({number})" for number in self.notes) if self.notes else ""
        return bounded(f"{self.value:.1f}{around if intervals else ''}{marks}", self.upper_bounds)


class TableRow(BaseModel):
    """A row; `published` says where it was, and is empty for what was measured here."""

    name: str
    cells: list[Cell]
    published: str = ""


class ResultTable(BaseModel):
    """A table in the layout of one of the paper's."""

    layout: str
    columns: list[str]
    rows: list[TableRow]
    footnotes: list[str] = Field(default_factory=list)

    def markdown(self, *, intervals: bool = False) -> str:
        """As Markdown; rows that were published say so."""
        head = ["Model", *self.columns, "source"]
        lines = [head, ["---", *["---:"] * len(self.columns), "---"]]
        for row in self.rows:
            cells = [cell.text(intervals=intervals) for cell in row.cells]
            lines.append([row.name.replace("|", "\\|"), *cells, row.published or "measured here"])
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        notes = "\n".join(f"({number}) {note}" for number, note in enumerate(self.footnotes, 1))
        return f"{table}\n" + (f"\n{notes}\n" if notes else "")

    def render(self, *, intervals: bool = False) -> RichTable:
        """For a terminal."""
        notes = "\n".join(f"({number}) {note}" for number, note in enumerate(self.footnotes, 1))
        table = RichTable(caption=escape(notes) or None, caption_justify="left")
        table.add_column("Model")
        for column in self.columns:
            table.add_column(column, justify="right")
        table.add_column("source")
        for row in self.rows:
            cells = [escape(cell.text(intervals=intervals)) for cell in row.cells]
            style = "dim" if row.published else "bold"
            table.add_row(escape(row.name), *cells, row.published or "measured here", style=style)
        return table


def make_table(
    runs: Sequence[str | Path], *, layout: Layout = "table1", published: bool = True, counting: Counting = "scored"
) -> ResultTable:
    """Put runs into the layout of a table of the paper.

    Runs of the same agent with the same user share a row. ``NAME=FOLDER`` names it otherwise.

    Args:
        runs: folders of evaluations or rollouts, or files of trajectories.
        layout: ``"table1"`` (TAU1 and TAU2), ``"table2"`` (BFCL and ACEBench) or ``"table3"`` (the ablation).
        published: put the paper's rows before them.
        counting: ``"scored"`` leaves faults out, ``"tau-bench"`` counts them as failures.

    Raises:
        ConfigError: there is no such layout.
        DataError: a run cannot be read, or none has a task that belongs into the table.
    """
    if layout not in COLUMNS:
        raise ConfigError(f"layout is {layout!r}; use one of {', '.join(COLUMNS)}.{did_you_mean(layout, COLUMNS)}")
    columns = COLUMNS[layout]
    footnotes: dict[str, None] = {}
    rows = [
        TableRow(name=name, cells=[Cell(value=value) for value in values], published=f"published, {SOURCE}")
        for name, values in (ROWS[layout].items() if published else ())
    ]
    own = _measured(runs)
    for name, held in own.items():
        found = {column: _cell(column, held, counting, footnotes) for column in SOURCES}
        row = TableRow(name=name, cells=[_of(column, found) for column in columns])
        if any(cell.value is not None for cell in row.cells):
            rows.append(row)
    if runs and len(rows) == (len(ROWS[layout]) if published else 0):
        known = ", ".join(dict.fromkeys(source for source, _ in SOURCES.values()))
        raise DataError(f"no run has tasks that belong into {layout}; tables are of {known}")
    return ResultTable(layout=layout, columns=list(columns), rows=rows, footnotes=list(footnotes))


class _Held(BaseModel):
    """The dialogues of a row, with what their runs say of them."""

    model_config = {"arbitrary_types_allowed": True}

    outcomes: list[Outcome] = Field(default_factory=list)
    releases: dict[str, str] = Field(default_factory=dict)


def _measured(runs: Sequence[str | Path]) -> dict[str, _Held]:
    rows: dict[str, _Held] = {}
    for run in runs:
        label, equals, path = str(run).rpartition("=")
        if equals and Path(str(run)).exists():
            label, path = "", str(run)
        file = trajectory_file(path)
        config = read_config(file.parent)
        agent = label or str(config.get("agent") or "")
        items = list(read_trajectories(file))
        outcomes = list(Outcomes(items))
        several = len({outcome.user for outcome in outcomes}) > 1
        for outcome in outcomes:
            name = agent or (items[0].agent if items else "")
            held = rows.setdefault(f"{name}, user {outcome.user}" if several else name, _Held())
            held.outcomes.append(outcome)
        for item in items:
            for held in rows.values():
                held.releases.setdefault(f"{item.domain}:{item.tasks}", item.source_revision or item.revision)
    return rows


def _cell(column: str, held: _Held, counting: Counting, footnotes: dict[str, None]) -> Cell:
    source, _ = SOURCES[column]
    family = source.rpartition(":")[0] if ":tau" in source else source
    outcomes = [o for o in held.outcomes if o.source == source or o.source.startswith(f"{family}:")]
    if not outcomes:
        return Cell()
    figures = measure(outcomes, counting=counting)
    value = figures.tcr if column == "Telecom TCR" else figures.success
    if value is None:
        return Cell()
    notes = _notes(column, outcomes, figures, held, counting)
    for note in notes:
        footnotes.setdefault(note)
    numbers = {note: number for number, note in enumerate(footnotes, 1)}
    interval = None if column == "Telecom TCR" else figures.interval
    bounds = 0 if column == "Telecom TCR" else figures.upper_bounds
    return Cell(
        value=100 * value, interval=interval, notes=sorted(numbers[note] for note in notes), upper_bounds=bounds
    )


def _notes(column: str, outcomes: list[Outcome], figures: Metrics, held: _Held, counting: Counting) -> list[str]:
    """In what a figure was taken otherwise than the published ones."""
    source, size = SOURCES[column]
    sources = sorted({outcome.source for outcome in outcomes})
    notes = []
    users = sorted({outcome.user for outcome in outcomes})
    # BFCL's user is a script and ACEBench's multi-step tasks have none: nobody chooses another.
    if not source.startswith("bfcl") and "multi_step" not in source and not all(USER in user for user in users):
        notes.append(f"user: {', '.join(users)} (published: {USER})")
    if sources != [source] or figures.tasks != size:
        notes.append(f"tasks: {figures.tasks} of {', '.join(sources)} (published: the {size} of {source})")
    trials = sorted({len(list(group)) for group in _by_task(outcomes).values()})
    if trials != [TRIALS]:
        most = f"{trials[0]} to {trials[-1]}" if len(trials) > 1 else str(trials[0])
        notes.append(f"trials: {most} of each task (published: {TRIALS})")
    missing = figures.ended - figures.scored
    if missing:
        how = "count as failures" if counting == "tau-bench" else "are left out"
        notes.append(f"counting: {missing} of {figures.ended} dialogues ended by faults and {how} (published: unknown)")
    if figures.upper_bounds:
        notes.append(f"judge: none for {figures.unjudged} of {figures.scored} dialogues (published: judged)")
    releases = sorted({release for key, release in held.releases.items() if key in sources})
    if releases:
        notes.append(f"data: {', '.join(releases)} (published: not stated)")
    return notes


def _by_task(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.task, []).append(outcome)
    return found


def _of(column: str, found: dict[str, Cell]) -> Cell:
    if column not in MEANS:
        return found[column]
    parts = [found[name] for name in MEANS[column]]
    known: list[Any] = [cell.value for cell in parts if cell.value is not None]
    if len(known) < len(parts):
        return Cell()
    return Cell(
        value=mean(known),
        notes=sorted({number for cell in parts for number in cell.notes}),
        upper_bounds=sum(cell.upper_bounds for cell in parts),
    )
