"""The quick start over several seeds: success on held-out tasks after the cold start and after GRPO, time, and proof
that what is measured was not trained on.

    python benchmarks/quickstart.py --seeds 0 1 2 --json quickstart.json
    python benchmarks/quickstart.py --without copying shuffled --seeds 0

Each seed is a run of its own (`python -m mua_env.training.quickstart --seed N`) from nothing: its own weights,
training tasks, expert dialogues and samples. All are measured on the same held-out tasks. ``--without`` runs cold
starts only, each without one of the parts that make it work.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from measure import show

from mua_env.core.seeds import derive_seed
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.models import load
from mua_env.training.config.train import load_config
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import make_mixed_pool
from mua_env.training.run.held_out import evaluate

COLD, AFTER = "after_the_cold_start", "after_GRPO"
EXAMPLE = Path(__file__).parents[1] / "examples" / "quickstart.yaml"
LONGER = ("lengths.total=2048", "lengths.turn=128")
WITHOUT = {
    "nothing": (),
    "copying": ("model.scratch.copying=false",),
    "phrases": ("model.scratch.phrases=false", *LONGER),
    "shuffled": ("cold_start.shuffled=0", "cold_start.trajectories=9600"),
    "slips": ("cold_start.expert_slips=0",),
    "brief": ("environment.results=full", *LONGER),
}
"""Parts of the quick start, and what a run without each changes in its settings; the updates remain as many."""
GOAL = 0.75
"""Success after GRPO that the quick start is to reach, on the mean of the seeds."""
LIMIT_S = 20 * 60
"""Time that a run may take, on the clock with two idle cores."""


def run_seed(seed: int, folder: Path, threads: int) -> dict[str, Any]:
    """Run one seed in a process of its own, unless its folder holds a finished run already."""
    place = folder / f"seed-{seed}"
    report = place / "figures.json"
    if report.exists():
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found
    command = [sys.executable, "-m", "mua_env.training.quickstart", "--seed", str(seed), "--threads", str(threads)]
    begun = time.perf_counter()
    usage = run_to_its_end([*command, "--folder", str(place)], place / "log.txt", threads)
    (run,) = (path.parent for path in place.glob("*/summary.json"))
    figures = {**figures_of(run), "seed": seed, "wall_s": time.perf_counter() - begun, **times(usage)}
    report.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return figures


def greedy(run: Path) -> dict[str, float]:
    """Success of a finished run's two checkpoints where they always take the likeliest token."""
    config = load_config(json.loads((run / "config.json").read_text(encoding="utf-8")))
    settings = config.evaluation.model_copy(update={"temperature": 0.0})
    pool = make_mixed_pool(config.environment, held_out=True)
    found = {}
    for name, checkpoint in (("cold", "cold-start"), ("after", "grpo")):
        model, tokenizer = load(str(run / "checkpoints" / checkpoint), dtype=config.model.dtype)
        chat = ChatTokens(tokenizer, config.model.template_options)
        driver = RolloutDriver(chat, lengths=config.lengths, tools=config.environment.tools)
        seed = derive_seed(config.seed, "evaluation")
        found[f"{name}_greedy"] = evaluate(model, pool, driver, settings, seed=seed)["success"]
        driver.close()
    pool.close()
    return found


