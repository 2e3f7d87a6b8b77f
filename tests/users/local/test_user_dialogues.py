"""Dialogues with the roles swapped, and what is learned from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback import Loopback, Say

from mua_env.core.messages import AssistantMessage, Message, UserMessage
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.models import load
from mua_env.llm import LLMClient, LLMSettings
from mua_env.training.run.console import Reporter
from mua_env.training.run.run_folder import read_metrics
from mua_env.training.user_model.agents import DistractedAgent, IdleAgent, SlippingAgent, values_of
from mua_env.training.user_model.dialogues import SteadyUser, UserDialogues, swapped
from mua_env.training.user_model.train import load_user_config, main, train_user
from mua_env.users.llm.guards import agrees
from mua_env.users.llm.user import LLMUser

from .conftest import small_config


def test_the_model_is_trained_on_what_it_will_be_sent(setting: Setting) -> None:
    """The swapped dialogue is, message by message, what an LLM user of the same prompt sends to its server."""
    session = Session(setting, SteadyUser())
    task = setting.tasks[1]
    assert hold(session, setting.domain.expert(), task, seed=3).reward == 1
    messages = swapped(session.episode)
    lines = [message.content or "" for message in messages if isinstance(message, AssistantMessage)]
    heard = [message.content for message in messages if isinstance(message, UserMessage)]
    session.close()
    with Loopback([Say(line) for line in lines]) as server:
        user = LLMUser(LLMClient(LLMSettings("m", base_url=server.base_url)), strategy="brief", guards=False)
        dialogue = user.start(task, seed=0)
        replies = [dialogue.reply(None), *(dialogue.reply(text) for text in heard[1:])]
    sent = [{"role": message.role, "content": message.content} for message in messages[:-1]]
    assert server.requests[-1]["messages"] == sent
    assert [reply.stop for reply in replies] == [False] * (len(lines) - 1) + [True]


def test_only_the_users_words_are_learned(setting: Setting, folder: Path) -> None:
    chat = ChatTokens(load(str(folder))[1])
    found = UserDialogues.collect([setting], count=6, seed=0)
    for messages, trajectory in zip(found.dialogues, found.encode(chat), strict=True):
        learned = [i for i, mask in zip(trajectory.completion_ids, trajectory.mask, strict=True) if mask]
        lines = [message.content for message in messages if isinstance(message, AssistantMessage)]
        assert chat.decode(learned).split("<|im_end|>")[:-1] == lines
        asked = chat.whole([{"role": m.role, "content": m.content or ""} for m in messages[:-1]])
        assert trajectory.ids[: len(asked)] == asked


def test_a_steady_user_says_one_thing_in_one_way(setting: Setting) -> None:
    session = Session(setting, SteadyUser())
    openings: dict[str, set[str]] = {}
    for seed, task in enumerate(list(setting.tasks)[:20]):
        (message,) = session.start(task, seed=seed).messages
        twin = session.fork()
        asked = "What is your email, or your name and zip code?"
        assert twin.send(asked).messages == session.send(asked).messages
        twin.close()
        assert task.goal is not None
        request = task.goal.requests[0]
        topic = f"{request.intent}:{request.slots.get('topic')}:{len(request.slots.get('items') or ())}"
        openings.setdefault(topic, set()).add(message.content or "")
    session.close()
    assert all(len(said) == 1 for said in openings.values())


def _texts(messages: list[Message], role: type[Message]) -> list[str]:
    return [message.content or "" for message in messages if isinstance(message, role)]


def test_a_wrong_proposal_is_corrected_and_the_right_one_agreed_to() -> None:
    setting = load_setting("retail", "test:level=2")
    found = UserDialogues.collect([setting], count=40, slips=1.0, seed=0)
    slipped = [(m, slip) for m, slip in zip(found.dialogues, found.slips, strict=True) if slip is not None]
    assert len(slipped) >= 20
    for messages, slip in slipped:
        wrong, answer, right, agreed = (message.content or "" for message in messages[slip : slip + 4])
        assert wrong != right
        assert not agrees(answer)
        assert agrees(agreed) or "changed my mind" in agreed
    kinds = {(m[slip + 1].content or "")[:9] for m, slip in slipped}
    assert len(kinds) >= 4, "orders, reasons, addresses and more are made wrong"
    assert UserDialogues.collect([setting], count=24, slips=0.0, seed=0).slips == [None] * 24


def test_an_idle_agent_is_told_nothing_and_left() -> None:
    setting = load_setting("retail", "test:level=1")
    found = UserDialogues.collect([setting], count=24, idle=1.0, seed=0)
    assert len(found.dialogues) == 24
    for messages, task in zip(found.dialogues, setting.tasks, strict=False):
        assert task.goal is not None
        said = _texts(messages, AssistantMessage)
        assert said[-1].endswith("###STOP###")
        assert len(said) <= 12
        assert not any(str(value) in " ".join(said) for value in task.goal.facts.values())


def test_a_distracted_agent_hears_the_wish_again_and_goes_on(setting: Setting) -> None:
    session = Session(setting, SteadyUser())
    repeated = 0
    for seed, task in enumerate(list(setting.tasks)[:12]):
        agent = DistractedAgent(setting.domain.expert(), task)
        assert hold(session, agent, task, seed=seed).reward == 1
        messages = swapped(session.episode)
        if agent.interrupted is None:
            continue
        at = _texts(messages, UserMessage).index(agent.interrupted)
        said = _texts(messages, AssistantMessage)
        repeated += said[at] == said[0]
    session.close()
    assert repeated >= 6


def test_idle_lines_have_every_kind(setting: Setting) -> None:
    agent, kinds = IdleAgent(), set()
    for seed in range(40):
        agent.reset(system_prompt="", tools=[], seed=seed)
        texts = [agent.act([]).content or "" for _ in range(6)]
        kinds.add("same" if len(set(texts)) == 1 else "asks" if all(" the " in text for text in texts) else "talks")
    assert kinds == {"same", "asks", "talks"}


def test_shares_are_at_most_all(setting: Setting) -> None:
    with pytest.raises(ConfigError, match="shares of all dialogues"):
        UserDialogues.collect([setting], count=4, slips=0.6, idle=0.5, seed=0)


def test_slips_are_the_same_for_the_same_seed(setting: Setting) -> None:
    values = values_of(setting.tasks)

    def held(seed: int) -> list[str]:
        session = Session(setting, SteadyUser())
        texts = []
        for task in list(setting.tasks)[:8]:
            agent = SlippingAgent(setting.domain.expert(), task, values)
            hold(session, agent, task, seed=seed)
            texts += [entry.message.content or "" for entry in session.episode.entries]
        session.close()
        return texts

    assert held(1) == held(1)
    assert held(1) != held(2)


def test_a_run_trains_measures_and_keeps_the_user(run: Path) -> None:
    rows = list(read_metrics(run))
    assert rows[-1]["loss"] < 0.6 * rows[0]["loss"]
    summary = json.loads((run / "summary.json").read_text())
    assert summary["dialogues"] == 60
    assert summary["replies"]["replies"] == 20
    assert 0 <= summary["replies"]["exact"] <= summary["replies"]["stops_right"] <= 20
    assert (run / "model" / "model.safetensors").is_file()


def test_the_same_seed_trains_the_same_user(tmp_path: Path) -> None:
    def losses(name: str) -> list[float]:
        config = small_config(tmp_path / name, measured=0, cold_start={"batch": 4, "epochs": 0.1, "autocast": "bf16"})
        return [row["loss"] for row in read_metrics(train_user(config, reporter=Reporter(quiet=True)))]

    first = losses("a")
    assert len(first) == 2
    assert first == losses("b")


def test_the_example_is_a_valid_configuration() -> None:
    root = Path(__file__).resolve().parents[3]
    config = load_user_config(root / "examples" / "train_user.yaml")
    assert config.smollm2 is not None
    assert config.cold_start.batch == 8
    with pytest.raises(ConfigError, match=r"dialogues\.wording"):
        load_user_config({"dialogues": {"wording": "loud"}})


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([str(tmp_path / "none.yaml")])
    assert left.value.code == 2
    assert "cannot read the configuration" in capsys.readouterr().err
