"""vLLM in the process itself. Opt in with MUA_VLLM_COLOCATE=1: another minute, for a mode that is meant for GPUs."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from training.conftest import Toy

from .server import environment


@pytest.mark.skipif(not os.environ.get("MUA_VLLM_COLOCATE"), reason="opt in with MUA_VLLM_COLOCATE=1")
def test_turns_and_weights_in_one_process(toy: Toy, vllm_python: str, tmp_path: Path) -> None:
    model = toy.model()
    for parameter in model.parameters():
        parameter.data.mul_(1.2)
    model.save_pretrained(tmp_path)
    toy.chat.tokenizer.save_pretrained(tmp_path)
    script = Path(__file__).parent / "colocate.py"
    root = Path(__file__).parent.parent.parent
    variables = environment()
    variables["PYTHONPATH"] = f"{variables['PYTHONPATH']}{os.pathsep}{root}"
    done = subprocess.run(
        [vllm_python, str(script), str(toy.folder), str(tmp_path)],
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert min(found["first_tokens"], found["second_tokens"]) > 20
    assert max(found["first"], found["second"]) < 1e-4
    assert min(found["first_other"], found["second_other"]) > 1e-2
