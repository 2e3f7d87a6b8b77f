"""Refusals that count: said with a reason, whoever the user is; and transfers, for the right reason."""

# ruff: noqa: RUF001

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest

from mua_env.core.agent import Agent
from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.core.tasks import Action, Goal, Request, Requirement, Task
from mua_env.domain.contract import load_domain
from mua_env.domain.packaged import PackagedDomain
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.scoring.refusals import RefusalListener
from mua_env.users.agenda.user import AgendaUser

from .users import QuietUser

USERS = {"agenda": AgendaUser(), "quiet": QuietUser()}
CANCELLED = ["refusal:cancel_order"]


def listener(*required: str) -> RefusalListener:
    return RefusalListener(load_domain("retail").language, required or ("cancel_order",))


@pytest.fixture(scope="module")
def setting() -> Setting:
    return load_setting("retail", "test")


@pytest.fixture(params=sorted(USERS))
def session(request: pytest.FixtureRequest, setting: Setting) -> Iterator[Session]:
    session = Session(setting, USERS[request.param])
    yield session
    session.close()


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but order #W1 was already delivered, so it can't be cancelled.",
        "Unfortunately, your order has been delivered. Only pending orders can be cancelled.",
        "I can't do that because it belongs to another customer.",
        "That reason is not one of the two that count, so I cannot cancel the order. Is there anything else?",
        "**I am unable to cancel order #W1**: its status is processed.",
        "We do not allow that under our policy.",
        "I'm not able to process this, as orders can only be cancelled until they leave.",
        "Per our policy, only pending orders qualify, so cancelling isn't an option here.",
        "Since your order is delivered, I can't cancel it - is there anything else I can help with?",
        "It looks like the order is already delivered. Therefore we can no longer cancel it.",
        "Order #W1 was placed by another customer and I'm only able to help with your own orders.",
        "Cancelling a delivered order is not something I can do. Would you like to return the items?",
    ],
)
def test_a_reasoned_refusal_is_heard(text: str) -> None:
    assert listener().agent_says(text) == CANCELLED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        "No, I can't do that.",
        "I'm sorry, but I cannot cancel your order.",
        "I am afraid that is not possible.",
        "Do you want to cancel a pending order because it is no longer needed?",
        "I cannot cancel the order until you confirm your email address.",
        "I can cancel that. It cannot be undone. Do you confirm (yes/no)?",
        "Once cancelled, this can't be undone, because refunds are issued at once. Shall I proceed?",
        "I cannot cancel the order until you confirm your identity, because our policy requires it.",
        "I wasn't able to find your account with that email. Could you provide your zip code?",
        "Before I can cancel it, I need your reason: no longer needed or ordered by mistake?",
        "The order has been cancelled because you asked for it.",
        "Thank you for your message.",
    ],
)
def test_a_bare_no_and_other_talk_are_not(text: str) -> None:
    assert listener().agent_says(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "抱歉，您的订单#W1已经送达，所以无法取消。",
        "很遗憾，订单 #W1 已经送达。只有待处理的订单才能取消。",
        "因为这个订单属于另一位客户，我不能取消。",
        "我们不允许取消已送达的订单。",
        "订单#W1已发货，不支持取消。",
        "这个不行，因为订单早就送达了，取消不了。",
        "按照规定，只有待处理订单可以取消，您的订单不符合条件。",
        "Sorry, 订单已送达，不能取消。",
    ],
)
def test_a_reasoned_refusal_is_heard_in_chinese_too(text: str) -> None:
    assert listener().agent_says(text) == CANCELLED


@pytest.mark.parametrize(
    "text",
    [
        "不行。",
        "抱歉，我无法取消您的订单。",
        "您想取消待处理的订单是因为不再需要吗？",
        "在您确认邮箱之前，我无法取消订单。",
        "我可以取消。取消后无法撤销。您确认吗？（是/否）",
        "订单已经取消，因为您要求了。",
        "我没有找到您的账户，请提供邮编。",
        "谢谢您的留言。",
    ],
)
def test_a_bare_no_and_other_talk_in_chinese_are_not(text: str) -> None:
    assert listener().agent_says(text) == []


