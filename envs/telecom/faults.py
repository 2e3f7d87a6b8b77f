"""What can be wrong in the telecom world: how it comes about, and what repairs it.

A fault belongs to a family. Service is what mobile data need, and mobile data what picture messages need: a fault of
one family shows in the families behind it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from mua_env.core.tasks import Action, Assertion
from mua_env.core.tools import Requestor

Record = dict[str, Any]
Family = Literal["service", "data", "mms", "billing"]


@dataclass(frozen=True)
class Case:
    """The customer of a task, the line in the phone, and what the faults take their values from.

    ``gb`` or ``plan`` is what the user takes when the data are used up; ``bill_id`` is free for a new bill.
    """

    customer: Record
    line: Record
    limit: float
    bill_id: str
    gb: float | None
    plan: Record | None

    @property
    def ids(self) -> dict[str, str]:
        """The arguments that name the line."""
        return {"customer_id": self.customer["customer_id"], "line_id": self.line["line_id"]}


Steps = Callable[[Case], tuple[Action, ...]]


def act(requestor: Requestor, name: str, /, **arguments: Any) -> Action:
    """A call, by whose hands it is made."""
    return Action(name=name, arguments=arguments, requestor=requestor)


def world(name: str, /, **arguments: Any) -> Steps:
    """One call of a set-up function."""
    return lambda _: (act("world", name, **arguments),)


def user(*names: str, **arguments: Any) -> Steps:
    """Calls of the user; the arguments are the last one's."""
    *first, last = names
    return lambda _: (*(act("user", name) for name in first), act("user", last, **arguments))


@dataclass(frozen=True)
class Fault:
    """Something that is wrong.

    Attributes:
        name: as ``"airplane_on"``.
        family: what it disturbs.
        setup: the calls by which it comes about.
        repair: the calls that repair it, the agent's and the user's; none if nobody can.
        without: faults that cannot come together with it.
        abroad: it takes a user who is abroad.
        handover: beginnings of words that a transfer to a human agent must give as its reason.
    """

    name: str
    family: Family
    setup: Steps
    repair: Steps = lambda _: ()
    without: frozenset[str] = frozenset()
    abroad: bool = False
    handover: tuple[str, ...] = ()


def _suspend(*, ended: bool) -> Steps:
    def setup(case: Case) -> tuple[Action, ...]:
        return (
            act("world", "suspend_line_for_overdue_bill", **case.ids, new_bill_id=case.bill_id, contract_ended=ended),
        )

    return setup


def pay(case: Case) -> tuple[Action, ...]:
    """The overdue bill is asked for and paid."""
    customer_id = case.customer["customer_id"]
    return act("agent", "send_payment_request", customer_id=customer_id, bill_id=case.bill_id), act(
        "user", "make_payment"
    )


def resume(case: Case) -> tuple[Action, ...]:
    """The line is taken out of suspension."""
    return (act("agent", "resume_line", **case.ids),)


def more_data(case: Case) -> tuple[Action, ...]:
    """What the user takes when the data are used up."""
    if case.plan is not None:
        return (act("agent", "change_plan", **case.ids, plan_id=case.plan["plan_id"]),)
    return (act("agent", "refuel_data", **case.ids, gb_amount=case.gb),)


def _pause(case: Case) -> tuple[Action, ...]:
    return (act("world", "suspend_line", **case.ids, reason="The customer asked for a pause."),)


def _use_up(case: Case) -> tuple[Action, ...]:
    return (act("world", "set_data_usage", **case.ids, data_used_gb=round(case.limit + 0.4, 1)),)


def _grant(permission: str) -> Steps:
    return user("grant_app_permission", app_name="messaging", permission=permission)


def _revoke(permission: str) -> Steps:
    return world("remove_app_permission", app_name="messaging", permission=permission)


