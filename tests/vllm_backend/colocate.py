"""Run with the Python of an environment that has vLLM: sampling and weights in one process. Prints JSON.

python colocate.py MODEL_FOLDER OTHER_MODEL_FOLDER
"""

import asyncio
import json
import sys

import plain_linear  # noqa: F401  # as for the server, so that weights can be overwritten on a CPU
import torch

from mua_env.inference.backends.vllm_engine import VllmColocated, VllmEngine
from mua_env.inference.models import load
from mua_env.inference.sampling import SampledTurn


def main(folder: str, other: str) -> dict[str, float]:
    prompts = [[(7 * place + row) % 250 + 10 for place in range(5 + 9 * row)] for row in range(8)]
    models = [load(path)[0].eval() for path in (folder, other)]
    end_id = int(load(folder)[1].eos_token_id)
    options = {"enforce_eager": True, "dtype": "float32", "max_model_len": 1024}
    backend = VllmColocated(VllmEngine(folder, end_id=end_id, options=options))
    found: dict[str, float] = {}
    for name, model in zip(("first", "second"), models, strict=True):
        backend.load(model)
        turns = asyncio.run(_sample(backend, prompts))
        found[name] = max(_gap(model, prompt, turn) for prompt, turn in zip(prompts, turns, strict=True))
        (apart,) = [each for each in models if each is not model]
        found[f"{name}_other"] = max(_gap(apart, prompt, turn) for prompt, turn in zip(prompts, turns, strict=True))
        found[f"{name}_tokens"] = float(sum(len(turn.ids) for turn in turns))
    return found


async def _sample(backend: VllmColocated, prompts: list[list[int]]) -> list[SampledTurn]:
    """Two turns of each row."""
    backend.begin(temperature=1.0, seeds=range(len(prompts)))
    turns = await asyncio.gather(*(backend.sample(row, ids, 20) for row, ids in enumerate(prompts)))
    for row, turn in enumerate(turns):
        prompts[row] = [*prompts[row], *turn.ids, 11, 12, 13]
    return await asyncio.gather(*(backend.sample(row, [11, 12, 13], 20) for row in range(len(prompts))))


def _gap(model: torch.nn.Module, prompt: list[int], turn: SampledTurn) -> float:
    ids = torch.tensor([prompt + turn.ids])
    with torch.no_grad():
        logprobs = torch.log_softmax(model(ids).logits[0].float(), -1)
    own = logprobs[len(prompt) - 1 : -1].gather(1, ids[0, len(prompt) :, None])[:, 0]
    return float((own - torch.tensor(turn.logprobs)).abs().max())


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2])))
