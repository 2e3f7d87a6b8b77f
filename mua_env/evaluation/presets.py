"""What published figures were taken with: task sets by one word, and the settings of a benchmark or of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mua_env.domain.discovery import SHORT_NAMES
from mua_env.errors import ConfigError, did_you_mean

TASK_SETS: Mapping[str, tuple[str, ...]] = {
    "tau1": ("retail:tau1:test", "airline:tau1:test"),
    "tau2": ("retail:tau2:base", "airline:tau2:base", "telecom:tau2:base"),
    "bfcl": ("bfclmultiturn:base", "bfclmultiturn:miss_func", "bfclmultiturn:miss_param", "bfclmultiturn:long_context"),
    "acebench": ("acebenchagent:multi_turn", "acebenchagent:multi_step"),
    "banking": ("banking:tau2:base",),
}
"""Words that stand for the task sources of a benchmark."""

FROM_FILES = ("tau1", "tau2", "acebench", "banking")
"""Those whose files lie where `path` says; the others are packages that are installed."""

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
    """Task sources with their domains, once each: words of `TASK_SETS` written out, and so a domain that is one of
    these benchmarks; another domain alone as its test split.

    Raises:
        ConfigError: none are named.
    """
    found: dict[str, None] = {}
    for name in names:
        domain, colon, source = name.partition(":")
        domain = SHORT_NAMES.get(domain, domain)
        alone = TASK_SETS.get(name) or next((known for known in TASK_SETS.values() if _all_of(known, domain)), ())
        written = (f"{domain}:{source or 'test'}",) if colon or not alone else alone
        found.update(dict.fromkeys(written))
    if not found:
        raise ConfigError("tasks: name at least one source, as retail:test or tau1")
    return tuple(found)


def path_of(path: str | Mapping[str, str] | None, source: str) -> str | None:
    """Where the files of a task source lie, of one path for all benchmarks or of one for each.

    Args:
        path: a folder; or folders by benchmark (`FROM_FILES`) or domain.
        source: with its domain, as `task_sources` gives it.
    """
    names = _path_names(source)
    if not isinstance(path, Mapping):
        return path if any(name in FROM_FILES for name in names) else None
    return next((path[name] for name in names if name in path), None)


def check_paths(path: str | Mapping[str, str] | None, sources: Sequence[str]) -> None:
    """Refuse a name of a path that no task source goes by: it would be passed over.

    Raises:
        ConfigError: there is one.
    """
    known = list(dict.fromkeys(name for source in sources for name in _path_names(source)))
    for name in path if isinstance(path, Mapping) else ():
        if name not in known:
            raise ConfigError(
                f"path: no task source is of {name!r}.{did_you_mean(name, known)} Asked for: {', '.join(sources)}"
            )


def _path_names(source: str) -> list[str]:
    domain, *parts = source.split(":")
    return [domain, *parts[:1], *(word for word, known in TASK_SETS.items() if _all_of(known, domain))]


def _all_of(sources: Sequence[str], domain: str) -> bool:
    return all(source.startswith(f"{domain}:") for source in sources)
