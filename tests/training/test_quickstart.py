"""The quick start: that what it measures is not what it trains on, that its lengths fit, and a run of it in small."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mua_env.core.messages import Message
from mua_env.errors import ConfigError
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.config.train import TrainConfig, load_config
from mua_env.training.data.demonstrations import Demonstrations
from mua_env.training.quickstart import quickstart_config
from mua_env.training.rollout.pool import make_mixed_pool
from mua_env.training.run.console import Reporter
from mua_env.training.run.pipeline import train
from mua_env.training.tiny_model.start import start_from_nothing

EXAMPLES = Path(__file__).parents[2] / "examples"
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location("quickstart_benchmark", BENCHMARKS / "quickstart.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module


def dialogues(config: TrainConfig, *, held_out: bool, count: int) -> Demonstrations:
    pool = make_mixed_pool(config.environment, held_out=held_out)
    try:
        return Demonstrations.collect(
            pool, count=count, style="compact", tools=config.environment.tools, seed=int(held_out)
        )
    finally:
        pool.close()


def told(messages: list[Message], role: str) -> list[str]:
    return [message.content or "" for message in messages if message.role == role]


def test_the_example_is_the_quick_start() -> None:
    assert load_config(EXAMPLES / "quickstart.yaml") == quickstart_config()


def test_users_orders_and_openings_are_held_out() -> None:
    config = quickstart_config()
    kinds = [dialogues(config, held_out=held_out, count=150).dialogues for held_out in (False, True)]
    users = [{told(messages, "tool")[0] for messages in found} for found in kinds]
    orders = [{w for m in found for text in told(m, "user") for w in re.findall(r"#W\d+", text)} for found in kinds]
    openings = [{told(messages, "user")[0] for messages in found} for found in kinds]
    for trained, tested in (users, orders, openings):
        assert len(tested) > 20
        assert not trained & tested


def test_the_expert_solves_the_tasks_within_the_lengths() -> None:
    config = quickstart_config()
    found = dialogues(config, held_out=False, count=150)
    assert found.counts["kept"] == 150
    _, tokenizer = start_from_nothing(found, config.model.scratch, seed=0)
    encoded = found.encode(ChatTokens(tokenizer), seed=0)
    turns = [span.end - span.start for t in encoded for span in t.spans if span.source == "agent"]
    assert max(turns) < config.lengths.turn
    assert max(map(len, encoded)) < 0.9 * config.lengths.total
    assert max(trajectory.turns for trajectory in encoded) < config.environment.max_turns


def test_the_level_has_every_kind_of_request() -> None:
    pool = make_mixed_pool(quickstart_config().environment, held_out=True)
    tasks = [pool.parts[0].setting.tasks[i] for i in range(256)]
    intents = {request.intent for task in tasks if task.goal for request in task.goal.requests}
    topics = {request.slots.get("topic") for task in tasks if task.goal for request in task.goal.requests}
    assert intents == {"cancel_order", "modify_user_address", "ask"}
    assert topics >= {"order_status", "order_total", "tracking_number", "delivery_address"}
    assert len({task.id for task in tasks}) == 256
    pool.close()


def test_a_run_in_small_gives_the_figures_of_the_benchmark(tmp_path: Path, benchmark: ModuleType) -> None:
    config = quickstart_config(folder=str(tmp_path))
    assert config.cold_start is not None
    assert config.grpo is not None
    small = config.model_copy(
        update={
            "cold_start": config.cold_start.model_copy(update={"trajectories": 24, "batch": 8}),
            "grpo": config.grpo.model_copy(update={"queries": 2, "rollouts": 2, "steps": 2}),
            "evaluation": config.evaluation.model_copy(update={"tasks": 4}),
        }
    )
    run = train(small, reporter=Reporter(quiet=True))
    page = (run / "report.html").read_text()
    assert page.count("<svg") > 5
    assert page.count('<section class="task">') == 4
    figures = benchmark.figures_of(run)
    assert figures["expert_dialogues"] == 24
    assert figures["cold_start_updates"] == 6  # 24 dialogues and their copies by 8
    assert figures["grpo_updates"] == 2
    assert figures["grpo_dialogues"] == 8
    assert figures["cold_tasks"] == figures["after_tasks"] == 4
    assert 0 <= figures["after_success"] <= 1
    assert [figures[f"{name}_in_training"] for name in ("users", "orders", "openings")] == [0, 0, 0]
    assert 900_000 < figures["parameters"] < 3_000_000


def test_the_benchmark_finds_what_was_trained_on(tmp_path: Path, benchmark: ModuleType) -> None:
    line = (
        '{"meta": {"phase": "PHASE"}, "entries": [{"source": "user", "message": {"content": "Hi, #W1234567"}}, '
        '{"source": "tool", "message": {"content": "ada_stone_1234"}}]}\n'
    )
    (tmp_path / "demonstrations.jsonl").write_text(line.replace("PHASE", "experts"))
    (tmp_path / "trajectories.jsonl").write_text(line.replace("PHASE", "evaluation"))
    found = benchmark.overlap(tmp_path)
    assert found == {"users_in_training": 1, "orders_in_training": 1, "openings_in_training": 1}


def test_the_cold_start_imitates_the_experts_slips_too() -> None:
    settings = quickstart_config().cold_start
    assert settings is not None
    pool = make_mixed_pool(quickstart_config().environment)
    held = {
        keep: Demonstrations.collect(pool, count=60, style="compact", seed=0, slips=settings.expert_slips, keep=keep)
        for keep in ("solved", "all")
    }
    pool.close()
    assert held["all"].counts == {"tried": 60, "kept": 60, "wrong": 60 - len(held["solved"].dialogues)}
    assert held["solved"].counts["wrong"] == 0
    # Half of the tasks are cancellations, and most of them are only claimed.
    assert 0.3 <= held["all"].wrong / 60 <= 0.6


def test_each_domain_s_expert_slips_with_its_own_tools() -> None:
    environment = load_config(str(EXAMPLES / "mixed_small.yaml")).environment
    pool = make_mixed_pool(environment)
    common = {"count": 40, "style": "compact", "seed": 0, "keep": "all"}
    claimed = {
        tool: Demonstrations.collect(pool, slips={tool: 1.0}, **common).wrong  # type: ignore[arg-type]
        for tool in ("cancel_pending_order", "cancel_reservation")
    }
    both = Demonstrations.collect(pool, slips=dict.fromkeys(claimed, 1.0), **common)  # type: ignore[arg-type]
    assert min(claimed.values()) > 0
    assert both.wrong == sum(claimed.values())
    with pytest.raises(ConfigError, match=r"'cancel_order', which there is not\. Did you mean 'cancel_pending_order'"):
        Demonstrations.collect(pool, slips={"cancel_order": 1.0}, **common)  # type: ignore[arg-type]
    pool.close()
