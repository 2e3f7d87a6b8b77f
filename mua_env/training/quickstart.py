"""The main job of ``make quickstart``: a small model from nothing learns to serve retail customers.

    python -m mua_env.training.quickstart

One watched dialogue, expert dialogues, a short cold start, a few updates of GRPO, and a run folder. Real tools,
real database, the domain's compact policy document, agenda users, held-out tasks of other users; no network.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

# Threads that spin while they wait make small operations many times slower where cores are shared. This must be
# set before torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from rich.markup import escape

from mua_env.core.messages import AssistantMessage
from mua_env.core.screen import open_console
from mua_env.errors import MuaError
from mua_env.training.config.train import (
    ColdStartConfig,
    EnvironmentConfig,
    EvaluationConfig,
    GrpoSettings,
    LengthConfig,
    ModelConfig,
    ScratchConfig,
    TrainConfig,
)

_NAMES = {"user": "user ", "agent": "agent", "tool": "tool "}
_STYLES = {"user": "cyan", "agent": "green", "tool": "dim"}


_INTENTS = ("cancel_order", "modify_user_address")
_QUESTIONS = ("order_status", "order_total", "tracking_number", "delivery_address")
_EASY = "generate:level=1:only=" + "+".join((*_INTENTS, *(f"ask.{topic}" for topic in _QUESTIONS)))
"""Level 1 without its questions about products: their answers are counted in lists of 1,500 tokens."""


def quickstart_config(*, seed: int = 0, folder: str = "runs") -> TrainConfig:
    """The settings; what differs from the paper's recipe is the scale."""
    user = {"persona": "terse", "noise": 0}
    return TrainConfig(
        name="quickstart",
        folder=folder,
        seed=seed,
        model=ModelConfig(
            scratch=ScratchConfig(hidden=128, layers=3, theta=1e6, copying=True, vocabulary=2048, phrases=True)
        ),
        environment=EnvironmentConfig(
            tasks=f"{_EASY}:split=train:world=1:seed={seed}",
            held_out=f"{_EASY}:split=test:seed=1",
            user_options={**user, "phrasings": "seen"},
            held_out_user_options={**user, "phrasings": "unseen"},
            policy="compact",
            tools="compact",
            results="brief",
            max_turns=12,
            reward="task",
        ),
        lengths=LengthConfig(total=480, turn=56),
        cold_start=ColdStartConfig(
            trajectories=4800,
            shuffled=1,
            expert_style="compact",
            expert_slips={"cancel_pending_order": 0.85},
            keep="all",
            batch=16,
            micro_batch=16,
            epochs=1.0,
            learning_rate=4e-3,
            betas=(0.9, 0.98),
            warmup=0.06,
        ),
        grpo=GrpoSettings(
            queries=8,
            rollouts=8,
            steps=40,
            learning_rate=3e-4,
            betas=(0.9, 0.98),
            micro_batch=16,
            trl={"lr_scheduler_type": "linear"},
        ),
        evaluation=EvaluationConfig(tasks=256, repeats=1, temperature=1.0, batch=64, every=20),
    )


def watch(*, seed: int = 0) -> None:
    """Print one dialogue of the scripted expert with the agenda user."""
    from mua_env.episode.dialogue import hold
    from mua_env.episode.session import Session
    from mua_env.episode.setting import load_setting
    from mua_env.users.make import make_user

    setting = load_setting("retail", "test:level=1")
    session = Session(setting, make_user("agenda"))
    console = open_console(soft_wrap=True)
    console.print("\n[bold]A dialogue: scripted expert and agenda user, retail[/bold]")
    result = hold(session, setting.domain.expert(style="plain"), setting.tasks[seed], seed=seed)
    for entry in session.episode.entries:
        message, name = entry.message, _NAMES.get(entry.source, entry.source)
        texts = [message.content] if message.content else []
        if isinstance(message, AssistantMessage):
            texts += [f"calls {c.function.name}({c.function.arguments})" for c in message.tool_calls]
        for text in texts:
            style = _STYLES.get(entry.source, "")
            console.print(f"  [{style}]{name}[/{style}]  {escape(text)}")
    console.print(f"  reward from the database: {result.reward:g}")
    session.close()


def say_how_to_go_on(config: TrainConfig, folder: Path) -> None:
    """Print the lines by which one talks to the model, and measures it on what it was measured on."""
    environment = config.environment
    user = ":".join(
        ["agenda", *(f"{name}={value}" for name, value in (environment.held_out_user_options or {}).items())]
    )
    console = open_console(soft_wrap=True)
    console.print("\n[bold]Talk to the model[/bold] (you are the customer, and are told what you want):")
    console.print(f"  mua-env play --as user --agent {folder} --tasks '{environment.held_out}'", markup=False)
    console.print("[bold]Measure it[/bold], with the likeliest token always:")
    console.print(
        f"  mua-env eval --agent {folder} --tasks 'retail:{environment.held_out}' --users {user} --count 256",
        markup=False,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the quick start; returns the exit status."""
    parser = argparse.ArgumentParser(prog="quickstart", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="of everything (default 0)")
    parser.add_argument("--folder", default="runs", help="where the run folder is made (default runs)")
    parser.add_argument("--threads", type=int, default=None, help="threads of torch (default: torch's choice)")
    options = parser.parse_args(arguments)
    try:
        watch()
        from mua_env.training.run.pipeline import train

        if options.threads is not None:
            import torch

            torch.set_num_threads(options.threads)
        config = quickstart_config(seed=options.seed, folder=options.folder)
        say_how_to_go_on(config, train(config))
    except MuaError as error:
        open_console(stderr=True, soft_wrap=True).print(f"quickstart: {escape(str(error))}")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
