"""tau-bench's own recorded GPT-4o dialogues, held again by `mua_env.evaluate`: the figures must be the recorded ones.

    python benchmarks/recorded.py --path tau1-data

The folder holds tau-bench's data and `airline/recorded_gpt-4o.jsonl.gz`, its 200 dialogues (50 tasks, 4 trials) of the
airline domain, one JSON object a line. The agent's calls are made anew on this package's airline, its words and the
user's are said again, and the benchmark's reward scores what comes of it (preset tau1). Exit status 1 where pass^k or a
single reward is another one than recorded.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any

from smallest import add_smoke

from mua_env import Results, Trajectory, evaluate
from mua_env.agents.replay import ReplayAgent
from mua_env.core.messages import AssistantMessage, UserMessage
from mua_env.core.trajectory import Entry
from mua_env.evaluation.rollouts import episode_seed
from mua_env.users.replay import ReplayUser

SOURCE = "airline:tau1:test"
STOP = "###STOP###"
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--path", type=Path, required=True, help="folder with the data and the recorded dialogues")
    add_smoke(parser)
    options = parser.parse_args()
    rows = read_rows(options.path)
    results, different = hold_again(rows, options.path, count=4 if options.smoke else None)
    (row,) = results.rows
    recorded = pass_k(rows, tasks=row.metrics.tasks)
    for k, value in row.metrics.pass_k.items():
        print(f"pass^{k}: recorded {recorded[k]:.3f}, here {value:.3f}")
    print(f"{row.metrics.dialogues} dialogues of {row.metrics.tasks} tasks, {len(different)} with another reward")
    for name in different:
        print(f"  {name}")
    same = all(abs(recorded[k] - value) < 1e-9 for k, value in row.metrics.pass_k.items())
    return 0 if same and not different else 1


def read_rows(path: Path) -> list[Row]:
    """The recorded dialogues."""
    with gzip.open(path / "airline" / "recorded_gpt-4o.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def hold_again(rows: list[Row], path: Path, *, count: int | None = None) -> tuple[Results, list[str]]:
    """The figures of the dialogues held again, and the ids of those whose reward is another one."""
    trajectories = [as_trajectory(row) for row in rows]
    recorded = {(str(row["task_id"]), row["trial"]): float(row["reward"]) for row in rows}
    different: list[str] = []

    def on_end(item: Trajectory) -> None:
        reward = None if item.score is None else item.score.reward
        if reward != recorded[item.task_id, item.meta["about"]["trial"]]:
            different.append(f"{item.id}: {reward}, {item.ended_by}, {item.cause}")

    results = evaluate(
        agent=lambda: ReplayAgent(trajectories),
        user=ReplayUser(trajectories),
        tasks=SOURCE,
        path=str(path),
        preset="tau1",
        count=count,
        on_end=on_end,
    )
    return results, different


def as_trajectory(row: Row) -> Trajectory:
    """A recorded dialogue with the seed that an evaluation gives to its task and trial."""
    task = str(row["task_id"])
    return Trajectory(
        id=f"{task}#{row['trial']}",
        domain="airline",
        tasks="tau1:test",
        revision="",
        task_id=task,
        seed=episode_seed(0, task, row["trial"]),
        user="recorded",
        system_prompt="",
        tools=[],
        entries=list(_entries(row["traj"])),
        turns=0,
        ended_by=None,
        score=None,
    )


def _entries(messages: list[dict[str, Any]]) -> Iterator[Entry]:
    turn = 0
    for message in messages:
        if message["role"] == "assistant":
            turn += 1
            # tau-bench makes the first call of a message, and tells the user nothing that stands beside it.
            calls = [{"id": "", **call} for call in (message.get("tool_calls") or ())[:1]]
            said = AssistantMessage.model_validate({"content": message.get("content"), "tool_calls": calls})
            yield Entry(source="agent", message=said, turn=turn)
        elif message["role"] == "user":
            hidden = {"stop": True} if STOP in message["content"] else {}
            yield Entry(source="user", message=UserMessage(content=message["content"]), turn=turn, hidden=hidden)


def pass_k(rows: list[Row], *, tasks: int) -> dict[int, float]:
    """pass^k of the recorded rewards, over the first so many tasks."""
    right = [sum(row["reward"] == 1 for row in rows if row["task_id"] == task) for task in range(tasks)]
    return {k: sum(comb(count, k) / comb(4, k) for count in right) / tasks for k in (1, 2, 3, 4)}


if __name__ == "__main__":
    raise SystemExit(main())
