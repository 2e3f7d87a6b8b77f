"""What published figures were taken with: task sets by one word, and the settings of a benchmark or of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mua_env.errors import ConfigError, did_you_mean

TASK_SETS: Mapping[str, tuple[str, ...]] = {
    "tau1": ("retail:tau1:test", "airline:tau1:test"),
    "tau2": ("retail:tau2:base", "airline:tau2:base", "telecom:tau2:base"),
    "bfcl": ("bfclmultiturn:base", "bfclmultiturn:miss_func", "bfclmultiturn:miss_param", "bfclmultiturn:long_context"),
    "acebench": ("acebenchagent:multi_turn", "acebenchagent:multi_step"),
}
"""Words that stand for several task sources."""

PRESETS: Mapping[str, Mapping[str, Any]] = {
    # tau-bench: a crashed run is a failure there; its agents stop after 30 steps.
    "tau1": {"tasks": ("tau1",), "trials": 4, "counting": "tau-bench", "max_turns": 30},
    # tau2-bench: infrastructure errors are left out; 200 hops are about 100 turns of the agent.
    "tau2": {"tasks": ("tau2",), "trials": 4, "counting": "scored", "max_turns": 100},
    # The paper, section 4.1: each test set four times, temperature 0, non-thinking. It names no limit of turns for
    # evaluation; 30 is that of its training. It does not say how crashed runs count.
    "paper": {
        "tasks": ("tau1", "tau2"),
        "trials": 4,
        "counting": "scored",
        "max_turns": 30,
        "temperature": 0.0,
        "thinking": False,
    },
}
"""Settings by the name of what they follow; what is asked for beside a preset goes before it."""

PAPER_USER = "gpt-4.1"
"""The user of the paper's evaluations on TAU1, TAU2 and ACEBench (section 4.1)."""


def preset(name: str) -> Mapping[str, Any]:
    """The settings of a preset.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in PRESETS:
        raise ConfigError(f"preset is {name!r}; use one of {', '.join(PRESETS)}.{did_you_mean(name, PRESETS)}")
    return PRESETS[name]


def task_sources(names: Sequence[str]) -> tuple[str, ...]:
    """Task sources with their domains, once each: words of `TASK_SETS` written out, a domain alone as its test split.

    Raises:
        ConfigError: none are named.
    """
    found: dict[str, None] = {}
    for name in names:
        for source in TASK_SETS.get(name, (name,)):
            found[source if ":" in source else f"{source}:test"] = None
    if not found:
        raise ConfigError("tasks: name at least one source, as retail:test or tau1")
    return tuple(found)
