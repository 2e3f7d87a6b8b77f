"""What agents come to on a domain's own tasks, over several users: the expert, agents without skill, any that is named.

    python benchmarks/agents.py --tasks retail:test airline:test telecom:test --count 50 --trials 2
    python benchmarks/agents.py --agents runs/quickstart --tasks retail:test:level=1

One Markdown table for each task source: success of each agent with each user, the mean with its 95 % interval, and the
spread over users. Without --agents: the scripted expert, the random agent, and those of the audit, which know the words
of the domain and nothing of the user in front of them.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator
from typing import Any

from smallest import add_smoke

from mua_env import Agent, Results, Trajectory, evaluate, load_setting
from mua_env.evaluation.audit.baselines import baselines
from mua_env.evaluation.metrics import measure
from mua_env.evaluation.outcomes import Outcomes
from mua_env.evaluation.results_table import interval, percent

USERS = ["agenda", "agenda:persona=terse", "agenda:persona=impatient", "agenda:persona=confused", "agenda:noise=0.3"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tasks", nargs="+", default=["retail:test", "airline:test", "telecom:test"])
    parser.add_argument("--users", nargs="+", default=USERS)
    parser.add_argument("--agents", nargs="+", help="as mua-env eval takes them, instead of those here")
    parser.add_argument("--count", type=int, default=50, help="tasks of each source")
    parser.add_argument("--trials", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=8)
    add_smoke(parser)
    options = parser.parse_args()
    if options.smoke:
        options.tasks, options.users, options.count, options.trials = ["retail:test"], USERS[:2], 2, 1
    for source in options.tasks:
        print(f"\n{source}, the first {options.count} tasks, {options.trials} trials with each user\n")
        print("| agent | " + " | ".join(options.users) + " | mean | 95 % | spread over users |")
        print("| --- |" + " ---: |" * (len(options.users) + 3))
        for name, agent in agents(source, options.agents):
            print(line(source, name, agent, options), flush=True)


def agents(source: str, named: list[str] | None) -> Iterator[tuple[str, Any]]:
    """Each agent with its name."""
    if named:
        yield from ((name, name) for name in named)
        return
    yield "expert", "expert"
    domain, _, tasks = source.partition(":")
    for made in baselines(load_setting(domain, tasks)):
        yield made.name, lambda made=made: copied(made)


def copied(agent: Agent) -> Agent:
    """An agent of its own for each dialogue that is held at the same time."""
    return copy.deepcopy(agent)


def note(outcomes: Outcomes, trajectory: Trajectory) -> None:
    """Take note of a dialogue."""
    outcomes.add(trajectory)


def line(source: str, name: str, agent: Any, options: argparse.Namespace) -> str:
    """A row of the table."""
    outcomes = Outcomes()
    results: Results = evaluate(
        agent=agent,
        tasks=source,
        users=options.users,
        count=options.count,
        trials=options.trials,
        concurrency=options.concurrency,
        on_end=lambda trajectory: note(outcomes, trajectory),
    )
    spread = results.spread[source]
    told = "-" if spread.deviation is None else f"{percent(spread.low)} to {percent(spread.high)}"
    cells = [percent(results.users[user].success) for user in results.users]
    # Over all users together: a task is one task, whoever asks for it.
    whole = measure(outcomes)
    return "| " + " | ".join([name, *cells, percent(spread.mean), interval(whole), told]) + " |"


if __name__ == "__main__":
    main()
