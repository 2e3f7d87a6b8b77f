"""Low-rank adapters: only they change, the model without them is the reference, and runs go on."""

from pathlib import Path
from typing import Any

import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.inference.models import load
from mua_env.inference.sampling import cache_argument
from mua_env.training.config.train import LoraConfig
from mua_env.training.run.run_folder import read_metrics
from mua_env.training.trainers.adapters import add_adapter, merge_adapter, peft_config

from .checked_trainer import CheckedTrainer, make_trainer
from .conftest import Toy
from .killing import contents, run_child
from .small_run import resumable_config

LORA = LoraConfig(rank=4, alpha=8)


def _weights(model: Any, *, adapters: bool) -> dict[str, torch.Tensor]:
    return {n: p.detach().clone() for n, p in model.named_parameters() if ("lora_" in n) == adapters}


def test_grpo_changes_the_adapters_alone_and_measures_from_the_model_without_them(toy: Toy, tmp_path: Path) -> None:
    trainer = make_trainer(tmp_path, toy.folder, steps=3, peft_config=peft_config(LORA), beta=0.1)
    base, adapters = _weights(trainer.model, adapters=False), _weights(trainer.model, adapters=True)
    CheckedTrainer.checks, CheckedTrainer.worst = 0, 0.0
    trainer.train()
    assert trainer.ref_model is None
    assert CheckedTrainer.checks == 3 * 4
    assert CheckedTrainer.worst < 1e-4  # sampled with the adapters in place
    after = _weights(trainer.model, adapters=False)
    assert all(torch.equal(after[name], value) for name, value in base.items())
    changed = _weights(trainer.model, adapters=True)
    assert any(not torch.equal(changed[name], value) for name, value in adapters.items())
    divergences = [row["kl"] for row in trainer.state.log_history if "kl" in row]
    assert divergences[0] == pytest.approx(0, abs=1e-6)
    assert divergences[-1] > 1e-6
    ids = torch.tensor([toy.encode()[0].ids])
    with trainer.model.disable_adapter(), torch.no_grad():
        assert torch.equal(trainer.model(ids).logits, toy.model().eval()(ids).logits)


def test_merging_keeps_what_was_learned(toy: Toy) -> None:
    model = add_adapter(toy.model(), LORA, seed=3)
    assert cache_argument(model) == cache_argument(toy.model())
    again = add_adapter(toy.model(), LORA, seed=3)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            parameter.data.normal_(generator=torch.Generator().manual_seed(1), std=0.1)
    ids = torch.tensor([toy.encode()[0].ids])
    with torch.no_grad():
        wanted, plain = model(ids).logits, toy.model()(ids).logits
        merged = merge_adapter(model)
        assert not torch.allclose(wanted, plain, atol=1e-3)
        assert torch.allclose(merged(ids).logits, wanted, atol=1e-4)
    assert merge_adapter(merged) is merged
    with pytest.raises(ConfigError, match="Target modules"):
        add_adapter(toy.model(), LoraConfig(targets=("no_such_layer",)), seed=0)


def test_a_run_with_adapters_goes_on_after_kills(tmp_path: Path) -> None:
    config = resumable_config(0)
    config = config.model_copy(update={"model": config.model.model_copy(update={"lora": LORA})})
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run_child(config, whole) == 0
    kills = [
        "mua_env.training.trainers.cold_start:_gradient:5:before",
        "mua_env.training.rollout.held_dialogues:LedgerBatch.write:11:after",
    ]
    for number, place in enumerate(kills):
        assert run_child(config, broken, resume=number > 0, place=place) == -9
    assert run_child(config, broken, resume=True) == 0
    assert contents(broken) == contents(whole)
    assert sum(row["phase"] == "grpo" for row in read_metrics(broken)) == 3
    assert (broken / "checkpoints" / "grpo-adapter" / "adapter_model.safetensors").exists()
    merged, _ = load(str(broken / "checkpoints" / "grpo"))
    assert not any("lora" in name for name, _ in merged.named_parameters())
