"""Composing what is wrong in a task, and what its user asks for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mua_env.core.tasks import Goal, MindChange, Request

from .faults import FAULTS, LOST, SLOW, Case, Family, Record, of
from .goals import BILLING, SYMPTOMS, Plot
from .world_data import COUNTRIES, FIRST_NAMES, LAST_NAMES, MAIN_PLANS, PLANS

_FAMILIES: Final[dict[str, tuple[Family, ...]]] = {
    "service": ("service",),
    "data": ("service", "data"),
    "mms": ("service", "data", "mms"),
}
_SINCE: Final = ("two days ago", "three days ago", "last night", "about an hour ago", "two hours ago", "four days ago")
_AMOUNTS: Final = (1.0, 1.5, 2.0)
MOST_GB: Final = 2.0
"""More data than this are not added in a month (policy document)."""


@dataclass
class Draw:
    """One draw: a customer with the line in the phone, and the generator of everything random."""

    customer: Record
    line: Record
    device: Record
    rng: random.Random
    plan: Record = field(init=False)

    def __post_init__(self) -> None:
        self.plan = next(row for row in PLANS if row["plan_id"] == self.line["plan_id"])

    def larger_plan(self, *, but: str = "") -> Record | None:
        """Another plan for phones with more data than the present one."""
        return self._choose([row for row in self._others(but) if row["data_limit_gb"] > self.plan["data_limit_gb"]])

    def other_plan(self, *, but: str = "") -> Record | None:
        """Another plan for phones whose data are not used up already."""
        return self._choose(
            [row for row in self._others(but) if row["data_limit_gb"] > self.line["data_used_gb"] + 0.5]
        )

    def _others(self, but: str) -> list[Record]:
        return [row for row in MAIN_PLANS if row["name"] not in (self.plan["name"], but)]

    def _choose(self, rows: Sequence[Record]) -> Record | None:
        return self.rng.choice(rows) if rows else None


def compose(draw: Draw, count: int, twist: str) -> Plot | None:
    """A plot with ``count`` faults and requests of the billing family; ``None`` where the draw comes to nothing.

    Args:
        draw: the user and the generator.
        count: how many.
        twist: ``"transfer"``, ``"refused"``, ``"change"``, ``"stranger"`` or none.
    """
    rng = draw.rng
    symptom = rng.choice(SYMPTOMS[1:] if twist == "change" else SYMPTOMS)
    if twist == "transfer":
        return _transfer(draw, count, symptom)
    extras = _extras(draw, count, twist)
    if extras is None:
        return None
    if len(extras) == count:
        return _plot(draw, (), extras)
    first = ("data_used_up",) if twist == "change" else ()
    faults = _faults(draw, symptom, count - len(extras), extras, first=first)
    if faults is None:
        return None
    wish = _symptom(draw, symptom, faults, change=twist == "change")
    if wish is None:
        return None
    if twist == "stranger":
        return _plot(draw, faults, [_refused(wish, "owner-only")], owner=False)
    return _plot(draw, faults, rng.sample([wish, *extras], len(extras) + 1))


def _extras(draw: Draw, count: int, twist: str) -> list[Request] | None:
    """The requests of the billing family; ``None`` where the twist cannot be had."""
    rng = draw.rng
    if twist == "stranger":
        return []
    if twist == "refused":
        return [_refusal(draw)]
    if count == 1:
        request = _billing(draw, rng.choice(BILLING)) if rng.random() < 0.25 else None
        return [] if request is None else [request]
    if twist == "change":
        return [Request(intent="pay_bill")] if count > 2 and rng.random() < 0.4 else []
    wanted = rng.choice((0, 0, 1, 1, 2)) if count > 2 else rng.choice((0, 1))
    kinds = rng.sample(("pay_bill", rng.choice(("refuel_data", "change_plan"))), min(wanted, 2))
    made = [_billing(draw, kind) for kind in kinds]
    return [request for request in made if request is not None]


def _billing(draw: Draw, intent: str, *, change: bool = False) -> Request | None:
    if intent == "pay_bill":
        return Request(intent=intent)
    if intent == "refuel_data":
        return Request(intent=intent, slots={"gb": draw.rng.choice(_AMOUNTS)})
    plan = draw.other_plan()
    return None if plan is None else Request(intent=intent, slots={"plan": plan["name"]})


def _refusal(draw: Draw) -> Request:
    """Something that the policy document forbids, with or without something else in mind."""
    rng = draw.rng
    kind = rng.choice(("too_much", "too_much", "not_due", "watch"))
    if kind == "not_due":
        return _refused(Request(intent="pay_bill", slots={"next": True}), "overdue-only")
    if kind == "watch":
        return _refused(Request(intent="change_plan", slots={"plan": PLANS[-1]["name"]}), "watch-plan")
    fallback = Request(intent="refuel_data", slots={"gb": MOST_GB}) if rng.random() < 0.6 else None
    slots = {"gb": rng.choice((3.0, 4.0, 5.0))}
    return _refused(Request(intent="refuel_data", slots=slots, fallback=fallback), "two-gb")


def _refused(request: Request, rule: str) -> Request:
    return request.model_copy(update={"outcome": "refused", "rules": (rule,)})


def _faults(
    draw: Draw, symptom: str, count: int, extras: Sequence[Request], *, first: tuple[str, ...] = ()
) -> tuple[str, ...] | None:
    """Faults that show as a symptom, ``first`` and one of its own family among them."""
    rng = draw.rng
    barred = SLOW if symptom == "mms" else frozenset()
    intents = {request.intent for request in extras}
    if intents & {"refuel_data", "change_plan"}:
        barred |= {"data_used_up"}
    if "pay_bill" in intents:
        barred |= {"bill_suspension"}
    if "change_plan" in intents:
        barred |= {"pause", "bill_suspension"}
    own = [name for name in of(_FAMILIES[symptom][-1]) if name not in barred]
    names = [name for name in of(*_FAMILIES[symptom]) if name not in barred]
    chosen = list(dict.fromkeys([*first, rng.choice(own)]))
    rng.shuffle(names)
    for name in names:
        if len(chosen) < count and name not in chosen and not any(_clash(name, other) for other in chosen):
            chosen.append(name)
    if len(chosen) != count or any(_clash(one, other) for one in chosen for other in chosen if one != other):
        return None
    return tuple(rng.sample(chosen, count))


def _clash(one: str, other: str) -> bool:
    return one in FAULTS[other].without or other in FAULTS[one].without


def _symptom(draw: Draw, symptom: str, faults: Sequence[str], *, change: bool) -> Request | None:
    """The request to be rid of a symptom, with what the user would take if the data were used up."""
    if symptom == "service":
        return None if change else Request(intent=symptom)
    slots = _remedy(draw)
    if not change:
        return Request(intent=symptom, slots=slots)
    other = _remedy(draw)
    if other == slots:
        return None
    return Request(intent=symptom, slots=slots, change=MindChange(slots={**dict.fromkeys(slots), **other}))


def _remedy(draw: Draw) -> dict[str, Any]:
    plan = draw.larger_plan() if draw.rng.random() < 0.4 else None
    return {"gb": draw.rng.choice(_AMOUNTS)} if plan is None else {"plan": plan["name"]}


def _transfer(draw: Draw, count: int, symptom: str) -> Plot | None:
    """A fault that nobody in the dialogue can repair, behind other things that can be done."""
    rng = draw.rng
    lost = rng.choice(sorted(LOST))
    faults = [lost]
    if count > 2 and rng.random() < 0.7:
        faults.insert(0, "airplane_on")
    wish = Request(intent=symptom, slots=_remedy(draw) if symptom != "service" else {}, outcome="transferred")
    kinds = ["refuel_data"] if lost == "contract_ended" else ["pay_bill", rng.choice(("refuel_data", "change_plan"))]
    made = [_billing(draw, kind) for kind in rng.sample(kinds, min(len(kinds), count - len(faults)))]
    extras = [request for request in made if request is not None]
    if len(extras) + len(faults) < count:
        refused = _refusal(draw)
        extras += [] if any(request.intent == refused.intent for request in extras) else [refused]
    if len(extras) + len(faults) != count:
        return None
    return _plot(draw, tuple(faults), [*extras, wish])


def _plot(draw: Draw, faults: tuple[str, ...], requests: Sequence[Request], *, owner: bool = True) -> Plot:
    rng = draw.rng
    abroad = any(FAULTS[name].abroad for name in faults) or rng.random() < 0.1
    taken: dict[str, Any] = {}
    for request in requests:
        if request.intent in SYMPTOMS:
            taken = {**request.slots, **(request.change.slots if request.change else {})}
    plan = next((row for row in PLANS if row["name"] == taken.get("plan")), None)
    bill_id = f"B{rng.randrange(7000000, 8000000)}"
    case = Case(draw.customer, draw.line, draw.plan["data_limit_gb"], bill_id, taken.get("gb"), plan)
    facts = {
        "full_name": draw.customer["full_name"],
        "dob": draw.customer["date_of_birth"],
        "phone": draw.line["phone_number"],
        "customer_id": draw.customer["customer_id"],
        "location": rng.choice(COUNTRIES) if abroad else "home",
        "since": rng.choice(_SINCE),
        "device": draw.device["model"],
    }
    if rng.random() < 0.6 or not owner:
        del facts["customer_id"]
    if not owner:
        others = [name for name in LAST_NAMES if name not in draw.customer["full_name"]]
        facts["full_name"] = f"{rng.choice(FIRST_NAMES)} {rng.choice(others)}"
        facts["dob"] = f"{rng.randint(1950, 2003)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
    return Plot(case, faults, Goal(facts=facts, requests=tuple(requests)), abroad, owner)
