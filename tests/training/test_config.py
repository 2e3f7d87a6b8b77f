from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from mua_env.cli.training import read_changed
from mua_env.errors import ConfigError
from mua_env.training.config.train import TrainConfig, load_config, paper_defaults

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_defaults_are_the_papers() -> None:
    config = paper_defaults()
    assert config.cold_start is not None
    assert config.grpo is not None
    cold, grpo = config.cold_start, config.grpo
    assert (cold.trajectories, cold.batch, cold.epochs, cold.learning_rate) == (2000, 128, 2, 5e-6)
    assert (grpo.queries, grpo.rollouts, grpo.epochs, grpo.beta) == (32, 8, 25, 0.001)
    assert (grpo.temperature, grpo.epsilon, grpo.std, grpo.learning_rate) == (1.0, 0.2, "population", 1e-6)
    assert (config.lengths.total, config.environment.max_turns) == (32_768, 30)
    assert (config.evaluation.temperature, config.evaluation.repeats) == (0.0, 4)


def test_every_field_says_what_it_is() -> None:
    seen = set()

    def walk(model: type) -> None:
        seen.add(model.__name__)
        for name, field in model.model_fields.items():  # type: ignore[attr-defined]
            parts = (field.annotation, *get_args(field.annotation))
            groups = [part for part in parts if hasattr(part, "model_fields")]
            for group in groups:
                walk(group)
            assert field.description or groups, f"{model.__name__}.{name}"

    walk(TrainConfig)
    assert {"ColdStartConfig", "GrpoSettings", "CurriculumConfig", "LoraConfig", "ScratchConfig"} <= seen


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"grpo": {"rollout": 4}}, r"grpo\.rollout: Extra inputs are not permitted"),
        ({"grpo": {"rollouts": 1}}, r"grpo\.rollouts: .*greater than or equal to 2 \(got 1\)"),
        ({"environment": {"tools": "short"}}, r"environment\.tools"),
        ({"model": {"scratch": {"heads": 3}}}, "heads must be a multiple of kv_heads"),
    ],
)
def test_wrong_settings_name_the_field(data: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(data)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("seed: 3\ngrpo: null\n")
    assert load_config(path) == TrainConfig(seed=3, grpo=None)
    path.write_text("- 1\n")
    with pytest.raises(ConfigError, match="holds list, not a mapping"):
        load_config(path)
    path.write_text("a: [\n")
    with pytest.raises(ConfigError, match="not valid YAML"):
        load_config(path)
    with pytest.raises(ConfigError, match="cannot read the configuration"):
        load_config(tmp_path / "none.yaml")


@pytest.mark.parametrize("path", [path for path in sorted(EXAMPLES.glob("*.yaml")) if path.stem != "train_user"])
def test_examples_are_valid(path: Path) -> None:
    assert load_config(path).name.replace("-", "_") == path.stem


STATED = {
    # §3.2 and §4.1: the cold start
    "cold_start.trajectories": 2000,
    "cold_start.batch": 128,
    "cold_start.epochs": 2,
    "cold_start.learning_rate": 5e-6,
    # §4.1: GRPO
    "grpo.queries": 32,
    "grpo.rollouts": 8,
    "grpo.epochs": 25,
    "grpo.beta": 0.001,
    "grpo.temperature": 1.0,
    "lengths.total": 32_768,
    "environment.max_turns": 30,
    "environment.user": "llm",
    "environment.user_options": {"model": "gpt-4o"},
    "environment.tasks": "tau1:test",
    "environment.sources": [{"id": "MUA/Retail-v1"}, {"id": "MUA/Airline-v1"}],
    # §3.3.3 and §4.1: the reward, without what must be said
    "environment.reward": "outcome",
    # §4.1: evaluation
    "environment.held_out_user_options": {"model": "gpt-4.1"},
    "environment.held_out_reward": "tau1",
    "evaluation.temperature": 0.0,
    "evaluation.repeats": 4,
    "model.path": "Qwen/Qwen3-8B",
    "model.template_options": {"enable_thinking": False},
    # Eq. 3
    "grpo.loss_type": "grpo",
    "grpo.importance": "token",
    # the authors' script
    "grpo.learning_rate": 1e-6,
    "grpo.weight_decay": 0.01,
    "grpo.clip": 1.0,
    "grpo.iterations": 1,
    "lengths.turn": 1024,
    # not reported: this project's
    "grpo.epsilon": 0.2,
    "grpo.std": "population",
}


@pytest.mark.parametrize("name", list(STATED))
def test_the_papers_example_states_every_hyperparameter(name: str) -> None:
    """In the file itself, whatever the defaults are."""
    value: Any = yaml.safe_load((EXAMPLES / "mua_rl_paper.yaml").read_text())
    for part in name.split("."):
        value = value[part]
    assert value == STATED[name]


def test_the_papers_example_states_the_defaults() -> None:
    example, paper = load_config(EXAMPLES / "mua_rl_paper.yaml"), paper_defaults()
    assert (example.lengths, example.evaluation) == (paper.lengths, paper.evaluation)
    for part in ("cold_start", "grpo"):
        stated, default = getattr(example, part), getattr(paper, part)
        memory = {"micro_batch": default.micro_batch, "trl": default.trl}
        assert stated.model_copy(update=memory) == default
        assert stated.trl == {"gradient_checkpointing": True}
    assert [each.id for each in example.environment.each()] == ["MUA/Retail-v1", "MUA/Airline-v1"]


def test_ablations_and_changes_from_the_command_line() -> None:
    path = EXAMPLES / "mua_rl_paper.yaml"
    changed = read_changed(path, {"grpo.rollouts": 4, "cold_start": None})
    assert changed.cold_start is None
    assert changed.grpo is not None
    assert changed.grpo.rollouts == 4
    assert read_changed(path, {"grpo": None}).grpo is None
    with pytest.raises(ConfigError, match=r"grpo\.rolouts: .* Did you mean 'rollouts'\?"):
        read_changed(path, {"grpo.rolouts": 4})
