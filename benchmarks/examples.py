"""What the small examples beside the quick start reach on held-out tasks: level 2, the airline, both domains in one.

    python benchmarks/examples.py --json examples.json        # some 30 to 50 minutes of the processor for each run
    python benchmarks/examples.py --only airline_small --seeds 0 --folder runs/examples

Each run is `mua-env train examples/NAME.yaml --set seed=N` in a process of its own; a finished run in the folder is not
repeated. Success is measured as the example says: on 256 tasks of the test split, at temperature 1; also by domain.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from measure import show
from quickstart import figures_of, run_to_its_end, times
from smallest import add_smoke, as_words

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = ("retail_level2_small", "airline_small", "mixed_small")
SUCCESS = {"cold %": "cold_success", "GRPO %": "after_success"}
COLUMNS = ("cold %", "GRPO %", "+-", "turns", "tokens", "CPU minutes")


def run_example(name: str, seed: int, folder: Path, threads: int, *changes: str) -> dict[str, Any]:
    """Train an example, unless the folder holds its finished run; returns the run's figures. ``changes`` are further
    words of the command."""
    place = folder / f"{name}-{seed}"
    spent = place.with_name(f"{place.name}.times.json")
    if not (place / "summary.json").exists():
        command = [sys.executable, "-m", "mua_env", "train", str(EXAMPLES / f"{name}.yaml"), "--folder", str(place)]
        usage = run_to_its_end(
            [*command, "--set", f"seed={seed}", *changes], place.with_name(f"{place.name}.log"), threads
        )
        spent.write_text(json.dumps(times(usage)), encoding="utf-8")
    return figures(place, json.loads(spent.read_text(encoding="utf-8")) if spent.exists() else {})


def held_out(run: Path) -> list[dict[str, Any]]:
    """The dialogues of the measurement after GRPO."""
    with (run / "trajectories.jsonl").open(encoding="utf-8") as file:
        lines = [json.loads(text) for text in file]
    last = max(line["meta"]["step"] for line in lines if line["meta"]["phase"] == "evaluation")
    return [line for line in lines if line["meta"]["phase"] == "evaluation" and line["meta"]["step"] == last]


def by_domain(run: Path) -> dict[str, float]:
    """Success after GRPO, by domain."""
    rewards: dict[str, list[float]] = {}
    for line in held_out(run):
        rewards.setdefault(line["domain"], []).append(line["score"]["reward"] if line["score"] else 0.0)
    return {domain: statistics.fmean(values) for domain, values in sorted(rewards.items())}


def figures(run: Path, spent: dict[str, float]) -> dict[str, Any]:
    """The figures of a finished run."""
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    return {
        **figures_of(run),
        **spent,
        "tokens": summary["after_GRPO"]["dialogue/tokens"],
        "by_domain": by_domain(run),
    }


def row_of(found: dict[str, Any]) -> dict[str, float | None]:
    """A run's row in the table."""
    return {
        **{column: 100 * found[key] for column, key in SUCCESS.items()},
        "+-": 100 * found["after_standard_error"],
        "turns": found["after_turns"],
        "tokens": found["tokens"],
        "CPU minutes": found["cpu_s"] / 60 if "cpu_s" in found else None,
    }


def spread(runs: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Mean and standard deviation of success over the seeds, in per cent."""
    values = {column: [100 * run[key] for run in runs] for column, key in SUCCESS.items()}
    return {
        "mean": {column: statistics.fmean(numbers) for column, numbers in values.items()},
        "deviation": {column: statistics.stdev(numbers) for column, numbers in values.items()},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the examples and print what they reach."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=1, help="threads of torch for each run (default 1)")
    parser.add_argument("--at-once", type=int, default=1, help="runs at the same time (default 1)")
    parser.add_argument("--folder", type=Path, default=Path("runs/benchmark-examples"))
    parser.add_argument("--json", type=Path)
    add_smoke(parser)
    options = parser.parse_args(arguments)
    changes = as_words() if options.smoke else []
    if options.smoke:
        options.only, options.seeds, options.folder = ["mixed_small"], [0], Path(tempfile.mkdtemp())
    wanted = [(name, seed) for name in options.only for seed in options.seeds]
    with ThreadPoolExecutor(options.at_once) as workers:
        runs = list(workers.map(lambda run: run_example(*run, options.folder, options.threads, *changes), wanted))
    found = dict(zip(wanted, runs, strict=True))
    for name in options.only:
        mine = {seed: found[name, seed] for seed in options.seeds}
        table: dict[str, dict[str, Any]] = {f"seed {seed}": row_of(run) for seed, run in mine.items()}
        if len(mine) > 1:
            table |= spread(list(mine.values()))
        show(f"{name}: success on {runs[0]['after_tasks']} held-out tasks", COLUMNS, table)
        for seed, run in mine.items():
            shares = ", ".join(f"{domain} {100 * value:.1f} %" for domain, value in run["by_domain"].items())
            print(f"seed {seed} after GRPO: {shares}")
    if options.json is not None:
        written = {name: {seed: found[name, seed] for seed in options.seeds} for name in options.only}
        options.json.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
