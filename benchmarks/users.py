"""The agenda user's card over 10,000 dialogues with the probing agents, shared among all installed domains.

python benchmarks/users.py                       # resumes what is in the folder; status 1 if a violation is found
python benchmarks/users.py --dialogues 800 --folder /tmp/card --fresh
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from mua_env.cli.bar import counting
from mua_env.core.trajectory import Trajectory
from mua_env.domain.contract import load_domain
from mua_env.domain.discovery import environment_ids
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import DomainError, TaskError
from mua_env.evaluation.reports.user_card import print_card, write_card
from mua_env.evaluation.user_card.card import Card, make_card
from mua_env.evaluation.user_card.folder import CardFolder
from mua_env.evaluation.user_card.result import Result
from mua_env.evaluation.user_card.run import CardOptions, plan, run
from mua_env.users.agenda.user import AgendaUser


def settings() -> list[Setting]:
    """Every own split of every installed domain that has a dialogue language and tasks with goals."""
    found = []
    for name in sorted(environment_ids()):
        domain = load_domain(name)
        for split in domain.splits:
            try:
                setting = load_setting(domain, split)
                _ = domain.language
                plan(setting, 1)
            except (DomainError, TaskError) as error:
                print(f"{name} {split}: left out: {error}", file=sys.stderr)
                continue
            found.append(setting)
    return found


def measure(setting: Setting, dialogues: int, folder: Path, *, seed: int) -> list[Result]:
    """Hold the dialogues that the folder lacks; returns all results."""
    user = AgendaUser()
    tasks = setting.tasks.name
    config = {"user": user.name, "domain": setting.domain.name, "tasks": tasks, "revision": setting.revision}
    kept = CardFolder(folder, {**config, "tasks_revision": setting.tasks.revision, "seed": seed})
    planned = plan(setting, dialogues, seed=seed)
    left = [dialogue for dialogue in planned if dialogue.id not in kept.results]
    try:
        done = len(planned) - len(left)
        with counting(len(planned), done, "violations", "faults", remaining=True) as ended:

            def on_end(result: Result, trajectory: Trajectory | None) -> None:
                kept.add(result, trajectory)
                ended(violations=len(result.violations), faults=result.fault is not None)

            # The agenda user waits for nothing: more dialogues at once would only need more memory.
            run(setting, user, left, options=CardOptions(concurrency=1), on_end=on_end)
    finally:
        kept.close()
    return [kept.results[dialogue.id] for dialogue in planned]


def by_level(setting: Setting, results: list[Result]) -> Table:
    """How often the scripted expert reached the goal with the user, by the tasks' level."""
    levels = {task.id: task.level or 0 for task in setting.tasks}
    table = Table(
        title=f"Goal reached with the expert: {setting.domain.name} {setting.tasks.name}", title_justify="left"
    )
    for name in ("level", "reached", "of"):
        table.add_column(name, justify="right")
    for level in sorted(set(levels.values())):
        scored = [
            result.success
            for result in results
            if result.probe == "expert" and result.success is not None and levels[result.task_id] == level
        ]
        table.add_row(str(level), str(sum(scored)), str(len(scored)))
    return table


def main() -> int:
    """Measure, print, and say by the status whether a rule was broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=10_000, help="over all domains (default 10,000)")
    parser.add_argument("--folder", type=Path, default=Path("runs/user-card"), help="where results are kept")
    parser.add_argument("--fresh", action="store_true", help="throw away what the folder holds")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.fresh and (options.folder / "card.json").exists():
        shutil.rmtree(options.folder)
    every = settings()
    console = Console(width=110, highlight=False)
    results: list[Result] = []
    for number, setting in enumerate(every):
        share = options.dialogues * (number + 1) // len(every) - options.dialogues * number // len(every)
        folder = options.folder / f"{setting.domain.name}-{setting.tasks.name}"
        found = measure(setting, share, folder, seed=options.seed)
        console.print(by_level(setting, found))
        results += found
    names = ", ".join(sorted({setting.domain.name for setting in every}))
    card: Card = make_card(results, user="agenda", domain=names, tasks="all splits")
    print_card(card, console)
    write_card(card, options.folder)
    return 1 if card.total or card.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
