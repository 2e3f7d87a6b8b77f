"""Cold start: supervised training on expert dialogues, with the mask that GRPO has too (§3.2, §4.1).

The loss is the mean cross-entropy over the agent's tokens of a batch, over all processes; no other token
takes part. AdamW, cosine decay to zero.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError, RunStopped, missing_extra
from mua_env.training.config.train import ColdStartConfig
from mua_env.training.data.token_trajectory import TokenTrajectory

if TYPE_CHECKING:
    from accelerate import Accelerator  # type: ignore[import-untyped]
    from torch.optim.lr_scheduler import LRScheduler
    from transformers import PreTrainedModel

    from mua_env.training.run.checkpoints import ColdStartCheckpoints

Report = Callable[[dict[str, float]], None]


def agent_token_loss(model: torch.nn.Module, batch: Sequence[TokenTrajectory], *, pad_id: int) -> torch.Tensor:
    """Sum of the cross-entropies of the agent's tokens, a scalar with gradient.

    Args:
        model: a causal language model.
        batch: trajectories of any lengths.
        pad_id: any valid id.
    """
    ids, mask = pad_batch(batch, pad_id=pad_id)
    device = next(model.parameters()).device
    ids, mask = ids.to(device), mask.to(device)
    # Padding stands on the right of a causal model: no real token sees it, and without an attention mask the
    # attention of a small model takes a third less time.
    logits = model(input_ids=ids).logits[:, :-1]
    chosen = mask[:, 1:]
    return functional.cross_entropy(logits[chosen].float(), ids[:, 1:][chosen], reduction="sum")


def pad_batch(batch: Sequence[TokenTrajectory], *, pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and loss mask (bool), each (dialogues, longest), padded on the right."""
    width = max(map(len, batch))
    ids = torch.full((len(batch), width), pad_id, dtype=torch.long)
    mask = torch.zeros(len(batch), width, dtype=torch.bool)
    for row, trajectory in enumerate(batch):
        ids[row, : len(trajectory)] = torch.tensor(trajectory.ids)
        mask[row, len(trajectory.prompt_ids) : len(trajectory)] = torch.tensor(trajectory.mask).bool()
    return ids, mask


def train_cold_start(
    model: PreTrainedModel,
    dialogues: Sequence[TokenTrajectory],
    config: ColdStartConfig,
    *,
    pad_id: int,
    seed: int,
    drills: Sequence[TokenTrajectory] = (),
    windows: Sequence[TokenTrajectory] = (),
    report: Report | None = None,
    saver: ColdStartCheckpoints | None = None,
) -> PreTrainedModel:
    """Train a model on dialogues, in place.

    Args:
        model: the model; it is left in eval mode.
        dialogues: expert dialogues.
        config: batch, epochs, optimiser.
        pad_id: any valid id.
        seed: of the order of batches.
        drills: copy drills, which a share of `config.drill` of the batches is drawn from; such a batch has
            about as many tokens as one of dialogues.
        windows: single turns with little history, for a share of `config.window`.
        report: called after each update with ``step``, ``steps``, ``loss``, ``learning_rate``, ``tokens``
            (the agent's), ``grad_norm``.
        saver: saves the state between updates, and restores it at the beginning.

    Raises:
        ConfigError: there are no dialogues.
        RunStopped: loss or gradient are no numbers; the update was not applied.
    """
    if not dialogues:
        raise ConfigError("a cold start needs at least one expert dialogue")
    accelerator = _accelerator()
    shares = (config.drill if drills else 0.0, config.window if windows else 0.0)
    steps = max(1, math.ceil(len(dialogues) / config.batch * config.epochs / (1 - sum(shares))))
    optimizer = _optimizer(model, config)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _cosine(steps, config.warmup))
    wrapped, optimizer = accelerator.prepare(model, optimizer)
    wrapped.train()
    batches = _batches((dialogues, drills, windows), shares, config.batch, seed)
    done = 0
    if saver is not None:
        accelerator.register_for_checkpointing(schedule)
        done = saver.restore(accelerator)
        if done and schedule.base_lrs != [config.learning_rate]:
            set_rate(schedule, config.learning_rate)
    for _ in range(done):
        next(batches)
    for step in range(done + 1, steps + 1):
        loss, tokens, norm = _gradient(accelerator, wrapped, next(batches), config, pad_id)
        rate = float(schedule.get_last_lr()[0])
        _check_finite(loss, norm, step=step, rate=rate)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        if report is not None:
            figures = {"loss": loss, "learning_rate": rate, "tokens": tokens, "grad_norm": norm}
            report({"step": step, "steps": steps, **figures})
        if saver is not None:
            saver.after_update(accelerator, step)
    model.train(False)
    return model


