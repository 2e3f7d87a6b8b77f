"""The folder of an evaluation, which may grow: more tasks, more trials, more sources, more users.

config.json         what was run, with the hash of each source's data, policy document and tools
tasks.json          the hash of each task, by source
trajectories.jsonl  every dialogue, appended as it ends, as a rollout's
spending.jsonl      what models have used, reply by reply
results.json        the figures (`mua_env.evaluation.results`)
results.md          the same as tables
report.html         the tables, and dialogues to read
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mua_env.core.trajectory import Trajectory
from mua_env.errors import ConfigError
from mua_env.evaluation.outcomes import Outcomes
from mua_env.evaluation.rollout_folder import RolloutFolder, plain, wider

GROWS = ("tasks", "users", "trials", "count")
"""What may be raised on a folder."""
MAY_DIFFER = ("mua_env", "counting", "preset")
"""What has no bearing on a dialogue: noted as it was last."""

TaskHashes = Mapping[str, Mapping[str, str]]
"""By source and task id, the hash of the task's content."""


class EvalFolder(RolloutFolder):
    """Writes an evaluation's files, and goes on where one was killed.

    Args:
        path: made when it is missing.
        config: what is run; an existing folder must hold the same, but for `GROWS` and `MAY_DIFFER`.
        tasks: hashes of the tasks that are run; those that the folder has already must be the same.

    Attributes:
        outcomes: of all dialogues in the folder.
        config: of all that was run in it.

    Raises:
        ConfigError: the folder belongs to another evaluation, or was made with other data; another process writes to
            it; or it cannot be made.
    """

    def __init__(self, path: str | Path, config: dict[str, Any], tasks: TaskHashes) -> None:
        self.outcomes = Outcomes()
        self.config: dict[str, Any] = plain(config)
        self._tasks = tasks
        super().__init__(path, config)

    def _note(self, trajectory: Trajectory) -> None:
        self.outcomes.add(trajectory)

    def _check_same_run(self, config: dict[str, Any], *, begun: bool, with_extent: Callable[..., Any] | None) -> None:
        hashes: dict[str, dict[str, str]] = {source: dict(known) for source, known in self._tasks.items()}
        if begun:
            known = self._read_json("config.json")
            self.config = self._grown(known, self.config)
            hashes = self._checked_tasks(self._read_json("tasks.json"), hashes)
        self.write_json("config.json", self.config)
        self.write_json("tasks.json", hashes)

    def _grown(self, known: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
        for name in sorted(known.keys() | now.keys()):
            if name not in (*GROWS, *MAY_DIFFER) and known.get(name) != now.get(name):
                raise self._another(name, known.get(name), now.get(name))
        grown = {**now}
        for name in ("tasks", "users"):
            before: dict[str, Any] = dict(known.get(name, {}))
            for key, value in now[name].items():
                if key in before and before[key] != value:
                    parts = sorted(part for part in value if before[key].get(part) != value[part])
                    part = parts[0] if parts else key
                    raise self._another(f"{part} of {key}", before[key].get(part), value.get(part))
            grown[name] = {**before, **now[name]}
        grown["trials"] = max(int(known.get("trials", 1)), int(now["trials"]))
        grown["count"] = wider(known.get("count"), now["count"])
        return grown

    def _checked_tasks(self, known: dict[str, Any], now: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        for source, hashes in now.items():
            before = known.get(source, {})
            changed = sorted(task for task, value in hashes.items() if before.get(task, value) != value)
            if changed:
                raise ConfigError(
                    f"{self.path} was made with other data: {len(changed)} tasks of {source} have changed, as "
                    f"{changed[0]!r}; choose another folder"
                )
            known[source] = {**before, **hashes}
        return known

    def _read_json(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"cannot tell what evaluation {self.path} holds: {name}: {error}") from None
        if not isinstance(value, dict) or (name == "config.json" and "tasks" not in value):
            raise ConfigError(f"{self.path} holds something else than an evaluation; choose another folder")
        return value

    def _another(self, name: str, before: Any, now: Any) -> ConfigError:
        return ConfigError(
            f"{self.path} holds another evaluation: {name} was {before!r}, now {now!r}; choose another folder"
        )
