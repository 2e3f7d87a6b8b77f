"""Holds the dialogues of a run's batches and writes each down as it ends, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mua_env.core.trajectory import Trajectory
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import Dialogue, RolloutDriver
from mua_env.training.rollout.held_dialogues import Held, HeldLedger

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class Unrecorded:
    """Stands where a `Recorder` may stand, and holds dialogues without writing them down."""

    def open(self, phase: str, step: int, name: str = "", stage: str = "") -> Unrecorded:
        """A batch."""
        return self

    def hold(
        self,
        driver: RolloutDriver,
        model: PreTrainedModel,
        dialogues: Sequence[Dialogue],
        *,
        rows: Sequence[int],
        seeds: Sequence[int],
        temperature: float,
    ) -> list[TokenTrajectory]:
        """`RolloutDriver.run`."""
        return driver.run(model, dialogues, seeds=seeds, temperature=temperature)

    def __enter__(self) -> Unrecorded:
        return self

    def __exit__(self, *_: object) -> None:
        return


class Batch:
    """One batch of dialogues, of an update or of an evaluation.

    A context: left without an error, the batch has been accepted, and its failed dialogues count as failed.

    Args:
        recorder: writes them down.
        phase: of the run.
        step: update that the batch is for.
        name: unique among the batches of a phase and step.
        stage: of the training, as the report names it.
    """

    def __init__(self, recorder: Recorder, phase: str, step: int, name: str = "", stage: str = "") -> None:
        self._recorder, self._phase, self._step, self._stage = recorder, phase, step, stage
        self.name = "-".join(filter(None, (phase, str(step), name)))
        self._ledger = recorder.ledger.open(self.name)

    def hold(
        self,
        driver: RolloutDriver,
        model: PreTrainedModel,
        dialogues: Sequence[Dialogue],
        *,
        rows: Sequence[int],
        seeds: Sequence[int],
        temperature: float,
    ) -> list[TokenTrajectory]:
        """`RolloutDriver.run`, without the dialogues that are in the ledger already.

        Args:
            driver: holds the rest.
            model: the agent.
            dialogues: what to hold.
            rows: place of each in the batch, over all processes.
            seeds: of the sampling of each.
            temperature: of the sampling.
        """
        found = [
            self._ledger.found(row, task=dialogue.task.id, seed=dialogue.seed)
            for row, dialogue in zip(rows, dialogues, strict=True)
        ]
        # A resumed run must not ask a user twice: it would draw another dialogue, and pay for it again.
        open_places = [place for place, tokens in enumerate(found) if tokens is None]
        if not open_places:
            return [tokens for tokens in found if tokens is not None]

        def keep(place: int, dialogue: Dialogue, tokens: TokenTrajectory) -> None:
            self._keep(rows[open_places[place]], dialogue, tokens)

        before, driver.on_end = driver.on_end, keep
        try:
            held = driver.run(
                model,
                [dialogues[place] for place in open_places],
                seeds=[seeds[place] for place in open_places],
                temperature=temperature,
            )
        finally:
            driver.on_end = before
        fresh = dict(zip(open_places, held, strict=True))
        return [fresh[place] if tokens is None else tokens for place, tokens in enumerate(found)]

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ledger.close(accepted=kind is None)

    def _keep(self, row: int, dialogue: Dialogue, tokens: TokenTrajectory) -> None:
        attempt = self._ledger.attempts(row) + 1
        again = f".{attempt}" if attempt > 1 else ""
        trajectory = dialogue.session.trajectory(
            id=f"{self.name}-{row}{again}",
            agent=self._recorder.agent,
            meta={
                "phase": self._phase,
                "step": self._step,
                "row": row,
                **({"stage": self._stage} if self._stage else {}),
                "tokens": len(tokens),
                "agent_tokens": sum(tokens.mask),
            },
        )
        # The ledger first: a dialogue that is only in the run's file would be held, and counted, a second time.
        self._ledger.write(Held(row, dialogue.task.id, dialogue.seed, attempt, tokens, trajectory))
        self._recorder.keep(trajectory)


class Recorder:
    """Opens the batches of a run.

    Args:
        keep: appends a dialogue to those of the run.
        ledger: of the run.
        agent: how trajectories name the agent.
    """

    def __init__(self, keep: Callable[[Trajectory], None], ledger: HeldLedger, agent: str) -> None:
        self.keep, self.ledger, self.agent = keep, ledger, agent

    def open(self, phase: str, step: int, name: str = "", stage: str = "") -> Batch:
        """A batch, with what a killed run had held of it."""
        return Batch(self, phase, step, name, stage)
