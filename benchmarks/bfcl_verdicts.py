"""Our verdict on BFCL's multi-turn tasks beside that of the package's own checker: python benchmarks/bfcl_verdicts.py

On the gold calls and on seven kinds of perturbation of every task, in all four categories: 6,400 pairs. Needs
``bfcl-eval`` (installed without its dependencies) and mpmath. The package's checker evaluates strings and keeps its
instances in module globals, so it runs in this script alone and never in an environment.

  --tasks N   so many tasks of each category, drawn by --seed (default: all 200)
  --smoke     two tasks of each category
"""

from __future__ import annotations

import argparse
import contextvars
import inspect
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from mua_env import Task, load_setting
from mua_env.core.tasks import Action
from mua_env.envs.bfcl.release import CATEGORIES, CLASSES, SOURCES, entries
from mua_env.envs.bfcl.scoring import verdict_of
from mua_env.envs.bfcl.stage import BFCLStage

Turns = list[list[Action]]
Perturbation = Callable[[Turns, random.Random], None]


def drop_call(turns: Turns, rng: random.Random) -> None:
    turn = _with_calls(turns, rng)
    del turn[rng.randrange(len(turn))]


def drop_turn(turns: Turns, rng: random.Random) -> None:
    _with_calls(turns, rng).clear()


def repeat_call(turns: Turns, rng: random.Random) -> None:
    turn = _with_calls(turns, rng)
    turn.insert(rng.randrange(len(turn) + 1), rng.choice(turn))


def reverse_turn(turns: Turns, rng: random.Random) -> None:
    max(turns, key=len).reverse()


def change_argument(turns: Turns, rng: random.Random) -> None:
    turn = _with_calls(turns, rng)
    place = rng.randrange(len(turn))
    arguments = dict(turn[place].arguments)
    if arguments:
        name = rng.choice(sorted(arguments))
        value = arguments[name]
        arguments[name] = value + 1 if isinstance(value, int | float) else f"{value}x"
    turn[place] = Action(name=turn[place].name, arguments=arguments)


def delay_call(turns: Turns, rng: random.Random) -> None:
    source = _with_calls(turns, rng)
    call = source.pop()
    turns[min(turns.index(source) + 1, len(turns) - 1)].insert(0, call)


def add_call(turns: Turns, rng: random.Random) -> None:
    said = [call for turn in turns for call in turn]
    turns[rng.randrange(len(turns))].append(rng.choice([*said, Action(name="no_such_tool", arguments={"a": 1})]))


PERTURBATIONS: dict[str, Perturbation] = {
    "drop a call": drop_call,
    "drop a turn": drop_turn,
    "repeat a call": repeat_call,
    "reverse a turn": reverse_turn,
    "change an argument": change_argument,
    "delay a call": delay_call,
    "add a call": add_call,
}


def _with_calls(turns: Turns, rng: random.Random) -> list[Action]:
    return rng.choice([turn for turn in turns if turn])


def variants(task: Task, rng: random.Random) -> dict[str, Turns]:
    """The gold calls, and each perturbation of them."""
    found = {"gold": [list(turn.actions) for turn in task.script]}
    for name, change in PERTURBATIONS.items():
        turns = [list(turn.actions) for turn in task.script]
        change(turns, rng)
        found[name] = turns
    return found


def official(entry: dict[str, Any], turns: Turns, run: int) -> bool:
    """The verdict of the package's own checker; ``run`` keeps its instances apart.

    Its classes keep a precision of decimal numbers and mutable default arguments for the whole process, so that its
    verdicts on some tasks hang on which tasks came before. Each is asked for as if it were the first.
    """
    from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

    said = [[[_text(call)] for call in turn] for turn in turns]
    category = entry["id"].rsplit("_", 1)[0]
    for name, module in SOURCES.items():
        _forget_defaults(getattr(import_module(f"{CLASSES}.{module}"), name))
    found = contextvars.Context().run(multi_turn_checker, said, entry["ground_truth"], entry, category, f"run{run}")
    return bool(found["valid"])


def _forget_defaults(kind: type) -> None:
    for _, method in inspect.getmembers(kind, inspect.isfunction):
        for value in method.__defaults__ or ():
            if isinstance(value, list | dict | set):  # all of them are empty where they are written
                value.clear()


def _text(call: Action) -> str:
    return f"{call.name}({','.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


def compare(category: str, count: int | None, seed: int) -> tuple[Counter[str], list[str]]:
    """Pairs by what they came to, and those on which the two disagree."""
    rng = random.Random(f"{seed}/{category}")
    tasks = list(load_setting("bfclmultiturn", category).tasks)
    chosen = tasks if count is None else rng.sample(tasks, min(count, len(tasks)))
    raw = {entry["id"]: entry for entry in entries(category)}
    seen: Counter[str] = Counter()
    apart: list[str] = []
    for task in chosen:
        for name, turns in variants(task, rng).items():
            ours = verdict_of(BFCLStage(), task, turns).valid
            theirs = official(raw[task.id], turns, sum(seen.values()))
            seen[f"{name}: {'valid' if theirs else 'invalid'}"] += 1
            if ours is not theirs:
                apart.append(f"{task.id}, {name}: ours {ours}, theirs {theirs}")
    return seen, apart


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args(arguments)
    count = 2 if options.smoke else options.tasks
    pairs = 0
    apart: list[str] = []
    for category in CATEGORIES:
        seen, different = compare(category, count, options.seed)
        pairs += sum(seen.values())
        apart += different
        print(f"{category}: {sum(seen.values())} pairs, {len(different)} disagree")
        for name in ("gold", *PERTURBATIONS):
            print(f"  {name}: {seen[f'{name}: valid']} valid, {seen[f'{name}: invalid']} invalid")
    tasks = load_setting("bfclmultiturn", "base").tasks
    begun = time.process_time()
    for task in tasks:
        verdict_of(BFCLStage(), task, [turn.actions for turn in task.script])
    print(f"{pairs - len(apart)} of {pairs} verdicts agree ({tasks.source_revision})")
    print(f"a verdict takes {(time.process_time() - begun) / len(tasks) * 1000:.2f} ms of CPU time (base)")
    print(*apart, sep="\n")
    return 1 if apart else 0


if __name__ == "__main__":
    raise SystemExit(main())
