"""`mua-env play`: take part in a dialogue, or watch one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from mua_env.cli import options as opt
from mua_env.errors import ConfigError


def play(
    domain: opt.DomainOption = "retail",
    tasks: opt.TasksOption = "train",
    path: opt.PathOption = None,
    scoring: opt.ScoringOption = None,
    policy: opt.PolicyOption = None,
    solo: opt.SoloOption = False,
    presentation: opt.PresentationOption = None,
    database: opt.DatabaseOption = None,
    task: Annotated[str | None, typer.Option("--task", help="Id of a task; without it the seed draws one.")] = None,
    seed: opt.SeedOption = 0,
    role: Annotated[Literal["agent", "user"], typer.Option("--as", help="The side that you take.")] = "agent",
    watch: Annotated[bool, typer.Option("--watch", help="Take no side: print a dialogue of agent and user.")] = False,
    user: opt.UserOption = "agenda",
    user_option: opt.UserSetting = None,
    agent: opt.AgentOption = "expert",
    agent_option: opt.AgentSetting = None,
    max_turns: Annotated[
        int | None,
        typer.Option("--max-turns", min=1, help="Turns before the dialogue is cut.  [default: 30]"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Append the trajectory to this file, however it ends.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show the results of tools in full.")] = False,
) -> None:
    """Take part in a dialogue as the agent or as the user, or watch one.

    As the agent, write a text for the user, or a tool call as `name {"argument": "value"}`, or a tool's name alone
    to be asked for its arguments; /help lists what else there is. As the user, /stop ends the dialogue and /undo takes
    a reply back. Ctrl-C leaves; what was said until then is saved where --output says.
    """
    from mua_env.cli.seat import UserSeat
    from mua_env.cli.stage import Stage
    from mua_env.core.screen import open_console
    from mua_env.episode.session import Session

    if watch and user == "human":
        raise ConfigError("--watch takes no side; with --user human use --as user")
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
    chosen = opt.choose_task(setting, task, seed)
    cast = opt.open_cast(
        setting,
        user=user,
        user_options=opt.parse_pairs(user_option, "--user-option"),
        agent="random" if role == "agent" and not watch else agent,
        agent_options=opt.parse_pairs(agent_option, "--agent-option"),
    )
    console = open_console()
    actor = cast.make_agent()
    turns = actor.max_turns if max_turns is None else max_turns
    if role == "user" and not watch:
        seat = UserSeat(console, setting, max_turns=turns, full=full)
        stage = seat.stage
        act = partial(seat.play, actor)
    else:
        stage = Stage(console, Session(setting, cast.user, max_turns=turns), full=full)
        act = partial(stage.perform, actor) if watch else partial(stage.play_agent)
    try:
        act(chosen, seed=seed)
    except KeyboardInterrupt:
        stage.leave()
        raise
    finally:
        if output is not None and stage.begun:
            stage.save(output, agent="human" if role == "agent" and not watch else agent)
        stage.session.close()
