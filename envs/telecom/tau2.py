"""The telecom tasks of tau2-bench: its tools, set-up functions and assertions over its own data."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from mua_env.core.task_sets import TaskSet
from mua_env.core.tasks import Task
from mua_env.core.tools import Toolkit, tool
from mua_env.core.toolsets import Toolset, solo_toolset
from mua_env.domain.derived_goals import HAND_OVER
from mua_env.domain.public import tau2
from mua_env.domain.public.tau2 import DeriveGoal, Layout
from mua_env.domain.public.tau2_tools import Tau2Toolkit
from mua_env.errors import ConfigError

from .derive import find_user
from .models import Base
from .phone import TelecomPhone
from .settle import settle
from .stage import TelecomStage
from .tau2_data import FILES, read_rows
from .tools import OperatorTools, Summary, TelecomTools

_WORDING: Final[Mapping[str, str]] = {
    "_get_line_by_id": "line",
    "_get_plan_by_id": "plan",
    "_get_device_by_id": "device",
    "_get_bill_by_id": "bill",
    "_get_target_line": "owned_line",
    "get_customer_by_phone": "phone",
    "get_customer_by_id": "customer",
    "get_details_by_id": "kind",
    "suspend_line": "active",
    "resume_line": "suspended",
    "send_payment_request": "- waiting owned_bill",
    "refuel_data": "amount -",
}
"""Which refusal is which in tau2-bench's tools, in the order of their lines (see ``public.wording``).

Names with an underscore are functions that the tools share; ``get_customer_by_id`` is shared and a tool as well.
"""


def _all_arguments(toolkit: type[Toolkit]) -> dict[str, frozenset[str]]:
    return {name: frozenset(inspect.signature(getattr(toolkit, name)).parameters) for name in toolkit.specs}


# tau2's telecom tools look at no argument's type. One table for both hands, which solo mode joins.
_UNTYPED: Final = MappingProxyType({**_all_arguments(TelecomTools), **_all_arguments(TelecomPhone)})


class Tau2TelecomTools(Tau2Toolkit, OperatorTools):
    """The thirteen tools of tau2's telecom agent. There the user ends a dialogue, not a transfer."""

    untyped = _UNTYPED

    @tool
    def transfer_to_human_agents(self, summary: Summary) -> str:
        """Hand the user over to a human agent: on their wish, or for what the policy and these tools cannot do."""
        return "Transfer successful"


class Tau2TelecomPhone(Tau2Toolkit, TelecomPhone):
    """The thirty tools of tau2's telecom user."""

    untyped = _UNTYPED


TOOLSET = Toolset(
    toolkit=Tau2TelecomTools,
    models=Base,
    user_toolkit=Tau2TelecomPhone,
    stage=TelecomStage,
    settle=settle,
    settled_gold=False,
)
"""The world of tau2's telecom tasks; its gold actions run without settling in between."""

_LOCK: Final = "lock_sim_card"


class _Cause(NamedTuple):
    """What nobody in the dialogue can repair: how it is told, and beginnings of words that tell it."""

    text: str
    words: tuple[str, ...]


_CAUSES: Final = {
    _LOCK: _Cause("the SIM card is locked", ("lock", "pin", "puk")),
    "suspend_line_for_overdue_bill": _Cause("the contract of the line has ended", ("contract",)),
}

POLICIES: Final = ("manual", "workflow")
"""Variants of the second part of the policy document, on technical help: a manual (tau2's default) or a workflow."""
# tau2 gives an agent that works alone the same manual, but another workflow.
_DOCUMENTS: Final = {
    ("manual", False): ("main_policy.md", "tech_support_manual.md"),
    ("manual", True): ("main_policy_solo.md", "tech_support_manual.md"),
    ("workflow", False): ("main_policy.md", "tech_support_workflow.md"),
    ("workflow", True): ("main_policy_solo.md", "tech_support_workflow_solo.md"),
}


def task_set(
    split: str,
    *,
    path: str | Path | None = None,
    policy: str | None = None,
    solo: bool = False,
    derive: DeriveGoal | None = None,
) -> TaskSet:
    """A split of tau2's telecom tasks with their own data, tools and policy document.

    Args:
        split: ``"base"`` (114 tasks), ``"train"`` (74), ``"test"`` (40), ``"small"`` (20) or ``"full"`` (2,285).
        path: see :meth:`mua_env.domain.public.tau2.Layout.find`.
        policy: ``"manual"`` (default) or ``"workflow"``.
        solo: the agent has the phone's tools too and works on a ticket alone.
        derive: makes the agenda of each task; without it the tasks have none.

    Raises:
        ConfigError: there is no such policy document, or no files were named and none are installed.
        DataError: a file is missing or broken (``TaskError`` for the tasks).
    """
    variant = policy or POLICIES[0]
    if variant not in POLICIES:
        raise ConfigError(f"tau2's telecom has no policy {policy!r}; it has {' and '.join(map(repr, POLICIES))}")
    return tau2.task_set(
        "telecom",
        split,
        rows=read_rows,
        files=FILES,
        policy=partial(_policy, variant=variant, solo=solo),
        toolset=solo_toolset(TOOLSET) if solo else TOOLSET,
        variant=f"{variant}-solo" if solo else variant,
        path=path,
        find_user=find_user,
        derive=derive,
        mend=_name_reason,
        wording=_WORDING,
    )


def _name_reason(task: Task) -> Task:
    """Has a transfer say what cannot be repaired.

    The gold of such a task is a transfer at once whose summary says nothing, so that handing everybody over gets the
    full reward.
    """
    scene = [(action.name, action.arguments) for action in task.initial_actions]
    causes = [_CAUSES[name] for name, arguments in scene if name == _LOCK or arguments.get("contract_ended")]
    if not causes or task.criteria is None:
        return task
    told = {"summary": f"I cannot fix the issue: {' and '.join(cause.text for cause in causes)}."}
    words = tuple(word for cause in causes for word in cause.words)
    gold = [call.model_copy(update={"arguments": told}) if call.name == HAND_OVER else call for call in task.actions]
    checks = [
        check.model_copy(update={"action": gold[task.actions.index(check.action)], "reason": words})
        if check.action.name == HAND_OVER
        else check
        for check in task.criteria.action_checks
    ]
    criteria = task.criteria.model_copy(update={"action_checks": tuple(checks)})
    return task.model_copy(update={"actions": tuple(gold), "criteria": criteria})


def _policy(layout: Layout, *, variant: str, solo: bool) -> str:
    """Both parts of the document, marked as tau2 marks them for its agents."""
    main, support = (layout.text(name) for name in _DOCUMENTS[variant, solo])
    return f"<main_policy>\n{main}\n</main_policy>\n<tech_support_policy>\n{support}\n</tech_support_policy>"