def test_in_chinese_too_the_reason_may_follow_and_the_user_says_what_it_is_about() -> None:
    heard = listener("cancel_order", "return_items")
    heard.user_says("我想退货。")
    assert heard.agent_says("我做不到。") == []
    assert heard.agent_says("因为订单还没有送达。") == ["refusal:return_items"]


@pytest.mark.parametrize("domain", ["retail", "airline"])
def test_the_chinese_expert_is_understood_by_a_user_that_registers_nothing(domain: str) -> None:
    setting = load_setting(domain, "test")
    session = Session(setting, QuietUser(language="zh"))
    tasks = refusal_tasks(setting)[:40]
    expert = PackagedDomain.expert(cast(PackagedDomain, setting.domain), language="zh")
    solved = [drive(session, task, expert) for task in tasks]
    session.close()
    assert sum(value == 1.0 for value in solved) / len(tasks) > 0.8


def test_the_reason_may_follow_when_the_user_asks_why() -> None:
    heard = listener()
    assert heard.agent_says("I cannot cancel it.") == []
    heard.user_says("Why not?")
    assert heard.agent_says("It was delivered already.") == CANCELLED


def test_a_reason_for_nothing_is_no_refusal() -> None:
    heard = listener()
    assert heard.agent_says("Your order was delivered already.") == []


def test_it_is_about_what_the_sentence_names_else_what_the_user_spoke_of() -> None:
    heard = listener("cancel_order", "return_items")
    heard.user_says("I would like to return something.")
    assert heard.agent_says("That is not possible, because the order is pending.") == ["refusal:return_items"]
    assert heard.agent_says("I cannot cancel it, because it is delivered.") == ["refusal:cancel_order"]


def test_a_fork_hears_for_itself() -> None:
    heard = listener()
    heard.agent_says("I cannot cancel it.")
    twin = heard.fork()
    assert heard.agent_says("Let us go on.") == []
    assert twin.agent_says("It was delivered already.") == CANCELLED


# whole dialogues


def refusal_tasks(setting: Setting) -> list[Task]:
    return [task for task in setting.tasks if any(item.kind == "refusal" for item in task.requirements)]


def drive(session: Session, task: Task, agent: Agent) -> float | None:
    result = session.start(task, seed=3)
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=3)
    while not result.done:
        result = session.send(agent.act(result.messages))
    assert result.score is not None
    return result.score.reward


@pytest.mark.parametrize("domain", ["retail", "airline"])
@pytest.mark.parametrize("user", sorted(USERS))
def test_the_expert_is_understood_by_users_of_both_kinds(domain: str, user: str) -> None:
    session = Session(load_setting(domain, "test"), USERS[user])
    tasks = refusal_tasks(session.setting)
    assert len(tasks) > 50
    solved = [drive(session, task, session.setting.domain.expert()) for task in tasks]
    session.close()
    assert sum(value == 1.0 for value in solved) / len(tasks) > 0.9


def only_refused(setting: Setting, intent: str) -> Task:
    """A task in which one request is to be refused and nothing else is asked for."""
    return next(
        task
        for task in refusal_tasks(setting)
        if task.goal
        and [request.intent for request in task.goal.requests] == [intent]
        and "order_id" in task.goal.requests[0].slots
    )


def finish(session: Session) -> float | None:
    """Say nothing of use until the user goes."""
    while session.score is None:
        session.send("Thank you for your message.")
    return session.score.reward


def test_saying_nothing_or_a_bare_no_never_scores(session: Session) -> None:
    for task in refusal_tasks(session.setting):
        for text in ("Thank you for your message.", "No.", "I cannot do that."):
            session.start(task)
            if not session.send(text).done:
                finish(session)
            assert session.score is not None
            assert session.score.reward == 0.0, task.id
            assert session.score.parts["requirements"] == 0.0


def test_no_and_why_scores_and_doing_it_after_all_does_not(session: Session) -> None:
    order = next(row for row in session.setting.domain.data()["orders"] if row["status"] == "pending")
    arguments = {"order_id": order["order_id"], "reason": "no longer needed"}
    # Whatever the policy document says, the user of this task is to be told no; the tools would do it.
    task = Task(
        id="never-cancel",
        domain="retail",
        goal=Goal(requests=(Request(intent="cancel_order", slots=arguments, outcome="refused"),)),
        requirements=(Requirement(kind="refusal", intent="cancel_order"),),
    )
    refusal = "I am sorry, I cannot cancel this order, because it belongs to another customer."
    session.start(task)
    session.send(refusal)
    assert finish(session) == 1.0
    session.start(task)
    cancel = FunctionCall(name="cancel_pending_order", arguments=arguments)
    session.send(AssistantMessage(tool_calls=(ToolCall(id="1", function=cancel),)))
    session.send(refusal)
    assert finish(session) == 0.0
    assert session.score is not None
    assert session.score.parts == {"database": 0.0, "requirements": 1.0, "outputs": None}


