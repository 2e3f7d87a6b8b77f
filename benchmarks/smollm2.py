"""A real pretrained model on retail's easiest level: SmolLM2-135M before and after a cold start and a little GRPO.

    python benchmarks/smollm2.py   # 22 CPU minutes for the cold start, three to six for an update of GRPO

Runs `examples/smollm2_lora.yaml`. Two figures, on held-out tasks with users, ids and phrasings that the training has
not seen, greedy:

- **exact calls**: at each tool call of the expert's dialogues, the model, shown the dialogue so far, makes the same
  calls with the same arguments;
- **success**: of whole dialogues that the model holds itself.

Also the most memory that the process had taken until then.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any

import torch
from measure import show

from mua_env.core.messages import AssistantMessage
from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.backends.cache_engine import CacheEngine
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.models import load
from mua_env.inference.sampling import SampledTurn
from mua_env.inference.smollm2 import convert
from mua_env.training.config.train import TrainConfig, load_config
from mua_env.training.data.demonstrations import Demonstrations
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import make_mixed_pool
from mua_env.training.run.held_out import evaluate
from mua_env.training.run.pipeline import train


def exact_calls(model: Any, chat: ChatTokens, config: TrainConfig, dialogues: int) -> tuple[int, int]:
    """How many of the expert's turns with tool calls the model repeats exactly, and how many there are."""
    assert config.cold_start is not None
    pool = make_mixed_pool(config.environment, held_out=True)
    shown = Demonstrations.collect(
        pool, count=dialogues, style=config.cold_start.expert_style, tools=config.environment.tools, seed=12
    )
    wanted: list[list[tuple[str, Any]]] = []
    requests: list[TurnRequest] = []
    for trajectory, messages in zip(shown.encode(chat, seed=0), shown.dialogues, strict=True):
        turns = [message for message in messages if isinstance(message, AssistantMessage)]
        starts = [span.start for span in trajectory.spans if span.source == "agent"]
        for turn, start in zip(turns, starts, strict=True):
            if turn.tool_calls:
                wanted.append([(call.function.name, json.loads(call.function.arguments)) for call in turn.tool_calls])
                requests.append(TurnRequest(len(requests), trajectory.ids[:start], config.lengths.turn))
    pool.close()
    engine = CacheEngine(model, end_id=chat.end_id, pad_id=chat.pad_id)
    engine.begin(temperature=0.0, seeds=range(len(requests)))
    ended: dict[int, SampledTurn] = dict(engine.step(requests))
    while len(ended) < len(requests):
        ended.update(engine.step([]))
    made = [_calls(chat.read_turn(ended[row].ids)) for row in range(len(requests))]
    return sum(a == b for a, b in zip(made, wanted, strict=True)), len(wanted)


def _calls(message: AssistantMessage) -> list[tuple[str, Any]]:
    calls = []
    for call in message.tool_calls:
        try:
            calls.append((call.function.name, json.loads(call.function.arguments)))
        except ValueError:
            calls.append((call.function.name, None))
    return calls


def measure(path: str, config: TrainConfig, dialogues: int, *, hold: bool) -> dict[str, Any]:
    """Both figures of a checkpoint; ``hold`` leaves success to be filled in from the run where it is false."""
    begun = time.process_time()
    model, tokenizer = load(path)
    model.train(False)
    chat = ChatTokens(tokenizer, config.model.template_options)
    right, all_ = exact_calls(model, chat, config, dialogues)
    row: dict[str, Any] = {"exact calls": right, "of": all_}
    if hold:
        driver, pool = RolloutDriver(chat, lengths=config.lengths, tools=config.environment.tools), None
        try:
            pool = make_mixed_pool(config.environment, held_out=True)
            values = evaluate(model, pool, driver, config.evaluation, seed=1)
        finally:
            driver.close()
            if pool is not None:
                pool.close()
        row |= {"success %": 100 * values["success"], "dialogues": values["dialogues"]}
    return row | {"CPU s": time.process_time() - begun, "peak GiB": peak_gib()}


def peak_gib() -> float:
    """The most resident memory of this process so far (Linux)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=8, help="held-out dialogues for the exact calls")
    parser.add_argument("--folder", type=Path, help="of the run (default in runs/); a finished one is not repeated")
    parser.add_argument("--threads", type=int, help="of torch")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    config = load_config(str(Path(__file__).parent.parent / "examples" / "smollm2_lora.yaml"))
    assert config.model.path is not None
    convert(config.model.path)
    rows = {"as it comes": measure(config.model.path, config, options.dialogues, hold=True)}
    print(rows, flush=True)
    begun, folder = time.process_time(), options.folder
    if folder is None or not (folder / "summary.json").exists():
        folder = train(config, folder=folder)
        rows["training"] = {"CPU s": time.process_time() - begun, "peak GiB": peak_gib()}
    summary = json.loads((folder / "summary.json").read_text())
    for name, title in (("cold-start", "after_the_cold_start"), ("grpo", "after_GRPO")):
        row = measure(str(folder / "checkpoints" / name), config, options.dialogues, hold=False)
        row |= {"success %": 100 * summary[title]["success"], "dialogues": summary[title]["dialogues"]}
        rows[name] = row
    columns = ["exact calls", "of", "success %", "dialogues", "CPU s", "peak GiB"]
    show("SmolLM2-135M-Instruct, retail level 1", columns, rows)
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "run": str(folder)}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
