"""A checkpoint says how its model is shown a dialogue, and whatever lets it act reads that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl")

from mua_env.agents.local import LocalAgent
from mua_env.agents.make import agent_factory
from mua_env.cli import main
from mua_env.core.messages import AssistantMessage, ToolMessage
from mua_env.core.trajectory import read_trajectories
from mua_env.domain.contract import load_domain
from mua_env.episode.dialogue import hold
from mua_env.episode.session import Session
from mua_env.errors import ConfigError
from mua_env.evaluation.evaluate import evaluate
from mua_env.inference.agent_view import FILE, AgentView, read_view
from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.backends.cache_engine import CacheEngine
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.models import load, save
from mua_env.training.config.train import LengthConfig
from mua_env.training.data.demonstrations import Demonstrations
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import make_mixed_pool
from mua_env.training.run.pipeline import train
from mua_env.training.tiny_model.start import start_from_nothing
from mua_env.users.agenda.user import AgendaUser

from .small_run import SMALL, small_config
from .test_vllm_http import _Server, server  # noqa: F401

CONFIG = small_config(grpo=None, evaluation=small_config().evaluation.model_copy(update={"tasks": 1, "repeats": 1}))


def config(**environment: Any) -> Any:
    return CONFIG.model_copy(
        update={
            "environment": CONFIG.environment.model_copy(update=environment),
            "lengths": LengthConfig(total=1400, turn=12),
        }
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained model, with a tokenizer for the retail domain."""
    folder = tmp_path_factory.mktemp("model")
    pool = make_mixed_pool(CONFIG.environment)
    found = Demonstrations.collect(pool, count=6, style="compact", tools="compact", seed=0)
    pool.close()
    made, tokenizer = start_from_nothing(found, SMALL, seed=0)
    save(made, tokenizer, folder)
    return folder


def shown(folder: Path, settings: Any) -> None:
    (folder / FILE).write_text(settings.agent_view().model_dump_json())


