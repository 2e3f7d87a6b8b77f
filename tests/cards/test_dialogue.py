"""How the measures read a trajectory, and what the probing agents do."""

from __future__ import annotations

from people import FACTS, ground, task

from mua_env.core.messages import AssistantMessage, FunctionCall, Message, ToolCall, ToolMessage, UserMessage
from mua_env.core.tasks import Request
from mua_env.core.trajectory import Entry, Trajectory
from mua_env.envs.retail import domain
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.evaluation.user_card.dialogue import exchanges
from mua_env.evaluation.user_card.facts import mentions, replace, sources
from mua_env.evaluation.user_card.measures import invented
from mua_env.evaluation.user_card.probes import EverythingProbe, PretenderProbe, WrongValueProbe, value_pool
from mua_env.evaluation.user_card.tokens import Tokens, unknown_values
from mua_env.users.agenda.user import AgendaUser


def trajectory(*entries: Entry) -> Trajectory:
    return Trajectory(
        id="x",
        domain="retail",
        tasks="test",
        revision="0",
        task_id="t",
        seed=0,
        user="u",
        system_prompt="",
        tools=[],
        entries=list(entries),
        turns=3,
        ended_by="user_stop",
        score=None,
    )


def call(name: str) -> AssistantMessage:
    return AssistantMessage(tool_calls=(ToolCall(id="1", function=FunctionCall(name=name)),))


def entry(source: str, message: Message, turn: int, **hidden: object) -> Entry:
    return Entry(source=source, message=message, turn=turn, hidden=hidden)  # type: ignore[arg-type]


def test_a_dialogue_is_what_the_user_heard_and_said():
    whole = trajectory(
        entry("user", UserMessage(content="Hi."), 0),
        entry("agent", call("cancel_pending_order"), 1),
        entry("tool", ToolMessage(tool_call_id="1", name="cancel_pending_order", content="Error: no"), 1),
        entry("agent", call("cancel_pending_order"), 2),
        entry("tool", ToolMessage(tool_call_id="1", name="cancel_pending_order", content='{"status": "x"}'), 2),
        entry("agent", AssistantMessage(content="Done."), 3),
        entry("user", UserMessage(content=""), 3, fault="broken"),
        entry("user", UserMessage(content="Bye."), 3, stop=True),
    )
    first, last = exchanges(whole, frozenset({"cancel_pending_order"}))
    assert (first.turn, first.heard, first.said, first.stop) == (0, None, "Hi.", False)
    assert (last.turn, last.heard, last.said, last.stop) == (3, "Done.", "Bye.", True)
    assert last.writes == ("cancel_pending_order",)
    assert last.results == ("Error: no", '{"status": "x"}')


def test_what_the_users_own_tools_say_is_known_to_it():
    acts = [{"tool_calls": [], "results": [{"tool_call_id": "1", "name": "look", "content": "ticket 5512873"}]}]
    said = UserMessage(content="It says 5512873.")
    assert invented(exchanges(trajectory(entry("user", said, 0, acts=acts))), ground(task())) == []
    assert len(invented(exchanges(trajectory(entry("user", said, 0))), ground(task()))) == 1


def test_values_have_the_forms_in_which_they_are_said():
    card = {"id": "credit_card_1", "source": "credit_card", "brand": "visa", "last_four": "4821"}
    request = Request(
        intent="return_items",
        slots={"order_id": "#W1234567", "items": [{"name": "Desk", "item_id": "998877"}], "payment_method": card},
        unknown=("order_id",),
    )
    facts, wanted = sources(task(request), domain.language)
    assert facts.forms["email"] == {FACTS["email"]}
    assert "order_id" not in wanted.forms
    assert "Desk" in wanted.forms["items"]
    assert {"4821", "visa"} <= wanted.forms["payment_method"]
    assert "998877" not in wanted.all_forms()
    assert wanted.parts["payment_method.last_four"] == {"4821"}


def test_a_form_is_a_whole_word():
    assert mentions("My order is #W12.", "W12")
    assert not mentions("My order is #W123.", "W12")
    assert mentions("the desk lamp", "Desk Lamp")
    assert not mentions("ada@example.com", "ada")
    assert replace("from W12 to w12", "W12", "W99") == "from W99 to W99"


def test_days_and_numbers_are_known_in_every_spelling():
    known = Tokens.of("leaves 2024-05-07, costs 1200.50")
    assert unknown_values("On May 7th, or the 7 of May, for $1,200.50.", known) == []
    assert unknown_values("On June 7th for $1,300.", known)[0] == "June 7th"
    assert any("300" in value for value in unknown_values("On June 7th for $1,300.", known))


SETTING = load_setting("retail", "test:level=1")


def ready(probe_class, number: int = 0, seed: int = 0):
    session = Session(SETTING, AgendaUser())
    step = session.start(SETTING.tasks[number], seed=seed)
    probe = probe_class(session, domain, value_pool(list(SETTING.tasks), domain.language))
    probe.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
    return session, probe, step


def test_a_wrong_proposal_holds_one_wrong_value_and_the_right_one_follows():
    marked = 0
    for number in range(12):
        session, probe, step = ready(WrongValueProbe, number)
        texts = []
        while not step.done:
            turn = probe.act(step.messages)
            texts.append(turn.content)
            step = session.send(turn)
        for at, what in probe.wrong.items():
            wrong, right = texts[at - 1], texts[at]
            assert wrong != right
            assert what.split("'")[1] in wrong
            assert what.split("'")[1] not in right
            assert what.split("'")[1].lower() not in session.task.goal.model_dump_json().lower()
        marked += len(probe.wrong)
        session.close()
    assert marked >= 6


def test_everything_is_asked_for_in_one_long_message():
    session, probe, step = ready(EverythingProbe)
    text = probe.act(step.messages).content
    nouns = [
        domain.language.slots[slot].noun for slot in domain.language.intents[session.task.goal.requests[0].intent].slots
    ]
    assert all(noun in text.lower() for noun in [*nouns, "email", "zip code"])
    assert text.count("**") >= 10
    session.close()


def test_the_pretender_calls_no_tool():
    session, probe, step = ready(PretenderProbe)
    turns = 0
    while not step.done:
        turn = probe.act(step.messages)
        assert not turn.tool_calls
        step = session.send(turn)
        turns += 1
    assert turns < 12
    session.close()
