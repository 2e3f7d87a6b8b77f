import dataclasses
import math
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.training.config.train import ColdStartConfig, GrpoSettings, TrainConfig, load_config
from mua_env.training.trainers.cold_start import agent_token_loss, train_cold_start
from mua_env.training.trainers.grpo import trl_config
from mua_env.training.trainers.sft import sft_config, train_with_trl

from .conftest import Toy


def test_every_field_of_trl_can_be_set(tmp_path: Path) -> None:
    given = {
        "top_k": 0,  # its default; another one would change nothing
        "delta": 3.0,
        "gradient_checkpointing": True,
        "learning_rate": 3e-7,
        "log_completions": True,
        "epsilon_high": 0.28,
    }
    args = trl_config(TrainConfig(grpo=GrpoSettings(trl=given)), folder=str(tmp_path))
    assert {name: getattr(args, name) for name in given} == given
    cold = sft_config(ColdStartConfig(trl={"neftune_noise_alpha": 5.0, "max_length": 77}), folder=str(tmp_path), seed=0)
    assert (cold.neftune_noise_alpha, cold.max_length) == (5.0, 77)
    assert (cold.learning_rate, cold.lr_scheduler_type, cold.num_train_epochs) == (5e-6, "cosine", 2)
    assert cold.per_device_train_batch_size * cold.gradient_accumulation_steps == 128


def test_a_name_that_transformers_has_changed_is_taken_without_a_warning(tmp_path: Path) -> None:
    given = {"gradient_checkpointing": True}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grpo = trl_config(TrainConfig(grpo=GrpoSettings(trl=given)), folder=str(tmp_path))
        cold = sft_config(ColdStartConfig(trl=given), folder=str(tmp_path), seed=0)
    assert grpo.gradient_checkpointing
    assert cold.gradient_checkpointing


@pytest.mark.parametrize(
    ("name", "value", "instead"),
    [
        ("top_p", 0.9, "at grpo.temperature"),
        ("top_k", 7, "at grpo.temperature"),
        ("use_vllm", True, "sampling.backend says what samples"),
        ("vllm_server_base_url", "http://127.0.0.1:8000", "sampling.backend says what samples"),
        ("chat_template_kwargs", {"enable_thinking": False}, "say model.template_options"),
        ("output_dir", "elsewhere", "by --folder"),
    ],
)
def test_a_field_that_would_change_nothing_is_refused(tmp_path: Path, name: str, value: Any, instead: str) -> None:
    with pytest.raises(ConfigError, match=rf"grpo\.trl\.{name} = .* would change nothing: .*{instead}"):
        trl_config(TrainConfig(grpo=GrpoSettings(trl={name: value})), folder=str(tmp_path))


def test_every_field_is_one_that_trl_has() -> None:
    from trl.trainer.grpo_config import GRPOConfig

    from mua_env.training.trainers.grpo_config import _UNUSED

    assert set(_UNUSED) <= {field.name for field in dataclasses.fields(GRPOConfig)}


def test_unknown_names_are_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"grpo\.trl\.epsilon_hi: trl\.GRPOConfig .* Did you mean 'epsilon_high'\?"):
        trl_config(TrainConfig(grpo=GrpoSettings(trl={"epsilon_hi": 0.3})), folder=str(tmp_path))
    with pytest.raises(ConfigError, match=r"cold_start\.trl\.packin: trl\.SFTConfig .* Did you mean 'packing'\?"):
        sft_config(ColdStartConfig(trl={"packin": True}), folder=str(tmp_path), seed=0)
    with pytest.raises(ConfigError, match=r"grpo\.rollout: .* Did you mean 'rollouts'\?"):
        load_config({"grpo": {"rollout": 4}})
    with pytest.raises(ConfigError, match=r"grpo\.curriculum\.flor: .* Did you mean 'floor'\?"):
        load_config({"grpo": {"curriculum": {"flor": 4}}})
    with pytest.raises(ConfigError, match="TRL refuses the configuration"):
        trl_config(TrainConfig(grpo=GrpoSettings(trl={"num_generations": 7})), folder=str(tmp_path))
    with pytest.raises(ConfigError, match="knows no drill"):
        sft_config(ColdStartConfig(drill=0.5, trl={}), folder=str(tmp_path), seed=0)


def test_trl_trains_on_the_same_tokens(toy: Toy) -> None:
    """The first loss is our own token mean, and a few updates lower it as far as our loop's do."""
    dialogues = toy.encode()[:32]
    config = ColdStartConfig(batch=8, micro_batch=4, epochs=2, learning_rate=1e-3, trl={"shuffle_dataset": False})
    lines: list[dict[str, float]] = []
    model: Any = toy.model()
    with torch.no_grad():
        tokens = sum(sum(trajectory.mask) for trajectory in dialogues)
        before = float(agent_token_loss(model, dialogues, pad_id=0)) / tokens
    train_with_trl(model, toy.chat.tokenizer, dialogues, config, seed=0, report=lines.append)
    assert [line["step"] for line in lines] == list(range(1, 9))
    assert lines[0]["loss"] == pytest.approx(before, rel=0.3)
    ours: Any = toy.model()
    train_cold_start(ours, dialogues, config, pad_id=0, seed=0)
    with torch.no_grad():
        after, own = (float(agent_token_loss(each, dialogues, pad_id=0)) / tokens for each in (model, ours))
    assert after < 0.9 * before
    assert after == pytest.approx(own, rel=0.25)


def test_lengths_and_packing_reach_trls_data(toy: Toy) -> None:
    """Dialogues are cut at TRL's ``max_length``, and packed into fewer rows; by default they are left whole."""
    dialogues = toy.encode()[:16]
    total = sum(map(len, dialogues))

    def updates(**given: Any) -> list[dict[str, float]]:
        lines: list[dict[str, float]] = []
        config = ColdStartConfig(batch=4, micro_batch=4, epochs=1, trl=given)
        train_with_trl(toy.model(), toy.chat.tokenizer, dialogues, config, seed=0, report=lines.append)
        return lines

    whole, cut = updates(), updates(max_length=90)
    assert len(whole) == len(cut) == 4
    assert sum(line["tokens"] for line in whole) == total
    assert sum(line["tokens"] for line in cut) == sum(min(len(dialogue), 90) for dialogue in dialogues) < total
    packed = updates(max_length=400, packing=True, packing_strategy="wrapped")
    assert len(packed) == math.ceil(math.ceil(total / 400) / 4) < 4
    with pytest.raises(ConfigError, match=r"TRL refuses the configuration \(cold_start\.trl\): .*max_length"):
        updates(packing=True)
