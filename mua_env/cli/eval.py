"""`mua-env eval`: an agent measured on task sources with users."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mua_env.cli import options as opt
from mua_env.core.screen import echo
from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from mua_env.core.trajectory import Trajectory
    from mua_env.evaluation.eval_config import EvalConfig
    from mua_env.evaluation.eval_folder import EvalFolder
    from mua_env.evaluation.results import Results


def evaluate(
    config: Annotated[Path | None, typer.Argument(help="YAML file of settings; options go before it.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder; one that exists is gone on with, or widened. A new one in runs/ if not given.",
        ),
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", help=f"{opt.AGENT_HELP}  [default: expert]")] = None,
    agent_option: opt.AgentSetting = None,
    users: Annotated[
        list[str] | None,
        typer.Option("--users", "--user", help=f"{opt.USER_HELP} Several with commas, or repeated.  [default: agenda]"),
    ] = None,
    user_option: opt.UserSetting = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            "--tasks",
            "-t",
            help="Domain and source, as retail:test:level=1 or airline:tau1:test; tau1, tau2, bfcl, acebench or "
            "banking for all of theirs. Several with commas, or repeated.  [default: retail:test]",
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option("--path", help="Where a public benchmark's files lie; with several, as tau1=FOLDER, repeated."),
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", help="tau1, tau2 or paper: tasks, trials, limits, counting of theirs.")
    ] = None,
    reward: Annotated[
        str | None,
        typer.Option(
            "--reward",
            help="task, outcome, tau1, tau1-no-outputs, an entry point, or package.module:name. Default: the source's.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="MODEL", help="Model that judges what tasks state about a dialogue (tau2)."),
    ] = None,
    judge_option: Annotated[
        list[str] | None,
        typer.Option("--judge-option", "-J", metavar="KEY=VALUE", help="Option of the judge, as base_url=http://..."),
    ] = None,
    trials: Annotated[
        int | None, typer.Option("--trials", min=1, help="Dialogues of each task with each user.  [default: 1]")
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", "-n", min=1, help="Only the first so many tasks of each source.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of everything random.  [default: 0]")] = None,
    counting: Annotated[
        str | None,
        typer.Option("--counting", help="scored (faults are left out), or tau-bench (a fault is a failure)."),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", min=0, callback=opt.finite, help="Of a model that acts.")
    ] = None,
    thinking: Annotated[
        bool | None, typer.Option("--thinking/--no-thinking", help="Whether a model that acts may think first.")
    ] = None,
    scoring: opt.ScoringOption = None,
    policy: opt.PolicyOption = None,
    solo: Annotated[
        bool | None, typer.Option("--solo", help="The agent has the user's tools too, and works on a ticket alone.")
    ] = None,
    presentation: opt.PresentationOption = None,
    database: opt.DatabaseOption = None,
    max_turns: Annotated[
        int | None,
        typer.Option("--max-turns", min=1, help="Turns before a dialogue is cut.  [default: the agent's, or 30]"),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Dialogues at the same time.  [default: 16]")
    ] = None,
    deadline: Annotated[
        float | None,
        typer.Option(
            "--deadline",
            min=0.001,
            callback=opt.finite,
            help="Seconds for one dialogue; beyond, a fault. [default: 900]",
        ),
    ] = None,
    max_usd: opt.MaxUsdOption = None,
    max_tokens: opt.MaxTokensOption = None,
) -> None:
    """Measure an agent: success with its interval, pass^k and pass@k, what dialogues took, and how far users matter.

    Prints tables, and writes them with every dialogue to a folder. The same command on the folder holds what is
    missing or ended by a fault; tasks, trials and users may be added. Exit status 1 where no dialogue is scored, or
    the run was stopped for faults that are all the same.
    """
    given: dict[str, Any] = {
        "agent": agent,
        "agent_options": opt.parse_pairs(agent_option, "--agent-option") or None,
        "users": _several(users),
        "user_options": opt.parse_pairs(user_option, "--user-option") or None,
        "tasks": _several(tasks),
        "path": _paths(path),
        "preset": preset,
        "reward": reward,
        "judge": judge,
        "judge_options": opt.parse_pairs(judge_option, "--judge-option") or None,
        "trials": trials,
        "count": count,
        "seed": seed,
        "counting": counting,
        "temperature": temperature,
        "thinking": thinking,
        "scoring": scoring,
        "policy": policy,
        "solo": solo,
        "presentation": presentation,
        "database": database,
        "max_turns": max_turns,
        "concurrency": concurrency,
        "deadline_s": deadline,
        "max_usd": max_usd,
        "max_tokens": max_tokens,
    }
    settings = _settings(config, {name: value for name, value in given.items() if value is not None})
    results = _hold(settings, output)
    if results.failed:
        raise typer.Exit(1)


def _settings(file: Path | None, given: dict[str, Any]) -> EvalConfig:
    from mua_env.evaluation.eval_config import read_eval_config

    if file is None:
        return read_eval_config(given)
    written = read_eval_config(file).model_dump(exclude_unset=True)
    return read_eval_config({**written, **given})


def _hold(settings: EvalConfig, output: Path | None) -> Results:
    from mua_env.cli.bar import counting
    from mua_env.cli.rollout_run import say_why_it_ended, verdict
    from mua_env.core.running import run_coroutine
    from mua_env.evaluation.eval_plan import EvalPlan
    from mua_env.evaluation.evaluate import run_plan
    from mua_env.evaluation.results_table import markdown
    from mua_env.training.run.run_folder import new_run_folder

    planned = EvalPlan(settings)
    try:
        place = output or new_run_folder("runs", opt.run_name("eval", planned.agent))
        echo(f"Folder: {place}", err=True)
        with ExitStack() as stack:
            bars: list[Callable[..., None]] = []

            def begin(folder: EvalFolder) -> None:
                for notice in folder.notices:
                    echo(notice, err=True)
                episodes = [episode for part in planned.parts for episode in part.episodes]
                done = len(episodes) - len(folder.left(episodes))
                spent = lambda: planned.ledger.total.cost_usd  # noqa: E731
                bar = counting(len(episodes), done, "right", "wrong", "faults", cost=spent)
                bars.append(stack.enter_context(bar))

            def on_end(trajectory: Trajectory) -> None:
                for ended in bars:
                    ended(**{verdict(trajectory): 1})

            results = run_coroutine(run_plan(planned, place, on_end=on_end, open_folder=begin))
    finally:
        planned.close()
    say_why_it_ended(planned.ledger, results.stopped)
    echo(markdown(results, whole=False))
    echo(f"{place}: config.json, trajectories.jsonl, results.json, results.md, report.html")
    return results


def _several(values: list[str] | None) -> list[str] | None:
    """Values of an option that may be repeated, and may hold several with commas in between."""
    return None if values is None else [part.strip() for value in values for part in _split(value) if part.strip()]


def _split(value: str) -> list[str]:
    """At commas outside of brackets: `agenda:persona=terse,agenda:names=["a","b"]` are two."""
    parts, depth = [""], 0
    for letter in value:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _paths(values: list[str] | None) -> str | dict[str, str] | None:
    if not values:
        return None
    if len(values) == 1 and "=" not in values[0]:
        return values[0]
    pairs = [value.partition("=") for value in values]
    if not all(equals and name for name, equals, _ in pairs):
        raise ConfigError("--path: with several, each as tau1=FOLDER")
    return {name: folder for name, _, folder in pairs}
