"""What a cold start learns from: the expert's dialogues as the configuration wants them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mua_env.core.screen import counted
from mua_env.core.seeds import derive_seed
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.config.train import ColdStartConfig, TrainConfig
from mua_env.training.data.augmentation import Augmentation
from mua_env.training.data.demonstrations import Demonstrations, copy_drills, turn_windows
from mua_env.training.data.expert_dialogues import ExpertLog
from mua_env.training.data.token_trajectory import TokenTrajectory

if TYPE_CHECKING:
    from mua_env.training.rollout.pool import MixedPool


def ask_expert(config: TrainConfig, pool: MixedPool, *, seed: int, log: ExpertLog) -> Demonstrations:
    """The expert's dialogues of a run, which has a cold start."""
    assert config.cold_start is not None
    return Demonstrations.collect(
        pool,
        count=config.cold_start.trajectories,
        style=config.cold_start.expert_style,
        tools=config.environment.tools,
        seed=seed,
        slips=config.cold_start.expert_slips,
        keep=config.cold_start.keep,
        log=log,
    )


@dataclass(frozen=True)
class SftData:
    """The examples of a cold start.

    Attributes:
        dialogues: whole ones, with their renumbered and shuffled copies.
        drills: see `mua_env.training.data.demonstrations.copy_drills`; empty if the configuration wants none.
        windows: see `mua_env.training.data.demonstrations.turn_windows`; likewise.
    """

    dialogues: list[TokenTrajectory]
    drills: list[TokenTrajectory]
    windows: list[TokenTrajectory]

    @classmethod
    def prepare(
        cls, demonstrations: Demonstrations, chat: ChatTokens, settings: ColdStartConfig, *, seed: int
    ) -> SftData:
        """Encode demonstrations, and make of them what the settings want."""
        dialogues = demonstrations.encode(chat, renumbered=settings.renumbered, seed=seed)
        if settings.shuffled:
            augmentation, rng = Augmentation(chat.tokenizer, dialogues), random.Random(derive_seed(seed, "shuffled"))
            dialogues += [augmentation.copy(dialogue, rng) for dialogue in dialogues for _ in range(settings.shuffled)]
        drills, windows = (
            demonstrations.encode_short(chat, cut, copies=1 + settings.renumbered, seed=seed) if share else []
            for cut, share in ((copy_drills, settings.drill), (turn_windows, settings.window))
        )
        return cls(dialogues, drills, windows)

    def describe(self) -> str:
        """One line."""
        mean = sum(map(len, self.dialogues)) / len(self.dialogues)
        return (
            f"{counted(len(self.dialogues), 'dialogue')} of {mean:.0f} tokens on average, "
            f"{counted(len(self.drills), 'copy drill')}, {counted(len(self.windows), 'single turn')}"
        )