_APN = user("reset_apn_settings", "reboot_device")
_DEAD = frozenset({"bill_suspension", "pause", "contract_ended", "sim_puk", "sim_pin"})
_PREFER = user("set_network_mode_preference", mode="4g_5g_preferred")

FAULTS: Final[Mapping[str, Fault]] = {
    fault.name: fault
    for fault in (
        Fault("airplane_on", "service", world("turn_airplane_mode_on"), user("toggle_airplane_mode")),
        Fault("sim_missing", "service", world("unseat_sim_card"), user("reseat_sim_card"), frozenset({"sim_puk"})),
        Fault("apn_broken", "service", world("break_apn_settings"), _APN, frozenset({"apn_mms"})),
        Fault("bill_suspension", "service", _suspend(ended=False), lambda c: pay(c) + resume(c), _DEAD),
        Fault("pause", "service", _pause, resume, _DEAD),
        Fault("sim_puk", "service", world("lock_sim_card", mode="puk"), handover=("puk", "lock"), without=_DEAD),
        Fault("sim_pin", "service", world("lock_sim_card", mode="pin"), handover=("pin", "lock"), without=_DEAD),
        Fault("contract_ended", "service", _suspend(ended=True), handover=("contract",), without=_DEAD),
        Fault("data_off", "data", world("turn_data_off"), user("toggle_data")),
        Fault("roaming_off", "data", world("turn_roaming_off"), user("toggle_roaming"), abroad=True),
        Fault(
            "roaming_barred",
            "data",
            lambda c: (act("world", "disable_roaming", **c.ids),),
            lambda c: (act("agent", "enable_roaming", **c.ids),),
            abroad=True,
        ),
        Fault("data_used_up", "data", _use_up, more_data),
        Fault("data_saver", "data", world("turn_data_saver_mode_on"), user("toggle_data_saver_mode")),
        Fault(
            "old_3g",
            "data",
            world("set_network_mode_preference", mode="3g_only"),
            _PREFER,
            frozenset({"old_2g"}),
        ),
        Fault("old_2g", "data", world("set_network_mode_preference", mode="2g_only"), _PREFER, frozenset({"old_3g"})),
        Fault("slow_vpn", "data", world("break_vpn"), user("disconnect_vpn"), frozenset({"airplane_on"})),
        Fault(
            "wifi_calling",
            "mms",
            world("set_wifi_calling", enabled=True, mms_over_wifi=True),
            user("toggle_wifi_calling"),
        ),
        Fault("apn_mms", "mms", world("break_apn_mms_setting"), _APN, frozenset({"apn_broken"})),
        Fault("no_storage", "mms", _revoke("storage"), _grant("storage")),
        Fault("no_sms", "mms", _revoke("sms"), _grant("sms")),
    )
}
"""Faults by name. The billing family has no faults of the phone: its requests are in :mod:`.goals`."""

SLOW: Final = frozenset({"data_saver", "old_3g", "slow_vpn"})
"""Faults of the data family that slow the connection down and do not cut it: picture messages go through."""
LOST: Final = frozenset(name for name, fault in FAULTS.items() if fault.handover)
"""Faults that nobody in the dialogue can repair."""


def of(*families: Family) -> tuple[str, ...]:
    """The faults of families that can be repaired."""
    return tuple(name for name, fault in FAULTS.items() if fault.family in families and name not in LOST)


def assertions(intent: str) -> tuple[Assertion, ...]:
    """What must be so at the end for a symptom to be gone."""
    service = Assertion(name="assert_service_status", arguments={"expected_status": "connected"})
    data = Assertion(name="assert_mobile_data_status", arguments={"expected_status": True})
    fast = Assertion(name="assert_internet_speed", arguments={"expected_speed": 200.0, "expected_desc": "excellent"})
    mms = Assertion(name="assert_can_send_mms", arguments={"expected_status": True})
    return {"service": (service,), "data": (service, data, fast), "mms": (service, data, mms)}[intent]
