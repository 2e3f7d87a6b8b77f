"""The open ledger: every dialogue of a run that no checkpoint holds yet, with its tokens.

A dialogue is written here before it is counted anywhere. A run that was killed finds here what it had sampled: it
repeats its updates since the last checkpoint on the same dialogues, and holds only those that had not ended. So no
dialogue is lost or counted twice, and no user is asked twice.

ledger/<batch>/rank<N>.jsonl    one line a dialogue, and a last one when the whole batch has been accepted
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from mua_env.core.json_lines import cut_half_line, whole_lines
from mua_env.core.trajectory import Trajectory
from mua_env.errors import DataError
from mua_env.training.data.token_trajectory import Span, TokenTrajectory


@dataclass(frozen=True)
class Held:
    """A dialogue that has ended.

    Attributes:
        row: its place in the batch, over all processes.
        task: id of its task.
        seed: of its user.
        attempt: 1, or more where it failed, the run was stopped for it, and it was held again.
        tokens: what is trained on.
        trajectory: what is kept for good.
    """

    row: int
    task: str
    seed: int
    attempt: int
    tokens: TokenTrajectory
    trajectory: Trajectory

    def to_json(self) -> str:
        """One line."""
        head = {"row": self.row, "task": self.task, "seed": self.seed, "attempt": self.attempt}
        body = {**head, "tokens": _pack(self.tokens), "trajectory": self.trajectory.model_dump(mode="json")}
        return json.dumps(body, ensure_ascii=False)

    @classmethod
    def of(cls, body: dict[str, Any]) -> Held:
        """The reverse of `to_json`, from the parsed line."""
        tokens, trajectory = _unpack(body["tokens"]), Trajectory.model_validate(body["trajectory"])
        return cls(body["row"], body["task"], body["seed"], body["attempt"], tokens, trajectory)


class LedgerBatch:
    """The dialogues of one batch.

    Args:
        path: folder of the batch.
        rank: of this process, which writes a file of its own and reads all.
    """

    def __init__(self, path: Path, *, rank: int) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._closed = False
        self._latest: dict[int, Held] = {}
        for file in sorted(path.glob("rank*.jsonl")):
            for body in _lines(file):
                self._closed = self._closed or "closed" in body
                if "row" in body:
                    self._take(Held.of(body))
        own = path / f"rank{rank}.jsonl"
        cut_half_line(own)
        self._file: IO[str] = own.open("a", encoding="utf-8", newline="\n")

    def found(self, row: int, *, task: str, seed: int) -> TokenTrajectory | None:
        """The dialogue of a row if it has been held. One that failed is held again, unless its batch was accepted.

        Raises:
            DataError: the row was about something else: the run is not the one that wrote this.
        """
        held = self._latest.get(row)
        if held is None:
            return None
        if (held.task, held.seed) != (task, seed):
            raise DataError(
                f"{self.path} has task {held.task!r} with user {held.seed} in row {row}, but the run now wants task "
                f"{task!r} with user {seed}; go on with the configuration and the version that the run began with"
            )
        return held.tokens if self._closed or held.tokens.reward is not None else None

    def attempts(self, row: int) -> int:
        """How often a row's dialogue has been held."""
        return self._latest[row].attempt if row in self._latest else 0

    def write(self, held: Held) -> None:
        """Keep a dialogue; it is on the disk when this returns."""
        self._take(held)
        self._put(held.to_json())

    def close(self, *, accepted: bool) -> None:
        """Close the file. ``accepted`` says that the batch counts as it is, its failed dialogues too."""
        if accepted and not self._closed:
            self._put(json.dumps({"closed": True}))
            self._closed = True
        self._file.close()

    def _take(self, held: Held) -> None:
        if self.attempts(held.row) <= held.attempt:
            self._latest[held.row] = held

    def _put(self, line: str) -> None:
        self._file.write(line + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


class HeldLedger:
    """All batches that no checkpoint holds.

    Args:
        path: folder of the ledger.
        rank: of this process.
    """

    def __init__(self, path: Path, *, rank: int = 0) -> None:
        self.path, self.rank = path, rank

    def open(self, name: str) -> LedgerBatch:
        """The batch of that name, with what it holds already."""
        return LedgerBatch(self.path / name, rank=self.rank)

    def trajectories(self) -> Iterator[Trajectory]:
        """Every dialogue in it, to bring a file of trajectories up to date that a killed run left behind."""
        for file in sorted(self.path.glob("*/rank*.jsonl")):
            for body in _lines(file):
                if "row" in body:
                    yield Trajectory.model_validate(body["trajectory"])

    def clear(self) -> None:
        """Forget all batches: a checkpoint holds what came of them."""
        for batch in self.path.glob("*"):
            shutil.rmtree(batch)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """Parsed lines; a half-written last one is left out."""
    for number, line in whole_lines(file):
        try:
            body = json.loads(line)
            if not isinstance(body, dict):
                raise ValueError("it is no object")
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"{file}, line {number} is broken ({' '.join(str(error).split())[:200]}): move it out of the file; its "
                "dialogue is held again when the run goes on"
            ) from None
        yield body


def _pack(tokens: TokenTrajectory) -> dict[str, Any]:
    values = asdict(tokens)
    values["spans"] = [[span.start, span.end, span.source] for span in tokens.spans]
    values["logprobs"] = [value for value, sampled in zip(tokens.logprobs, tokens.mask, strict=True) if sampled]
    return values


def _unpack(values: dict[str, Any]) -> TokenTrajectory:
    spans = [Span(*span) for span in values["spans"]]
    sampled = iter(values["logprobs"])
    logprobs = [next(sampled) if flag else 0.0 for flag in values["mask"]]
    return TokenTrajectory(**{**values, "spans": spans, "logprobs": logprobs})
