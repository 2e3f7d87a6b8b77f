"""`mua-env users card`: how faithful a user simulator is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mua_env.cli import options as opt
from mua_env.cli.bar import counting
from mua_env.cli.options import renamed
from mua_env.core.screen import echo
from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from mua_env.core.trajectory import Trajectory
    from mua_env.evaluation.user_card.result import Result

app = typer.Typer(no_args_is_help=True, help="Measure user simulators.")


@app.callback()
def users() -> None:
    """Measure user simulators."""


@app.command("card", cls=renamed({"--episodes": "--count"}))
def card(
    user: Annotated[str, typer.Argument(help="User simulator: agenda, llm, or local (a model's folder).")],
    domain: opt.DomainOption = "retail",
    tasks: opt.TasksOption = "test",
    path: opt.PathOption = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Dialogues, shared among the probes.")] = 200,
    seed: opt.SeedOption = 0,
    user_option: opt.UserSetting = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for card.json, card.html and the results; one is resumed."),
    ] = None,
    max_turns: Annotated[int, typer.Option("--max-turns", min=1, help="Turns before a dialogue is cut.")] = 30,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Dialogues at the same time.")] = 8,
    deadline: opt.DeadlineOption = 300.0,
    max_usd: Annotated[
        float | None,
        typer.Option(
            "--max-usd", min=0, callback=opt.finite, help="Stop when the user has cost so much in the folder."
        ),
    ] = None,
) -> None:
    """Measure a user simulator against scripted probing agents.

    Prints a table; with --output also card.json, card.html, and the dialogues in which something was found.
    """
    from mua_env.cli.rollout import _public
    from mua_env.core.screen import open_console
    from mua_env.evaluation.reports.user_card import print_card, write_card
    from mua_env.evaluation.user_card.card import make_card
    from mua_env.evaluation.user_card.folder import CardFolder
    from mua_env.evaluation.user_card.run import CardOptions, plan, run
    from mua_env.llm.admission import Admission
    from mua_env.llm.ledger import Ledger, Usage
    from mua_env.llm.spending import usage_from
    from mua_env.users.make import make_user

    if user == "human":
        raise ConfigError("user 'human': nobody can be measured by hundreds of dialogues; use agenda, llm or local")
    settings = opt.parse_pairs(user_option, "--user-option")
    setting = opt.open_setting(domain, tasks, path)
    ledger = Ledger(max_usd=max_usd)
    simulator = make_user(user, {**settings, **({"ledger": ledger} if user == "llm" else {})})
    dialogues = plan(setting, count, seed=seed)
    config = {
        "user": user,
        "user_options": _public(settings),
        "domain": setting.domain.name,
        "tasks": tasks,
        "revision": setting.revision,
        **({"variant": setting.tasks.variant} if setting.tasks.variant else {}),
        **({"source_revision": setting.tasks.source_revision} if setting.tasks.source_revision else {}),
        "seed": seed,
        "max_turns": max_turns,
    }
    folder = None if output is None else CardFolder(output, config)
    kept: dict[str, Result] = {} if folder is None else folder.results
    if folder is not None:
        ledger.carry_on(folder.spending.total() or Usage(), folder.spending.add)
    how = CardOptions(
        max_turns=max_turns,
        concurrency=concurrency,
        deadline_s=deadline,
        stop=lambda: ledger.exhausted,
        admission=Admission(ledger, (usage_from(result.usage) for result in kept.values())),
    )
    for notice in [] if folder is None else folder.notices:
        echo(notice, err=True)

    if output is not None:
        echo(f"Folder: {output}", err=True)
    left = [dialogue for dialogue in dialogues if dialogue.id not in kept]
    try:
        done = len(dialogues) - len(left)
        with counting(len(dialogues), done, "violations", "faults") as ended:

            def on_end(result: Result, trajectory: Trajectory | None) -> None:
                kept[result.id] = result
                if folder is not None:
                    folder.add(result, trajectory)
                ended(violations=len(result.violations), faults=result.fault is not None)

            run(setting, simulator, left, options=how, on_end=on_end)
    finally:
        simulator.close()
        if folder is not None:
            folder.close()
    results = [kept[dialogue.id] for dialogue in dialogues if dialogue.id in kept]
    made = make_card(results, user=simulator.name, domain=setting.domain.name, tasks=tasks)
    print_card(made, open_console())
    if output is not None:
        data, page = write_card(made, output)
        echo(f"{data}, {page}")
    if len(results) < len(dialogues):
        echo(f"Only {len(results)} of {len(dialogues)} dialogues: the budget is used up.", err=True)