def run_without(part: str, seed: int, folder: Path, threads: int) -> dict[str, float]:
    """A cold start without one part, in a process of its own."""
    place = folder / f"without-{part}-{seed}"
    changes = [word for change in (*WITHOUT[part], f"seed={seed}") for word in ("--set", change)]
    command = [sys.executable, "-m", "mua_env", "train", str(EXAMPLE), "--folder", str(place), "--no-rl", *changes]
    usage = run_to_its_end(command, place.with_suffix(".log"), threads)
    summary = json.loads((place / "summary.json").read_text(encoding="utf-8"))
    metrics = [json.loads(line) for line in (place / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    return {
        "success %": 100 * summary[COLD]["success"],
        "tokens a dialogue": summary[COLD]["dialogue/tokens"],
        "updates": float(sum(line["phase"] == "cold_start" for line in metrics)),
        "CPU minutes": times(usage)["cpu_s"] / 60,
    }


def run_to_its_end(command: Sequence[str], log: Path, threads: int) -> resource.struct_rusage:
    """Run a command to its end, its output to a file; returns what it used."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:
        done = subprocess.Popen(
            command,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE"},
        )
        _, status, usage = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with status {done.returncode}; see {log}")
    return usage


def times(usage: resource.struct_rusage) -> dict[str, float]:
    return {"cpu_s": usage.ru_utime + usage.ru_stime, "memory_mib": usage.ru_maxrss / 1024}


def figures_of(run: Path) -> dict[str, Any]:
    """The figures of a finished run."""
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    metrics = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    updates = [line for line in metrics if line["phase"] == "grpo"]
    found = {
        "parameters": summary["parameters"],
        "expert_dialogues": summary["demonstrations"]["kept"],
        "cold_start_updates": sum(line["phase"] == "cold_start" for line in metrics),
        "grpo_updates": summary["grpo_updates"],
        "grpo_dialogues": sum(line["num_tokens"] > 0 for line in updates) * dialogues_an_update(run),
        "reward": [line["reward"] for line in updates],
    }
    for name, key in (("cold", COLD), ("after", AFTER)):
        values = summary[key]
        found |= {
            f"{name}_success": values["success"],
            f"{name}_standard_error": values["standard_error"],
            f"{name}_tasks": values["tasks"],
            f"{name}_turns": values["dialogue/turns"],
            f"{name}_truncated": values["dialogue/truncated"],
        }
    return found | overlap(run)


def dialogues_an_update(run: Path) -> int:
    """Queries times rollouts."""
    grpo = json.loads((run / "config.json").read_text(encoding="utf-8"))["grpo"]
    return int(grpo["queries"] * grpo["rollouts"])


def overlap(run: Path) -> dict[str, int]:
    """How many users, orders and openings of the held-out dialogues stand in what was trained on; 0 if all is well."""
    trained, tested = _Met(), _Met()
    for path in (*run.glob("demonstrations*.jsonl"), run / "trajectories.jsonl"):
        with path.open(encoding="utf-8") as file:
            for text in file:
                line = json.loads(text)
                (tested if line["meta"].get("phase") == "evaluation" else trained).add(line)
    return {f"{name}_in_training": len(getattr(tested, name) & getattr(trained, name)) for name in _Met.names}


class _Met:
    """What the dialogues of one kind hold."""

    names = ("users", "orders", "openings")

    def __init__(self) -> None:
        self.users: set[str] = set()
        self.orders: set[str] = set()
        self.openings: set[str] = set()

    def add(self, line: Mapping[str, Any]) -> None:
        told = [entry["message"]["content"] or "" for entry in line["entries"] if entry["source"] in ("user", "tool")]
        self.openings.add(told[0])
        for text in told:
            # An error repeats what the agent made up.
            if not text.startswith("Error"):
                self.users |= set(re.findall(r"\b[a-z]+_[a-z]+_\d{4}\b", text))
                self.orders |= set(re.findall(r"#W\d{7}\b", text))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the seeds and print mean and spread; returns 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=1, help="threads of torch for each run (default 1)")
    parser.add_argument("--at-once", type=int, default=1, help="runs at the same time (default 1)")
    parser.add_argument("--folder", type=Path, default=Path("runs/benchmark-quickstart"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--without", nargs="+", choices=sorted(WITHOUT), help="cold starts only, each without a part")
    options = parser.parse_args(arguments)
    if options.without:
        seed = options.seeds[0]
        found = {part: run_without(part, seed, options.folder, options.threads) for part in options.without}
        show("Cold start without ...", ("success %", "tokens a dialogue", "updates", "CPU minutes"), found)
        if options.json is not None:
            options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    with ThreadPoolExecutor(options.at_once) as workers:
        rows = list(workers.map(lambda seed: run_seed(seed, options.folder, options.threads), options.seeds))
    for row in rows:
        (run,) = (path.parent for path in (options.folder / f"seed-{row['seed']}").glob("*/summary.json"))
        row |= greedy(run)
    summary = {
        name: {
            "mean": statistics.fmean(row[name] for row in rows),
            "deviation": statistics.stdev(row[name] for row in rows) if len(rows) > 1 else 0.0,
            "least": min(row[name] for row in rows),
            "most": max(row[name] for row in rows),
        }
        for name in ("cold_success", "after_success", "cold_greedy", "after_greedy", "wall_s", "cpu_s")
    }
    columns = ("cold %", "GRPO %", "+-", "cold greedy %", "GRPO greedy %", "turns", "minutes", "CPU minutes")
    table = {
        f"seed {row['seed']}": dict(
            zip(
                columns,
                (
                    100 * row["cold_success"],
                    100 * row["after_success"],
                    100 * row["after_standard_error"],
                    100 * row["cold_greedy"],
                    100 * row["after_greedy"],
                    row["after_turns"],
                    row["wall_s"] / 60,
                    row["cpu_s"] / 60,
                ),
                strict=True,
            )
        )
        for row in rows
    }
    for name in ("mean", "deviation"):
        table[name] = {
            "cold %": 100 * summary["cold_success"][name],
            "GRPO %": 100 * summary["after_success"][name],
            "cold greedy %": 100 * summary["cold_greedy"][name],
            "GRPO greedy %": 100 * summary["after_greedy"][name],
            "minutes": summary["wall_s"][name] / 60,
            "CPU minutes": summary["cpu_s"][name] / 60,
        }
    show(f"Quick start: success on {rows[0]['after_tasks']} held-out tasks", columns, table)
    for name in ("users", "orders", "openings"):
        print(f"{name} of held-out dialogues met in training: {max(row[f'{name}_in_training'] for row in rows)}")
    if options.json is not None:
        options.json.write_text(json.dumps({"runs": rows, "summary": summary}, indent=1) + "\n", encoding="utf-8")
    return int(summary["after_success"]["mean"] < GOAL)


if __name__ == "__main__":
    raise SystemExit(main())
