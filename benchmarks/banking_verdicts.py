"""Banking beside tau2's own code: python benchmarks/banking_verdicts.py --root CHECKOUT --tau2-python PYTHON

On the gold actions of every task and eight kinds of perturbation: the text of every result, the database at the end by
tau2's own hash, the check of the database, each check of a call, and the reward (without judged statements); besides,
the policy document and the schemas of all tools. tau2's
side is this file again, run by a Python that has tau2's dependencies and rank-bm25, with the checkout's code.

tau2 takes its documents as the file system lists them, which settles ties of the search, and prints how long a search
took: both sides sort by file name here, and times are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Call = dict[str, Any]
Calls = list[Call]
TIMING = re.compile(r"(?<=\[Timing: )retrieval=\d+ms(, reranking=\d+ms)?, total=\d+ms")


def drop(calls: Calls, others: Calls, rng: random.Random) -> None:
    del calls[rng.randrange(len(calls))]


def repeat(calls: Calls, others: Calls, rng: random.Random) -> None:
    calls.insert(rng.randrange(len(calls) + 1), rng.choice(calls))


def swap(calls: Calls, others: Calls, rng: random.Random) -> None:
    place = rng.randrange(max(1, len(calls) - 1))
    calls[place : place + 2] = reversed(calls[place : place + 2])


def backwards(calls: Calls, others: Calls, rng: random.Random) -> None:
    calls.reverse()


def value(calls: Calls, others: Calls, rng: random.Random) -> None:
    place = rng.choice([i for i, call in enumerate(calls) if call["arguments"]] or [0])
    arguments = dict(calls[place]["arguments"])
    if arguments:
        name = rng.choice(sorted(arguments))
        given = arguments[name]
        if name == "arguments" and isinstance(given, str):  # JSON within JSON: a value in there
            inner = json.loads(given or "{}")
            if inner:
                key = rng.choice(sorted(inner))
                inner[key] = rng.choice([f"{inner[key]}0", 17, 33.0, None, [], "1111", True])
            arguments[name] = json.dumps(inner)
        else:
            arguments[name] = rng.choice([f"{given}0", 17, 2.5, None, {"a": 1}, True, ""])
    calls[place] = {**calls[place], "arguments": arguments}


def leave_out(calls: Calls, others: Calls, rng: random.Random) -> None:
    place = rng.choice([i for i, call in enumerate(calls) if call["arguments"]] or [0])
    arguments = dict(calls[place]["arguments"])
    if arguments:
        del arguments[rng.choice(sorted(arguments))]
    calls[place] = {**calls[place], "arguments": arguments}


def foreign(calls: Calls, others: Calls, rng: random.Random) -> None:
    for _ in range(4):
        calls.insert(rng.randrange(len(calls) + 1), rng.choice(others))


def unlisted(calls: Calls, others: Calls, rng: random.Random) -> None:
    """A tool that must be found is called by its own name, by either side, and one is called that is nowhere."""
    inner = [call for call in others if "discoverable_tool" in call["name"] or "discoverable_agent" in call["name"]]
    for _ in range(3):
        call = rng.choice(inner)
        name = call["arguments"].get("agent_tool_name") or call["arguments"].get("discoverable_tool_name") or "nothing"
        try:
            arguments = json.loads(call["arguments"].get("arguments") or "{}")
        except ValueError:
            arguments = {}
        said = {"name": rng.choice([name, name, f"{name}x"]), "arguments": arguments}
        calls.insert(rng.randrange(len(calls) + 1), {**said, "requestor": rng.choice(["agent", "user"])})


PERTURBATIONS: dict[str, Callable[[Calls, Calls, random.Random], None]] = {
    "drop a call": drop,
    "repeat a call": repeat,
    "swap two calls": swap,
    "all backwards": backwards,
    "change a value": value,
    "leave an argument out": leave_out,
    "add calls of others": foreign,
    "call what is not shown": unlisted,
}
READS = (
    ("get_current_time", ()),
    ("get_user_information_by_id", ("user_id",)),
    ("get_credit_card_transactions_by_user", ("user_id",)),
    ("get_credit_card_accounts_by_user", ("user_id",)),
    ("get_referrals_by_user", ("user_id",)),
    ("list_discoverable_agent_tools", ()),
    ("no_such_tool", ("user_id",)),
)
PATTERNS = (
    "annual.*fee",
    "(",
    "x{e}",
    "[a-c]{2,3}\\b",
    "rewards? card|debit",
    "\\$\\d+",
    "",
    "a{,2}z",
    "(?i)Blue Account",
)


def cases(setting: Any, *, kinds: int, skip: int, tasks: int, seed: int) -> Iterator[Call]:
    """Action lists: the gold of every task, and perturbations of it."""
    everyone = [call for task in setting.tasks for call in plain(task)]
    titles = [line[2:] for line in setting.tasks.policy.splitlines() if line.startswith("# ")] or ["card"]
    users = sorted({call["arguments"]["user_id"] for call in everyone if "user_id" in call["arguments"]})
    names = list(PERTURBATIONS)
    for number, task in list(enumerate(setting.tasks))[skip : skip + tasks if tasks else None]:
        rng = random.Random(f"{seed}/{task.id}")
        chosen = [names[(number + step) % len(names)] for step in range(kinds)]
        for kind in ("gold", *chosen):
            calls = plain(task)
            if kind != "gold":
                PERTURBATIONS[kind](calls, everyone, rng)
                words = rng.choice(everyone)["arguments"]
                query = " ".join(map(str, [*words.values(), rng.choice(titles)]))[: rng.randrange(0, 200)]
                calls.insert(0, {"name": "KB_search", "arguments": {"query": query}, "requestor": "agent"})
                pattern = rng.choice(PATTERNS)
                calls.append({"name": "grep", "arguments": {"pattern": pattern}, "requestor": "agent"})
                name, wanted = rng.choice(READS)
                given = {key: rng.choice(users) for key in wanted}
                calls.append({"name": name, "arguments": given, "requestor": "agent"})
            yield {"task": task.id, "kind": kind, "calls": calls}


def plain(task: Any) -> Calls:
    return [{"name": a.name, "arguments": a.arguments, "requestor": a.requestor} for a in task.actions]


def digest(database: Any) -> str:
    return hashlib.sha256(json.dumps(database, sort_keys=True, default=str).encode()).hexdigest()


def ours(setting: Any, case: Call) -> Call:
    """What a list comes to here."""
    from mua_env.core.scores import Record
    from mua_env.core.tasks import Action

    task = setting.tasks.by_id(case["task"])
    calls = [Action.model_validate(call) for call in case["calls"]]
    world = setting.make_world()
    world.load(task)
    results = [world.call(call.name, call.arguments, requestor=call.requestor) for call in calls]
    score = setting.scorer.score(task, world, Record(calls=tuple(calls)))
    return {
        "results": [[result.ok, TIMING.sub("", result.content)] for result in results],
        "database": digest(world.snapshot()["hands"]),
        "match": score.parts["database"],
        "actions": [check.holds for check in score.checks if check.part == "actions"],
        "reward": score.reward,
    }


def spec_of(retrieval: Any, name: str) -> Any:
    variant = retrieval.RETRIEVAL_VARIANTS["bm25_grep"]
    return variant.kb_search if name == "_create_kb_pipeline" else variant.grep


def theirs() -> None:
    """Answers the cases of standard input by tau2's own environment and evaluator."""
    from loguru import logger  # type: ignore[import-not-found,unused-ignore]

    logger.remove()
    from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage
    from tau2.domains.banking_knowledge import environment as bank
    from tau2.domains.banking_knowledge import retrieval
    from tau2.evaluator.evaluator_action import ActionEvaluator
    from tau2.evaluator.evaluator_env import EnvironmentEvaluator
    from tau2.runner.build import _derive_read_log_allowlist

    library = bank.get_knowledge_base()
    folder = sorted(Path(bank.KNOWLEDGE_DOCUMENTS_DIR).glob("*.json"))
    order = [json.loads(path.read_text(encoding="utf-8"))["id"] for path in folder]
    library.documents = {key: library.documents[key] for key in order}
    bank.get_knowledge_base = lambda: library
    for name in ("_create_kb_pipeline", "_create_grep_pipeline"):  # an index each time takes most of the time
        built = getattr(retrieval, name)(spec_of(retrieval, name), library)
        setattr(retrieval, name, lambda spec, base, built=built: built)
    tasks = {task.id: task for task in bank.get_tasks()}
    shown = bank.get_environment(retrieval_variant="bm25_grep")
    tools = [[tool.openai_schema for tool in side] for side in (shown.get_tools(), shown.get_user_tools())]
    print(json.dumps({"shown": [shown.get_policy(), *tools]}), flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        task = tasks[case["task"]]
        options = {"retrieval_variant": "bm25_grep", "read_log_allowlist": _derive_read_log_allowlist(task)}
        live, start = bank.get_environment(**options), task.initial_state
        live.set_state(
            initialization_data=start and start.initialization_data,
            initialization_actions=start and start.initialization_actions,
            message_history=[],
        )
        messages: list[Any] = []
        for number, call in enumerate(case["calls"]):
            mine = call["requestor"] == "agent"
            side = "assistant" if mine else "user"
            made = ToolCall(id=str(number), name=call["name"], arguments=call["arguments"], requestor=side)
            messages.append((AssistantMessage if mine else UserMessage)(role=side, tool_calls=[made]))
            messages.append(live.get_response(made))
        found = EnvironmentEvaluator.calculate_reward(bank.get_environment, task, messages, env_kwargs=options)
        acts = ActionEvaluator.calculate_reward(task, messages)
        basis = [str(getattr(name, "value", name)) for name in task.evaluation_criteria.reward_basis]
        reward = found.reward * (acts.reward if "ACTION" in basis else 1.0)
        answer = {
            "results": [[not told.error, TIMING.sub("", told.content)] for told in messages[1::2]],
            "database": digest(live.tools.db.model_dump()),
            "match": found.db_check.db_reward,
            "actions": [check.action_match for check in acts.action_checks or ()] if "ACTION" in basis else [],
            "reward": reward,
        }
        print(json.dumps(answer), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=os.environ.get("MUA_TAU2_CHECKOUT"), help="a checkout, v1.0.1")
    parser.add_argument("--tau2-python", default=os.environ.get("MUA_TAU2_PYTHON"), help="has what tau2 imports")
    parser.add_argument("--kinds", type=int, default=4, help="perturbations of each task, at most eight")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many tasks at the beginning")
    parser.add_argument("--tasks", type=int, default=0, help="so many tasks (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="three tasks; without a checkout: say so, and end")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        theirs()
        return 0
    if options.root is None or options.tau2_python is None:
        print("no checkout of tau2-bench, or no Python for it: name them by --root and --tau2-python")
        return 0 if options.smoke else 2
    from mua_env import load_setting

    root = Path(options.root).resolve()
    setting = load_setting("banking", "tau2:base", path=root, mode="compat")
    count = 3 if options.smoke else options.tasks
    lists = list(cases(setting, kinds=options.kinds, skip=options.skip, tasks=count, seed=options.seed))
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "TAU2_DATA_DIR": str(root / "data")}
    ran = subprocess.run(
        [options.tau2_python, __file__, "--answer"],
        input="".join(json.dumps(case) + "\n" for case in lists),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith('{"results"')]
    shown = next((json.loads(line)["shown"] for line in ran.stdout.splitlines() if line.startswith('{"shown"')), None)
    if len(answers) < len(lists):
        print(f"tau2 answered {len(answers)} of {len(lists)}: {ran.stderr[-2000:]}")
        return 2
    same = json.dumps(shown) == json.dumps([setting.tasks.policy, setting.tools, setting.user_tools])
    print(f"policy document and schemas are {'the same' if same else 'NOT the same'}")
    return compared(setting, lists, answers) or int(not same)


def compared(setting: Any, lists: Calls, answers: Calls) -> int:
    apart, calls, won = [], 0, 0
    for case, answer in zip(lists, answers, strict=True):
        mine = json.loads(json.dumps(ours(setting, case)))
        calls += len(case["calls"])
        won += case["kind"] == "gold" and mine["reward"] == 1.0
        for part in answer:
            if mine[part] != answer[part]:
                pair = (mine[part], answer[part])
                if part == "results":
                    pair = next(pair for pair in zip(mine[part], answer[part], strict=True) if pair[0] != pair[1])
                apart.append(f"{case['task']}, {case['kind']}: {part}: {str(pair[0])[:300]} / {str(pair[1])[:300]}")
    golds = sum(case["kind"] == "gold" for case in lists)
    print(f"gold is won in {won} of {golds} tasks")
    print(f"{len(lists)} lists ({len(lists) - golds} perturbed), {calls} calls: {len(apart)} differences")
    print(setting.tasks.source_revision)
    print(*apart, sep="\n")
    return 1 if apart else 0


if __name__ == "__main__":
    raise SystemExit(main())
