from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl")

from mua_env.core.messages import Message
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting
from mua_env.inference.chat_template import system_prompt
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.config.train import ColdStartConfig, ScratchConfig

from . import toy_domain


@dataclass
class Toy:
    """A tokenizer, a model that knows the toy a little, and what they were made from."""

    setting: Setting
    chat: ChatTokens
    dialogues: list[list[Message]]
    folder: Path

    def model(self) -> Any:
        from transformers import AutoModelForCausalLM

        return AutoModelForCausalLM.from_pretrained(self.folder, dtype="float32")

    def encode(self) -> list[Any]:
        from mua_env.training.data.demonstrations import encode_dialogue

        system = system_prompt(self.setting.tasks.policy, self.setting.tools, tool_detail="compact")
        return [encode_dialogue(self.chat, system, messages) for messages in self.dialogues]


def make_toy(folder: Path, *, head: int = 16) -> Toy:
    """Train a model on the toy for some seconds and save it."""
    from mua_env.training.tiny_model.from_nothing import build_model, build_tokenizer
    from mua_env.training.trainers.cold_start import train_cold_start

    setting = toy_domain.setting()
    session = Session(setting, toy_domain.ToyUser())
    dialogues = [toy_domain.expert_dialogue(session, task, seed) for seed in range(3) for task in setting.tasks]
    session.close()
    tokenizer = build_tokenizer(
        (message.model_dump_json() for messages in dialogues for message in messages), vocabulary=400
    )
    made = Toy(setting, ChatTokens(tokenizer), dialogues, folder)
    model = build_model(
        tokenizer, ScratchConfig(hidden=64, layers=2, head=head, initializer=0.02, vocabulary=400), seed=0
    )
    config = ColdStartConfig(batch=16, micro_batch=16, epochs=10, learning_rate=4e-3, warmup=0.1)
    train_cold_start(model, made.encode(), config, pad_id=0, seed=0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return made


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return make_toy(tmp_path_factory.mktemp("toy-model"))


@pytest.fixture(scope="session")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run that nothing disturbed."""
    from .killing import run_child
    from .small_run import resumable_config

    folder = tmp_path_factory.mktemp("unbroken") / "run"
    assert run_child(resumable_config(1000), folder) == 0
    return folder
