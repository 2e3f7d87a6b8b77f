"""vLLM's own OpenAI server, held against our own model: ids, log-probabilities, ends, masks, weights."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
import torch
from training import toy_domain
from training.checked_trainer import CheckedTrainer, _speaking, make_trainer
from training.conftest import Toy

from mua_env.inference.backends.vllm_server import VllmServer
from mua_env.inference.backends.weights import DiskSync
from mua_env.inference.sampling import SampledTurn
from mua_env.training.config.train import LengthConfig
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import DialoguePool

from .conftest import second_end

TOLERANCE = 1e-4


def _sample(
    url: str, toy: Toy, prompts: list[list[int]], budgets: list[int], *, temperature: float = 1.0
) -> list[SampledTurn]:
    backend = VllmServer(url, end_id=toy.chat.end_id)

    async def run() -> list[SampledTurn]:
        backend.begin(temperature=temperature, seeds=range(len(prompts)))
        try:
            return await asyncio.gather(*(backend.sample(row, ids, budgets[row]) for row, ids in enumerate(prompts)))
        finally:
            await backend.aclose()

    return asyncio.run(run())


def _logprobs(model: Any, ids: list[int], start: int, temperature: float = 1.0) -> torch.Tensor:
    """Of the ids from a position on, by one full pass of our own model."""
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].float() / temperature
    picked = torch.log_softmax(logits, -1)[start - 1 : -1]
    return picked.gather(1, torch.tensor(ids[start:])[:, None])[:, 0]


def _prompts(toy: Toy, count: int) -> list[list[int]]:
    rng = random.Random(2)
    known = [trajectory.prompt_ids for trajectory in toy.encode()]
    return [rng.choices(range(8, 300), k=rng.randrange(1, 80)) if n % 2 else known[n] for n in range(count)]


@pytest.mark.parametrize("temperature", [1.0, 0.7, 0.0])
def test_ids_and_log_probabilities_are_our_own_models(server: str, toy: Toy, temperature: float) -> None:
    prompts, model = _prompts(toy, 24), toy.model().eval()
    budgets = [1 + 7 * (n % 6) for n in range(24)]
    turns = _sample(server, toy, prompts, budgets, temperature=temperature)
    again = _sample(server, toy, prompts, budgets, temperature=temperature)
    assert [turn.ids for turn in turns] == [turn.ids for turn in again]
    ends = 0
    for prompt, budget, turn in zip(prompts, budgets, turns, strict=True):
        assert 1 <= len(turn.ids) <= budget
        assert toy.chat.end_id not in turn.ids[:-1]
        ended = turn.ids[-1] == toy.chat.end_id
        assert ended or len(turn.ids) == budget
        ends += ended
        own = _logprobs(model, prompt + turn.ids, len(prompt), temperature or 1.0)
        if temperature:
            assert (own - torch.tensor(turn.logprobs)).abs().max() < TOLERANCE
        else:
            with torch.no_grad():
                best = model(torch.tensor([prompt + turn.ids])).logits[0].argmax(-1)
            assert best[len(prompt) - 1 : -1].tolist() == turn.ids
    assert 0 < ends < len(turns)


def test_only_the_end_of_turn_token_stops_a_turn(server: str, toy: Toy) -> None:
    """generation_config.json lists a second end, which vLLM would stop at by itself."""
    turns = _sample(server, toy, [_prompts(toy, 1)[0]] * 40, [60] * 40)
    inside = [turn for turn in turns if second_end(toy) in turn.ids[:-1]]
    assert inside
    assert {turn.ids[-1] for turn in turns if len(turn.ids) < 60} == {toy.chat.end_id}


def _driver(server: str, toy: Toy, folder: Path) -> RolloutDriver:
    backend = VllmServer(server, end_id=toy.chat.end_id, sync=DiskSync(server, folder))
    return RolloutDriver(toy.chat, lengths=LengthConfig(total=400, turn=40), tools="compact", backend=backend)


def _roll(driver: RolloutDriver, toy: Toy, model: Any, count: int = 24) -> list[TokenTrajectory]:
    pool = DialoguePool(toy.setting, toy_domain.ToyUser(), max_turns=8)
    tasks = [toy.setting.tasks[number % 40] for number in range(count)]
    trajectories = driver.run(model, pool.dialogues(tasks, range(count)), seeds=range(count))
    pool.close()
    return trajectories


def _worst(model: Any, trajectories: list[TokenTrajectory]) -> float:
    worst = 0.0
    for trajectory in trajectories:
        own = _logprobs(model, trajectory.ids, len(trajectory.prompt_ids))
        gap = (own - torch.tensor(trajectory.logprobs)).abs() * torch.tensor(trajectory.mask)
        worst = max(worst, float(gap.max()))
    return worst


def test_whole_dialogues(server: str, toy: Toy, tmp_path: Path) -> None:
    driver, model = _driver(server, toy, tmp_path), toy.model().eval()
    trajectories = _roll(driver, toy, model)
    stats, length = driver.stats, sum(map(len, trajectories))
    driver.close()
    header = toy.chat.tokenizer("<|im_start|>assistant\n", add_special_tokens=False)["input_ids"]
    for trajectory in trajectories:
        trajectory.check()
        assert trajectory.mask == _speaking(trajectory.completion_ids, header, toy.chat.end_id)
        assert trajectory.reward in (0.0, 1.0)
    assert max(t.turns for t in trajectories) > 3
    assert {0.0, 1.0} == {t.reward for t in trajectories}
    assert stats.sampled == sum(sum(t.mask) for t in trajectories)
    assert _worst(model, trajectories) < TOLERANCE
    # The prefix cache holds whole blocks of 32 tokens, so up to a block is read again each turn.
    print(f"read {stats.read} prompt tokens for {length} tokens of dialogue")
    assert stats.read < length + 32 * sum(t.turns for t in trajectories)


def test_grpo_with_weights_carried_to_the_server(server: str, toy: Toy, tmp_path: Path) -> None:
    """Four updates, each of whose rollouts comes from the server with the weights of the moment: at every loss the
    mask and the log-probabilities are the trainer's. Then the server gets its first weights back."""
    CheckedTrainer.checks = CheckedTrainer.learning = 0
    CheckedTrainer.worst = 0.0
    backend = VllmServer(server, end_id=toy.chat.end_id, sync=DiskSync(server, tmp_path / "weights"))
    trainer = make_trainer(tmp_path / "run", toy.folder, steps=4, temperature=1.3, backend=backend)
    driver = trainer.driver
    trainer.train()
    # The last batch's tokens are all the server's.
    assert backend.stats.sampled == sum(sum(t.mask) for t in trainer.held.trajectories) > 0
    assert CheckedTrainer.checks == 16
    assert CheckedTrainer.learning > 0
    assert CheckedTrainer.worst < 1e-3
    trained, first = trainer.accelerator.unwrap_model(trainer.model).eval(), toy.model().eval()
    moved = max(float((a - b).abs().max()) for a, b in zip(trained.parameters(), first.parameters(), strict=True))
    assert moved > 1e-4
    driver.update_weights(first)
    after = _roll(driver, toy, first, count=8)
    driver.close()
    assert _worst(first, after) < TOLERANCE
    assert _worst(trained, after) > 10 * TOLERANCE
    assert len(list((tmp_path / "weights").iterdir())) == 1
