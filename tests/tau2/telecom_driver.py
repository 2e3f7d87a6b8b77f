"""Runs action lists through tau2's own telecom environment and evaluator; for tau2's own Python, not for ours.

Reads one JSON object a line (``task``, ``calls`` of ``requestor``/``name``/``arguments``, ``solo``) and answers each
with one: the result of each call, both databases at the end, and tau2's scores. Data is loaded once and copied, which
tau2 does anew for each environment; what its environments share by accident, and its random bill ids, are made
definite, so that each line is answered as a fresh process would.
"""

import json
import sys
from copy import deepcopy
from types import SimpleNamespace

from loguru import logger

logger.remove()

from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage  # noqa: E402
from tau2.data_model.simulation import SimulationRun, TerminationReason  # noqa: E402
from tau2.data_model.tasks import Task  # noqa: E402
from tau2.domains.telecom import environment as telecom  # noqa: E402
from tau2.domains.telecom import tools as operator  # noqa: E402
from tau2.evaluator import evaluator  # noqa: E402

AGENT_DB = telecom.TelecomDB.load(telecom.TELECOM_DB_PATH)
USER_DB = telecom.TelecomUserDB.load(telecom.TELECOM_USER_DB_PATH)
VPN = deepcopy(telecom.TelecomUserTools.default_vpn_details)
RAW_TASKS = {task["id"]: task for task in telecom.load_file(telecom.TELECOM_TASK_SET_PATH)}


class Ids:
    """Stands for the module ``uuid``: counts, from 1 in each environment."""

    drawn = 0

    @classmethod
    def uuid4(cls):
        cls.drawn += 1
        return SimpleNamespace(hex=f"{cls.drawn:08d}")


operator.uuid = Ids


def environment(solo_mode=False):
    Ids.drawn = 0
    telecom.TelecomUserTools.default_vpn_details = deepcopy(VPN)
    user_tools = telecom.TelecomUserTools(deepcopy(USER_DB))
    env = telecom.TelecomEnvironment("telecom", "", operator.TelecomTools(deepcopy(AGENT_DB)), user_tools)
    env.set_solo_mode(solo_mode)
    return env


evaluator.registry = SimpleNamespace(get_env_constructor=lambda domain: environment)


def plain(value):
    return json.loads(json.dumps(value, default=str))


def messages_of(position, call, solo):
    requestor = "user" if call["requestor"] == "user" and not solo else "assistant"
    made = ToolCall(id=str(position), name=call["name"], arguments=call["arguments"], requestor=requestor)
    kind = UserMessage if requestor == "user" else AssistantMessage
    return made, kind(role=requestor, content=None, tool_calls=[made])


def answer(request):
    task = Task.model_validate(RAW_TASKS[request["task"]])
    solo = request.get("solo", False)
    env = environment(solo)
    env.set_state(None, task.initial_state.initialization_actions, [])
    messages, results = [], []
    for position, call in enumerate(request["calls"]):
        made, message = messages_of(position, call, solo)
        response = env.get_response(made)
        messages += [message, response]
        results.append({"ok": not response.error, "content": response.content})
    worlds = {"agent": plain(env.tools.db.model_dump()), "user": plain(env.user_tools.db.model_dump())}
    answered = {"results": results, **worlds}
    return {**answered, **(score(task, messages, solo) if request.get("score", True) else {})}


def score(task, messages, solo):
    run = SimulationRun.model_construct(messages=messages, termination_reason=TerminationReason.USER_STOP)
    info = evaluator.evaluate_simulation(run, task, evaluator.EvaluationType.ALL, solo, "telecom")
    return {
        "reward": info.reward,
        "parts": {kind.value: value for kind, value in info.reward_breakdown.items()},
        "db": info.db_check.db_match,
        "assertions": [check.met for check in info.env_assertions or []],
        "actions": [check.action_match for check in info.action_checks or []],
    }


for line in sys.stdin:
    sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
    sys.stdout.flush()
