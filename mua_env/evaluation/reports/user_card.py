"""A card as a table for the terminal, as JSON, and as an HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mua_env.core.paths import write_whole
from mua_env.core.scores import bounded
from mua_env.evaluation.reports.pages import page_environment
from mua_env.evaluation.user_card.card import MEASURES, Card
from mua_env.evaluation.user_card.measures import Share

if TYPE_CHECKING:
    from rich.console import Console

LABELS = {
    "revealed": "facts revealed unasked",
    "invented": "facts invented",
    "plays_agent": "replies as the agent",
    "contradiction": "contradictions accepted",
    "mind_change": "mind changes left out",
    "early_stop": "early stops",
    "late_stop": "late stops",
}
"""What each measure is called."""


def rows(card: Card) -> Iterator[tuple[str, str]]:
    """The lines of the card: name and figure."""
    yield "dialogues", f"{card.dialogues:,}"
    yield "faults of the user", f"{sum(card.faults.values()):,}"
    yield "violations", f"{card.total:,} in {card.violating:,} dialogues"
    for measure in MEASURES:
        yield f"  {LABELS[measure]}", f"{card.violations[measure]:,}{_of(measure, card)}"
    yield "right proposals agreed to", _share(card.agreements)
    yield "planned mind changes carried out", _share(card.mind_changes)
    yield "goal reached with the expert", bounded(_share(card.expert), card.upper_bounds)
    yield "distinct openings", f"{card.openings:,}; {card.shared_openings:,} of them for different goals"
    yield "turns of the agent", f"{card.turns:.1f}"
    yield "words, characters of a reply", f"{card.words:.1f}, {card.characters:.1f}"
    for name, value in card.tokens.items():
        yield name.replace("_", " "), f"{value:,.0f}"
    if card.cost_usd is not None:
        yield "cost", f"${card.cost_usd:,.4f}"
    if card.guarded:
        yield "replies made anew by its guards", f"{card.guarded:,}"
    yield "latency of a reply", f"{card.ms:,.2f} ms; median of dialogues {card.ms_median:,.2f} ms"


def print_card(card: Card, console: Console) -> None:
    """Print the card as tables."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(f"{card.user}, {card.domain} {card.tasks}"), title_justify="left", show_header=False)
    for name, value in rows(card):
        table.add_row(escape(name), escape(value))
    console.print(table)
    by_probe = Table(title="By probing agent", title_justify="left")
    for name in ("probe", "held", "turns", "violations", "gave up", "user ended", "goal", "faults"):
        by_probe.add_column(name, justify="left" if name == "probe" else "right", no_wrap=True)
    for probe in card.probes:
        counts = (sum(probe.violations.values()), probe.gave_up, probe.stopped)
        by_probe.add_row(
            escape(probe.probe),
            f"{probe.dialogues:,}",
            f"{probe.turns:.1f}",
            *(f"{count:,}" for count in counts),
            bounded(_share(probe.success), probe.upper_bounds),
            f"{probe.faults:,}",
        )
    console.print(by_probe)
    for cause, count in card.faults.items():
        console.print(f"  {count} faults: {cause}", markup=False)
    for example in card.examples:
        found = example.violation
        where = f"{example.dialogue}, turn {found.turn}"
        console.print(f"  {LABELS[found.measure]}: {where}: {found.detail}", markup=False)


def write_card(card: Card, folder: Path) -> tuple[Path, Path]:
    """Write ``card.json`` and ``card.html`` into a folder; returns where they are."""
    data, page = folder / "card.json", folder / "card.html"
    write_whole(data, card.model_dump_json(indent=1) + "\n")
    write_whole(page, html(card))
    return data, page


def html(card: Card) -> str:
    """The card as a page: static, without scripts, without network."""
    template = page_environment().get_template("user_card.html.j2")
    return template.render(card=card, rows=list(rows(card)), measures=MEASURES, labels=LABELS, share=_share)


def _share(share: Share) -> str:
    return f"{share.made:,} of {share.of:,}"


def _of(measure: str, card: Card) -> str:
    of = {"contradiction": card.contradictions.of, "mind_change": card.mind_changes.of}.get(measure)
    return "" if of is None else f" of {of:,}"
