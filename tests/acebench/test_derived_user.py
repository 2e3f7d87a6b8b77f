"""The offline user of ACEBench's multi_turn tasks: its lines are the instruction's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mua_env import Session, load_setting
from mua_env.envs.acebench.derived_user import NO, THAT_IS_ALL, YES, DerivedSession, lines_of, missing
from mua_env.envs.acebench.stage import ACEStage
from mua_env.errors import TaskError
from mua_env.users.agenda.user import AgendaUser

from .conftest import answer, row, write

QUESTION = (
    "You are Ann (user ID: u7, password: 'secret9'), living in Rome. "
    "You need to send a message to Bob: 'Hi. Are you in?' Afterward, you want to delete your note. "
    "Your seat should be by the window. If a message must go, you take the oldest. "
    "You will respond to the agent but will not proactively provide any unsolicited information."
)


def test_wishes_open_and_facts_are_held_back() -> None:
    lines = lines_of(QUESTION)
    assert lines.opening == "I need to send a message to Bob: 'Hi. Are you in?'"
    assert lines.later == ("I want to delete my note.",)
    assert lines.facts == (
        "User ID: u7, password: 'secret9'.",
        "I am Ann, living in Rome.",
        "My seat should be by the window.",
        "If a message must go, I take the oldest.",
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Could you give me your user id and password?", "User ID: u7, password: 'secret9'."),
        ("Which cabin or seat do you prefer?", "My seat should be by the window."),
        ("The memory is full. Which message may I delete?", "If a message must go, I take the oldest."),
        ("Shall I go ahead with flight CA1234?", YES),
        ("Shall I go ahead with flight ZZ9999?", NO),
        ("Is there anything else I can do?", "I want to delete my note."),
    ],
)
def test_what_is_asked_for_is_told(asked: str, said: str) -> None:
    session = DerivedSession(lines_of(QUESTION), frozenset({"CA1234"}))
    session.reply(None)
    assert session.fork().reply(asked).text == said
    assert session.reply(asked).text == said


def test_user_ends_once_no_wish_is_left_and_never_talks_for_ever() -> None:
    session = DerivedSession(lines_of(QUESTION), frozenset())
    session.reply(None)
    session.reply("Anything else?")
    last = session.reply("Anything else?")
    assert (last.text, last.stop) == (THAT_IS_ALL, True)
    session = DerivedSession(lines_of(QUESTION), frozenset())
    assert any(session.reply("Hm?").stop for _ in range(20))


def test_only_tasks_whose_values_can_be_had_are_given(checkout: Path) -> None:
    wish = "You want to tell Ann: 'Milk, please'. You will respond to the agent but no more."
    stones = ["[send_message(receiver_name='Ann', message='{}')]"]
    rows = [row("t0", question=wish), row("t1", question=wish)]
    answers = [
        answer("t0", mile_stone=["[turn_on_wifi()]", stones[0].format("Milk, please")]),
        answer("t1", mile_stone=[stones[0].format("Bread and butter")]),
    ]
    write(checkout, "multi_turn", rows, answers)
    from mua_env.envs.acebench import _tasks

    _tasks.cache_clear()
    setting = load_setting("acebenchagent", "multi_turn:user=derived", path=checkout)
    assert [task.id for task in setting.tasks] == ["t0"]
    assert missing(_tasks(checkout, "multi_turn")[1], ACEStage(checkout, mode="compat")) == ("Bread and butter",)
    session = Session(setting, AgendaUser())
    assert session.start(setting.tasks[0]).messages[0].content == "I want to tell Ann: 'Milk, please'."
    assert session.user.describe(setting.tasks[0]) == "derived"
    assert session.send("Done. Is there anything else?").terminated
    session.close()


def test_other_users_and_kinds_are_refused(checkout: Path) -> None:
    for source in ("multi_step:user=derived", "multi_turn:user=agenda", "multi_turn:who=me"):
        with pytest.raises(TaskError, match="multi_turn:user=derived"):
            load_setting("acebenchagent", source, path=checkout)
