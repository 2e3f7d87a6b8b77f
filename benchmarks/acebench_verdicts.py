"""Our scores on ACEBench's agent tasks beside upstream's own: python benchmarks/acebench_verdicts.py --root CHECKOUT

On the milestones' calls and five kinds of perturbation of every task. Upstream's executor and evaluator are imported
from the checkout, evaluate strings, and write files: the script runs them in a folder of its own, no environment does.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import sys
import tempfile
import types
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mua_env import Task, load_setting
from mua_env.core.scores import Record
from mua_env.core.tasks import Action
from mua_env.envs.acebench.checkout import KINDS, rows
from mua_env.envs.acebench.scoring import texts

Calls = list[Action]


def drop(calls: Calls, rng: random.Random) -> None:
    del calls[rng.randrange(len(calls))]


def repeat(calls: Calls, rng: random.Random) -> None:
    calls.insert(rng.randrange(len(calls) + 1), rng.choice(calls))


def swap(calls: Calls, rng: random.Random) -> None:
    place = rng.randrange(max(1, len(calls) - 1))
    calls[place : place + 2] = reversed(calls[place : place + 2])


def change(calls: Calls, rng: random.Random) -> None:
    place = rng.choice([i for i, call in enumerate(calls) if call.arguments] or [0])
    arguments = copy.deepcopy(calls[place].arguments)
    for name in list(arguments)[-1:]:
        value = arguments[name]
        arguments[name] = value + 1 if isinstance(value, int) else f"{value} too"
    calls[place] = Action(name=calls[place].name, arguments=arguments)


def add(calls: Calls, rng: random.Random) -> None:
    calls.append(Action(name="no_such_tool", arguments={"a": 1}) if rng.random() < 0.5 else Action(name="turn_on_wifi"))


PERTURBATIONS: dict[str, Callable[[Calls, random.Random], None]] = {
    "drop a call": drop,
    "repeat a call": repeat,
    "swap two calls": swap,
    "change an argument": change,
    "add a call": add,
}


class Upstream:
    """The checkout's own executor and evaluator."""

    def __init__(self, root: Path) -> None:
        sys.path.insert(0, str(root))
        for name in ("openpyxl", "openpyxl.styles", "pandas", "wcwidth"):  # tables and terminal widths, unused here
            stub = types.ModuleType(name)
            stub.__dict__.update(Workbook=None, Alignment=None, wcswidth=len)
            sys.modules.setdefault(name, stub)
        import eval_main  # type: ignore[import-not-found]
        from model_inference.apimodel_inference import SAVED_CLASS  # type: ignore[import-not-found]
        from model_inference.multi_step.execution_role_step import EXECUTION_STEP  # type: ignore[import-not-found]
        from model_inference.multi_turn.execution_role import EXECUTION  # type: ignore[import-not-found]

        self._eval, self._saved = eval_main, SAVED_CLASS
        self._executors = {"multi_turn": EXECUTION, "multi_step": EXECUTION_STEP}
        eval_main.language = "en"
        eval_main.OUTPUT_PATH = "."
        eval_main.save_score_as_json = lambda *rest: None
        self._runs = 0

    def score(self, kind: str, row: dict[str, Any], calls: Calls) -> tuple[bool, float]:
        """End-to-end verdict and process score."""
        self._runs += 1
        name = f"run{self._runs}"
        executor = self._executors[kind](name, row["initial_config"], row["involved_classes"], str(self._runs), "en")
        seen: list[dict[str, Any]] = []
        said = texts([calls])
        for text in said:
            _, objects = executor.respond([{"message": text}])
            if isinstance(objects, dict) and objects not in seen:
                seen.append(objects)
        result = [
            {owner: {key: value for key, value in vars(item).items() if key in self._saved[owner]}}
            for objects in seen
            for owner, item in objects.items()
        ]
        model = [{"result": json.loads(json.dumps(result)), "process": said}]
        os.makedirs(f"score_all/score_en/{name}", exist_ok=True)
        end, process = self._eval.agent_eval(model, [row], [row], f"agent_{kind}", name)
        return bool(end), float(process)


def ours(task: Task, setting: Any, calls: Calls) -> tuple[bool, float]:
    world = setting.make_world()
    world.load(task)
    for call in calls:
        world.call(call.name, call.arguments)
    score = setting.scorer.score(task, world, Record(turns=(tuple(calls),)))
    return bool(score.reward), round(float(score.tcr), 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=os.environ.get("ACEBENCH_ROOT"), help="a checkout of ACEBench")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="without a checkout: say so, and end")
    options = parser.parse_args()
    if options.root is None:
        print("no checkout of ACEBench: name one by --root or ACEBENCH_ROOT")
        return 0 if options.smoke else 2
    root = Path(options.root).resolve()
    settings = {kind: load_setting("acebenchagent", kind, path=root, mode="compat") for kind in KINDS}
    os.chdir(tempfile.mkdtemp())
    upstream, pairs, apart, gold = Upstream(root), 0, [], Counter[str]()
    for kind, setting in settings.items():
        rng = random.Random(f"{options.seed}/{kind}")
        raw = {row["id"]: row for row in rows(root, kind)}
        for task in setting.tasks:
            for name in ("gold", *PERTURBATIONS):
                calls = list(task.actions)
                if name != "gold":
                    PERTURBATIONS[name](calls, rng)
                mine, theirs = ours(task, setting, calls), upstream.score(kind, raw[task.id], calls)
                pairs += 1
                gold[kind] += name == "gold" and mine[0]
                if mine != theirs:
                    apart.append(f"{task.id}, {name}: ours {mine}, theirs {theirs}")
        print(f"{kind}: the milestones' calls lead to the answer in {gold[kind]} of {len(setting.tasks)} tasks")
    print(f"{pairs - len(apart)} of {pairs} pairs of scores agree ({settings['multi_turn'].tasks.source_revision})")
    print(*apart, sep="\n")
    return 1 if apart else 0


if __name__ == "__main__":
    raise SystemExit(main())
