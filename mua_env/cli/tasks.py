"""`mua-env tasks`: list, show, check, audit and generate tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mua_env.cli import options as opt
from mua_env.cli.audit import audit_tasks
from mua_env.cli.generate import generate_tasks
from mua_env.cli.options import renamed
from mua_env.core.screen import counted, echo, echo_json
from mua_env.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mua_env.core.tasks import Task
    from mua_env.episode.setting import Setting

app = typer.Typer(no_args_is_help=True, help="List, show, check, audit and generate tasks.")
app.command("audit", cls=renamed({"--limit": "--count"}))(audit_tasks)
app.command("generate")(generate_tasks)

_OLD = renamed({"--limit": "--count"})


@app.command("list", cls=_OLD)
def list_tasks(
    source: opt.SourceArgument,
    path: opt.PathOption = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Only the first so many.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Whole tasks, one JSON object a line.")] = False,
) -> None:
    """List tasks: id, level, what is wanted, how many gold actions."""
    setting = _open(source, path)
    chosen = list(_first(setting, count))
    if as_json:
        for task in chosen:
            echo_json(task.model_dump_json(exclude_defaults=True))
        return
    width = max([len(task.id) for task in chosen], default=0)
    for task in chosen:
        level = "-" if task.level is None else str(task.level)
        echo(f"{task.id:<{width}}  level {level}  {len(task.actions):>2} gold  {_wanted(task)}")
    if len(chosen) < len(setting.tasks):
        echo(f"... {len(setting.tasks) - len(chosen):,} more; --count shows them")


@app.command("show")
def show(
    source: Annotated[str, typer.Argument(help="Domain (all its splits), or domain and source, as retail:tau1:test.")],
    task_id: Annotated[str, typer.Argument(help="Id of the task.")],
    path: opt.PathOption = None,
) -> None:
    """Show a task whole: what the user knows and wants, the gold actions, and what they change."""
    from mua_env.core.screen import open_console

    setting = _setting_of(source, task_id, path)
    task = setting.tasks.by_id(task_id)
    console = open_console()
    # Whoever reads a pipe wants lines as they are, not those of a terminal that is not there.
    whole = not console.is_terminal
    level = "" if task.level is None else f", level {task.level}"
    console.print(
        f"{task.domain} {task.id} (split {task.split or '-'}{level})", style="bold", markup=False, soft_wrap=whole
    )
    console.print(f"\n{task.instruction}\n", markup=False, soft_wrap=whole)
    for line in _details(setting, task):
        console.print(line, markup=False, soft_wrap=whole)


@app.command("check", cls=_OLD)
def check(
    source: opt.SourceArgument,
    path: opt.PathOption = None,
    count: opt.CountOption = None,
) -> None:
    """Run the gold actions of every task on a fresh database. Exit status 1 if any fails.

    Also told: tasks that an agent solves by doing nothing.
    """
    setting = _open(source, path)
    checked = failing = idle = 0
    for task in _first(setting, count):
        checked += 1
        gold = setting.scorer.gold(task)
        for failure in gold.failures:
            echo(f"{task.id}: gold action fails: {failure}")
        failing += bool(gold.failures)
        # Of a world that is no database it is not known what gold changes.
        if not gold.changes and not task.requirements and (not task.scene or "database" in task.scene):
            idle += 1
            outputs = f" (but must say {', '.join(map(repr, task.outputs))})" if task.outputs else ""
            echo(f"{task.id}: gold changes nothing, so doing nothing leaves the right database{outputs}")
    for where, reason in setting.tasks.left_out.items():
        echo(f"{where}: left out: {reason}")
    echo(f"{counted(checked, 'task')} checked: {failing} with failing gold actions, {idle} whose gold changes nothing")
    if failing:
        raise typer.Exit(1)


def _open(source: str, path: Path | None) -> Setting:
    domain, tasks = opt.split_source(source)
    return opt.open_setting(domain, tasks or "train", path, check=False)


def _setting_of(source: str, task_id: str, path: Path | None) -> Setting:
    from mua_env.domain.contract import load_domain

    name, tasks = opt.split_source(source)
    if tasks is not None:
        return opt.open_setting(name, tasks, path, check=False)
    domain = load_domain(name)
    for split in domain.splits:
        if any(task.id == task_id for task in domain.tasks(split)):
            return opt.open_setting(name, split, path)
    raise TaskError(f"no task {task_id!r} in {' or '.join(domain.splits)} of {domain.name}")


def _first(setting: Setting, limit: int | None) -> Iterator[Task]:
    count = len(setting.tasks) if limit is None else min(limit, len(setting.tasks))
    return (setting.tasks[position] for position in range(count))


def _wanted(task: Task) -> str:
    if task.goal is not None and task.goal.requests:
        return ", ".join(
            request.intent + ("" if request.outcome == "done" else f" ({request.outcome})")
            for request in task.goal.requests
        )
    return " ".join(task.instruction.split())[:80]


def _details(setting: Setting, task: Task) -> Iterator[str]:
    import json

    if task.goal is not None:
        yield f"The user knows: {json.dumps(task.goal.facts, ensure_ascii=False)}"
        yield f"The user speaks: {task.goal.persona}, noise {task.goal.noise:g}"
        for request in task.goal.requests:
            yield f"The user wants: {request.model_dump_json(exclude_defaults=True)}"
    for action in task.initial_actions:
        yield f"Before: {action.name} {json.dumps(action.arguments, ensure_ascii=False)}"
    for action in task.actions:
        whose = " (by the user)" if action.requestor == "user" else ""
        yield f"Gold: {action.name} {json.dumps(action.arguments, ensure_ascii=False)}{whose}"
    for text in task.outputs:
        yield f"The agent must say: {text}"
    from mua_env.scoring.checks import described

    for text in described(task):
        yield f"Must hold: {text}"
    gold = setting.scorer.gold(task)
    for failure in gold.failures:
        yield f"Fails: {failure}"
    for table, key in sorted(gold.changes):
        yield f"Changed by gold: {table} {key}"
