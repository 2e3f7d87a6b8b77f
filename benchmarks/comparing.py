"""Whether the intervals of `mua-env compare` hold: runs simulated with known differences.

python benchmarks/comparing.py --rounds 1000

Each task has a difficulty of its own. With common random numbers both agents meet the same luck in a share of the
dialogues; the true difference is that over all tasks that there could be.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from statistics import mean

import numpy as np
from measure import show
from smallest import add_smoke

from mua_env.core.trajectory import Trajectory
from mua_env.evaluation.comparison.paired import compare_outcomes
from mua_env.evaluation.outcomes import Outcome

CASES = {
    # tasks, trials, difference, share of dialogues with the same luck
    "30 tasks, 1 trial, none": (30, 1, 0.0, 0.5),
    "30 tasks, 4 trials, 10 points": (30, 4, 0.10, 0.5),
    "50 tasks, 4 trials, none": (50, 4, 0.0, 0.8),
    "50 tasks, 4 trials, 5 points": (50, 4, 0.05, 0.8),
    "114 tasks, 1 trial, 5 points": (114, 1, 0.05, 0.5),
    "114 tasks, 4 trials, 3 points": (114, 4, 0.03, 0.9),
    "114 tasks, 4 trials, 15 points": (114, 4, 0.15, 0.0),
    "250 tasks, 2 trials, 8 points": (250, 2, 0.08, 0.5),
}
_BLANK = Outcome.of(
    Trajectory(
        id="t#0", domain="retail", tasks="test", revision="", task_id="t", seed=0, user="simulated", system_prompt="",
        tools=[], entries=[], turns=1, ended_by="user_stop", score=None,
    )
)  # fmt: skip


def chances(rng: np.random.Generator, tasks: int, difference: float) -> tuple[np.ndarray, np.ndarray]:
    """Each task's chance of success for the two agents: some tasks gain much, most little, a few lose."""
    base = rng.beta(1.2, 0.9, size=tasks)
    # Within the bounds of a chance, so that "none" means none.
    luck = 0.3 * np.minimum(base, 1 - base) * rng.uniform(-1, 1, size=tasks)
    gain = difference * rng.gamma(1.0, 1.0, size=tasks) + luck
    return base, np.clip(base + gain, 0.0, 1.0)


def runs(rng: np.random.Generator, tasks: int, trials: int, difference: float, same: float) -> list[list[Outcome]]:
    """The outcomes of two runs."""
    a, b = chances(rng, tasks, difference)
    luck = rng.random((tasks, trials))
    other = np.where(rng.random((tasks, trials)) < same, luck, rng.random((tasks, trials)))
    return [
        [
            replace(
                _BLANK, id=f"{task}#{trial}", task=str(task), trial=trial, success=bool(drawn[task, trial] < p[task])
            )
            for task in range(tasks)
            for trial in range(trials)
        ]
        for p, drawn in ((a, luck), (b, other))
    ]


def coverage(case: tuple[int, int, float, float], rounds: int, seed: int) -> dict[str, float]:
    """How often the interval holds the true difference, in per cent, and what else comparisons say on average."""
    tasks, trials, difference, same = case
    rng = np.random.default_rng(seed)
    a, b = chances(rng, 2_000_000, difference)
    # None is none by symmetry: an estimate beside 0 would miss the many intervals that end at 0 itself.
    truth = float((b - a).mean()) if difference else 0.0
    found = [compare_outcomes(*runs(rng, tasks, trials, difference, same), seed=number) for number in range(rounds)]
    return {
        "true": 100 * truth,
        "held, %": 100 * mean(one.interval.low <= truth <= one.interval.high for one in found),
        "width": 100 * mean(one.interval.high - one.interval.low for one in found),
        "flips, %": 100 * mean(one.flip_rate or 0.0 for one in found),
        "removed, %": 100 * mean(one.variance_removed or 0.0 for one in found),
        "detectable": 100 * mean(one.detectable or 0.0 for one in found),
        "found, %": 100 * mean(one.significant for one in found),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000, help="comparisons in each case (default 1000)")
    parser.add_argument("--seed", type=int, default=1)
    add_smoke(parser)
    options = parser.parse_args()
    rounds = 3 if options.smoke else options.rounds
    rows = {name: coverage(case, rounds, options.seed) for name, case in CASES.items()}
    show("Paired comparison, points", list(next(iter(rows.values()))), rows)


if __name__ == "__main__":
    main()
