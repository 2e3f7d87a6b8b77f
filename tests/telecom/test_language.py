"""The caller's language: guidance that it follows, switches that it looks at first, misreadings and doubts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine.test_leaks import fields

from mua_env.core.messages import AssistantMessage
from mua_env.core.tasks import Action, Goal, Request, Task
from mua_env.domain.contract import load_domain
from mua_env.envs.telecom.phone import TelecomPhone
from mua_env.episode.session import Session, StepResult
from mua_env.episode.setting import Setting
from mua_env.gym.env import DialogueEnv
from mua_env.users.agenda.operations import guided
from mua_env.users.agenda.user import AgendaUser

language = load_domain("telecom").language
STATES = {True: "+", False: "-", None: ""}


def corpus(name: str) -> Iterator[tuple[str, list[str]]]:
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, _, tools = line.rpartition("=>")
            yield text.strip().replace("\\n", "\n"), tools.split()


@pytest.mark.parametrize(("text", "tools"), list(corpus("guidance.txt")))
def test_guidance_is_followed_and_nothing_else(text: str, tools: list[str]) -> None:
    deeds = guided(language.guidance(text), language, TelecomPhone.specs)
    assert [deed.operation.tool + STATES[deed.operation.state] for deed in deeds] == tools


@pytest.mark.parametrize(("text", "tools"), list(corpus("guidance_chinese.txt")))
def test_chinese_guidance_is_followed_and_nothing_else(text: str, tools: list[str]) -> None:
    chinese = language.spoken("zh")
    deeds = guided(chinese.guidance(text), chinese, TelecomPhone.specs)
    assert [deed.operation.tool + STATES[deed.operation.state] for deed in deeds] == tools


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I've resumed your line. Does it work now?", True),
        ("Let me know if that fixed the problem.", True),
        ("Has the issue been resolved?", True),
        ("Can you try it again?", True),
        ("Could you try opening a web page?", True),
        ("I will check whether your line is working.", False),
        ("If it still doesn't work, we'll go on.", False),
        ("Great, then your problem is solved. Anything else?", False),
    ],
)
def test_whoever_is_asked_whether_it_works_tries_it(text: str, asked: bool) -> None:
    deeds = guided(language.guidance(text, "data"), language, TelecomPhone.specs)
    assert ("run_speed_test" in [deed.operation.tool for deed in deeds]) is asked
    bill = guided(language.guidance(text, "pay_bill"), language, TelecomPhone.specs)
    assert not bill or "web page" in text


def test_asked_to_confirm_what_the_phone_shows_the_caller_tells_and_does_not_agree(setting: Setting) -> None:
    session = caller(setting, *world("turn_airplane_mode_on"))
    text = said(session.send("Could you confirm that airplane mode is off?"))
    assert "Airplane Mode: ON" in text
    assert "yes" not in text.lower()
    session.close()


def test_every_tool_of_the_phone_but_one_can_be_asked_for() -> None:
    reached = {operation.tool for operation in language.operations}
    # An access point is not entered by hand at a desk; app status is read with the permissions.
    assert set(TelecomPhone.specs) - reached == {"set_apn_settings", "check_app_status"}


def world(*names: str, **arguments: object) -> tuple[Action, ...]:
    *before, last = names
    calls = [Action(name=name, requestor="world") for name in before]
    return (*calls, Action(name=last, arguments=arguments, requestor="world"))


def caller(setting: Setting, *scene: Action, intent: str = "data", persona: str = "plain", seed: int = 0) -> Session:
    """A session with a caller of our own."""
    model = setting.tasks[0]
    assert model.goal is not None
    goal = Goal(facts=model.goal.facts, requests=(Request(intent=intent, slots={"gb": 1.0}),), persona=persona)
    task = Task(
        id="own", domain="telecom", goal=goal, instruction="Get it fixed.", user_id=model.user_id,
        initial_actions=(model.initial_actions[0], *scene),
    )  # fmt: skip
    session = Session(setting, AgendaUser())
    session.start(task, seed=seed)
    return session


def said(result: StepResult) -> str:
    return str(result.messages[-1].content)


def acts(session: Session) -> list[str]:
    """The user's own calls in its last turn."""
    return [call.function.name for act in session.episode.entries[-1].user_acts for call in act.tool_calls]


def test_a_switch_that_stands_right_is_left_alone(setting: Setting) -> None:
    session = caller(setting)
    text = said(session.send("Please turn on mobile data and turn off airplane mode."))
    assert acts(session) == ["check_network_status"]
    assert "mobile data" in text.lower()
    assert "already" in text or "have to" in text
    session.close()


def test_a_switch_that_stands_wrong_is_set_once(setting: Setting) -> None:
    session = caller(setting, *world("turn_data_off"))
    assert "Mobile Data is now ON" in said(session.send("If mobile data is off, please turn it on."))
    assert acts(session)[-1] == "toggle_data"
    session.send("Please make sure that mobile data is on.")
    assert "toggle_data" not in acts(session)
    session.close()


