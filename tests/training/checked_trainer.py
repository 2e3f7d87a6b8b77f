"""The GRPO trainer with assertions inside each loss; also a module that `accelerate launch -m` runs."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import torch

from mua_env.core.tasks import Task
from mua_env.errors import UserFault
from mua_env.inference.backends.base import RemoteBackend
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.config.train import EnvironmentConfig, GrpoSettings, LengthConfig, LoraConfig, TrainConfig
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import DialoguePool, MixedPool
from mua_env.training.trainers.adapters import peft_config
from mua_env.training.trainers.grpo import DialogueGRPOTrainer, trl_config
from mua_env.users.base import UserReply, UserSession

from . import toy_domain


class CheckedTrainer(DialogueGRPOTrainer):
    """Asserts, at every loss: the mask against an independent recomputation, the gradient by position, and that
    sampled log-probabilities are the trainer's."""

    checks = 0
    learning = 0
    worst = 0.0
    sampled = 0
    """Tokens that the agents of dialogues that count have sampled."""
    trained = 0
    """Tokens that losses were of."""

    def roll_out(self) -> list[TokenTrajectory]:
        trajectories = super().roll_out()
        CheckedTrainer.sampled += sum(sum(t.mask) for t in trajectories if t.reward is not None)
        return trajectories

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
        CheckedTrainer.trained += int(trained.sum())
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
    queries: int = 4,
    rollouts: int = 4,
    user: toy_domain.ToyUser | None = None,
    trainer: type = CheckedTrainer,
    peft_config: Any = None,
    backend: RemoteBackend | None = None,
    autocast: bool = False,
    **more: Any,
) -> Any:
    from accelerate import PartialState
    from transformers import AutoModelForCausalLM, AutoTokenizer

    config = TrainConfig(
        environment=EnvironmentConfig(max_turns=6, tools="compact"),
        lengths=LengthConfig(total=300, turn=30),
        grpo=GrpoSettings(queries=queries, rollouts=rollouts, steps=steps, learning_rate=1e-3, micro_batch=4, **more),
    )
    assert config.grpo is not None
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    processes = PartialState(cpu=True).num_processes
    return trainer(
        model=AutoModelForCausalLM.from_pretrained(model_folder, dtype="float32"),
        args=trl_config(config, folder=str(folder), processes=processes),
        settings=config.grpo,
        pool=MixedPool([DialoguePool(toy_domain.setting(), user or toy_domain.ToyUser(), max_turns=6)]),
        driver=RolloutDriver(
            ChatTokens(tokenizer), lengths=config.lengths, tools="compact", backend=backend, autocast=autocast
        ),
        seed=11,
        peft_config=peft_config,
    )


def checksum(model: torch.nn.Module) -> str:
    digest = hashlib.sha256()
    for _, parameter in sorted(model.named_parameters()):
        digest.update(parameter.detach().numpy().tobytes())
    return digest.hexdigest()


class UnevenUser(toy_domain.ToyUser):
    """Of two or more processes, the second one's dialogues end before the agent speaks, and the third one's users all
    fail at once; the others talk."""

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> UserSession:
        rank = int(os.environ.get("RANK", "0"))
        if rank == 1:
            return _Leaving()
        return _Leaving(failing=True) if rank == 2 else super().start(task, seed=seed)


class LeavingUser(toy_domain.ToyUser):
    """Ends each dialogue before the agent speaks, or fails then."""

    def __init__(self, *, failing: bool) -> None:
        super().__init__()
        self._failing = failing

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> UserSession:
        return _Leaving(failing=self._failing)


class _Leaving(UserSession):
    def __init__(self, *, failing: bool = False) -> None:
        self._failing = failing

    def reply(self, agent_text: str | None) -> UserReply:
        if self._failing:
            raise UserFault("nobody answers")
        return UserReply(text="", stop=True)

    def fork(self) -> UserSession:
        return self


class Watching(CheckedTrainer):
    """Keeps what each batch held."""

    batches: ClassVar[list[list[Any]]] = []

    def roll_out(self) -> list[TokenTrajectory]:
        trajectories = super().roll_out()
        start = self.accelerator.process_index * len(trajectories)
        rows = [[start + n, t.ids, t.mask, t.reward] for n, t in enumerate(trajectories)]
        Watching.batches.append(rows)
        return trajectories

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        output = super()._generate_and_score_completions(inputs)
        for row, value in zip(Watching.batches[-1], output["advantages"].tolist(), strict=True):
            row.append(value)
        return output


def train_rank(folder: Path, model_folder: Path, uneven: bool, lora: bool = False) -> None:
    """Three queries of four rollouts: on two and four processes, groups span them."""
    user = UnevenUser() if uneven else None
    adapters = peft_config(LoraConfig(rank=4, alpha=8)) if lora else None
    made = make_trainer(folder, model_folder, queries=3, user=user, trainer=Watching, peft_config=adapters)
    made.train()
    model = made.accelerator.unwrap_model(made.model)
    result = {
        "rank": made.accelerator.process_index,
        "processes": made.accelerator.num_processes,
        "checks": CheckedTrainer.checks,
        "learning": CheckedTrainer.learning,
        "worst": CheckedTrainer.worst,
        "sampled": CheckedTrainer.sampled,
        "trained": CheckedTrainer.trained,
        "outcomes": len(made.held.outcomes),
        "batches": Watching.batches,
        "parameters": checksum(model),
        "weights": [float(parameter.detach().double().sum()) for parameter in model.parameters()],
    }
    Path(folder, f"rank{result['rank']}.json").write_text(json.dumps(result))


if __name__ == "__main__":
    torch.set_num_threads(1)
    train_rank(Path(sys.argv[1]), Path(sys.argv[2]), uneven="--uneven" in sys.argv)