def heard(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The ids of every turn that a model in this process is asked for."""
    asked: list[list[int]] = []
    sample = CacheEngine.sample

    def listening(self: CacheEngine, requests: Any) -> Any:
        asked.extend(list(request.ids) for request in requests)
        return sample(self, requests)

    monkeypatch.setattr(CacheEngine, "sample", listening)
    return asked


@pytest.mark.parametrize("policy", ["full", "compact", "none"])
@pytest.mark.parametrize("tools", ["full", "compact", "none"])
def test_an_agent_of_a_folder_reads_what_the_model_read_in_training(
    model: Path, policy: str, tools: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = config(policy=policy, tools=tools).model_copy(update={"lengths": LengthConfig(total=30_000, turn=9)})
    shown(model, settings)
    pool = make_mixed_pool(settings.environment)
    agent = agent_factory(str(model), load_domain("retail"))()
    assert isinstance(agent, LocalAgent)
    driver = RolloutDriver(agent._chat, lengths=settings.lengths, tools=settings.environment.tools)
    (dialogue,) = pool.at([pool.mix[0]], [5])
    (trained,) = driver.run(load(str(model))[0], [dialogue], seeds=[1])
    asked = heard(monkeypatch)
    session = Session(pool.parts[0].setting, AgendaUser(), max_turns=1)
    hold(session, agent, dialogue.task, seed=5)
    assert asked[0] == list(trained.prompt_ids)
    session.close()
    pool.close()


def test_brief_results_are_read_in_the_domains_words(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(model, config(results="brief"))
    domain = load_domain("retail")
    session = Session(make_setting(), AgendaUser())
    order = next(iter(session.setting.tasks.data()["orders"]))["order_id"]
    session.start(session.setting.tasks[0], seed=0)
    result = session.send(AssistantMessage.model_validate(call("get_order_details", order_id=order))).messages[-1]
    assert isinstance(result, ToolMessage)
    brief = domain.brief(result.name, result.content)
    assert len(brief) < 0.7 * len(result.content)
    asked = heard(monkeypatch)
    agent = agent_factory(str(model), domain)()
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=0)
    agent.act([session.episode.entries[0].message])
    agent.act([result])
    assert brief in ChatTokens.decode(agent._chat, asked[1])  # type: ignore[attr-defined]
    session.close()


def make_setting() -> Any:
    from mua_env.episode.setting import load_setting

    return load_setting("retail", "test:level=1")


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"id": "1", "function": {"name": name, "arguments": json.dumps(arguments)}}]}


def test_limits_are_the_models_unless_others_are_asked_for(model: Path) -> None:
    shown(model, config(max_turns=3))
    domain = load_domain("retail")
    agent = agent_factory(str(model), domain)()
    assert (agent.max_turns, agent.view.turn_tokens, agent.view.total_tokens) == (3, 12, 1400)  # type: ignore[attr-defined]
    asked = {"agent": str(model), "tasks": "retail:test:level=1", "count": 2}
    turns = evaluate(**asked).rows[0].metrics.turns
    assert turns is not None
    assert turns <= 3
    longer = evaluate(**asked, max_turns=6).rows[0].metrics.turns
    assert longer is not None
    assert longer > 3
    cut = evaluate(**asked, max_turns=30, agent_options={"max_tokens": 400})
    assert cut.rows[0].metrics.ended_by == {"token_limit": 2}
    assert cut.success == 0
    named = agent_factory("local", domain, {"model": str(model), "policy": "Be brief.", "max_new_tokens": 4})()
    assert named.view.turn_tokens == 4  # type: ignore[attr-defined]


def test_a_folder_without_a_view_is_shown_everything(model: Path) -> None:
    (model / FILE).unlink(missing_ok=True)
    assert read_view(model) == AgentView()
    agent = agent_factory(str(model), load_domain("retail"))()
    assert agent.max_turns is None
    assert (agent.view.policy, agent.view.tools, agent.view.results) == ("full", "full", "full")  # type: ignore[attr-defined]


def test_a_vllm_server_samples_what_the_model_in_this_process_would(
    model: Path,
    server: _Server,  # noqa: F811
) -> None:
    shown(model, config(results="brief", max_turns=5))
    weights, tokenizer = load(str(model))
    chat = ChatTokens(tokenizer)

    def answer(path: str, body: Any, number: int) -> tuple[int, Any]:
        if body is None:  # the list of models
            return 200, {}
        engine = CacheEngine(weights, end_id=body["stop_token_ids"], pad_id=chat.pad_id)
        engine.begin(temperature=0.0, seeds=[0])
        turn = engine.sample([TurnRequest(0, body["prompt"], body["max_tokens"])])[0]
        logprobs = {"token_logprobs": turn.logprobs}
        choice = {"token_ids": turn.ids, "logprobs": logprobs, "finish_reason": "stop"}
        return 200, {"choices": [choice], "usage": {"prompt_tokens": len(body["prompt"])}}

    server.answer = answer
    held: dict[str, list[Any]] = {"here": [], "there": []}
    for where, options in (("here", {}), ("there", {"url": server.url})):
        evaluate(
            agent=str(model),
            agent_options=options,
            tasks="retail:test:level=1",
            count=2,
            concurrency=1,
            on_end=held[where].append,
        )
    said = [[[entry.message for entry in item.entries] for item in items] for items in held.values()]
    assert said[0] == said[1]
    assert all(len(messages) > 5 for messages in said[0])
    gone = evaluate(agent=str(model), agent_options={"url": "http://127.0.0.1:9"}, tasks="retail:test:level=1", count=1)
    assert gone.rows[0].metrics.faults == {"agent": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "agent_view.json does not say"),
        ('{"policy": "short"}', "policy"),
        ('{"max_turns": 0}', "max_turns"),
        ('{"schema_version": 99}', "schema version 99, newer than 1; update mua-env"),
    ],
)
def test_a_view_that_cannot_be_read_is_told(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ConfigError, match=words):
        read_view(tmp_path)


def test_a_compact_policy_needs_a_domain(model: Path) -> None:
    shown(model, config(policy="compact"))
    with pytest.raises(ConfigError, match="in its domain's words"):
        LocalAgent(model)
    assert LocalAgent(model, domain=load_domain("retail")).view.policy == "compact"


def test_training_writes_the_view_and_every_command_takes_the_runs_folder(tmp_path: Path, capsys: Any) -> None:
    settings = config(results="brief", max_turns=11)
    folder = train(settings, folder=tmp_path / "run")
    view = read_view(folder / "checkpoints" / "cold-start")
    assert view == settings.agent_view(chat_format=view.chat_format)
    assert view.chat_format
    held = tmp_path / "eval"
    common = ["--agent", str(folder), "--count", "2"]
    assert main(["eval", *common, "--tasks", "retail:test:level=1", "--output", str(held)]) == 0
    assert main(["rollout", str(tmp_path / "rolled"), *common, "--tasks", "test:level=1"]) == 0
    for place in (held, tmp_path / "rolled"):
        found = list(read_trajectories(place / "trajectories.jsonl"))
        assert [item.turns <= 11 for item in found] == [True, True]
        assert all(item.agent.endswith("checkpoints/cold-start") for item in found)
    saved = tmp_path / "played.jsonl"
    played = ["play", "--watch", "--agent", str(folder), "--tasks", "test:level=1", "--output", str(saved)]
    assert main(played) == 0
    (trajectory,) = read_trajectories(saved)
    assert trajectory.turns <= 11
    capsys.readouterr()
