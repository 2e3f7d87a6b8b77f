"""What was used in a folder, one line for each reply, so that a budget holds over all commands on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO

from mua_env.core.trajectory import cut_half_line
from mua_env.llm.ledger import Usage

_FIELDS = ("calls", "prompt_tokens", "completion_tokens", "cost_usd")


class Spending:
    """A file of what was used; it outlives a killed process.

    Args:
        path: the file, made when something is used. A last line that was left half written is cut off.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        cut_half_line(self.path)
        self._file: IO[str] | None = None

    def total(self) -> Usage | None:
        """The sum so far; None where there is no file."""
        if not self.path.exists():
            return None
        with self.path.open(encoding="utf-8") as file:
            return sum((_read(line) for line in file), Usage())

    def add(self, usage: Usage) -> None:
        """Write down one reply."""
        if self._file is None:
            self._file = self.path.open("a", encoding="utf-8", newline="\n")
        self._file.write(json.dumps(usage.as_dict()) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file. May be called again; `add` opens it anew."""
        if self._file is not None:
            self._file.close()
            self._file = None


def usage_from(values: dict[str, float]) -> Usage:
    """The usage in a mapping as trajectories hold it; what is not of that kind is left out."""
    calls, prompt, completion, cost = (float(values.get(name) or 0) for name in _FIELDS)
    return Usage(int(calls), int(prompt), int(completion), cost)


def _read(line: str) -> Usage:
    try:
        values = json.loads(line)
        return usage_from(values) if isinstance(values, dict) else Usage()
    except (ValueError, TypeError):
        return Usage()  # a line that something else broke costs less than the whole account
