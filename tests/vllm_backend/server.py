"""A vLLM server for the tests: a process of its own on 127.0.0.1, stopped by its id."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HERE = Path(__file__).parent
STARTING = 900.0
"""Seconds until the server must answer; some 40 are needed on two idle cores."""


def environment() -> dict[str, str]:
    """Few threads, a small cache, and the routes that weights take."""
    return {
        **os.environ,
        "PYTHONPATH": str(_HERE / "server_side"),
        "OMP_NUM_THREADS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",  # else its first thread stays on one core, whatever runs there
        "VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS": "1800",  # the first request waits for a C++ compiler
        "TORCHDYNAMO_DISABLE": "1",  # nothing here is worth compiling
        "VLLM_SERVER_DEV_MODE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_OFFLINE": "1",
    }


@contextmanager
def vllm_server(python: str, model: Path, log: Path) -> Iterator[str]:
    """The address of a server of a model; its output goes to a file, whose end is told when it does not start."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [python, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--served-model-name", "toy"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--enforce-eager", "--dtype", "float32"]
    command += ["--max-model-len", "1024", "--logprobs-mode", "processed_logprobs", "--enable-prompt-tokens-details"]
    command += ["--worker-extension-cls", "plain_linear.Extension", "--block-size", "32"]
    with log.open("w") as output:
        process = subprocess.Popen(
            command, env=environment(), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, process, log)
            yield url
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)
            with suppress(ProcessLookupError):  # its engine, where the server did not take it along
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + STARTING
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        with suppress(OSError), urllib.request.urlopen(url + "/v1/models", timeout=5) as answer:
            assert json.load(answer)["data"][0]["id"] == "toy"
            return
        time.sleep(1)
    raise AssertionError(f"the vLLM server did not start:\n{log.read_text()[-3000:]}")
