"""An audit as tables in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from mua_env.core.scores import BASES, bounded
from mua_env.evaluation.audit.results import IDLE, Audit, TaskAudit, Totals

LONGEST = 32
"""Characters of a task id in a table; where some are longer, tables have numbers, and the ids stand below."""

Name = Callable[[str], str]
"""How a task is named, by its id."""


def render(audit: Audit, *, every_task: bool = False) -> RenderableType:
    """The audit for a terminal.

    Args:
        audit: what was found.
        every_task: list all tasks rather than those in which something is wrong.
    """
    totals, names = audit.totals, _Names(audit.tasks)
    parts: list[RenderableType] = [_summary(audit, totals, names), "", _rewards(totals)]
    if totals.rules:
        parts += ["", _rules(audit, totals)]
    listed = [task for task in audit.tasks if every_task or task.suspect]
    parts += ["", _tasks(listed, "Tasks" if every_task else "Tasks in which something is wrong", names)]
    if names.used:
        parts += ["", "The tasks by number:", names.key()]
    notes = sorted({task.not_run for task in audit.tasks if task.not_run})
    parts += [Text(f"Baselines were not run: {note}", style="yellow") for note in notes[:3]]
    return Group(*parts)


class _Names:
    """Names of tasks that fit into tables: ids, or numbers by their place in the audit where some ids are long.

    Attributes:
        used: ids that were named by a number so far.
    """

    def __init__(self, tasks: Sequence[TaskAudit]) -> None:
        long = any(len(task.id) > LONGEST for task in tasks)
        self._numbers = {task.id: number for number, task in enumerate(tasks, 1)} if long else {}
        self.used: set[str] = set()

    def __call__(self, task_id: str) -> str:
        number = self._numbers.get(task_id)
        if number is None:
            return task_id
        self.used.add(task_id)
        return f"#{number}"

    def key(self) -> Table:
        """The numbers that were used, and their ids."""
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        for task_id, number in self._numbers.items():
            if task_id in self.used:
                table.add_row(f"#{number}", escape(task_id))
        return table


def findings(totals: Totals, name: Name = str, left_out: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    """The figures of the summary: what, and how much.

    Args:
        totals: of the audit.
        name: how tasks are named.
        left_out: rows that are no tasks here, with the reason of each.
    """
    rows = [
        ("tasks", str(totals.tasks)),
        *((f"rows left out: {reason}", count) for reason, count in _left_out(left_out)),
        ("won by doing nothing", _share_of(idle_count(totals, "task"), len(totals.idle["task"]), totals.tasks)),
        (
            "fail their own gold",
            _share_of(f"{len(totals.failing)} of {totals.tasks}", len(totals.failing), totals.tasks),
        ),
        (
            "need the user",
            _share_of(f"{len(totals.needs_user)} of {totals.tasks}", len(totals.needs_user), totals.tasks),
        ),
        ("gold lists with a failing call", _some(totals.failing, name)),
        ("... of them with a failing write", _some(totals.failing_writes, name)),
        ("gold that changes nothing", _some(totals.empty, name)),
        ("same wish of the same user twice", _groups(totals.same_wish, name)),
        ("same effect twice", _groups(totals.same_effect, name)),
        ("gold argument values", str(totals.values)),
        ("... that no tool yields without the user", _percent(totals.without_user)),
        ("... that no tool yields, knowing who the user is", _percent(totals.user_only)),
        ("writes in the gold: tasks", _counts(totals.writes)),
        ("minimal turns of the agent: tasks", _counts(totals.turns)),
    ]
    if totals.idle_unjudged:
        rows.append(("idle reward 1, with statements that nobody has judged", _some(totals.idle_unjudged, name)))
    if totals.initial_tcr is not None:
        rows.append(("task completion rate before anything is done", f"{totals.initial_tcr:.3f}"))
    return rows


def _left_out(left_out: Mapping[str, str] | None) -> Iterator[tuple[str, str]]:
    where: dict[str, list[str]] = {}
    for place, reason in (left_out or {}).items():
        where.setdefault(reason, []).append(place)
    for reason, places in sorted(where.items(), key=lambda item: -len(item[1])):
        yield reason, _some(places, str, most=3)


def _share_of(written: str, part: int, whole: int) -> str:
    return f"{written} ({_percent(part / whole if whole else None)})"


def number(value: float | None, upper_bounds: int = 0) -> str:
    """A mean reward, or a dash where no episode counts."""
    return "-" if value is None else bounded(f"{value:.3f}", upper_bounds)


def idle_count(totals: Totals, reward: str) -> str:
    """On how many tasks an idle agent gets 1."""
    return bounded(f"{len(totals.idle[reward])} of {totals.tasks}", totals.bounds[IDLE][reward])


def _summary(audit: Audit, totals: Totals, name: Name) -> Table:
    told = [audit.source_revision, audit.variant and f"policy {audit.variant}", f"{audit.scoring} scoring"]
    title = f"Audit of {audit.source} ({', '.join(filter(None, told))})"
    table = Table(title=escape(title), title_justify="left")
    table.add_column("finding")
    table.add_column("value", overflow="fold")
    for finding, value in findings(totals, name, audit.left_out):
        table.add_row(escape(finding), escape(value))
    return table


def _rewards(totals: Totals) -> Table:
    table = Table(title="Reward of agents without skill", title_justify="left")
    table.add_column("agent", no_wrap=True)
    table.add_column("episodes", justify="right")
    for name in BASES:
        table.add_column(name, justify="right", overflow="fold")
    table.add_row("idle: tasks with 1", "computed", *(idle_count(totals, name) for name in BASES))
    for agent, rewards in totals.baselines.items():
        means = (number(rewards[name], totals.bounds[agent][name]) for name in BASES)
        table.add_row(escape(agent), str(totals.baseline_episodes[agent]), *means)
    return table


def _rules(audit: Audit, totals: Totals) -> Table:
    table = Table(title="Policy rules and the tasks that fall under them", title_justify="left")
    table.add_column("rule")
    table.add_column("tasks", justify="right")
    table.add_column("meaning", overflow="fold")
    for rule, count in totals.rules.items():
        table.add_row(escape(rule), str(count), escape(audit.rules[rule]))
    return table


def _tasks(tasks: Sequence[TaskAudit], title: str, name: Name) -> Table:
    table = Table(title=f"{title} ({len(tasks)})", title_justify="left")
    table.add_column("task", overflow="fold")
    table.add_column("what is wrong", overflow="fold")
    for column in ("writes", "turns", "from user"):
        table.add_column(column, justify="right", no_wrap=True)
    for task in tasks:
        values = f"{task.values.without_user}/{task.values.total}"
        wrong = "\n".join(wrongs(task, name))
        table.add_row(escape(name(task.id)), escape(wrong), str(task.writes), str(task.turns), values)
    return table


def wrongs(task: TaskAudit, name: Name = str) -> list[str]:
    """What is wrong with a task, a line each; ``name`` says how other tasks are named in it."""
    found = [f"fails: {call.tool}{' (write)' if call.writes else ''}" for call in task.failures]
    if task.idle["task"]:
        judged = f" ({task.unjudged} statement(s) not judged)" if task.unjudged else ""
        found.append(f"idle reward 1: {idle_names(task)}{judged}")
    if task.same_wish:
        found.append(f"same wish: {', '.join(map(name, task.same_wish))}")
    if task.same_effect:
        found.append(f"same effect: {', '.join(map(name, task.same_effect))}")
    return found


def idle_names(task: TaskAudit) -> str:
    """The definitions of the reward under which an idle agent gets 1."""
    names = [name for name, reward in task.idle.items() if reward == 1]
    return "all" if len(names) == len(task.idle) else ", ".join(names)


def _some(ids: Sequence[str], name: Name, most: int = 20) -> str:
    return _listed(len(ids), map(name, ids[:most]))


def _groups(groups: Sequence[Sequence[str]], name: Name, most: int = 10) -> str:
    return _listed(len(groups), (" = ".join(map(name, group)) for group in groups[:most]))


def _listed(count: int, first: Iterable[str]) -> str:
    shown = list(first)
    more = f" and {count - len(shown)} more" if count > len(shown) else ""
    return f"{count}: {', '.join(shown)}{more}" if count else "0"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _counts(counts: dict[int, int]) -> str:
    return ", ".join(f"{value}: {tasks}" for value, tasks in counts.items())
