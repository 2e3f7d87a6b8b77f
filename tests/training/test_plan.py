from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from mua_env.cli import main
from mua_env.errors import ConfigError
from mua_env.training.config.train import GrpoSettings, LoraConfig, TrainConfig, load_config
from mua_env.training.plan.memory import Shape, memory_of, shape_of, shape_of_config
from mua_env.training.plan.plan import plan_run
from mua_env.training.trainers.adapters import peft_config

from .small_run import small_config

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(("size", "billions"), [("8B", 8.19), ("14B", 14.77), ("32B", 32.76)])
def test_the_papers_models_are_known_without_a_download(size: str, billions: float) -> None:
    shape = shape_of(f"Qwen/Qwen3-{size}")
    assert shape is not None
    assert shape.parameters / 1e9 == pytest.approx(billions, abs=0.01)
    assert shape_of("nobody/no-such-model") is None


def test_parameters_are_counted_by_the_model_itself() -> None:
    config = Qwen3Config(
        vocab_size=500, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, head_dim=16,
        intermediate_size=64, tie_word_embeddings=True,
    )  # fmt: skip
    layer = 32 * 32 * 2 + 32 * 16 * 2 + 16 * 2 + 3 * 32 * 64 + 2 * 32
    assert shape_of_config(config).parameters == 500 * 32 + 2 * layer + 32


def test_memory_in_numbers() -> None:
    shape = Shape(parameters=1000, layers=2, hidden=8, feed_forward=16, heads=2, kv_heads=1, head=4, vocabulary=50)
    given: dict[str, Any] = {"number": 2, "sequences": 3, "tokens": 10, "dialogues": 6, "reference": True}
    found = memory_of(shape, checkpointing=False, **given)
    layer = 3 * 10 * (16 * 8 + 10 * 3 * 4 + 8 * 16)
    assert found == {
        "weights": 2000,
        "gradients": 2000,
        "optimiser": 4000,
        "reference": 2000,
        "activations": 2 * layer,
        "logits": 12 * 3 * 10 * 50,
        "cache": 2 * 6 * 10 * 2 * 1 * 4 * 2,
    }
    assert memory_of(shape, checkpointing=True, **given)["activations"] == 2 * 3 * 10 * 8 * 2 + layer
    lora = memory_of(shape, checkpointing=False, adapters=30, **given)
    changed = {"weights": 2000 + 4 * 30, "gradients": 4 * 30, "optimiser": 2 * 4 * 30, "reference": 0}
    assert lora == {**found, **changed}
    mixed = memory_of(shape, checkpointing=False, mixed=True, **given)
    assert mixed == {**found, "weights": 6000, "gradients": 4000, "optimiser": 8000, "reference": 4000}


def test_adapters_are_what_peft_adds() -> None:
    from peft import get_peft_model

    config = Qwen3Config(
        vocab_size=100, hidden_size=32, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
        head_dim=16, intermediate_size=48,
    )  # fmt: skip
    model: Any = Qwen3ForCausalLM(config).to(torch.bfloat16)
    trained = [p for p in get_peft_model(model, peft_config(LoraConfig(rank=5))).parameters() if p.requires_grad]
    assert sum(p.numel() for p in trained) == shape_of_config(config).adapters(5)
    assert {p.dtype for p in trained} == {torch.float32}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_activations_are_what_a_real_model_keeps(dtype: str) -> None:
    """The bytes of the tensors that autograd keeps, without parameters, of one more layer of a real decoder."""
    kept = []
    for layers in (2, 3):
        config = Qwen3Config(
            vocab_size=100, hidden_size=256, num_hidden_layers=layers, num_attention_heads=4, num_key_value_heads=2,
            head_dim=128, intermediate_size=768, tie_word_embeddings=True, attn_implementation="sdpa",
        )  # fmt: skip
        model: Any = Qwen3ForCausalLM(config).to(getattr(torch, dtype))
        own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
        storages: dict[int, Any] = {}

        def keep(tensor: torch.Tensor, own: set[int] = own, storages: dict[int, Any] = storages) -> torch.Tensor:
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in own:
                storages[storage.data_ptr()] = storage
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            model.model(input_ids=torch.arange(90)[None], use_cache=False)
        kept.append(sum(storage.nbytes() for storage in storages.values()))
    number = 4 if dtype == "float32" else 2
    given: dict[str, Any] = {"sequences": 1, "tokens": 90, "dialogues": 1, "reference": False, "checkpointing": False}
    wanted = memory_of(shape_of_config(config), number=number, **given)["activations"] / 3
    assert kept[1] - kept[0] == pytest.approx(wanted, rel=0.01)


