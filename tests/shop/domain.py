from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

from mua_env.core.database import Rows
from mua_env.core.tasks import Action, Goal, Request, Requirement, Task
from mua_env.domain.contract import Domain
from shop.models import Base
from shop.tools import ShopTools

SECRET = "Zephyrine"
"""A word that only hidden parts of a task hold."""


def _customers() -> list[dict[str, object]]:
    return [
        {
            "customer_id": f"c{i}",
            "email": f"Person{i}@Example.com",
            "email_lower": f"person{i}@example.com",
            "address": {"street": f"{i} Hill Road", "zip": f"100{i:02d}"},
            "tags": ["new", "tea"],
        }
        for i in range(20)
    ]


def _orders() -> list[dict[str, object]]:
    return [
        {"order_id": f"#{i}", "customer_id": f"c{i}", "status": "sent" if i % 5 == 4 else "pending", "total": 10 * i}
        for i in range(20)
    ]


def _task(split: str, number: int) -> Task:
    order = f"#{number}"
    facts = {"email": f"person{number}@example.com"}
    common = {"id": f"{split}-{number}", "domain": "shop", "split": split, "level": 1 + number % 2}
    if number % 5 == 4:
        return Task(
            **common,
            instruction=f"{SECRET} wants order {order} cancelled, but it has been sent.",
            goal=Goal(facts=facts, requests=(Request(intent="cancel", slots={"order": order}, outcome="refused"),)),
            requirements=(Requirement(kind="refusal", intent="cancel"),),
        )
    return Task(
        **common,
        instruction=f"{SECRET} wants order {order} cancelled because it was a mistake.",
        goal=Goal(facts=facts, requests=(Request(intent="cancel", slots={"order": order}),)),
        actions=(Action(name="cancel_order", arguments={"order_id": order, "reason": "ordered by mistake"}),),
        outputs=("1,000",) if number == 0 else (),
    )


class ShopDomain(Domain):
    name = "shop"
    models = Base
    toolkit = ShopTools

    def data(self) -> Rows:
        lines = [
            {"order_id": f"#{i}", "number": n, "tea": tea, "count": 2}
            for i in range(20)
            for n, tea in enumerate(("Assam", "Ceylon"), start=1)
        ]
        return {"customers": _customers(), "orders": _orders(), "lines": lines}

    def policy(self, *, compact: bool = False) -> str:
        return "Cancel pending orders only."

    def tasks(self, split: str) -> Sequence[Task]:
        numbers = range(10) if split == "train" else range(10, 20)
        return [_task(split, number) for number in numbers]

    def generate(self, *, level: int, seed: int, split: str = "train") -> Iterator[Task]:
        rng = Random(f"{level}/{seed}/{split}")
        for i in count():
            task = _task(split, rng.randrange(10))
            yield task.model_copy(update={"id": f"{seed}-{i}", "level": level})


shop = ShopDomain()
