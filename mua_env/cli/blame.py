"""`mua-env blame`: the turn that lost each failed dialogue."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mua_env.cli import options as opt
from mua_env.core.screen import counted, echo

if TYPE_CHECKING:
    from mua_env.evaluation.blame.result import Blame

LONGEST = 100
"""Characters of a turn that are shown."""


def blame(
    run: Annotated[Path, typer.Argument(help="Folder of a rollout or evaluation.", show_default=False)],
    reference: Annotated[
        str, typer.Option("--reference", "-r", help="Who continues: expert, same (the run's own agent), or an agent.")
    ] = "expert",
    reference_option: Annotated[
        list[str] | None, typer.Option("--reference-option", "-R", metavar="KEY=VALUE", help="Option of the reference.")
    ] = None,
    continuations: Annotated[int, typer.Option("--continuations", "-k", min=1, help="After each turn.")] = 4,
    count: Annotated[int | None, typer.Option("--count", "-n", min=1, help="Only the first so many failures.")] = None,
    path: opt.PathOption = None,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Dialogues at the same time.")] = 4,
) -> None:
    """Name the turn that lost each failed dialogue, by continuations that a reference agent holds from every turn.

    What is found goes into blame.jsonl in the run's folder; the same command goes on where it was stopped.
    """
    from mua_env.evaluation.blame.run import BLAME, BlameOptions
    from mua_env.evaluation.blame.run import blame as look_into

    given = opt.parse_pairs(reference_option, "--reference-option")
    options = BlameOptions(
        reference=reference,
        reference_options=given or None,
        continuations=continuations,
        count=count,
        concurrency=concurrency,
        path=None if path is None else str(path),
    )
    found = look_into(run, options=options)
    for one in found:
        _print_blame(one)
    verdicts = Counter(one.verdict for one in found)
    told = ", ".join(f"{verdict} {number}" for verdict, number in sorted(verdicts.items()))
    echo(f"{counted(len(found), 'failed dialogue')}{': ' + told if told else ''}")
    if found:
        echo(f"{(run if run.is_dir() else run.parent) / BLAME}: the value after each turn")


def _print_blame(one: Blame) -> None:
    shares = " ".join("-" if value.share is None else f"{value.share:.0%}" for value in one.values)
    where = f"turn {one.turn}" if one.turn is not None else one.verdict
    echo(f"{one.id}: {where} ({shares})" + (f": {one.why}" if one.why else ""))
    if one.text:
        echo(f"    {one.text if len(one.text) <= LONGEST else one.text[:LONGEST] + '...'}")
