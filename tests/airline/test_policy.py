"""The policy document: every rule that tasks rely on is in it, short and long."""

from __future__ import annotations

import re

import pytest

from mua_env.envs.airline import domain
from mua_env.envs.airline.records import BAG_PRICE, FREE_BAGS, INSURANCE_PRICE
from mua_env.envs.airline.search import NOW


@pytest.mark.parametrize("compact", [False, True])
def test_the_rules_that_tasks_rely_on_are_there(compact: bool) -> None:
    text = domain.policy(compact=compact).lower()
    for rule in (
        rf"{NOW[:10]},? {NOW[11:16]}",
        r"user id",
        r"clear yes",
        r"within (?:the last )?24 h",
        r"airline cancelled",
        r"business",
        r"health (?:or|/) ?weather|health/weather|health or weather",
        r"basic economy",
        r"origin, destination(?: and|,) trip type",
        r"never (?:removed|after booking)|add only",
        r"insurance",
        r"number",
        r"five passengers|at most 5",
        r"transfer",
        r"silver",
        r"\$100",
        r"\$50",
        rf"\${BAG_PRICE}",
        rf"\${INSURANCE_PRICE}",
        r"for sale",
        r"customer's word",
    ):
        assert re.search(rule, text), rule


def test_the_bag_table_is_the_one_that_tasks_use() -> None:
    full, compact = domain.policy(), domain.policy(compact=True)
    for membership, bags in FREE_BAGS.items():
        row = [bags[cabin] for cabin in ("basic_economy", "economy", "business")]
        assert f"| {membership} | {row[0]} | {row[1]} | {row[2]} |" in full
        assert f"{membership} {row[0]}/{row[1]}/{row[2]}" in compact


def test_the_short_document_is_short() -> None:
    assert len(domain.policy(compact=True).split()) < 330 < len(domain.policy().split())
