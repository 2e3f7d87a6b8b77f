"""An audit as tables in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from mua_env.audit.report import Audit, TaskAudit, Totals
from mua_env.scoring import BASES


def render(audit: Audit, *, every_task: bool = False) -> RenderableType:
    """The audit for a terminal.

    Args:
        audit: what was found.
        every_task: list all tasks rather than those in which something is wrong.
    """
    totals = audit.totals
    parts: list[RenderableType] = [_summary(audit, totals), "", _rewards(totals)]
    if totals.rules:
        parts += ["", _rules(audit, totals)]
    listed = [task for task in audit.tasks if every_task or task.suspect]
    parts += ["", _tasks(listed, "Tasks" if every_task else "Tasks in which something is wrong")]
    notes = sorted({task.not_run for task in audit.tasks if task.not_run})
    parts += [Text(f"Baselines were not run: {note}", style="yellow") for note in notes[:3]]
    return Group(*parts)


def findings(totals: Totals) -> list[tuple[str, str]]:
    """The figures of the summary: what, and how much."""
    rows = [
        ("tasks", str(totals.tasks)),
        ("gold lists with a failing call", _some(totals.failing)),
        ("... of them with a failing write", _some(totals.failing_writes)),
        ("gold that changes nothing", _some(totals.empty)),
        ("same wish of the same user twice", _groups(totals.same_wish)),
        ("same effect twice", _groups(totals.same_effect)),
        ("gold argument values", str(totals.values)),
        ("... that no tool yields without the user", _percent(totals.without_user)),
        ("... that no tool yields, knowing who the user is", _percent(totals.user_only)),
        ("writes in the gold: tasks", _counts(totals.writes)),
        ("minimal turns of the agent: tasks", _counts(totals.turns)),
    ]
    if totals.idle_unjudged:
        rows.append(("idle reward 1, with statements that nobody has judged", _some(totals.idle_unjudged)))
    if totals.initial_tcr is not None:
        rows.append(("task completion rate before anything is done", f"{totals.initial_tcr:.3f}"))
    return rows


def number(value: float | None) -> str:
    """A mean reward, or a dash where no episode counts."""
    return "-" if value is None else f"{value:.3f}"


def _summary(audit: Audit, totals: Totals) -> Table:
    table = Table(title=f"Audit of {escape(audit.source)} ({audit.scoring} scoring)", title_justify="left")
    table.add_column("finding")
    table.add_column("value", overflow="fold")
    for name, value in findings(totals):
        table.add_row(name, value)
    return table


def _rewards(totals: Totals) -> Table:
    table = Table(title="Reward of agents without skill", title_justify="left")
    table.add_column("agent")
    table.add_column("episodes", justify="right")
    for name in BASES:
        table.add_column(name, justify="right")
    idle = [f"{len(totals.idle[name])} of {totals.tasks}" for name in BASES]
    table.add_row("idle: tasks with 1", "computed", *idle)
    for agent, rewards in totals.baselines.items():
        table.add_row(agent, str(totals.baseline_episodes[agent]), *(number(rewards[name]) for name in BASES))
    return table


def _rules(audit: Audit, totals: Totals) -> Table:
    table = Table(title="Policy rules and the tasks that fall under them", title_justify="left")
    table.add_column("rule")
    table.add_column("tasks", justify="right")
    table.add_column("meaning", overflow="fold")
    for rule, count in totals.rules.items():
        table.add_row(rule, str(count), audit.rules[rule])
    return table


def _tasks(tasks: Sequence[TaskAudit], title: str) -> Table:
    table = Table(title=f"{title} ({len(tasks)})", title_justify="left")
    table.add_column("task", overflow="fold")
    table.add_column("what is wrong", overflow="fold")
    for name in ("writes", "turns", "from user"):
        table.add_column(name, justify="right", no_wrap=True)
    for task in tasks:
        values = f"{task.values.without_user}/{task.values.total}"
        table.add_row(escape(task.id), escape("\n".join(wrongs(task))), str(task.writes), str(task.turns), values)
    return table


def wrongs(task: TaskAudit) -> list[str]:
    """What is wrong with a task, a line each."""
    found = [f"fails: {call.tool}{' (write)' if call.writes else ''}" for call in task.failures]
    if task.idle["task"]:
        judged = f" ({task.unjudged} statement(s) not judged)" if task.unjudged else ""
        found.append(f"idle reward 1: {idle_names(task)}{judged}")
    if task.same_wish:
        found.append(f"same wish: {', '.join(task.same_wish)}")
    if task.same_effect:
        found.append(f"same effect: {', '.join(task.same_effect)}")
    return found


def idle_names(task: TaskAudit) -> str:
    """The definitions of the reward under which an idle agent gets 1."""
    names = [name for name, reward in task.idle.items() if reward == 1]
    return "all" if len(names) == len(task.idle) else ", ".join(names)


def _some(ids: Sequence[str], most: int = 20) -> str:
    if not ids:
        return "0"
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return f"{len(ids)}: {', '.join(ids[:most])}{more}"


def _groups(groups: Iterable[Sequence[str]]) -> str:
    return _some([" = ".join(group) for group in groups], most=10)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _counts(counts: dict[int, int]) -> str:
    return ", ".join(f"{value}: {tasks}" for value, tasks in counts.items())
