"""From goals to gold: the vocabulary of requests, the calls that fulfil them, and what must be so at the end.

Facts: ``full_name``, ``dob``, ``phone`` (number of the line in the phone), ``customer_id``, ``location`` (a country, or
``home``), ``since``, ``device``. Intents: the symptoms ``service``, ``data`` and ``mms``; ``pay_bill``,
``refuel_data``, ``change_plan`` and ``ask``. Slots: ``gb`` or ``plan`` (what the user takes where data are used up, or
asks for), ``topic`` and ``answer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mua_env.core.outcomes import required, settled
from mua_env.core.tasks import Action, Assertion, Criteria, Goal, Request, Requirement

from .faults import FAULTS, LOST, Case, act, assertions, more_data, pay

SYMPTOMS: Final = ("service", "data", "mms")
BILLING: Final = ("pay_bill", "refuel_data", "change_plan")
OPERATOR_TABLES: Final = ("customers", "lines", "plans", "devices", "bills")
"""What no task may change otherwise than its gold does; the phone is judged by what works at the end."""


@dataclass(frozen=True)
class Plot:
    """A task before it is written down: whose it is, what is wrong, and what the user asks for."""

    case: Case
    faults: tuple[str, ...]
    goal: Goal
    abroad: bool
    owner: bool = True


def initial_actions(plot: Plot) -> tuple[Action, ...]:
    """The calls that set the scene up."""
    case = plot.case
    actions = [act("world", "set_user_info", name=plot.goal.facts["full_name"], phone_number=case.line["phone_number"])]
    if plot.abroad:
        actions.append(act("world", "set_user_location", abroad=True))
        actions.append(act("world", "turn_roaming_on"))
        actions.append(act("world", "enable_roaming", **case.ids))
    for name in plot.faults:
        actions.extend(FAULTS[name].setup(case))
    if any(request.intent == "pay_bill" and request.outcome == "done" for request in plot.goal.requests):
        customer_id, amount = case.customer["customer_id"], overdue_amount(case)
        actions.append(
            act("world", "leave_bill_unpaid", customer_id=customer_id, new_bill_id=case.bill_id, amount=amount)
        )
    return (*actions, act("world", "simulate_network_search"))


def overdue_amount(case: Case) -> float:
    """What the unpaid bill of a ``pay_bill`` request comes to."""
    return 18.0 + int(case.bill_id[-2:])


def blocks(plot: Plot) -> list[tuple[Action, ...]]:
    """The gold's calls that change something, one block for each fault and request; blocks can change places."""
    found = []
    if plot.owner:
        found += [FAULTS[name].repair(plot.case) for name in plot.faults]
    for request in map(settled, plot.goal.requests):
        if request.outcome == "done" and request.intent in BILLING:
            found.append(pay(plot.case) if request.intent == "pay_bill" else more_data(_taking(plot.case, request)))
    return [block for block in found if block]


def gold_actions(plot: Plot) -> tuple[Action, ...]:
    """The calls of an agent and a user who make no detour."""
    number = plot.case.line["phone_number"]
    handed = [request for request in plot.goal.requests if settled(request).outcome == "transferred"]
    reason = next((FAULTS[name].handover[0] for name in plot.faults if name in LOST), "")
    last = (act("agent", "transfer_to_human_agents", summary=f"The phone has no service: {reason}."),)
    return (
        act("agent", "get_customer_by_phone", phone_number=number),
        *(action for block in blocks(plot) for action in block),
        *(last if handed else ()),
    )


def requirements(plot: Plot) -> tuple[Requirement, ...]:
    """What must hold besides the world: refusals, answers, and a transfer for the right reason."""
    reason = next((FAULTS[name].handover for name in plot.faults if name in LOST), ())
    return required(map(settled, plot.goal.requests), handed_over=reason)


def criteria(plot: Plot) -> Criteria:
    """The operator's records are as the gold leaves them, and what was wrong is not wrong any more."""
    found: list[Assertion] = []
    for request in map(settled, plot.goal.requests):
        found += _of_request(plot, request)
    if plot.owner:
        found += [item for name in plot.faults for item in _of_fault(plot, name)]
    return Criteria(basis=("database", "assertions"), assertions=tuple(_without_doubles(found)), tables=OPERATOR_TABLES)


def _without_doubles(items: Iterable[Assertion]) -> list[Assertion]:
    return list({item.model_dump_json(): item for item in items}.values())


def _of_request(plot: Plot, request: Request) -> list[Assertion]:
    if request.outcome != "done":
        return []
    if request.intent in SYMPTOMS:
        return list(assertions(request.intent))
    return _bought(_taking(plot.case, request)) if request.intent != "pay_bill" else [_paid(plot.case)]


def _of_fault(plot: Plot, name: str) -> list[Assertion]:
    case, ids = plot.case, plot.case.ids
    if name == "airplane_on":
        return [Assertion(name="assert_airplane_mode_status", arguments={"expected_status": False})]
    if name == "bill_suspension":
        return [_paid(case), _line(ids, "Active")]
    if name in ("pause", "contract_ended"):
        return [_line(ids, "Active" if name == "pause" else "Suspended")]
    if name == "roaming_barred":
        return [Assertion(name="assert_line_roaming", arguments={**ids, "expected_status": True})]
    return _bought(case) if name == "data_used_up" else []


def _paid(case: Case) -> Assertion:
    return Assertion(name="assert_no_overdue_bill", arguments={"overdue_bill_id": case.bill_id})


def _line(ids: Mapping[str, str], status: str) -> Assertion:
    return Assertion(name="assert_line_status", arguments={**ids, "expected_status": status})


def _bought(case: Case) -> list[Assertion]:
    """Data were added, or the plan is another: the one that was wanted, and not both."""
    plan = case.plan or {"plan_id": case.line["plan_id"]}
    gb = 0.0 if case.plan else case.gb
    return [
        Assertion(name="assert_plan", arguments={**case.ids, "expected_plan_id": plan["plan_id"]}),
        Assertion(name="assert_data_refueling_amount", arguments={**case.ids, "expected_amount": gb}),
    ]


def _taking(case: Case, request: Request) -> Case:
    """The case with what a request for data or a plan asks for."""
    slots: Mapping[str, Any] = request.slots
    plan = next((row for row in _plans() if row["name"] == slots.get("plan")), None)
    return Case(case.customer, case.line, case.limit, case.bill_id, slots.get("gb"), plan)


def _plans() -> Sequence[dict[str, Any]]:
    from .world_data import PLANS

    return PLANS
