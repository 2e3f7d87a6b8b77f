"""What a run prints: plain lines and a table that grows, from figures that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("step", "step", "{:.0f}"),
    ("reward", "reward", "{:.3f}"),
    ("all equal", "groups/all_equal", "{:.2f}"),
    ("turns", "dialogue/turns", "{:.1f}"),
    ("calls", "dialogue/tool_calls", "{:.1f}"),
    ("tokens", "dialogue/tokens", "{:.0f}"),
    ("cut", "dialogue/truncated", "{:.2f}"),
    ("faults", "dialogue/faults", "{:.0f}"),
    ("KL", "kl", "{:.4f}"),
    ("entropy", "entropy", "{:.2f}"),
    ("seconds", "seconds", "{:.1f}"),
)


class Reporter:
    """Prints a run's progress.

    Args:
        console: where to; None for standard output.
        quiet: print nothing (processes besides the first).
    """

    def __init__(self, console: Console | None = None, *, quiet: bool = False) -> None:
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._quiet = quiet
        self._header = False

    def say(self, text: str) -> None:
        """One line."""
        if not self._quiet:
            self._console.print(escape(text))

    def phase(self, title: str) -> None:
        """The heading of a part of the run."""
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
        if not self._header:
            self.say("".join(f"{title:>10}" for title, _, _ in _COLUMNS))
            self._header = True
        self.say("".join(_cell(values.get(name), form) for _, name, form in _COLUMNS))

    def evaluation(self, title: str, values: dict[str, Any]) -> None:
        """A measurement on held-out tasks."""
        self.say(
            f"  {title}: success {values['success']:.1%} (standard error {values['standard_error']:.1%}) in "
            f"{values['dialogues']} dialogues on {values['tasks']} held-out tasks, temperature "
            f"{values['temperature']:g}, {values['dialogue/turns']:.1f} turns, cut {values['dialogue/truncated']:.0%}"
        )

    def files(self, title: str, paths: Sequence[Path]) -> None:
        """Where things lie."""
        self.say(title)
        for path in paths:
            self.say(f"  {path}")


def _cell(value: object, form: str) -> str:
    return f"{'-' if value is None else form.format(value):>10}"
