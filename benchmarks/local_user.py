"""A small model as the user, before and after it was trained to be one.

    python -m mua_env.training.user_model.train examples/train_user.yaml --folder runs/user-smollm2
    python benchmarks/local_user.py runs/user-smollm2 --tasks 30

Replies: greedy, on held-out dialogues, compared word for word with the agenda user's. Success: the scripted expert's on
held-out tasks with the model as its user; the agenda user stands beside it. Faults (a reply that a guard refuses twice)
do not count as the expert's failures and are given by themselves.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import argparse
import json
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from measure import show

from mua_env.agents.make import agent_factory
from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import load_setting
from mua_env.evaluation.rollouts import Planned, RolloutOptions, plan, run_rollout
from mua_env.inference.serving.local_model import LocalModel
from mua_env.training.user_model.measure import measure_replies
from mua_env.training.user_model.train import UserTrainConfig, collect, load_user_config
from mua_env.users.agenda.user import AgendaUser
from mua_env.users.base import UserSimulator
from mua_env.users.local.user import LocalUser

COLUMNS = ("replies", "exact", "stops right", "wrong proposals", "agreed", "tasks", "solved", "failed", "faults")


def success(user: UserSimulator, config: UserTrainConfig, tasks: int, style: str) -> dict[str, Any]:
    """The expert's result with a user, over the held-out sources in equal parts."""
    sources = config.dialogues.held_out
    done: list[Trajectory] = []
    begin = time.process_time()
    for source in sources:
        setting = load_setting(config.dialogues.domain, source)
        episodes: list[Planned] = plan(setting.tasks, seed=config.seed, limit=tasks // len(sources))
        make = agent_factory("expert", setting.domain, {"style": style})
        run_rollout(setting, user, make, episodes, options=RolloutOptions(deadline_s=None), on_end=done.append)
    scores = [one.score for one in done if one.score is not None]
    turns = sum(one.turns for one in done)
    guards = Counter(event for one in done for event in events(one) if event.startswith("guard:"))
    return {
        "tasks": len(done),
        "solved": sum(score.reward == 1 for score in scores),
        "failed": sum(score.reward is not None and score.reward < 1 for score in scores),
        "faults": sum(score.reward is None for score in scores),
        "guards": dict(guards),
        "causes": [one.cause for one in done if one.ended_by == "fault"],
        "turns": turns / len(done),
        "tokens": sum(one.usage.get("completion_tokens", 0) for one in done),
        "cpu_s_per_dialogue": (time.process_time() - begin) / len(done),
    }


def events(trajectory: Trajectory) -> list[str]:
    return [event for entry in trajectory.entries for event in entry.hidden.get("events", ())]


def measure(folder: str, config: UserTrainConfig, tasks: int, style: str) -> dict[str, Any]:
    """Replies and success of one model."""
    engine = LocalModel(folder)
    replies = measure_replies(engine, collect(config, held_out=True))
    row = {name.replace("_", " "): value for name, value in replies.items()}
    row |= success(LocalUser(engine, strategy=config.strategy, max_tokens=64, deadline_s=1e6), config, tasks, style)
    engine.close()
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of a run of mua_env.training.user_model.train")
    parser.add_argument("--before", help="the model before training (default: what the run started from)")
    parser.add_argument("--tasks", type=int, default=30, help="held-out tasks, shared among the sources")
    parser.add_argument("--style", default="plain", help="of the expert")
    parser.add_argument("--tasks-before", type=int, default=30, help="as --tasks, for the model before training")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.threads is not None:
        import torch

        torch.set_num_threads(options.threads)
    config = load_user_config(json.loads((options.run / "config.json").read_text(encoding="utf-8")))
    before = options.before or config.model.path or config.smollm2
    rows: dict[str, Mapping[str, Any]] = {"agenda user": success(AgendaUser(), config, options.tasks, options.style)}
    if before is not None:
        rows["before"] = measure(before, config, options.tasks_before, options.style)
    rows["after"] = measure(str(options.run / "model"), config, options.tasks, options.style)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    show("The user, before and after training", COLUMNS, rows)
    for name, row in rows.items():
        cost = f"{row['turns']:.1f} turns and {row['cpu_s_per_dialogue']:.1f} CPU s a dialogue"
        print(f"{name}: {cost}, guards {row['guards']}, faults {row['causes']}")


if __name__ == "__main__":
    main()
