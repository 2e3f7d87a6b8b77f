"""What each option of GRPO brings on the quick start's setting: same cold start, same number of updates.

    python benchmarks/options.py --steps 40 --json options.json

One cold start for each seed, then GRPO from it with one option at a time. Beside success on the held-out tasks it
counts what each option spends: dialogues held (those of groups drawn anew and of forks too), the agent's tokens, and
minutes of the processor, measurements included. Every variant of a seed trains on the same tasks in the same order,
unless the option draws them, or takes several updates a batch.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from measure import show

from mua_env.training.config.train import TrainConfig, load_config
from mua_env.training.quickstart import quickstart_config
from mua_env.training.run.run_folder import read_metrics

LEVELS = {
    "environment.sources": [{"tasks": f"generate:level={level}:split=train", "share": 1} for level in (1, 2)],
    "lengths.total": 1600,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "as the quick start": {},
    "dynamic sampling, 3 rounds": {"grpo.dynamic_sampling": 3},
    "turn credit, 2 forks x 2": {"grpo.turn_credit": {"points": 2, "continuations": 2}},
    "sample std": {"grpo.std": "sample"},
    "dr_grpo": {"grpo.loss_type": "dr_grpo", "grpo.std": "none"},
    "two updates a batch": {"grpo.iterations": 2},
    "GSPO, two updates a batch": {"grpo.iterations": 2, "grpo.importance": "sequence"},
    "levels 1 and 2, equal shares": LEVELS,
    "levels 1 and 2, curriculum": {**LEVELS, "grpo.curriculum": {"floor": 0.1}},
}
COLUMNS = (
    "before %",
    "after %",
    "s.e.",
    "reward, last quarter %",
    "all equal %",
    "teaching %",
    "dialogues",
    "tokens k",
    "CPU minutes",
)


def cold_start(seed: int, folder: Path, changes: dict[str, Any]) -> Path:
    """The quick start's cold start; returns the run."""
    from mua_env.training.run.pipeline import train

    return train(changed(quickstart_config(seed=seed), {**changes, "grpo": None}), folder=folder)


def changed(config: TrainConfig, changes: dict[str, Any]) -> TrainConfig:
    """A configuration with settings by their dotted names."""
    values = config.model_dump(mode="json", exclude_unset=True)
    for name, value in changes.items():
        *parents, last = name.split(".")
        here = values
        for parent in parents:
            here = here.setdefault(parent, {})
        here[last] = value
    return load_config(values)


def run_variant(name: str, seed: int, start: Path, folder: Path, steps: int, changes: dict[str, Any]) -> dict[str, Any]:
    """GRPO from a cold start with one option; returns its figures."""
    from mua_env.training.run.pipeline import train

    option = VARIANTS[name]
    iterations = option.get("grpo.iterations", 1)
    settings = {
        **changes,
        "model.path": str(start / "checkpoints" / "cold-start"),
        "cold_start": None,
        "evaluation.every": 0,
        **option,
        "grpo.steps": steps * iterations,  # the same number of batches of rollouts
    }
    begun = time.process_time()
    run = train(changed(quickstart_config(seed=seed), settings), folder=folder)
    seconds = time.process_time() - begun
    rows = list(read_metrics(run))
    batches = [row for row in rows if row["phase"] == "grpo"]
    before, after = ([r for r in rows if r["phase"] == "evaluation" and r["title"] == t] for t in TITLES)
    config = load_config(json.loads((run / "config.json").read_text()))
    assert config.grpo is not None
    size = config.grpo.queries * config.grpo.rollouts
    held = sum(size + (r.get("groups/redrawn_dialogues") or 0) + (r.get("credit/dialogues") or 0) for r in batches)
    tokens = sum(
        (size + (r.get("groups/redrawn_dialogues") or 0)) * r["dialogue/agent_tokens"]
        + (r.get("credit/agent_tokens") or 0)
        for r in batches
    )
    last = batches[-max(1, len(batches) // 4) :]
    return {
        "variant": name,
        "seed": seed,
        "updates": steps * iterations,
        "batches": len(batches),
        "before": before[0]["success"],
        "after": after[0]["success"],
        "standard_error": after[0]["standard_error"],
        "reward_last_quarter": statistics.fmean(row["dialogue/reward"] for row in last),
        "teaching": statistics.fmean(row.get("groups/teaching", 1 - row["groups/all_equal"]) for row in batches),
        "all_equal": statistics.fmean(row["groups/all_equal"] for row in batches),
        "dialogues": held,
        "agent_tokens": tokens,
        "seconds": seconds,
        "curve": [row["dialogue/reward"] for row in batches],
    }


TITLES = ("before GRPO", "after GRPO")


def table(results: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Means over the seeds."""
    rows = {}
    for name in VARIANTS:
        mine = [result for result in results if result["variant"] == name]
        if mine:
            values = {key: statistics.fmean(r[key] for r in mine) for key in mine[0] if key not in _TEXT}
            error = statistics.fmean(r["standard_error"] ** 2 for r in mine) ** 0.5 / len(mine) ** 0.5
            figures = (
                100 * values["before"],
                100 * values["after"],
                100 * error,
                100 * values["reward_last_quarter"],
                100 * values["all_equal"],
                100 * values["teaching"],
                values["dialogues"],
                values["agent_tokens"] / 1000,
                values["seconds"] / 60,
            )
            rows[name] = dict(zip(COLUMNS, figures, strict=True))
    return rows


_TEXT = ("variant", "curve")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=40, help="batches of rollouts, each variant (default 40)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="seeds (default 0)")
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), help="these variants")
    parser.add_argument("--cold-start", type=Path, help="run folder with a cold start, instead of making one")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="change a setting")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    changes = {key: json.loads(value) for key, _, value in (pair.partition("=") for pair in options.set)}
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for seed in options.seeds:
            start = options.cold_start or cold_start(seed, Path(scratch) / f"cold-{seed}", changes)
            for number, name in enumerate(options.only or VARIANTS):
                print(f"\n### {name}, seed {seed}")
                folder = Path(scratch) / f"{seed}-{number}"
                results.append(run_variant(name, seed, start, folder, options.steps, changes))
                if options.json:
                    options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    show(f"GRPO, {options.steps} batches, seeds {options.seeds}", COLUMNS, table(results))


if __name__ == "__main__":
    main()
