"""What a run prints: plain lines and a table that grows, from figures that were measured.

On a terminal the last updates of GRPO stand in a live table; elsewhere each update is a line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from mua_env.core.scores import bounded
from mua_env.core.screen import counted, open_console

_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("step", "step", "{:.0f}"),
    ("reward", "reward", "{:.3f}"),
    ("success", "dialogue/success", "{:.1%}"),
    ("all equal", "groups/all_equal", "{:.2f}"),
    ("turns", "dialogue/turns", "{:.1f}"),
    ("tokens", "dialogue/tokens", "{:.0f}"),
    ("seconds", "seconds", "{:.1f}"),
    ("calls", "dialogue/tool_calls", "{:.1f}"),
    ("cut", "dialogue/truncated", "{:.2f}"),
    ("faults", "dialogue/faults", "{:.0f}"),
    ("KL", "kl", "{:.4f}"),
    ("entropy", "entropy", "{:.2f}"),
)
_NARROW = 7
"""Columns that a narrow terminal shows."""
_SHOWN = 15
"""Updates in the live table."""


class Reporter:
    """Prints a run's progress.

    Args:
        console: where to; None for standard output.
        quiet: print nothing (processes besides the first).
    """

    def __init__(self, console: Console | None = None, *, quiet: bool = False) -> None:
        self._console = console or open_console(soft_wrap=True)
        self._quiet = quiet
        self._header = False
        self._live: Live | None = None
        self._rows: deque[dict[str, Any]] = deque(maxlen=_SHOWN)

    def say(self, text: str) -> None:
        """One line; above the live table where there is one."""
        if not self._quiet:
            self._console.print(escape(text))

    def phase(self, title: str) -> None:
        """The heading of a part of the run."""
        self.close()
        self._header = False
        if not self._quiet:
            self._console.print(f"\n[bold]{escape(title)}[/bold]")

    def cold_start(self, values: dict[str, Any]) -> None:
        """One update of the cold start; about twenty lines a run."""
        step, steps = int(values["step"]), int(values["steps"])
        if step in (1, steps) or step % max(1, steps // 20) == 0:
            self.say(
                f"  update {step:>4} of {steps}   loss {values['loss']:.4f}   "
                f"rate {values['learning_rate']:.2e}   agent tokens {values['tokens']:.0f}"
            )

    def grpo(self, values: dict[str, Any]) -> None:
        """One update of GRPO, as a row of the table."""
        if self._quiet:
            return
        if self._console.is_terminal:
            self._rows.append(values)
            if self._live is None:
                self._live = Live(console=self._console, auto_refresh=False)
                self._live.start()
            self._live.update(self._table(), refresh=True)
            return
        if not self._header:
            self.say("".join(f"{title:>10}" for title, _, _ in _COLUMNS))
            self._header = True
        self.say("".join(f"{_cell(values.get(name), form):>10}" for _, name, form in _COLUMNS))

    def evaluation(self, title: str, values: dict[str, Any]) -> None:
        """A measurement on held-out tasks."""
        success = bounded(f"{values['success']:.1%}", values.get("dialogue/upper_bounds", 0))
        self.say(
            f"  {title}: success {success} (standard error {values['standard_error']:.1%}) in "
            f"{counted(values['dialogues'], 'dialogue')} on {counted(values['tasks'], 'held-out task')}, temperature "
            f"{values['temperature']:g}, {values['dialogue/turns']:.1f} turns, cut {values['dialogue/truncated']:.0%}"
        )

    def files(self, title: str, paths: Sequence[Path]) -> None:
        """Where things lie."""
        self.say(title)
        for path in paths:
            self.say(f"  {path}")

    def close(self) -> None:
        """Leave the live table as it stands. May be called again."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        self._rows.clear()

    def _table(self) -> Table:
        columns = _COLUMNS if self._console.width >= 11 * len(_COLUMNS) else _COLUMNS[:_NARROW]
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for title, _, _ in columns:
            table.add_column(title, justify="right", no_wrap=True)
        for values in self._rows:
            table.add_row(*(_cell(values.get(name), form) for _, name, form in columns))
        return table


def _cell(value: object, form: str) -> str:
    return "-" if value is None else form.format(value)
