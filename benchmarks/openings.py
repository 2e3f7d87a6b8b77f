"""Openings of the agenda user: how many are equal for different goals, and how long they are.

python benchmarks/openings.py --dialogues 10000
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice

from measure import show

from mua_env.core.tasks import Task
from mua_env.domain.contract import load_domain
from mua_env.users.agenda.user import AgendaUser


def count(tasks: Iterable[Task], user: AgendaUser, domain: object) -> dict[str, float]:
    """Dialogues, distinct openings, those equal to one of another goal, and words (Chinese: characters) in each."""
    goals: dict[str, set[str]] = defaultdict(set)
    number = length = 0
    for number, task in enumerate(tasks, start=1):
        assert task.goal is not None
        text = user.start(task, seed=number, context={"domain": domain}).reply(None).text
        goals[text].add(json.dumps(task.goal.model_dump(exclude={"persona", "noise"}), sort_keys=True))
        length += len(text.split()) if text.isascii() or "\u3002" not in text else len(text)
    shared = sum(len(of) for of in goals.values() if len(of) > 1)
    return {"dialogues": number, "distinct": len(goals), "shared": shared, "length": length / max(number, 1)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=2000, help="dialogues in each column (default 2000)")
    parser.add_argument("--domain", default="retail")
    parser.add_argument("--language", default="en")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    domain = load_domain(options.domain)
    rows: dict[str, dict[str, float]] = {name: {} for name in ("dialogues", "distinct", "shared", "length")}
    personas = ("plain", "polite", "chatty", "confused", "impatient", "terse", "as drawn")
    for persona in personas:
        tasks = domain.generate(level=4, seed=options.seed)
        user = AgendaUser(persona=None if persona == "as drawn" else persona, language=options.language)
        for name, value in count(islice(tasks, options.dialogues), user, domain).items():
            rows[name][persona] = value
    show(f"Openings, {options.domain}, {options.language}, level 4", list(personas), rows)


if __name__ == "__main__":
    main()
