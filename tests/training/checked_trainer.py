"""The GRPO trainer with assertions inside each loss; also a script that `accelerate launch` runs."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import torch

from mua_env.training.chat import ChatTokens
from mua_env.training.config import EnvironmentConfig, GrpoSettings, LengthConfig, TrainConfig
from mua_env.training.grpo import DialogueGRPOTrainer, trl_config
from mua_env.training.pool import DialoguePool, MixedPool
from mua_env.training.rollout import RolloutDriver


class CheckedTrainer(DialogueGRPOTrainer):
    """Asserts, at every loss: the mask against an independent recomputation, the gradient by position, and that
    sampled log-probabilities are the trainer's."""

    checks = 0
    learning = 0
    worst = 0.0

    def _compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
        real, mask = inputs["completion_mask"].bool(), inputs["tool_mask"]
        header = self.driver.chat.tokenizer("<|im_start|>assistant\n", add_special_tokens=False)["input_ids"]
        for row, ids in enumerate(inputs["completion_ids"].tolist()):
            length = int(real[row].sum())
            found = mask[row][:length].tolist()
            assert found in (_speaking(ids[:length], header, self.driver.chat.end_id), [0] * length)
        original, seen = self._get_per_token_logps_and_entropies, {}

        def spy(*args: Any, **kwargs: Any) -> Any:
            logps, entropies, extra = original(*args, **kwargs)
            if logps.requires_grad:
                seen["logps"] = logps
            return logps, entropies, extra

        self._get_per_token_logps_and_entropies = spy
        loss = super()._compute_loss(model, inputs)
        self._get_per_token_logps_and_entropies = original
        (gradient,) = torch.autograd.grad(loss, seen["logps"], retain_graph=True)
        trained = real & mask.bool()
        assert gradient[~trained].abs().sum() == 0
        moving = inputs["advantages"] != 0
        assert (gradient[trained & moving[:, None]] != 0).all()
        CheckedTrainer.learning += int(moving.sum())
        gap = ((seen["logps"].detach() - inputs["sampling_per_token_logps"]) * trained).abs().max()
        CheckedTrainer.worst = max(CheckedTrainer.worst, float(gap))
        CheckedTrainer.checks += 1
        return loss


def _speaking(ids: list[int], header: list[int], end: int) -> list[int]:
    mask, agent = [], True
    for place, token in enumerate(ids):
        mask.append(int(agent))
        agent = token != end if agent else ids[: place + 1][-len(header) :] == header
    return mask


def make_trainer(
    folder: Path,
    model_folder: Path,
    *,
    steps: int = 2,
    fault_every: int = 0,
    trainer: type = CheckedTrainer,
    **more: Any,
) -> Any:
    from accelerate import PartialState
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from training import toy_domain

    config = TrainConfig(
        environment=EnvironmentConfig(max_turns=6, tools="compact"),
        lengths=LengthConfig(total=300, turn=30),
        grpo=GrpoSettings(queries=4, rollouts=4, steps=steps, learning_rate=1e-3, micro_batch=4, **more),
    )
    assert config.grpo is not None
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    processes = PartialState(cpu=True).num_processes
    return trainer(
        model=AutoModelForCausalLM.from_pretrained(model_folder, dtype="float32"),
        args=trl_config(config, folder=str(folder), processes=processes),
        settings=config.grpo,
        pool=MixedPool([DialoguePool(toy_domain.setting(), toy_domain.ToyUser(fault_every=fault_every), max_turns=6)]),
        driver=RolloutDriver(ChatTokens(tokenizer), lengths=config.lengths, tools="compact"),
        seed=11,
    )


def checksum(model: torch.nn.Module) -> str:
    digest = hashlib.sha256()
    for _, parameter in sorted(model.named_parameters()):
        digest.update(parameter.detach().numpy().tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    torch.set_num_threads(1)
    made = make_trainer(Path(sys.argv[1]), Path(sys.argv[2]))
    made.train()
    result = {
        "rank": made.accelerator.process_index,
        "processes": made.accelerator.num_processes,
        "checks": CheckedTrainer.checks,
        "learning": CheckedTrainer.learning,
        "worst": CheckedTrainer.worst,
        "outcomes": len(made.held.outcomes),
        "parameters": checksum(made.accelerator.unwrap_model(made.model)),
    }
    Path(sys.argv[1], f"rank{result['rank']}.json").write_text(json.dumps(result))
