"""`mua-env rollout`: many dialogues into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mua_env.cli import options as opt
from mua_env.cli.bar import counting
from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from mua_env.core.trajectory import Trajectory
    from mua_env.episode.setting import Setting
    from mua_env.evaluation.rollout_folder import RolloutFolder, Summary
    from mua_env.evaluation.rollouts import Planned, RolloutOptions

MOST = 20_000
"""Tasks that are run without being asked for a number: an endless source would never come to its end."""


def rollout(
    out: Annotated[
        Path | None,
        typer.Argument(help="Folder of the run; one that exists is resumed. A new one in runs/ if not given."),
    ] = None,
    domain: opt.DomainOption = "retail",
    tasks: opt.TasksOption = "test",
    path: opt.PathOption = None,
    scoring: opt.ScoringOption = None,
    policy: opt.PolicyOption = None,
    solo: opt.SoloOption = False,
    database: opt.DatabaseOption = None,
    count: Annotated[int | None, typer.Option("--count", "-n", min=1, help="Only the first so many tasks.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Dialogues for each task.")] = 1,
    seed: opt.SeedOption = 0,
    user: opt.UserOption = "agenda",
    user_option: opt.UserSetting = None,
    agent: opt.AgentOption = "expert",
    agent_option: opt.AgentSetting = None,
    reward: Annotated[
        str, typer.Option("--reward", help="task, outcome (database alone), tau1, or tau1-no-outputs.")
    ] = "task",
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="MODEL", help="Model that judges what tasks state about a dialogue (tau2)."),
    ] = None,
    judge_option: Annotated[
        list[str] | None,
        typer.Option("--judge-option", "-J", metavar="KEY=VALUE", help="Option of the judge, as base_url=http://..."),
    ] = None,
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
    from mua_env.core.scores import check_reward
    from mua_env.evaluation.rollout_folder import RolloutFolder
    from mua_env.evaluation.rollouts import RolloutOptions, plan
    from mua_env.llm import Ledger
    from mua_env.scoring.judges import make_judge
    from mua_env.training.run.run_folder import new_run_folder

    if user == "human":
        raise ConfigError("--user human: many dialogues at once are no place for a person; use `mua-env play`")
    setting = opt.open_setting(domain, tasks, path, scoring=scoring, policy=policy, solo=solo, database=database)
    options = {
        "user_options": opt.parse_pairs(user_option, "--user-option"),
        "agent_options": opt.parse_pairs(agent_option, "--agent-option"),
    }
    judge_options = opt.parse_pairs(judge_option, "--judge-option")
    ledger = Ledger(max_usd=max_usd, max_tokens=max_tokens)
    cast = opt.open_cast(setting, user=user, agent=agent, ledger=ledger, **options)
    episodes = plan(setting.tasks, repeats=repeats, seed=seed, limit=_how_many(setting, count))
    how = RolloutOptions(
        reward=check_reward(reward),
        max_turns=max_turns,
        concurrency=concurrency,
        deadline_s=deadline,
        stop=lambda: ledger.exhausted,
        judge=make_judge(judge, judge_options if judge is None else {**judge_options, "ledger": ledger}),
    )
    asked = {"repeats": repeats, "seed": seed, "user": user, "agent": agent, **_all_public(options)}
    config = {
        **_config_of(setting, episodes, tasks=tasks, count=count),
        **asked,
        "reward": how.reward,
        "max_turns": max_turns,
        **({"judge": how.judge.name, "judge_options": _public(judge_options)} if how.judge else {}),
    }
    out = out or new_run_folder("runs", f"{setting.domain.name}-{agent}-{user}")
    summary = _run(setting, cast, episodes, RolloutFolder(out, config), how)
    if ledger.exhausted:
        typer.echo("The budget is used up; the same command with a higher one goes on.", err=True)
    _print_summary(summary, out)


def _config_of(setting: Setting, episodes: list[Planned], *, tasks: str, count: int | None) -> dict[str, Any]:
    """What a run must have in common with the one that it takes up: the tasks, and what their results hang on."""
    from mua_env.core.task_sets import tasks_revision

    return {
        "domain": setting.domain.name,
        "tasks": tasks,
        "count": count,
        "revision": setting.revision,
        "task_revision": tasks_revision(episode.task for episode in episodes),
        "mode": setting.mode,
        **({"variant": setting.tasks.variant} if setting.tasks.variant else {}),
        **({"source_revision": setting.tasks.source_revision} if setting.tasks.source_revision else {}),
    }


def _run(
    setting: Setting, cast: opt.Cast, episodes: list[Planned], folder: RolloutFolder, options: RolloutOptions
) -> Summary:
    from mua_env.evaluation.rollouts import run_rollout

    left = [episode for episode in episodes if episode.id not in folder.done]
    try:
        with counting(len(episodes), len(episodes) - len(left), "right", "wrong", "faults") as ended:

            def on_end(trajectory: Trajectory) -> None:
                folder.writer.write(trajectory)
                success = trajectory.score.success if trajectory.score else None
                ended(**{"faults" if success is None else "right" if success else "wrong": 1})

            run_rollout(setting, cast.user, cast.make_agent, left, options=options, on_end=on_end)
    finally:
        folder.close()
        summary = folder.summarize()
    return summary


def _how_many(setting: Setting, count: int | None) -> int:
    size = len(setting.tasks)
    if count is None and size > MOST:
        raise ConfigError(f"{setting.tasks.name!r} has {size:,} tasks; say how many with --count")
    return size if count is None else count


def _public(options: dict[str, Any]) -> dict[str, Any]:
    """What may be written down: no key, and nothing that has no bearing on results."""
    hidden = {"api_key", "concurrency", "timeout_s", "deadline_s", "attempts", "base_url", "cache", "cache_mode"}
    return {name: value for name, value in options.items() if name not in hidden}


def _all_public(options: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: _public(values) for name, values in options.items()}


def _print_summary(summary: Summary, out: Path) -> None:
    rate = "no dialogue is scored" if summary.success is None else f"success {summary.success:.1%}"
    turns = "" if summary.turns is None else f", {summary.turns:.1f} turns on average"
    typer.echo(f"{summary.episodes} dialogues, {summary.scored} scored: {rate}{turns}")
    if summary.tcr is not None and summary.tcr_initial is not None:
        gain = summary.tcr - summary.tcr_initial
        typer.echo(
            f"  task completion rate {summary.tcr:.3f} ({summary.tcr_initial:.3f} before anything is done, {gain:+.3f})"
        )
    if summary.unjudged:
        typer.echo(f"  {summary.unjudged} of them hold statements that nobody has judged (--judge MODEL)")
    for k, value in summary.pass_k.items():
        typer.echo(f"  pass^{k} {value:.3f} (dialogues that are not scored are left out)")
    for cause, count in summary.faults.items():
        typer.echo(f"  not scored: {count} ({cause})")
    for guard, count in summary.guards.items():
        typer.echo(f"  replies that broke the guard {guard}: {count}")
    for name, value in summary.usage.items():
        typer.echo(f"  {name}: {value:g}")
    typer.echo(f"{out}: config.json, trajectories.jsonl, summary.json; read them with `mua-env view {out}`")
