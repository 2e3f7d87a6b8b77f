"""Rules: what a tool refuses, which reasons a refusal may give, and what audits name."""

from __future__ import annotations

from itertools import islice

import pytest

from mua_env import DescribedDomain, load_setting, obeys, rule
from mua_env.core.database import open_template
from mua_env.core.world import SQLWorld
from mua_env.domain.description.rules import Rule, explains
from mua_env.errors import DomainError
from mua_env.evaluation.audit.run import audit
from mua_env.scoring.refusals import RefusalListener, required_refusals, rules_of_refusals


@rule("open-only", "Only an open shop sells.", "closed|opening hours", refusal="the shop {shop[name]} is closed")
def open_only(shop: dict[str, str]) -> bool:
    return shop["state"] == "open"


@rule("in-stock", "What is sold must be in stock.", "stock|sold out|closed shelf")
def in_stock(thing: dict[str, int]) -> bool:
    return thing["stock"] > 0


def names(found: list[Rule]) -> list[str]:
    return [each.id for each in found]


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("I cannot sell it because the shop is closed.", True),
        ("Outside the opening hours that is not possible.", True),
        ("I cannot sell it because bananas are yellow.", False),
        ("It is against our policy.", False),
        ("It is sold out.", False),
        ("The shop is closed, and it is sold out.", False),
        ("I cannot. Do you know whether the shop is closed?", False),
    ],
)
def test_a_reason_counts_only_if_it_is_that_of_a_broken_rule_and_of_no_other(text: str, accepted: bool) -> None:
    assert explains(text, [open_only], [in_stock]) is accepted


def test_a_list_of_everything_that_may_be_in_the_way_explains_nothing() -> None:
    rules = [
        rule(f"r{n}", f"Word {word}.", word)(lambda shop: False) for n, word in enumerate(("red", "blue", "green"))
    ]
    assert explains("because it is red", rules, [])
    assert not explains("because it is red, blue or green", rules, [])


def test_a_refusal_speaks_of_the_record_at_hand(hotel: DescribedDomain) -> None:
    scope = {"shop": {"name": "Teas", "state": "closed"}}
    assert open_only.why(scope, hotel.description.locale()) == "the shop Teas is closed"
    assert in_stock.refusal == "what is sold must be in stock"


def test_a_tool_refuses_what_a_rule_forbids_and_changes_nothing(hotel: DescribedDomain) -> None:
    rows = hotel.data()
    world = SQLWorld(open_template(hotel.models, rows), hotel.toolset())
    past = next(row for row in rows["bookings"] if row["status"] == "past")
    result = world.call("cancel_booking", {"booking_id": past["booking_id"]})
    assert (result.ok, "past" in result.content) == (False, True)
    assert world.snapshot() == {}
    result = world.call("cancel_booking", {"booking_id": "H00"})
    assert (result.ok, "no booking number 'H00'" in result.content) == (False, True)
    world.close()


def test_rules_are_written_once_and_stand_in_the_policy_the_audit_and_the_goals(hotel: DescribedDomain) -> None:
    assert list(hotel.policy_rules) == ["own-booking", "confirmed-only", "another-type", "free-room"]
    for sentence in hotel.policy_rules.values():
        assert sentence in hotel.policy()
    refused = [
        request
        for task in islice(hotel.generate(level=3, seed=0), 60)
        for request in (task.goal.requests if task.goal else ())
        if request.outcome == "refused"
    ]
    assert refused
    assert {name for request in refused for name in request.rules} <= set(hotel.policy_rules)
    task = next(islice(hotel.generate(level=1, seed=0), 1))
    assert set(hotel.binding_rules(task, None)) <= set(hotel.policy_rules)  # type: ignore[arg-type]


def test_a_faulty_reason_or_rule_says_what_is_wrong() -> None:
    with pytest.raises(DomainError, match="no regular expression"):
        rule("x", "X.", "(unclosed")
    with pytest.raises(DomainError, match="takes rules"):
        obeys(lambda booking: True)  # type: ignore[arg-type]


def test_a_listener_for_other_users_takes_only_the_reason_of_a_rule(hotel: DescribedDomain) -> None:
    task = next(
        task
        for task in hotel.generate(level=2, seed=0)
        if task.goal and task.goal.requests[0].rules == ("confirmed-only",)
    )
    intent = task.goal.requests[0].intent  # type: ignore[union-attr]

    def listener() -> RefusalListener:
        return RefusalListener(hotel.language, required_refusals(task), rules_of_refusals(task))

    assert listener().agent_says("I cannot do that because bananas are yellow.") == []
    assert listener().agent_says("I cannot do that because no room is available.") == []
    assert listener().agent_says("I cannot do that because the booking is past.") == [f"refusal:{intent}"]
    later = listener()
    assert later.agent_says("I'm sorry, I cannot do that.") == []
    assert later.agent_says("That is because the booking is past already.") == [f"refusal:{intent}"]


def test_an_audit_names_the_rules_that_tasks_fall_under(hotel: DescribedDomain) -> None:
    found = audit(load_setting(hotel, "test"), limit=10)
    assert found.rules == dict(hotel.policy_rules)
    for each in found.tasks:
        assert each.failures == ()
        assert each.rules
        assert max(run.rewards["task"] or 0.0 for run in each.baselines.values()) == 0
