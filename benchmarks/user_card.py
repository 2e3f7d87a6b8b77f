"""The agenda user's card over generated retail tasks, and the scripted expert's success with it.

python benchmarks/user_card.py --tasks 1000     # 2 probing dialogues a task, 5 levels: 10,000 dialogues
"""

from __future__ import annotations

import argparse

from measure import show

from mua_env.domain import load_domain
from mua_env.session import Session
from mua_env.setting import load_setting
from mua_env.tasks import Task
from mua_env.users.agenda import AgendaUser
from mua_env.users.card import measure

COUNTS = (
    "dialogues",
    "turns",
    "revealed",
    "withheld",
    "invented",
    "plays_agent",
    "wrong_proposed",
    "wrong_accepted",
    "right_rejected",
    "changes_planned",
    "changes_made",
    "refusals",
    "refusals_registered",
    "early_stops",
    "late_stops",
    "openings",
    "violations",
    "ms_per_turn",
)


def expert_success(
    domain: str, source: str, count: int, path: str | None = None, reward: str = "task"
) -> tuple[int, int]:
    """Solved tasks, and tasks held."""
    setting = load_setting(domain, source, path=path)
    session = Session(setting, AgendaUser(), reward=reward)  # type: ignore[arg-type]
    agent = setting.domain.expert()
    solved = 0
    tasks: list[Task] = [setting.tasks[i] for i in range(min(count, len(setting.tasks)))]
    for seed, task in enumerate(tasks):
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
        step = session.start(task, seed=seed)
        while not step.done:
            step = session.send(agent.act(step.messages))
        solved += bool(step.score and step.score.success)
    return solved, len(tasks)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--tasks", type=int, default=200, help="tasks of each level (default 200)")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--tau1", help="folder of tau-bench data, for the expert on public tasks")
    options = parser.parse_args()
    domain = load_domain(options.domain)
    rows: dict[str, dict[str, float]] = {count: {} for count in (*COUNTS, "expert_solved", "expert_tasks")}
    columns = [f"level {level}" for level in range(1, 6)]
    for level, column in enumerate(columns, start=1):
        source = f"generate:level={level}:seed={options.seed}"
        tasks = domain.task_set(source).tasks[: options.tasks]
        card = measure(AgendaUser(), tasks, context={"domain": domain}, seed=options.seed)
        for name in COUNTS:
            rows[name][column] = card.summary()[name]
        rows["expert_solved"][column], rows["expert_tasks"][column] = expert_success(
            options.domain, source, options.tasks
        )
    show(f"Agenda user, {options.domain}", columns, rows)
    if options.tau1:
        for split in ("test", "train"):
            found = expert_success(options.domain, f"tau1:{split}", 500, options.tau1, "tau1-no-outputs")
            print(f"expert on tau1:{split}, agenda (derived), database only: {found[0]} of {found[1]}")


if __name__ == "__main__":
    main()
