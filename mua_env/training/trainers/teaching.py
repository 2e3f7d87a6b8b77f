"""Who teaches a cold start: our own loop, or TRL's trainer where the settings say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.config.phases import ColdStartConfig
from mua_env.training.data.sft_data import SftData
from mua_env.training.trainers.cold_start import train_cold_start

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from mua_env.training.run.checkpoints import Checkpoints, ColdStartCheckpoints


def teach(
    model: PreTrainedModel,
    data: SftData,
    chat: ChatTokens,
    settings: ColdStartConfig,
    *,
    seed: int,
    checkpoints: Checkpoints,
    saver: ColdStartCheckpoints,
    report: Callable[[dict[str, float]], None],
) -> None:
    """Train the model, in place.

    Args:
        model: the model.
        data: what it learns from.
        chat: its tokens.
        settings: of the cold start; with ``trl`` TRL's trainer teaches, which saves nothing between updates.
        seed: of the order of batches.
        checkpoints: of the run.
        saver: saves the state between updates of our own loop.
        report: called after each update with its figures.
    """
    if settings.trl is None:
        train_cold_start(
            model,
            data.dialogues,
            settings,
            pad_id=chat.pad_id,
            seed=seed,
            drills=data.drills,
            windows=data.windows,
            report=report,
            saver=saver,
        )
        return
    from mua_env.training.trainers.sft import train_with_trl

    processes = checkpoints.processes
    train_with_trl(
        model,
        chat.tokenizer,
        data.dialogues,
        settings,
        seed=seed,
        processes=processes.count,
        cpu=processes.cpu,
        report=report,
    )
