"""The options of GRPO on two processes come to what one process comes to, also where a group spans both."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Toy
from .ranks import run_ranks


def hold_batch(model_folder: str, out: str, settings: dict[str, Any]) -> None:
    from accelerate import PartialState
    from accelerate.utils import gather_object
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from mua_env.inference.chat_tokens import ChatTokens
    from mua_env.training.config.train import GrpoSettings, LengthConfig
    from mua_env.training.rollout.driver import RolloutDriver
    from mua_env.training.rollout.groups import GroupRollout
    from mua_env.training.rollout.pool import DialoguePool, MixedPool
    from mua_env.training.rollout.recording import Unrecorded

    from . import toy_domain

    state = PartialState(cpu=True)
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    model = AutoModelForCausalLM.from_pretrained(model_folder, dtype="float32")
    options = GrpoSettings(rollouts=4, **settings)
    parts = [DialoguePool(toy_domain.setting(), toy_domain.ToyUser(), max_turns=6) for _ in range(2)]
    pool = MixedPool(parts, [1, 1])
    driver = RolloutDriver(ChatTokens(tokenizer), lengths=LengthConfig(total=300, turn=30), tools="compact")
    rollout = GroupRollout(pool, driver, options, seed=5, rank=state.process_index, gather=gather_object)
    rows = [row for row in (0, 2, 4) for _ in range(4)]
    share = len(rows) // state.num_processes
    mine = rows[state.process_index * share : (state.process_index + 1) * share]
    found = []
    for number in range(2):
        held = rollout.hold(model, mine, number=number, group=4, temperature=1.0, record=Unrecorded())
        found.append(
            {
                "ids": [t.ids for t in held.trajectories],
                "credits": [[(c.start, c.end, c.value) for c in credits] for credits in held.credits],
                "rewards": [outcome.reward for outcome in held.outcomes],
                "advantages": [group.values for group in held.groups],
                "metrics": held.metrics,
            }
        )
    Path(out, f"{state.num_processes}-{state.process_index}.json").write_text(json.dumps(found))
    driver.close()
    pool.close()


SETTINGS: dict[str, dict[str, Any]] = {
    "all": {
        "dynamic_sampling": 2,
        "curriculum": {"floor": 0.1, "memory": 0.5},
        "turn_credit": {"points": 1, "continuations": 2},
    }
}


@pytest.mark.parametrize("name", list(SETTINGS))
def test_two_processes_come_to_what_one_does(toy: Toy, tmp_path: Path, name: str) -> None:
    """Three groups of four on two processes: the middle one spans both."""
    for count in (1, 2):
        codes = run_ranks(count, hold_batch, str(toy.folder), str(tmp_path), SETTINGS[name])
        assert codes == [0] * count
    (one,) = (json.loads((tmp_path / "1-0.json").read_text()),)
    two = [json.loads((tmp_path / f"2-{rank}.json").read_text()) for rank in range(2)]
    for batch, alone in enumerate(one):
        halves = [two[rank][batch] for rank in range(2)]
        for what in ("ids", "credits"):
            assert halves[0][what] + halves[1][what] == alone[what]
        for half in halves:
            assert half["rewards"] == alone["rewards"]
            assert half["advantages"] == alone["advantages"]
            assert half["metrics"] == pytest.approx(alone["metrics"])
    assert any(batch["metrics"]["groups/redrawn"] for batch in one)
    assert any(credits for batch in one for credits in batch["credits"])
