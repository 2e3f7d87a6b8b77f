"""The commands of `mua-env`. Each imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mua_env.cli import blame, compare, domains, eval, play, regrade, rollout, tasks, users
from mua_env.cli import options as opt
from mua_env.cli.options import renamed
from mua_env.core.screen import echo

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("play", cls=renamed({"--save": "--output"}))(play.play)
app.command("rollout", cls=renamed({"--out": "--output"}))(rollout.rollout)
app.command("eval")(eval.evaluate)
app.command("compare")(compare.compare)
app.command("runs")(compare.runs)
app.command("tables")(compare.tables)
app.command("blame")(blame.blame)
app.command("regrade")(regrade.regrade)
app.command("export")(regrade.export)
app.add_typer(domains.app, name="domains")
app.add_typer(tasks.app, name="tasks")
app.add_typer(users.app, name="users")


def _told(page: Path) -> None:
    echo(f"Replaced the page that was there: {page}", err=True)


def command() -> Any:
    """The click command that `main` runs."""
    return typer.main.get_command(app)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """Environments and a GRPO trainer for agents that talk with a user while they work with tools."""
    if version:
        from mua_env import __version__

        echo(f"mua-env {__version__}")
        raise typer.Exit


@app.command("train", cls=renamed({"--folder": "--output"}))
def train(
    config: Annotated[Path, typer.Argument(help="YAML file; what it leaves out has the paper's default.")],
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, as grpo.steps=10. May be repeated."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder of the run: empty or new, or the one to --resume.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was stopped or killed: --output's, or the newest.")
    ] = False,
    no_cold_start: Annotated[
        bool, typer.Option("--no-cold-start", help="Leave the cold start out (the paper's ablation).")
    ] = False,
    no_rl: Annotated[bool, typer.Option("--no-rl", help="Leave GRPO out (the paper's ablation).")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what would run: steps, tokens, user calls, cost, memory.")
    ] = False,
) -> None:
    """Train an agent: cold start, then GRPO, as a configuration says.

    For several processes: torchrun --nproc-per-node 2 -m mua_env train CONFIG.
    """
    from mua_env.cli.training import print_plan, run_training

    changes = opt.parse_pairs(change, "--set")
    if no_cold_start:
        changes["cold_start"] = None
    if no_rl:
        changes["grpo"] = None
    if dry_run:
        print_plan(config, changes)
    else:
        run_training(config, changes, output, resume=resume)


@app.command("quickstart", cls=renamed({"--folder": "--output"}))
def quickstart(
    seed: opt.SeedOption = 0,
    output: Annotated[str, typer.Option("--output", "-o", help="Where the run folder is made.")] = "runs",
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Threads of PyTorch.")] = None,
) -> None:
    """Train a small model from nothing on retail: a short cold start, a few updates of GRPO."""
    from mua_env.training.quickstart import main

    threaded = [] if threads is None else ["--threads", str(threads)]
    status = main(["--seed", str(seed), "--folder", output, *threaded])
    if status:
        raise typer.Exit(status)


@app.command("report", cls=renamed({"--out": "--output"}))
def report(
    run: Annotated[Path, typer.Argument(help="Folder of a training run, ended or not.", show_default=False)],
    output: opt.OutputOption = None,
    force: opt.ForceOption = False,
) -> None:
    """Write a training run's curves, tables, and the same tasks before and after, as one HTML page."""
    from mua_env.training.run.report import write_training_report

    echo(str(write_training_report(run, out=output, force=force, on_replace=_told)))


@app.command("view", cls=renamed({"--out": "--output", "--limit": "--count"}))
def view(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a file of trajectories.", show_default=False)],
    output: opt.OutputOption = None,
    count: opt.CountOption = None,
    newest: Annotated[bool, typer.Option("--newest", help="The last ones instead, newest first.")] = False,
    force: opt.ForceOption = False,
) -> None:
    """Write the dialogues of a run as one HTML page that needs no network."""
    from mua_env.evaluation.reports.dialogues import write_report

    echo(str(write_report(run, out=output, limit=count, newest=newest, force=force, on_replace=_told)))
