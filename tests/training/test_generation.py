import random

import numpy as np
import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.training.generation import DialogueDecoder, inverse_sample
from mua_env.training.stopping import RunStopped

from .conftest import Toy


def _decoder(toy: Toy, temperature: float = 1.0, seed: int = 0) -> tuple[DialogueDecoder, torch.nn.Module]:
    model = toy.model().eval()
    seeds = {row: 100 * seed + row for row in range(8)}
    decoder = DialogueDecoder(model, end_id=toy.chat.end_id, pad_id=0, temperature=temperature, seeds=seeds)
    return decoder, model


@pytest.mark.parametrize(("temperature", "shared"), [(1.0, 30), (0.7, 0), (0.0, 30)])
def test_cached_sampling_equals_one_full_pass(toy: Toy, temperature: float, shared: int) -> None:
    """Rows wait, end, and are packed; every sampled token's log-probability is that of a fresh full pass."""
    decoder, model = _decoder(toy, temperature)
    rng = random.Random(3)
    words = range(8, 300)
    prefix = rng.choices(words, k=shared)
    sequences = {row: prefix + rng.choices(words, k=rng.randrange(1, 9)) for row in range(6)}
    sampled: list[tuple[int, int, float]] = []
    pending = dict(sequences)
    for turn in range(7):
        feeds = {row: ids for row, ids in pending.items() if turn == 0 or rng.random() < 0.7}
        for row, out in decoder.sample(feeds, {row: rng.randrange(1, 30) for row in feeds}).items():
            start = len(sequences[row])
            sampled += [(row, start + i, value) for i, value in enumerate(out.logprobs)]
            pending[row] = rng.choices(words, k=rng.randrange(1, 25))
            sequences[row] = sequences[row] + out.ids + pending[row]
        if turn == 2:
            decoder.drop([3])
            pending.pop(3)
    scale = temperature or 1.0
    logprobs = {
        row: torch.log_softmax(model(torch.tensor([ids])).logits[0].detach() / scale, -1)
        for row, ids in sequences.items()
    }
    worst = max(abs(value - float(logprobs[row][place - 1, sequences[row][place]])) for row, place, value in sampled)
    assert len(sampled) > 100
    assert worst < 1e-4
    if temperature == 0:
        assert all(int(logprobs[r][p - 1].argmax()) == sequences[r][p] for r, p, _ in sampled)


def test_budgets_ends_and_seeds(toy: Toy) -> None:
    prompts = {row: ids.prompt_ids for row, ids in enumerate(toy.encode()[:4])}
    outs = []
    for _ in range(2):
        decoder, _ = _decoder(toy, seed=5)
        outs.append(decoder.sample(prompts, {0: 1, 1: 2, 2: 40, 3: 40}))
    assert outs[0] == outs[1]
    assert len(outs[0][0].ids) == 1
    assert len(outs[0][1].ids) <= 2
    for turn in outs[0].values():
        assert toy.chat.end_id not in turn.ids[:-1]
    assert outs[0][2].ids[-1] == toy.chat.end_id
    other, _ = _decoder(toy, seed=6)
    assert other.sample(prompts, dict.fromkeys(prompts, 40)) != outs[0]


def test_a_row_samples_the_same_whatever_stands_beside_it(toy: Toy) -> None:
    prompts = {row: ids.prompt_ids for row, ids in enumerate(toy.encode()[:6])}
    together = _decoder(toy, seed=3)[0].sample(prompts, dict.fromkeys(prompts, 25))
    for some in ({4: prompts[4]}, {row: prompts[row] for row in (5, 1, 2)}):
        apart = _decoder(toy, seed=3)[0].sample(some, dict.fromkeys(some, 25))
        assert {row: turn.ids for row, turn in apart.items()} == {row: together[row].ids for row in some}


def test_tokens_are_drawn_with_their_probabilities() -> None:
    logprobs = torch.log(torch.tensor([0.5, 0.0, 0.2, 0.3])).expand(4000, 4)
    rng = np.random.default_rng(1)
    drawn = torch.bincount(inverse_sample(logprobs, rng.random(4000).tolist()), minlength=4) / 4000
    assert drawn.tolist() == pytest.approx([0.5, 0.0, 0.2, 0.3], abs=0.03)
    assert inverse_sample(logprobs[:3], [0.0, 0.51, 1 - 1e-16]).tolist() == [0, 2, 3]
    with pytest.raises(RunStopped, match="weights are broken"):
        inverse_sample(logprobs[:1] * float("nan"), [0.5])


def test_history_is_read_once(toy: Toy) -> None:
    decoder, _ = _decoder(toy)
    trajectories = toy.encode()[:8]
    prompts = {row: t.prompt_ids for row, t in enumerate(trajectories)}
    for _ in range(3):
        turns = decoder.sample(prompts, dict.fromkeys(prompts, 10))
        prompts = {row: [9, 10] for row in turns}
    whole = sum(len(t.prompt_ids) for t in trajectories) + 2 * 2 * 8 + decoder.stats.sampled
    assert decoder.stats.read + decoder.stats.sampled <= 1.1 * whole


def test_wrong_input_is_refused(toy: Toy) -> None:
    decoder, model = _decoder(toy)
    with pytest.raises(ConfigError, match="at least one new token"):
        decoder.sample({0: []}, {0: 1})
    with pytest.raises(ConfigError, match="temperature must be 0 or more, got -1"):
        DialogueDecoder(model, end_id=2, pad_id=0, temperature=-1, seeds={})  # type: ignore[arg-type]
    assert decoder.sample({}, {}) == {}
