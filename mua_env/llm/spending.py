"""What was used in a folder, one line for each reply, so that a budget holds over all commands on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mua_env.core.json_lines import LineWriter
from mua_env.llm.ledger import Usage

_FIELDS = ("calls", "prompt_tokens", "completion_tokens", "cost_usd")


class Spending:
    """A file of what was used; it outlives a killed process.

    Args:
        path: the file, made when something is used. A last line that was left half written is cut off.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lines: LineWriter | None = None

    def total(self) -> Usage | None:
        """The sum so far; None where there is no file."""
        if not self.path.exists():
            return None
        with self.path.open(encoding="utf-8", errors="replace") as file:
            return sum((_read(line) for line in file), Usage())

    def add(self, usage: Usage) -> None:
        """Write down one reply."""
        self._lines = self._lines or LineWriter(self.path, sync=False)
        self._lines.write(json.dumps(usage.as_dict()), what="what a reply has used")

    def close(self) -> None:
        """Close the file. May be called again; `add` opens it anew."""
        if self._lines is not None:
            self._lines.close()
            self._lines = None


def usage_from(values: Mapping[str, Any]) -> Usage:
    """The usage in a mapping as trajectories hold it; what is not of that kind is left out."""
    numbers = (values.get(name) for name in _FIELDS)
    # Agents of the caller's keep accounts of their own kind.
    calls, prompt, completion, cost = (float(n) if isinstance(n, int | float) else 0.0 for n in numbers)
    return Usage(int(calls), int(prompt), int(completion), cost)


def _read(line: str) -> Usage:
    try:
        values = json.loads(line)
        return usage_from(values) if isinstance(values, dict) else Usage()
    except (ValueError, TypeError):
        return Usage()  # a line that something else broke costs less than the whole account
