"""Which rules of the telecom policy document a task falls under, by id.

What binds every task (find out who calls, look before acting) is not listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mua_env.core.database import Database
from mua_env.core.tasks import Task

from .models import Customer

RULES: Final[Mapping[str, str]] = {
    "owner-only": "Who cannot name the owner's name and date of birth is refused.",
    "overdue-only": "Only an overdue bill can be paid.",
    "paid-before-resume": "A line suspended for a bill is resumed when the bill is paid.",
    "resume-after-pause": "A line paused at the customer's wish is resumed at the customer's wish.",
    "contract-ended": "A line whose contract has ended is handed over, and no payment is taken.",
    "sim-locked": "A locked SIM card is handed over.",
    "consent-to-charge": "Data are added and plans changed only with consent to the price.",
    "two-gb": "At most 2 GB are added in a month.",
    "watch-plan": "Pebble 1 is for watches only.",
    "roaming-free": "Roaming is allowed for the line of a customer who is abroad.",
}
"""The rules by id, in the order of the policy document."""
_BY_CALL: Final = {
    "suspend_line": "resume-after-pause",
    "lock_sim_card": "sim-locked",
    "disable_roaming": "roaming-free",
    "refuel_data": "consent-to-charge",
    "change_plan": "consent-to-charge",
    "send_payment_request": "overdue-only",
}


def binding_rules(task: Task, database: Database) -> Iterator[str]:
    """The ids of the rules that a task falls under; some may come twice.

    Args:
        task: an own or a public task.
        database: holds the state that the task starts from.
    """
    goal, calls = task.goal, (*task.initial_actions, *task.actions)
    customer = database.get(Customer, task.user_id) if task.user_id else None
    if goal and customer and goal.facts.get("full_name") != customer["full_name"]:
        yield "owner-only"
        return
    for action in calls:
        if action.name in _BY_CALL:
            yield _BY_CALL[action.name]
        if action.name == "suspend_line_for_overdue_bill":
            yield "contract-ended" if action.arguments.get("contract_ended") else "paid-before-resume"
    for request in goal.requests if goal else ():
        if request.outcome == "refused" and request.intent in _REFUSED:
            yield _REFUSED[request.intent]


_REFUSED: Final = {"pay_bill": "overdue-only", "refuel_data": "two-gb", "change_plan": "watch-plan"}