def test_refusing_what_is_allowed_fails_on_the_database(session: Session) -> None:
    permitted = [
        task
        for task in session.setting.tasks
        if task.level == 1 and task.actions and task.goal and task.goal.requests[0].outcome == "done"
    ]
    assert len(permitted) > 20
    for task in permitted[:20]:
        session.start(task)
        session.send("I am sorry, I cannot do that, because our policy does not allow it.")
        finish(session)
        assert session.score is not None
        assert session.score.reward == 0.0
        assert session.score.parts["database"] == 0.0


def test_refusing_everything_passes_only_where_everything_is_refused(
    session: Session, request: pytest.FixtureRequest
) -> None:
    passed = []
    for task in session.setting.tasks:
        session.start(task)
        while session.score is None:
            session.send("I am sorry, I cannot do that, because our policy does not allow it.")
        if session.score.reward:
            passed.append(task)
    # The agenda user knows the reason that counts, and "our policy" is none; what a listener makes of the talk of other
    # users cannot know it.
    assert bool(passed) == (request.node.callspec.params["session"] != "agenda")
    for task in passed:
        assert task.goal is not None
        assert {request.outcome for request in task.goal.requests} == {"refused"}
    assert len(passed) < len(session.setting.tasks) / 10


def test_a_fork_in_mid_dialogue_keeps_what_was_heard(setting: Setting) -> None:
    session = Session(setting, QuietUser())
    session.start(only_refused(setting, "cancel_order"))
    session.send("I cannot cancel the order.")
    twin = session.fork()
    session.send("How can I help you?")
    twin.send("Because it was delivered already.")
    assert finish(session) == 0.0
    assert finish(twin) == 1.0
    session.close()
    twin.close()


# transfers


def transfer(summary: str) -> AssistantMessage:
    call = FunctionCall(name="transfer_to_human_agents", arguments={"summary": summary})
    return AssistantMessage(tool_calls=(ToolCall(id="1", function=call),))


@pytest.mark.parametrize(
    ("summary", "reward"),
    [
        ("Cancelling #W1 is impossible: the order was already Processed.", 1.0),
        ("It has been shipped.", 1.0),
        ("The user wants a human.", 0.0),
        ("The user is unprocessed.", 0.0),
        ("", 0.0),
    ],
)
def test_a_transfer_needs_the_right_reason(session: Session, summary: str, reward: float) -> None:
    task = Task(
        id=f"transfer-{summary}",
        domain="retail",
        goal=Goal(requests=(Request(intent="cancel_order", slots={"order_id": "#W1"}, outcome="transferred"),)),
        requirements=(Requirement(kind="terminal_tool", name="transfer_to_human_agents", reason=("process", "ship")),),
    )
    session.start(task)
    result = session.send(transfer(summary))
    assert result.terminated
    assert result.score is not None
    assert result.score.reward == reward
    if not reward:
        assert "'process' or 'ship'" in result.score.unmet[0]


def test_the_shipped_transfers_ask_for_a_reason(session: Session) -> None:
    tasks = [t for t in session.setting.tasks if any(item.kind == "terminal_tool" for item in t.requirements)]
    assert tasks
    for task in tasks:
        assert all(item.reason for item in task.requirements if item.kind == "terminal_tool")
        session.start(task)
        result = session.send(transfer("The user asks for a human agent."))
        assert result.score is not None
        assert result.score.reward == 0.0


def test_the_reason_survives_the_task_file() -> None:
    task = Task(
        id="x",
        domain="retail",
        actions=(Action(name="think", arguments={"thought": ""}),),
        requirements=(Requirement(kind="terminal_tool", name="t", reason=("a", "b")),),
    )
    assert Task.model_validate_json(task.model_dump_json(exclude_defaults=True)) == task
