"""Dialogues and scores on a terminal, coloured by who said what."""

from __future__ import annotations

import json

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mua_env.core.messages import AssistantMessage, Source, ToolCall
from mua_env.core.outside import visible
from mua_env.core.scores import Score, bounded
from mua_env.core.trajectory import Entry
from mua_env.episode.session import Session

COLOURS: dict[Source, str] = {
    "user": "cyan",
    "agent": "green",
    "tool": "yellow",
    "system": "dim",
    "template": "dim",
}
SHOWN = 400
"""Characters of a tool's result that are shown."""


def plain(text: str) -> str:
    """A text that stands for itself in rich's markup, and holds nothing that a terminal would obey."""
    return escape(visible(text))


def print_entry(console: Console, entry: Entry, *, full: bool = False) -> None:
    """One message under the name of its source; long tool results are cut unless `full`."""
    message = entry.message
    text = message.content or ""
    if entry.source == "tool" and not full and len(text) > SHOWN:
        text = f"{text[:SHOWN]}... ({len(text):,} characters)"
    for act in done_by_user(entry):
        _say(console, "user", f"(done, hidden from the agent) {act}", style="dim cyan")
    if text:
        _say(console, entry.source, text)
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls:
            _say(console, "agent", written(call), style="bold green")
    thought = entry.hidden.get("thought")
    if thought:
        _say(console, "user", f"(thought, hidden from the agent) {thought}", style="dim cyan")


def print_score(console: Console, session: Session) -> None:
    """How the episode ended, its score with the parts, and where the database is not as expected."""
    episode, score = session.episode, session.score
    cause = f" ({episode.cause})" if episode.cause else ""
    turns = f"{episode.turns} turn{'' if episode.turns == 1 else 's'}"
    console.print(f"\nEnded by {episode.ended_by}{plain(cause)} after {turns}.")
    if score is None:
        return
    console.print(_verdict(score))
    if score.criteria is not None and score.tcr is not None:
        before = "" if score.initial_tcr is None else f", {score.initial_tcr:.3f} before anything was done"
        console.print(f"Task completion rate {score.tcr:.3f}{before}.", highlight=False)
    for check in score.checks:
        if check.part == "judged" and check.holds is None:
            console.print(f"  not judged: {plain(check.name)}")
    for line in score.unmet:
        console.print(f"  does not hold: {plain(line)}")
    if score.difference:
        console.print(difference_table(score))


def _verdict(score: Score) -> Text:
    if score.reward is None:
        return Text("Not scored: the failure is not the agent's.", style="yellow")
    parts = ", ".join(f"{name} {value:g}" for name, value in score.parts.items() if value is not None)
    style = "bold green" if score.success else "bold red"
    reward = bounded(f"{score.reward:g}", score.upper_bound)
    return Text(f"Reward {reward} ({parts}; the reward is of {', '.join(score.basis)})", style=style)


def difference_table(score: Score) -> Table:
    """Table, key, column, expected, got."""
    table = Table(title="Where the database is not as expected", title_justify="left", show_lines=False)
    for name in ("table", "key", "column", "expected", "got"):
        table.add_column(name, overflow="fold")
    for cell in score.difference:
        values = (cell.table, cell.key, cell.column, _short(cell.expected), _short(cell.got))
        table.add_row(*map(plain, values))
    return table


def written(call: ToolCall) -> str:
    """A call as `name {json}`, the form that `mua-env play` reads."""
    return f"{call.function.name} {call.function.arguments}"


def done_by_user(entry: Entry) -> list[str]:
    """What the user did with its own tools before it spoke, each with what it showed."""
    return [
        f"{written(call)} -> {result.content}"
        for acts in entry.user_acts
        for call, result in zip(acts.tool_calls, acts.results, strict=True)
    ]


def _say(console: Console, source: Source, text: str, style: str | None = None) -> None:
    name = Text(f"{source:>5}  ", style=f"bold {COLOURS[source]}")
    body = Text(visible(text), style=style or COLOURS[source])
    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(name, body)
    console.print(Padding(grid, (0, 0)))


def _short(value: object, limit: int = 120) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[:limit] + "..."
