"""Whole dialogues by the driver in each family's own tokens: what is sampled is run, answered and masked."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

import pytest

from mua_env.core.messages import AssistantMessage, Message, SystemMessage
from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.backends.batching import Batcher
from mua_env.inference.chat_template import system_prompt
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.sampling import DecoderStats, SampledTurn
from mua_env.training.config.train import LengthConfig
from mua_env.training.data.demonstrations import encode_dialogue
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import DialoguePool

from .families import FAMILIES, Family
from .toy_domain import ToyUser, call, setting

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


class _Script:
    """An engine that samples given turns, one after the other."""

    def __init__(self, turns: Sequence[Sequence[int]]) -> None:
        self.stats, self._turns = DecoderStats(), list(turns)
        self.read: list[list[int]] = []

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        pass

    def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
        self.read += [list(request.ids) for request in requests]
        said = [list(self._turns.pop(0)) for _ in requests]
        return {request.row: SampledTurn(ids, [-1.0] * len(ids)) for request, ids in zip(requests, said, strict=True)}

    def drop(self, rows: Iterable[int]) -> None:
        pass

    def close(self) -> None:
        pass


def _hold(chat: ChatTokens, turns: Sequence[Sequence[int]]) -> tuple[TokenTrajectory, list[Message], _Script]:
    """The dialogue that comes of sampled turns, and its messages as the episode has them."""
    made, script = setting(), _Script(turns)
    pool = DialoguePool(made, ToyUser(), max_turns=8)
    driver = RolloutDriver(chat, lengths=LengthConfig(total=20_000, turn=2_000), tools="full")
    (dialogue,) = pool.dialogues([made.tasks[1]], [0])
    (trajectory,) = asyncio.run(driver.hold(Batcher(script), [dialogue], seeds=[0]))
    messages = [entry.message for entry in dialogue.session.episode.entries]
    pool.close()
    return trajectory, [m for m in messages if not isinstance(m, SystemMessage)], script


def _agent() -> list[AssistantMessage]:
    order = setting().tasks[1].instruction
    return [
        AssistantMessage(content="what is the order id?"),
        call("get_order", order_id=order),
        call("cancel_order", order_id=order),
        AssistantMessage(content="done."),
    ]


@each_family
def test_what_is_sampled_in_a_familys_form_is_run_and_answered(family: Family) -> None:
    chat = family.chat()
    tools = setting().tools
    # What a turn begins with may hang on what it answers: the user, a result.
    kinds = [None, None, *([chat.suffix([m for m in _answers(chat) if m.role == "tool"])[0]] * 2)]
    turns = [chat.agent_turn(said, before=before, tools=tools) for said, before in zip(_agent(), kinds, strict=True)]
    trajectory, messages, script = _hold(chat, turns)
    assert (trajectory.reward, trajectory.ended_by, trajectory.tool_calls) == (1.0, "user_stop", 2)
    trajectory.check()
    while not isinstance(messages[-1], AssistantMessage):
        messages.pop()
    shown = system_prompt(setting().tasks.policy, tools)
    assert encode_dialogue(chat, shown, messages).ids == trajectory.ids
    assert [token for turn in turns for token in turn] == [
        token for token, flag in zip(trajectory.completion_ids, trajectory.mask, strict=True) if flag
    ]
    # All that the model read is the prompt and what stands between its turns.
    assert [token for ids in script.read for token in ids] == trajectory.prompt_ids + [
        token for token, flag in zip(trajectory.completion_ids, trajectory.mask, strict=True) if not flag
    ]


def _answers(chat: ChatTokens) -> list[Message]:
    turns = [chat.agent_turn(said, tools=setting().tools) for said in _agent()]
    return _hold(chat, turns)[1]


@pytest.mark.parametrize("family", [f for f in FAMILIES if f.call_end], ids=lambda family: family.name)
def test_a_call_that_ends_as_words_do_is_answered_all_the_same(family: Family) -> None:
    chat = family.chat()
    turns = [chat.agent_turn(said, tools=setting().tools) for said in _agent()]
    turns[1] = [*turns[1][:-1], chat.end_id]
    trajectory, _, script = _hold(chat, turns)
    assert (trajectory.reward, trajectory.tool_calls) == (1.0, 2)
    text = chat.decode(trajectory.ids)
    assert text.count(chat.decode(turns[1])) == 1
    if family.call_end in chat.dialect.openers:
        # The end that was not sampled begins the result, which is not the agent's.
        assert chat.decode(script.read[2]).startswith(family.call_end or "")
