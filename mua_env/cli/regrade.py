"""`mua-env regrade` and `mua-env export`: what becomes of dialogues that are stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mua_env.cli import options as opt
from mua_env.core.screen import counted, echo
from mua_env.errors import ConfigError, did_you_mean

FORMATS = ("tau2-leaderboard",)


def regrade(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a file of trajectories.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="New folder for the dialogues with their new scores.")
    ] = None,
    reward: Annotated[
        str | None, typer.Option("--reward", help="task, outcome, tau1 or tau1-no-outputs. Default: as it was.")
    ] = None,
    path: opt.PathOption = None,
    every: Annotated[
        bool, typer.Option("--every", help="List all dialogues, not only what came out otherwise.")
    ] = False,
) -> None:
    """Score stored dialogues anew: all that was said and done is done again, and weighed as it is today.

    The exit status is 1 where tasks or data are no more what they were, or a dialogue could not be scored.
    """
    from mua_env.core.scores import check_reward
    from mua_env.evaluation.regrade import regrade as score_again
    from mua_env.evaluation.regrade import write_regraded

    wanted = None if reward is None else check_reward(reward)
    found = score_again(run, reward=wanted, path=None if path is None else str(path), output=output)
    if output is not None:
        write_regraded(output, found)
    for one in found:
        if every or one.changed or one.notes:
            echo(f"{one.id}: {_told(one.was)} -> {_told(one.now)}, task {one.task_hash or 'unknown'}")
            for note in one.notes:
                echo(f"    {note}")
    changed = sum(one.changed for one in found)
    lost = sum(one.now is None for one in found)
    changed -= lost
    other = sum(one.data_changed and one.now is not None for one in found)
    echo(f"{counted(len(found) - lost, 'dialogue')} scored anew: {changed} with another reward")
    if output is not None:
        echo(f"{output}: config.json, trajectories.jsonl, regraded.json")
    if other:
        echo(f"DATA CHANGED under {counted(other, 'dialogue')}: these rewards are not those of the run.", err=True)
    if lost:
        echo(f"NOT SCORED ANEW: {counted(lost, 'dialogue')}, for what is said of each above.", err=True)
    if other or lost:
        raise typer.Exit(1)


def _told(reward: float | None) -> str:
    return "not scored" if reward is None else f"{reward:g}"


def export(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="tau2-leaderboard.", show_default=False)],
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs on tau2:base tasks.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the submission's folder is made.")] = Path(),
    model: Annotated[str, typer.Option("--model", help="The model's name.", show_default=False)] = "",
    maker: Annotated[str, typer.Option("--model-organization", help="Who made the model.", show_default=False)] = "",
    organization: Annotated[
        str, typer.Option("--organization", help="Who ran the evaluation.", show_default=False)
    ] = "",
    about: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Further fields, as email=..., notes=..., reasoning_effort=low."
        ),
    ] = None,
) -> None:
    """Write runs in another's format: a submission to tau2-bench's leaderboard."""
    from pydantic import ValidationError

    from mua_env.errors import first_fault
    from mua_env.evaluation.comparison.leaderboard import About, write_tau2_submission

    if form not in FORMATS:
        raise ConfigError(f"the format is {form!r}; use one of {', '.join(FORMATS)}.{did_you_mean(form, FORMATS)}")
    given: dict[str, Any] = {
        "model_name": model,
        "model_organization": maker,
        "submitting_organization": organization,
        **opt.parse_pairs(about, "--set"),
    }
    for name, option in (
        ("model_name", "--model"),
        ("model_organization", "--model-organization"),
        ("submitting_organization", "--organization"),
    ):
        if not given[name]:
            raise ConfigError(f"{option} is needed: a submission says it")
    unknown = sorted(given.keys() - About.model_fields.keys())
    if unknown:
        raise ConfigError(f"--set: there is no field {unknown[0]!r}.{did_you_mean(unknown[0], About.model_fields)}")
    try:
        made = About.model_validate(given)
    except ValidationError as error:
        raise ConfigError(f"--set: {first_fault(error, whole='submission')}") from None
    echo(str(write_tau2_submission(runs, output, made)))
