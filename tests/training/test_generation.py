import numpy as np
import pytest
import torch

from mua_env.errors import ConfigError, RunStopped
from mua_env.inference.sampling import RowNoise, SeededSampler, inverse_sample


def test_tokens_are_drawn_with_their_probabilities() -> None:
    logprobs = torch.log(torch.tensor([0.5, 0.0, 0.2, 0.3])).expand(4000, 4)
    rng = np.random.default_rng(1)
    drawn = torch.bincount(inverse_sample(logprobs, rng.random(4000).tolist()), minlength=4) / 4000
    assert drawn.tolist() == pytest.approx([0.5, 0.0, 0.2, 0.3], abs=0.03)
    assert inverse_sample(logprobs[:3], [0.0, 0.51, 1 - 1e-16]).tolist() == [0, 2, 3]
    with pytest.raises(RunStopped, match="weights are broken"):
        inverse_sample(logprobs[:1] * float("nan"), [0.5])


def test_a_row_is_given_what_its_seed_says_until_it_is_dropped() -> None:
    logits = torch.zeros(1, 10)
    sampler, noise = SeededSampler(1.0, seeds=[7, 8]), RowNoise(8)
    expected = [int(10 * noise.next()) for _ in range(6)]
    given = [int(sampler.pick(logits, [1])[0]) for _ in range(3)]
    sampler.pick(logits.expand(3, 10), [None, 0, None])
    given += [int(sampler.pick(logits.expand(2, 10), [0, 1])[0][1]) for _ in range(3)]
    assert given == expected
    sampler.drop(1)
    assert int(sampler.pick(logits, [1])[0]) == expected[0]


def test_the_temperature_shapes_the_probabilities() -> None:
    logits = torch.tensor([[0.0, 1.0, 3.0]])
    token, logprob = SeededSampler(0.5, seeds=[1]).pick(logits, [0])
    assert float(logprob) == pytest.approx(float(torch.log_softmax(2 * logits, -1)[0, int(token)]))
    token, logprob = SeededSampler(0.0, seeds=[]).pick(logits, [0])
    assert int(token) == 2
    assert float(logprob) == pytest.approx(float(torch.log_softmax(logits, -1)[0, 2]))
    with pytest.raises(ConfigError, match="temperature must be 0 or more, got -1"):
        SeededSampler(-1, seeds=[])
