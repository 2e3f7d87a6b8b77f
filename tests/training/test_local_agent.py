import json

import pytest

from mua_env.agents.local import LocalAgent
from mua_env.core.messages import AssistantMessage, FunctionCall, UserMessage
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.errors import ConfigError
from mua_env.inference.chat_formats.families import PROBE_CALL, PROBE_TOOL
from mua_env.inference.chat_template import system_prompt
from mua_env.inference.text_calls import TEXT_DIALECTS

from .conftest import Toy
from .toy_domain import ToyUser


def test_a_local_model_holds_dialogues(toy: Toy) -> None:
    agent = LocalAgent(toy.folder, tools="compact", max_new_tokens=40)
    session = Session(toy.setting, ToyUser(), max_turns=6)
    seen = []
    for _ in range(2):
        reward = hold(session, agent, toy.setting.tasks[0], seed=3).reward
        assert reward in (0.0, 1.0)
        seen.append([entry.message for entry in session.episode.entries])
    assert seen[0] == seen[1]
    assert agent.usage()["completion_tokens"] > 0
    session.close()


def test_a_local_model_takes_over_a_dialogue_in_its_middle(toy: Toy) -> None:
    agent, session = LocalAgent(toy.folder, tools="compact", max_new_tokens=12), Session(toy.setting, ToyUser())
    result = session.start(toy.setting.tasks[0], seed=3)
    history = [*result.messages, AssistantMessage(content="Which order is it?")]
    result = session.send("Which order is it?")
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=3)
    agent.resume(history)
    first = agent.act(result.messages)
    assert agent.usage()["prompt_tokens"] > 0
    assert isinstance(first, AssistantMessage)
    assert isinstance(agent.act(session.send(first).messages), AssistantMessage)
    # What was said before is read: without it, fewer tokens are.
    read = agent.usage()["prompt_tokens"]
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=3)
    agent.act(result.messages)
    assert agent.usage()["prompt_tokens"] < read
    session.close()


def test_a_missing_model_is_one_clear_error() -> None:
    with pytest.raises(ConfigError, match="cannot load a model from '/no/such/folder'"):
        LocalAgent("/no/such/folder")


@pytest.mark.parametrize("calls", ["python", "xml"])
def test_calls_in_text_are_asked_for_and_read_in_the_form_that_was_chosen(toy: Toy, calls: str) -> None:
    agent = LocalAgent(toy.folder, calls=calls, max_new_tokens=8)
    assert agent.name.endswith(f" ({calls} calls)")
    chat = agent._chat
    ids, _ = chat.prompt(system_prompt("Be kind.", [PROBE_TOOL]), [UserMessage(content="Hello.")])
    shown = chat.decode(ids)
    assert "probe_key" in shown
    assert TEXT_DIALECTS[calls].form.write([FunctionCall(name="tool", arguments='{"argument": "value"}')], ()) in shown
    turn = chat.agent_turn(PROBE_CALL, tools=[PROBE_TOOL])
    found = chat.read_turn(turn, tools=[PROBE_TOOL]).tool_calls[0].function
    assert found.name == "probe_tool"
    assert json.loads(found.arguments) == json.loads(PROBE_CALL.tool_calls[0].function.arguments)