def test_on_and_off_again_leaves_the_phone_on_the_network(setting: Setting) -> None:
    session = caller(setting)
    session.send("Please toggle airplane mode on, wait ten seconds, then off again.")
    assert acts(session)[-2:] == ["toggle_airplane_mode"] * 2
    assert session.world.holds(language_assertion("assert_airplane_mode_status", expected_status=False))
    session.close()


def language_assertion(name: str, **arguments: object):  # type: ignore[no-untyped-def]
    from mua_env.core.tasks import Assertion

    return Assertion(name=name, arguments=arguments)


def test_a_careless_caller_misreads_and_is_right_at_the_second_look(setting: Setting) -> None:
    misread = 0
    for seed in range(12):
        session = caller(setting, *world("turn_data_saver_mode_on"), persona="careless", seed=seed)
        first = said(session.send("Please check whether Data Saver is on."))
        second = said(session.send("Please check once more whether Data Saver is on."))
        misread += "is OFF" in first
        assert "is ON" in second
        session.close()
    assert 1 <= misread <= 9


def test_a_wary_caller_wants_to_hear_once_that_it_is_needed(setting: Setting) -> None:
    session = caller(setting, *world("turn_data_off"), persona="wary")
    assert "?" in said(session.send("Please turn on mobile data."))
    assert acts(session) == []
    session.send("Yes, that is needed: without mobile data there is no internet.")
    assert acts(session)[-1] == "toggle_data"
    session.send("Please restart your phone.")
    assert acts(session) == ["reboot_device"]
    session.close()


def test_a_wary_caller_drops_what_the_agent_drops(setting: Setting) -> None:
    session = caller(setting, *world("turn_data_off"), persona="wary")
    session.send("Please turn on mobile data.")
    session.send("Never mind, leave it as it is.")
    assert acts(session) == []
    session.close()


def test_a_caller_believes_what_it_sees_and_not_what_it_is_told(setting: Setting) -> None:
    session = caller(setting, *world("turn_data_off"))
    assert not session.send("All done, your mobile data has been fixed. Anything else?").done
    session.send("Please turn on mobile data.")
    assert session.send("Please run a speed test.").done
    session.close()


def test_a_wish_is_not_settled_by_half_a_repair(setting: Setting) -> None:
    session = caller(setting, *world("turn_data_off", "turn_data_saver_mode_on"))
    assert not session.send("Please turn on mobile data. Please run a speed test.").done
    assert session.send("Please turn off Data Saver. Please run a speed test.").done
    session.close()


def test_a_caller_pays_what_is_asked_for(setting: Setting) -> None:
    task = next(t for t in setting.tasks if t.goal and t.goal.requests[0].intent == "pay_bill" and not t.requirements)
    request = next(action for action in task.actions if action.name == "send_payment_request")
    session = Session(setting, AgendaUser())
    session.start(task, seed=0)
    call = {"id": "c", "function": {"name": request.name, "arguments": json.dumps(request.arguments)}}
    session.send(AssistantMessage.model_validate({"role": "assistant", "tool_calls": [call]}))
    assert "Payment of" in said(session.send("I sent you a payment request. Please check it and make the payment."))
    session.close()


@pytest.mark.parametrize(
    ("intent", "slots", "text", "fits"),
    [
        ("data", {"gb": 2.0}, "I would add 2 GB of data for $7.00.", True),
        ("data", {"gb": 2.0}, "I would add 1 GB of data for $3.50.", False),
        ("data", {"gb": 1.5}, "You can add up to 2 GB. Shall I add 1.5 GB for you?", True),
        ("data", {"gb": 2.0}, "I'll change your plan to Lake 40.", False),
        ("mms", {"plan": "Lake 40"}, "I'll change your plan to Lake 40 for $52.", True),
        ("change_plan", {"plan": "Lake 40"}, "I'll change your plan from Creek 8 to Ocean 100.", False),
        ("change_plan", {"plan": "Lake 40"}, "I'll change your plan from Creek 8 to Lake 40.", True),
        ("service", {}, "Shall I resume your line?", True),
        ("refuel_data", {"gb": 1.0}, "1 GB of additional data will cost $4. Confirm?", True),
    ],
)  # fmt: skip
def test_proposals_are_held_against_the_wish(intent: str, slots: dict[str, object], text: str, fits: bool) -> None:
    assert language.compare(intent, slots, text).fits is fits


def test_nothing_of_the_callers_side_reaches_the_agent(setting: Setting) -> None:
    """What the phone showed, and the caller did not tell, stands in no field that the agent is given."""
    env = DialogueEnv(setting.domain, tasks="test")
    for index in (0, 60, 120, 200):
        given = [env.reset(seed=index, options={"task_index": index})]
        task = env.session.task
        for text in ("Please turn on mobile data.", "Please turn off Wi-Fi calling and airplane mode."):
            given.append(env.step(text))
        raw = [r.content for entry in env.session.episode.entries for act in entry.user_acts for r in act.results]
        assert raw
        for path, text in fields(given):
            assert task.instruction not in text, path
            assert not any("\n" in result and result in text for result in raw), path
            assert "assert_" not in text, path
            assert '"requestor"' not in text, path
    env.close()
