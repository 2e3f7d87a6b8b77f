"""What the small examples beside the quick start reach on held-out tasks: level 2, the airline, both domains in one.

    python benchmarks/examples.py --json examples.json        # about 25 minutes of the processor for each
    python benchmarks/examples.py --only airline_small --folder runs/examples

Each is `mua-env train examples/NAME.yaml` in a process of its own; a finished run in the folder is not repeated.
Success is measured as the example says: on 256 tasks of the test split, at temperature 1; also by domain.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import show
from quickstart import figures_of, run_to_its_end, times

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = ("retail_level2_small", "airline_small", "mixed_small")
COLUMNS = ("cold %", "GRPO %", "+-", "turns", "tokens", "CPU minutes")


def run_example(name: str, folder: Path, threads: int) -> Path:
    """Train an example, unless the folder holds its finished run; returns the run."""
    place = folder / name
    if not (place / "summary.json").exists():
        command = [sys.executable, "-m", "mua_env", "train", str(EXAMPLES / f"{name}.yaml"), "--folder", str(place)]
        usage = run_to_its_end(command, folder / f"{name}.log", threads)
        (folder / f"{name}.times.json").write_text(json.dumps(times(usage)), encoding="utf-8")
    return place


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


def figures(name: str, folder: Path) -> dict[str, Any]:
    """The figures of an example's finished run."""
    run = folder / name
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    file = folder / f"{name}.times.json"
    spent = json.loads(file.read_text(encoding="utf-8"))["cpu_s"] if file.exists() else None
    tokens = summary["after_GRPO"]["dialogue/tokens"]
    return {**figures_of(run), "tokens": tokens, "by_domain": by_domain(run), "cpu_s": spent}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the examples and print what they reach."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (default 1)")
    parser.add_argument("--folder", type=Path, default=Path("runs/benchmark-examples"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    found = {}
    for name in options.only:
        run_example(name, options.folder, options.threads)
        found[name] = figures(name, options.folder)
    table = {
        name: dict(
            zip(
                COLUMNS,
                (
                    100 * row["cold_success"],
                    100 * row["after_success"],
                    100 * row["after_standard_error"],
                    row["after_turns"],
                    row["tokens"],
                    row["cpu_s"] and row["cpu_s"] / 60,
                ),
                strict=True,
            )
        )
        for name, row in found.items()
    }
    show("Examples: success on held-out tasks", COLUMNS, table)
    for name, row in found.items():
        print(name, "after GRPO:", ", ".join(f"{key} {100 * value:.1f} %" for key, value in row["by_domain"].items()))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
