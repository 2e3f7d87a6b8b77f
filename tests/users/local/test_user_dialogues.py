"""Dialogues with the roles swapped, and what is learned from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback import Loopback, Say

from mua_env.errors import ConfigError
from mua_env.llm import LLMClient, LLMSettings
from mua_env.messages import AssistantMessage, UserMessage
from mua_env.session import Session
from mua_env.setting import Setting, load_setting
from mua_env.training.chat import ChatTokens
from mua_env.training.console import Reporter
from mua_env.training.experts import hold
from mua_env.training.models import load
from mua_env.training.run_folder import read_metrics
from mua_env.training.user import load_user_config, main, train_user
from mua_env.training.user_dialogues import SlippingAgent, SteadyUser, UserDialogues, swapped
from mua_env.users.llm import LLMUser

from .conftest import small_config


def test_the_model_is_trained_on_what_it_will_be_sent(setting: Setting) -> None:
    """The swapped dialogue is, message by message, what an LLM user of the same prompt sends to its server."""
    session = Session(setting, SteadyUser())
    task = setting.tasks[1]
    assert hold(session, setting.domain.expert(), task, seed=3) == 1
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


def test_a_slipping_agent_proposes_another_order_once_and_is_corrected() -> None:
    setting = load_setting("retail", "test:level=2")
    found = UserDialogues.collect([setting], count=24, slips=1.0, seed=0)
    slipped = [(m, slip) for m, slip in zip(found.dialogues, found.slips, strict=True) if slip is not None]
    assert len(slipped) >= 5
    for messages, slip in slipped:
        code = next(word for word in (messages[slip].content or "").split() if word.startswith("#"))
        briefing = messages[0].content or ""
        assert code.strip(".,:") not in briefing
        assert (messages[slip + 1].content or "").startswith("No. Order #")
    assert UserDialogues.collect([setting], count=24, slips=0.0, seed=0).slips == [None] * 24


def test_slips_are_the_same_for_the_same_seed(setting: Setting) -> None:
    def held(seed: int) -> list[str]:
        session = Session(setting, SteadyUser())
        agent = SlippingAgent(setting.domain.expert())
        texts = []
        for task in list(setting.tasks)[:8]:
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