def test_the_papers_run(tau1_dir: Path) -> None:
    config = load_config(EXAMPLES / "mua_rl_paper.yaml")
    config = config.model_copy(update={"environment": config.environment.model_copy(update={"path": str(tau1_dir)})})
    plan = plan_run(config)
    phases = {phase.name: phase for phase in plan.phases}
    assert phases["GRPO"].updates == 165 // 32 * 25
    assert phases["GRPO"].dialogues == 125 * 32 * 8
    assert phases["cold start"].updates == pytest.approx(2 * 2000 / 128, abs=1)
    assert phases["measurements of GRPO"].dialogues == 165 * 4
    assert phases["measurements of the cold start"].dialogues == 2 * 165 * 4
    assert plan.expected.prompt > 2000
    assert plan.user_calls == pytest.approx(plan.dialogues * plan.expected.replies)
    pytest.importorskip("litellm")
    read, written = plan.expected.user_prompt, plan.expected.user_completion
    trained, measured = 2000 + 32_000, 3 * 165 * 4
    wanted = trained * (read * 2.5e-6 + written * 1e-5) + measured * (read * 2e-6 + written * 8e-6)
    assert plan.cost == pytest.approx(wanted)
    assert f"about ${wanted:,.0f}" in plan.text()
    assert "8,190,735,360 parameters" in plan.text()


def test_a_small_run_and_its_plan_agree(tmp_path: Path) -> None:
    """What the plan says would run is what the pipeline's own test counts."""
    plan = plan_run(small_config())
    counts = {phase.name: (phase.updates, phase.dialogues) for phase in plan.phases}
    assert counts == {
        "expert dialogues": (0, 8),
        "cold start": (8, 0),
        "GRPO": (2, 8),
        "measurements of GRPO": (0, 12),
        "measurements of the cold start": (0, 3 + 6),
    }
    assert plan.cost is None
    assert "costs nothing" in plan.text()


def test_what_trl_is_given_counts() -> None:
    given = {"num_train_epochs": 3, "num_iterations": 2, "per_device_train_batch_size": 4, "beta": 0.0}
    given |= {"gradient_accumulation_steps": 1}
    plan = plan_run(small_config(grpo=GrpoSettings(queries=2, rollouts=2, micro_batch=2, epochs=99, trl=given)))
    (grpo,) = [phase for phase in plan.phases if phase.name == "GRPO"]
    tasks = int(grpo.details[0].rpartition(" over ")[2].split()[0].replace(",", ""))
    batches = 3 * (tasks // 2)
    assert (grpo.updates, grpo.dialogues, grpo.trained) == (2 * batches, 4 * batches, 8 * batches)
    assert plan.memory["reference"] == 0
    two = plan_run(small_config(grpo=GrpoSettings(queries=2, rollouts=2, micro_batch=2, epochs=1)))
    assert plan.memory["logits"] == 2 * two.memory["logits"]
    assert two.memory["reference"] == two.memory["weights"]


def test_what_trl_is_given_counts_in_a_cold_start_alone() -> None:
    def activations(trl: dict[str, Any] | None) -> float:
        cold = small_config().cold_start.model_copy(update={"drill": 0.0, "window": 0, "trl": trl})
        deep = {"scratch": small_config().model.scratch.model_copy(update={"layers": 3})}
        return plan_run(small_config(grpo=None, cold_start=cold, model=deep)).memory["activations"]

    plain = activations({})
    assert activations(None) == plain
    assert activations({"gradient_checkpointing": True}) < plain
    assert activations({"activation_checkpointing": True}) == activations({"gradient_checkpointing": True})
    assert activations({"per_device_train_batch_size": 1}) < plain


def test_a_plan_refuses_what_a_run_refuses() -> None:
    with pytest.raises(ConfigError, match="a model from nothing needs a cold start"):
        plan_run(small_config(cold_start=None))
    with pytest.raises(ConfigError, match="nothing would be trained; keep one of them"):
        plan_run(small_config(cold_start=None, grpo=None, model={"path": "nobody/none"}))


def test_options_are_noted(tmp_path: Path) -> None:
    settings = GrpoSettings(
        queries=2, rollouts=2, steps=2, dynamic_sampling=3, turn_credit={"points": 2, "continuations": 3}
    )
    text = plan_run(small_config(cold_start=None, grpo=settings, model={"path": "nobody/none"})).text()
    assert "at most 3 times GRPO's dialogues" in text
    assert "at most 6 shorter dialogues" in text
    assert "Memory: not known" in text


def test_from_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["train", str(EXAMPLES / "quickstart.yaml"), "--dry-run", "--set", f"folder={tmp_path}"]
    assert main([*command, "--no-rl"]) == 0
    out = capsys.readouterr().out
    assert "cold start" in out
    assert "GRPO" not in out.partition("A dialogue")[0]
    assert main([*command, "--no-cold-start", "--set", "model.path=nobody/none"]) == 0
    phases = capsys.readouterr().out.partition("A dialogue")[0]
    assert "GRPO" in phases
    assert "cold start" not in phases
    assert main([*command, "--no-cold-start", "--no-rl"]) == 2
    assert "nothing would be trained" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert main([*command, "--set", "grpo.trl.beta_=1"]) == 2
    assert "grpo.trl.beta_: trl.GRPOConfig has no such field. Did you mean 'beta'?" in capsys.readouterr().err
    assert TrainConfig(folder=str(tmp_path)).folder == str(tmp_path)
