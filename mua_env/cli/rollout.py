"""`mua-env rollout`: many dialogues into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mua_env.cli import options as opt
from mua_env.core.screen import echo
from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from mua_env.episode.setting import Setting
    from mua_env.evaluation.rollouts import Planned

MOST = 20_000
"""Tasks that are run without being asked for a number: an endless source would never come to its end."""


def rollout(
    out: Annotated[
        Path | None,
        typer.Argument(help="Folder of the run; one that exists is resumed. A new one in runs/ if not given."),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The same folder, as an option.")] = None,
    domain: opt.DomainOption = "retail",
    tasks: opt.TasksOption = "test",
    path: opt.PathOption = None,
    scoring: opt.ScoringOption = None,
    policy: opt.PolicyOption = None,
    solo: opt.SoloOption = False,
    presentation: opt.PresentationOption = None,
    database: opt.DatabaseOption = None,
    count: Annotated[int | None, typer.Option("--count", "-n", min=1, help="Only the first so many tasks.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Dialogues for each task.")] = 1,
    seed: opt.SeedOption = 0,
    user: opt.UserOption = "agenda",
    user_option: opt.UserSetting = None,
    agent: opt.AgentOption = "expert",
    agent_option: opt.AgentSetting = None,
    reward: Annotated[
        str | None,
        typer.Option(
            "--reward", help="task, outcome (database alone), tau1, or tau1-no-outputs. Default: the source's own."
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
    max_turns: Annotated[
        int | None,
        typer.Option("--max-turns", min=1, help="Turns before a dialogue is cut.  [default: 30]"),
    ] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Dialogues at the same time.")] = 16,
    deadline: opt.DeadlineOption = 900.0,
    max_usd: opt.MaxUsdOption = None,
    max_tokens: opt.MaxTokensOption = None,
    counting: Annotated[
        str,
        typer.Option(
            "--counting", help="scored (faults are left out), or tau-bench (a fault is a failure, as counted there)."
        ),
    ] = "scored",
) -> None:
    """Run an agent with users on many tasks at once, and write every dialogue to a folder.

    A dialogue is on the disk as soon as it ends. The same command on the same folder takes up what is missing or ended
    by a fault; --count and --repeats may be raised. Language models are asked one word first. The exit status is 1
    where no dialogue is scored, or the run was stopped for faults that are all the same.
    """
    from mua_env.cli.rollout_run import check_counting, hold, print_summary
    from mua_env.evaluation.held_parts import Part
    from mua_env.evaluation.rewards import find_reward
    from mua_env.evaluation.rollout_folder import RolloutFolder
    from mua_env.evaluation.rollouts import RolloutOptions, plan
    from mua_env.llm import Ledger, LLMClient
    from mua_env.scoring.judges import make_judge
    from mua_env.training.run.run_folder import new_run_folder

    if out is not None and output is not None and out != output:
        raise ConfigError(f"two folders for one run: {out} and --output {output}; name one")
    out = out or output
    if user == "human":
        raise ConfigError("--user human: many dialogues at once are no place for a person; use `mua-env play`")
    setting = opt.open_setting(
        domain,
        tasks,
        path,
        scoring=scoring,
        policy=policy,
        solo=solo,
        database=database,
        presentation=presentation,
    )
    options = {
        "user_options": opt.parse_pairs(user_option, "--user-option"),
        "agent_options": opt.parse_pairs(agent_option, "--agent-option"),
    }
    judge_options = opt.parse_pairs(judge_option, "--judge-option")
    counted = check_counting(counting)
    ledger = Ledger(max_usd=max_usd, max_tokens=max_tokens)
    cast = opt.open_cast(setting, user=user, agent=agent, ledger=ledger, **options)
    episodes = plan(setting.tasks, repeats=repeats, seed=seed, limit=_how_many(setting, count))
    name, rescore = find_reward(reward)
    how = RolloutOptions(
        reward=name or setting.tasks.reward,
        rescore=rescore,
        max_turns=max_turns,
        concurrency=concurrency,
        deadline_s=deadline,
        judge=make_judge(judge, judge_options if judge is None else {**judge_options, "ledger": ledger}),
    )
    asked = {"seed": seed, "user": user, "agent": agent, **_all_public(options)}

    def config(extent: dict[str, Any]) -> dict[str, Any]:
        limit = _how_many(setting, extent["count"])
        run = plan(setting.tasks, repeats=extent["repeats"], seed=seed, limit=limit)
        return {
            **_config_of(setting, run, tasks=tasks),
            **extent,
            **asked,
            "reward": how.reward if rescore is None else reward,
            "max_turns": max_turns,
            **({"judge": how.judge.name, "judge_options": _public(judge_options)} if how.judge else {}),
        }

    out = out or new_run_folder("runs", opt.run_name(setting.domain.name, agent, user))
    echo(f"Run folder: {out}", err=True)
    folder = RolloutFolder(out, config({"count": count, "repeats": repeats}), with_extent=config)
    part = Part(setting, cast.user, cast.make_agent, episodes, how)
    judges = {"judge": client} if isinstance(client := getattr(how.judge, "client", None), LLMClient) else {}
    ended = hold(part, {**cast.clients, **judges}, folder, ledger, counted)
    print_summary(ended.summary, out)
    if ended.failed:
        raise typer.Exit(1)


def _config_of(setting: Setting, episodes: list[Planned], *, tasks: str) -> dict[str, Any]:
    """What a run must have in common with the one that it takes up: the tasks, and what their results hang on."""
    from mua_env.core.task_sets import tasks_revision

    return {
        "domain": setting.domain.name,
        "tasks": tasks,
        "revision": setting.revision,
        "task_revision": tasks_revision(episode.task for episode in episodes),
        "mode": setting.mode,
        **({"presentation": setting.presented} if setting.presentation else {}),
        **({"variant": setting.tasks.variant} if setting.tasks.variant else {}),
        **({"source_revision": setting.tasks.source_revision} if setting.tasks.source_revision else {}),
    }


def _how_many(setting: Setting, count: int | None) -> int:
    size = len(setting.tasks)
    if count is None and size > MOST:
        raise ConfigError(f"{setting.tasks.name!r} has {size:,} tasks; say how many with --count")
    return size if count is None else count


def _public(options: dict[str, Any]) -> dict[str, Any]:
    from mua_env.evaluation.rollout_folder import public_options

    return public_options(options)


def _all_public(options: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: _public(values) for name, values in options.items()}
