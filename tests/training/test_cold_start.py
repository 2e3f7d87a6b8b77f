from typing import Any

import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.inference.chat_template import SystemPrompt
from mua_env.training.config.train import ColdStartConfig, ScratchConfig, load_config
from mua_env.training.data.demonstrations import copy_drills, encode_dialogue
from mua_env.training.tiny_model.from_nothing import build_model
from mua_env.training.trainers import cold_start
from mua_env.training.trainers.cold_start import agent_token_loss, pad_batch, train_cold_start

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
    assert torch.allclose(together, torch.as_tensor(apart), rtol=1e-5)


def test_short_examples_take_their_share_of_the_updates(toy: Toy) -> None:
    """A batch of drills has about as many tokens as one of dialogues, and epochs count whole dialogues."""
    whole = toy.encode()
    short = [encode_dialogue(toy.chat, SystemPrompt("", None), d) for m in toy.dialogues for d in copy_drills(m)]
    model = build_model(toy.chat.tokenizer, ScratchConfig(hidden=32, layers=1, vocabulary=400), seed=1)
    config = ColdStartConfig(batch=8, micro_batch=8, epochs=1, learning_rate=1e-3, drill=0.5)
    sizes: list[int] = []
    original = cold_start._gradient

    def counting(*arguments: Any) -> Any:
        sizes.append(len(arguments[2]))
        return original(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cold_start, "_gradient", counting)
        train_cold_start(model, whole, config, pad_id=0, seed=2, drills=short)
    assert len(sizes) == 2 * len(whole) // 8
    of_drills = round(8 * (sum(map(len, whole)) / len(whole)) / (sum(map(len, short)) / len(short)))
    assert {8, of_drills} <= set(sizes)
    assert max(sizes) == of_drills
    assert 0.3 < sizes.count(8) / len(sizes) < 0.7
    with pytest.raises(ConfigError, match="their sum must be below 1"):
        load_config({"cold_start": {"drill": 0.6, "window": 0.4}})
