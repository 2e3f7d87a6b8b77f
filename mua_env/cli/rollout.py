"""`mua-env rollout`: many dialogues into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mua_env.cli import options as opt

if TYPE_CHECKING:
    from rich.console import Console

    from mua_env.rollout_folder import Summary
    from mua_env.trajectory import Trajectory


def rollout(
    out: Annotated[Path, typer.Argument(help="Folder of the run; one that exists is resumed.", show_default=False)],
    domain: opt.DomainOption = "retail",
    tasks: opt.TasksOption = "test",
    path: opt.PathOption = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many tasks.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Dialogues for each task.")] = 1,
    seed: opt.SeedOption = 0,
    user: opt.UserOption = "agenda",
    user_option: opt.UserSetting = None,
    agent: opt.AgentOption = "expert",
    agent_option: opt.AgentSetting = None,
    reward: Annotated[
        str, typer.Option("--reward", help="task, outcome (database alone), tau1, or tau1-no-outputs.")
    ] = "task",
    max_turns: Annotated[int, typer.Option("--max-turns", min=1, help="Turns before a dialogue is cut.")] = 30,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Dialogues at the same time.")] = 16,
    deadline: Annotated[
        float, typer.Option("--deadline", min=0.001, help="Seconds for one dialogue; beyond it, a fault.")
    ] = 900.0,
    max_usd: Annotated[
        float | None, typer.Option("--max-usd", min=0, help="Stop when models have cost so much.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Stop when models have used so many tokens.")
    ] = None,
) -> None:
    """Run an agent with users on many tasks at once, and write every dialogue to a folder.

    A dialogue is on the disk as soon as it ends. The same command on the same folder takes up what is missing.
    """
    from rich.console import Console

    from mua_env.llm import Ledger
    from mua_env.rollout import RolloutOptions, plan, run_rollout
    from mua_env.rollout_folder import RolloutFolder
    from mua_env.scoring import check_reward

    setting = opt.open_setting(domain, tasks, path)
    user_options = opt.parse_pairs(user_option, "--user-option")
    agent_options = opt.parse_pairs(agent_option, "--agent-option")
    ledger = Ledger(max_usd=max_usd, max_tokens=max_tokens)
    cast = opt.open_cast(
        setting,
        user=user,
        user_options=user_options,
        agent=agent,
        agent_options=agent_options,
        ledger=ledger,
    )
    episodes = plan(setting.tasks, repeats=repeats, seed=seed, limit=limit)
    config = {
        "domain": setting.domain.name,
        "tasks": tasks,
        "revision": setting.revision,
        "task_revision": _task_revision(episodes),
        "limit": limit,
        "repeats": repeats,
        "seed": seed,
        "user": user,
        "user_options": _public(user_options),
        "agent": agent,
        "agent_options": _public(agent_options),
        "reward": check_reward(reward),
        "mode": setting.mode,
        "max_turns": max_turns,
    }
    folder = RolloutFolder(out, config)
    left = [episode for episode in episodes if episode.id not in folder.done]
    console = Console(stderr=True, highlight=False)
    options = RolloutOptions(
        reward=check_reward(reward),
        max_turns=max_turns,
        concurrency=concurrency,
        deadline_s=deadline,
        stop=lambda: ledger.exhausted,
    )
    try:
        with _progress(console, len(episodes), len(episodes) - len(left), folder.writer.write) as on_end:
            run_rollout(setting, cast.user, cast.make_agent, left, options=options, on_end=on_end)
    finally:
        folder.close()
        summary = folder.summarize()
    if ledger.exhausted:
        console.print("The budget is used up; the same command with a higher one goes on.")
    _print_summary(summary, out)


def _task_revision(episodes: list[Any]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for episode in episodes:
        digest.update(episode.task.model_dump_json().encode())
    return digest.hexdigest()[:12]


def _public(options: dict[str, Any]) -> dict[str, Any]:
    """What may be written down: no key, and nothing that has no bearing on results."""
    hidden = {"api_key", "concurrency", "timeout_s", "deadline_s", "attempts", "base_url", "cache", "cache_mode"}
    return {name: value for name, value in options.items() if name not in hidden}


@contextmanager
def _progress(
    console: Console, total: int, done: int, write: Callable[[Trajectory], None]
) -> Iterator[Callable[[Trajectory], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    counts: dict[str, Any] = {"right": 0, "wrong": 0, "faults": 0}
    columns = (TextColumn("dialogues"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = TextColumn("right {task.fields[right]}, wrong {task.fields[wrong]}, faults {task.fields[faults]}")
    with Progress(*columns, shown, console=console) as bar:
        task = bar.add_task("", total=total, completed=done, **counts)

        def on_end(trajectory: Trajectory) -> None:
            write(trajectory)
            success = trajectory.score.success if trajectory.score else None
            counts["faults" if success is None else "right" if success else "wrong"] += 1
            bar.update(task, advance=1, **counts)

        yield on_end


def _print_summary(summary: Summary, out: Path) -> None:
    rate = "no dialogue is scored" if summary.success is None else f"success {summary.success:.1%}"
    turns = "" if summary.turns is None else f", {summary.turns:.1f} turns on average"
    typer.echo(f"{summary.episodes} dialogues, {summary.scored} scored: {rate}{turns}")
    for cause, count in summary.faults.items():
        typer.echo(f"  not scored: {count} ({cause})")
    for name, value in summary.usage.items():
        typer.echo(f"  {name}: {value:g}")
    typer.echo(f"{out}: config.json, trajectories.jsonl, summary.json; read them with `mua-env view {out}`")
