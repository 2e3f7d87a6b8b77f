"""How far gradients of GRPO from different dialogues agree, before the first update: whether a cold start leaves what a
reward can teach in the dialogues that a run has.

    python benchmarks/gradient_agreement.py RUN [RUN ...] --batches 4

Each RUN is the folder of a training run with a cold start. Its model holds batches of 8 queries by 8 rollouts in the
run's setting; the gradients of the odd batches are added up, those of the even ones too, and the two sums are compared.
Their cosine is near 1 where the dialogues say the same, and near 0 where each says something else: then an update is
noise.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch
from measure import show

from mua_env.core.seeds import derive_seed
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.models import load
from mua_env.training.config.train import TrainConfig, load_config
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.advantages import batch_advantages
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import make_mixed_pool

QUERIES = ROLLOUTS = 8
COLUMNS = ("dialogues", "success %", "all equal %", "100 x cosine")


class Agreement:
    """Gradients of a run's cold start, in two halves.

    Args:
        run: folder of the run.
        seed: of tasks' users and of sampling.
    """

    def __init__(self, run: Path, *, seed: int) -> None:
        self.config: TrainConfig = load_config(json.loads((run / "config.json").read_text(encoding="utf-8")))
        self.model, tokenizer = load(str(run / "checkpoints" / "cold-start"), dtype="float32")
        self.chat = ChatTokens(tokenizer, self.config.model.template_options)
        environment = self.config.environment
        self.driver = RolloutDriver(self.chat, lengths=self.config.lengths, tools=environment.tools)
        self.pool = make_mixed_pool(environment)
        self.seed = seed
        self.halves = [torch.zeros(self.model.num_parameters()) for _ in range(2)]
        self.rewards: list[float | None] = []
        self.equal: list[bool] = []

    def measure(self, batches: int) -> dict[str, float]:
        """Hold the batches; returns what the table shows."""
        for number in range(batches):
            self._batch(number)
        counted = [reward for reward in self.rewards if reward is not None]
        figures = (
            len(self.rewards),
            100 * sum(counted) / len(counted),
            100 * sum(self.equal) / len(self.equal),
            100 * float(torch.nn.functional.cosine_similarity(self.halves[0], self.halves[1], dim=0)),
        )
        return dict(zip(COLUMNS, figures, strict=True))

    def close(self) -> None:
        """Release sessions and the event loop."""
        self.driver.close()
        self.pool.close()

    def _batch(self, number: int) -> None:
        tasks = [number * QUERIES + row // ROLLOUTS for row in range(QUERIES * ROLLOUTS)]
        places = [self.pool.mix[task % len(self.pool)] for task in tasks]
        dialogues = self.pool.at(places, [derive_seed(self.seed, "user", task) for task in tasks])
        seeds = [derive_seed(self.seed, "sampling", number, row) for row in range(len(tasks))]
        held = self.driver.run(self.model, dialogues, seeds=seeds, temperature=1.0)
        groups = batch_advantages([t.reward for t in held], ROLLOUTS)
        self.rewards += [t.reward for t in held]
        self.equal += [group.all_equal for group in groups]
        advantages = [value for group in groups for value in group.values]
        for trajectory, advantage in zip(held, advantages, strict=True):
            if advantage:
                self.halves[number % 2] += self._gradient(trajectory, advantage)

    def _gradient(self, trajectory: TokenTrajectory, advantage: float) -> torch.Tensor:
        """Of a dialogue's mean log-probability times its advantage (Eq. 3 where the model has not changed yet)."""
        ids = torch.tensor([trajectory.ids])
        mask = torch.tensor([0] * len(trajectory.prompt_ids) + trajectory.mask)[1:].float()
        logits = self.model(ids).logits[0, :-1]
        logprobs = torch.log_softmax(logits, -1).gather(1, ids[0, 1:, None]).squeeze(1)
        objective = advantage * (logprobs * mask).sum() / mask.sum()
        parts = torch.autograd.grad(objective, list(self.model.parameters()))
        return torch.cat([part.reshape(-1) for part in parts])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of training runs with a cold start")
    parser.add_argument("--batches", type=int, default=4, help="batches of rollouts for each run (default 4)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (default 1)")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    if options.batches < 2 or options.batches % 2:
        parser.error(f"--batches is {options.batches}; two halves need an even number")
    torch.set_num_threads(options.threads)
    rows: dict[str, dict[str, float]] = {}
    for run in options.runs:
        agreement = Agreement(run, seed=options.seed)
        rows[run.name] = agreement.measure(options.batches)
        agreement.close()
    show(f"Gradients of two halves of {options.batches} batches", COLUMNS, rows)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
