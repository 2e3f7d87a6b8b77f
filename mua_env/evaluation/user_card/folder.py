"""The folder of a card: what was measured, every result, and the dialogues in which something was found.

- ``config.json``: what was asked for; a folder is only taken up by the same question.
- ``results.jsonl``: one result a line, written as each dialogue ends.
- ``found.jsonl``: the trajectories of dialogues with a violation or a fault (``mua-env view`` reads them).
- ``spending.jsonl``: what the user's model has used, reply by reply, over all commands on the folder.
- ``card.json``, ``card.html``: the card.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mua_env.core.json_lines import LineWriter, set_aside, whole_lines
from mua_env.core.paths import make_folder
from mua_env.core.trajectory import Trajectory, TrajectoryWriter
from mua_env.errors import ConfigError
from mua_env.evaluation.user_card.result import Result
from mua_env.llm.errors import kind_of
from mua_env.llm.spending import Spending


class CardFolder:
    """Keeps the results of a card, so that a run that was broken off can be taken up.

    Args:
        path: the folder; it is made.
        config: what is measured.

    Attributes:
        results: those that it holds, by id; what a budget ended is held again.
        spending: what the user's model has used here.
        notices: broken lines that were set aside when the folder was opened, a line each.

    Raises:
        ConfigError: the folder holds the results of something else.
    """

    def __init__(self, path: Path, config: dict[str, Any]) -> None:
        self.path = path
        make_folder(path)
        self._check(config)
        self._file = path / "results.jsonl"
        self.results = self._read()
        self._lines = LineWriter(self._file, sync=False)
        self._found = TrajectoryWriter(path / "found.jsonl")
        self.spending = Spending(path / "spending.jsonl")

    def add(self, result: Result, trajectory: Trajectory | None) -> None:
        """Keep a result; with its dialogue where something was found."""
        self.results[result.id] = result
        if trajectory is not None and (result.violations or result.fault):
            self._found.write(trajectory)
        self._lines.write(result.model_dump_json(exclude_defaults=True), what=f"the result of dialogue {result.id!r}")

    def close(self) -> None:
        """Close the files. May be called again."""
        self._found.close()
        self.spending.close()
        self._lines.close()

    def _check(self, config: dict[str, Any]) -> None:
        file = self.path / "config.json"
        text = json.dumps(config, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        if not file.exists():
            file.write_text(text, encoding="utf-8")
            return
        before = json.loads(file.read_text(encoding="utf-8"))
        now = json.loads(text)
        different = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
        if different:
            key = different[0]
            raise ConfigError(
                f"{self.path} holds a card with {key} {before.get(key)!r}, not {now.get(key)!r}; take another folder"
            )

    def _read(self) -> dict[str, Result]:
        self.notices = set_aside(self._file, Result.model_validate_json, then="its dialogue is held again")
        if not self._file.exists():
            return {}
        found = [Result.model_validate_json(line) for _, line in whole_lines(self._file) if line]
        # The budget of an earlier command is no failure of the user.
        return {result.id: result for result in found if kind_of(result.fault or "") != "budget"}
