import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.training.cold_start import agent_token_loss, pad_batch, train_cold_start
from mua_env.training.config import ColdStartConfig, ScratchConfig
from mua_env.training.scratch import build_model

from .conftest import Toy


def _gradient(toy: Toy, change: str | None) -> torch.Tensor:
    """Gradient of the loss with some targets exchanged; the input stays the same."""
    model = toy.model()
    batch = toy.encode()[:4]
    ids, mask = pad_batch(batch, pad_id=0)
    logits = model(input_ids=ids).logits[:, :-1]
    targets, chosen = ids[:, 1:].clone(), mask[:, 1:]
    if change == "masked":
        targets[~chosen] = (targets[~chosen] + 5) % logits.shape[-1]
    if change == "agent":
        targets[chosen] = (targets[chosen] + 5) % logits.shape[-1]
    torch.nn.functional.cross_entropy(logits[chosen], targets[chosen], reduction="sum").backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()])


def test_only_the_agents_tokens_are_learned(toy: Toy) -> None:
    model, batch = toy.model(), toy.encode()[:4]
    agent_token_loss(model, batch, pad_id=0).backward()
    own = torch.cat([p.grad.flatten() for p in model.parameters()])
    assert torch.equal(own, _gradient(toy, None))
    assert torch.equal(own, _gradient(toy, "masked"))
    assert not torch.equal(own, _gradient(toy, "agent"))


def test_the_gradient_at_the_logits_is_zero_exactly_where_the_mask_is(toy: Toy) -> None:
    model, batch = toy.model(), toy.encode()[:4]
    seen: list[torch.Tensor] = []
    hook = model.lm_head.register_forward_hook(lambda _m, _i, out: (out.retain_grad(), seen.append(out))[0])
    agent_token_loss(model, batch, pad_id=0).backward()
    hook.remove()
    _, mask = pad_batch(batch, pad_id=0)
    predicts_agent = torch.zeros_like(mask)
    predicts_agent[:, :-1] = mask[:, 1:]
    moved = seen[0].grad.abs().sum(-1) != 0
    assert torch.equal(moved, predicts_agent)


def test_micro_batches_change_nothing(toy: Toy) -> None:
    models = []
    for micro in (3, 16):
        model = build_model(toy.chat.tokenizer, ScratchConfig(hidden=32, layers=1, vocabulary=400), seed=1)
        config = ColdStartConfig(batch=16, micro_batch=micro, epochs=0.3, learning_rate=1e-3)
        train_cold_start(model, toy.encode(), config, pad_id=0, seed=4)
        models.append(model)
    for first, second in zip(models[0].parameters(), models[1].parameters(), strict=True):
        assert torch.allclose(first, second, atol=2e-5)


def test_it_learns_with_a_cosine_and_reports(toy: Toy) -> None:
    model = build_model(toy.chat.tokenizer, ScratchConfig(hidden=32, layers=1, vocabulary=400), seed=1)
    seen: list[dict[str, float]] = []
    config = ColdStartConfig(batch=24, epochs=4, learning_rate=4e-3, warmup=0.1)
    train_cold_start(model, toy.encode(), config, pad_id=0, seed=4, report=seen.append)
    assert [row["step"] for row in seen] == list(range(1, 21))
    assert seen[-1]["loss"] < 0.7 * seen[0]["loss"]
    assert seen[0]["learning_rate"] == pytest.approx(2e-3)
    assert seen[1]["learning_rate"] == pytest.approx(4e-3)
    assert seen[-1]["learning_rate"] < 1e-4
    with pytest.raises(ConfigError, match="at least one expert dialogue"):
        train_cold_start(model, [], config, pad_id=0, seed=0)


def test_padding_changes_no_loss(toy: Toy) -> None:
    model, batch = toy.model(), [toy.encode()[0], toy.encode()[1]]
    assert len(batch[0]) != len(batch[1])
    together = agent_token_loss(model, batch, pad_id=0)
    apart = sum(agent_token_loss(model, [one], pad_id=0) for one in batch)
    assert float(together) == pytest.approx(float(apart), rel=1e-5)