def _accelerator() -> Accelerator:
    try:
        from accelerate import Accelerator
    except ImportError:
        raise missing_extra("train", needed_by="the cold start") from None
    return Accelerator(cpu=not torch.cuda.is_available())


def _optimizer(model: PreTrainedModel, config: ColdStartConfig) -> torch.optim.Optimizer:
    # With an adapter most of the model stands still, and an optimiser's state for it would only cost memory.
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(learned, lr=config.learning_rate, betas=config.betas, weight_decay=config.weight_decay)


def _check_finite(loss: float, norm: float, *, step: int, rate: float) -> None:
    # Before the optimiser's step: applied, a NaN would be in every weight, and in the next checkpoint.
    if not (math.isfinite(loss) and math.isfinite(norm)):
        raise RunStopped(
            f"the loss is {loss} and the gradient {norm} at update {step} of the cold start; the update was not "
            f"applied. Lower cold_start.learning_rate ({rate:g})"
        )


def _gradient(
    accelerator: Accelerator,
    model: torch.nn.Module,
    batch: Sequence[TokenTrajectory],
    config: ColdStartConfig,
    pad_id: int,
) -> tuple[float, int, float]:
    """The gradient of a batch; returns the mean loss of a token, the tokens that took part, and its norm."""
    world, rank = accelerator.num_processes, accelerator.process_index
    tokens = sum(sum(trajectory.mask) for trajectory in batch)
    mine = batch[rank::world]
    micro = max(config.micro_batch, config.micro_batch * len(batch) // config.batch)
    parts = [mine[start : start + micro] for start in range(0, len(mine), micro)]
    scale = world / tokens
    if not parts:  # a short last batch: this process still takes part in the exchange of gradients
        parts, scale = [batch[:1]], 0.0
    total = torch.zeros((), device=accelerator.device)
    for number, part in enumerate(parts):
        # The gradients of processes are averaged: the number of processes undoes it, so that the update is
        # that of the whole batch's token mean.
        last = number + 1 == len(parts)
        with contextlib.nullcontext() if last else accelerator.no_sync(model):
            with torch.autocast(accelerator.device.type, torch.bfloat16, enabled=config.autocast == "bf16"):
                loss = agent_token_loss(model, part, pad_id=pad_id) * scale
            accelerator.backward(loss)
        total += loss.detach()
    norm = accelerator.clip_grad_norm_(model.parameters(), config.clip)
    mean = accelerator.reduce(total, reduction="mean")
    return float(mean), tokens, float(norm) if norm is not None else 0.0


def _batches(
    pools: tuple[Sequence[TokenTrajectory], ...], shares: tuple[float, float], size: int, seed: int
) -> Iterator[list[TokenTrajectory]]:
    """Batches without end: epochs of dialogues of similar length, with batches of the short pools between them."""
    rng = random.Random(derive_seed(seed, "cold start"))
    tokens = size * _mean_length(pools[0])
    sizes = [max(1, round(tokens / _mean_length(pool))) if pool else size for pool in pools]
    streams = [_epochs(pool, count, rng) for pool, count in zip(pools, sizes, strict=True)]
    while True:
        draw = rng.random()
        kind = 1 if draw < shares[0] else 2 if draw < sum(shares) else 0
        yield next(streams[kind])


def _mean_length(pool: Sequence[TokenTrajectory]) -> float:
    return sum(map(len, pool)) / len(pool)


def _epochs(examples: Sequence[TokenTrajectory], size: int, rng: random.Random) -> Iterator[list[TokenTrajectory]]:
    while True:
        order = list(examples)
        rng.shuffle(order)
        blocks = [order[start : start + 16 * size] for start in range(0, len(order), 16 * size)]
        for block in blocks:
            block.sort(key=len)
            batches = [block[start : start + size] for start in range(0, len(block), size)]
            rng.shuffle(batches)
            yield from batches


def _cosine(steps: int, warmup: float) -> Callable[[int], float]:
    rising = math.ceil(steps * warmup)

    def factor(step: int) -> float:
        if step < rising:
            return (step + 1) / rising
        return 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1, steps - rising)))

    return factor


def set_rate(schedule: LRScheduler, rate: float) -> None:
    """Let a restored schedule go on from another base rate."""
    factors = [
        last / base if base else 1.0 for last, base in zip(schedule.get_last_lr(), schedule.base_lrs, strict=True)
    ]
    schedule.base_lrs = [rate] * len(schedule.base_lrs)
    for group, factor in zip(schedule.optimizer.param_groups, factors, strict=True):
        group["initial_lr"] = rate
        group["lr"] = rate * float(factor)
    schedule._last_lr = [group["lr"] for group in schedule.optimizer.param_groups]
