"""A training run from configuration to report: expert dialogues, cold start, GRPO, each measured.

    folder = train(load_config("examples/retail_small.yaml"))

Runs alone or under ``accelerate launch``; see `mua_env.training.processes` for the trap in its command line.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mua_env.errors import ConfigError, missing_extra
from mua_env.reports.html import write_report
from mua_env.training.config import TrainConfig
from mua_env.training.console import Reporter
from mua_env.training.demonstrations import Demonstrations, copy_drills, turn_windows
from mua_env.training.plots import plot_run
from mua_env.training.run_folder import RunFolder, new_run_folder
from mua_env.training.seeds import derive_seed
from mua_env.users.base import UserSimulator

try:
    import torch
    from transformers.utils.logging import disable_progress_bar

    from mua_env.training.chat import ChatTokens
    from mua_env.training.cold_start import train_cold_start
    from mua_env.training.evaluation import evaluate
    from mua_env.training.grpo import DialogueGRPOTrainer, quiet_trl, trl_config
    from mua_env.training.models import load, save, start_from_nothing
    from mua_env.training.pool import make_pool
    from mua_env.training.processes import Processes
    from mua_env.training.progress import GrpoProgress
    from mua_env.training.recording import Recorder
    from mua_env.training.rollout import RolloutDriver
except ImportError as error:
    if isinstance(error, ConfigError):
        raise
    raise missing_extra("train", needed_by="training") from error


def train(
    config: TrainConfig,
    *,
    reporter: Reporter | None = None,
    user: UserSimulator | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Path:
    """Run a configuration; returns the run's folder.

    Args:
        config: every setting.
        reporter: prints; one to standard output if None (the first process only).
        user: used instead of the configuration's, for training and evaluation.
        folder: an empty folder for the run; made by the configuration's name if None.

    Raises:
        ConfigError: the configuration cannot be.
        MissingExtra: the [train] extra is not installed.
    """
    run = Run(config, reporter=reporter, user=user, folder=folder)
    try:
        run.start()
        if config.cold_start is not None:
            run.cold_start()
        if config.grpo is not None:
            run.grpo()
        return run.finish()
    finally:
        run.close()


class Run:
    """The parts of a run, in the order of `train`."""

    def __init__(
        self,
        config: TrainConfig,
        *,
        reporter: Reporter | None = None,
        user: UserSimulator | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        if config.model.path is None and config.cold_start is None:
            raise ConfigError("a model from nothing needs a cold start; give model.path, or keep cold_start")
        self.config = config
        # The bars of transformers for loading and saving run into our own lines.
        disable_progress_bar()  # type: ignore[no-untyped-call]
        self.pool = make_pool(config.environment, user=user)
        self.held_out = make_pool(config.environment, held_out=True, user=user)
        self.processes = Processes()
        rank = self.processes.rank
        chosen = Path(folder) if folder is not None else None
        if rank == 0:
            chosen = chosen or new_run_folder(config.folder, config.name)
            chosen.mkdir(parents=True, exist_ok=True)
        self.folder = RunFolder(self.processes.share(chosen), rank=rank)
        self.reporter = reporter or Reporter(quiet=rank > 0)
        self.summary: dict[str, Any] = {"processes": self.processes.count}
        self._checkpoint = config.model.path

    def start(self) -> None:
        """Write the configuration down, and make or load model and tokenizer."""
        config = self.config
        self.folder.write_json("config.json", config.model_dump(mode="json"))
        parts = ("model", "cold start", "experts", "grpo", "evaluation")
        self.folder.write_json("seeds.json", {"seed": config.seed, **{p: self._seed(p) for p in parts}})
        self.demonstrations: Demonstrations | None = None
        if config.cold_start is not None:
            self.reporter.phase("Expert dialogues")
            self.demonstrations = Demonstrations.collect(
                self.pool,
                count=config.cold_start.trajectories,
                style=config.cold_start.expert_style,
                tools=config.environment.tools,
                seed=self._seed("experts"),
            )
            self.summary["demonstrations"] = self.demonstrations.counts
            self.reporter.say(f"  {self.demonstrations.describe()}")
        self._open_model()

    def _open_model(self) -> None:
        if self._checkpoint is None:
            assert self.demonstrations is not None
            self.model, tokenizer = start_from_nothing(
                self.demonstrations, self.config.model.scratch, seed=self._seed("model")
            )
        else:
            self.model, tokenizer = load(self._checkpoint, dtype=self.config.model.dtype)
        self.chat = ChatTokens(tokenizer, self.config.model.template_options)
        self.driver = RolloutDriver(self.chat, lengths=self.config.lengths, tools=self.config.environment.tools)
        self.recorder = Recorder(self.folder, self.config.name)
        self.driver.on_end = self.recorder.record
        torch.nn.Module.to(self.model, self.processes.device)
        self.summary["parameters"] = self.model.num_parameters()
        self.reporter.say(
            f"  model: {self.summary['parameters']:,} parameters, {len(tokenizer):,} tokens in its vocabulary"
        )

    def cold_start(self) -> None:
        """Supervised training on the expert dialogues, then a measurement and a checkpoint."""
        settings, demonstrations = self.config.cold_start, self.demonstrations
        assert settings is not None
        assert demonstrations is not None
        self.reporter.phase("Cold start")
        seed = self._seed("cold start")
        dialogues = demonstrations.encode(self.chat, renumbered=settings.renumbered, seed=seed)
        drills, windows = (
            demonstrations.encode_short(self.chat, cut, copies=1 + settings.renumbered, seed=seed) if share else []
            for cut, share in ((copy_drills, settings.drill), (turn_windows, settings.window))
        )
        self.reporter.say(
            f"  {len(dialogues)} dialogues of {sum(map(len, dialogues)) / len(dialogues):.0f} tokens on average, "
            f"{len(drills)} copy drills, {len(windows)} single turns"
        )
        train_cold_start(
            self.model,
            dialogues,
            settings,
            pad_id=self.chat.pad_id,
            seed=seed,
            drills=drills,
            windows=windows,
            report=self._report_cold_start,
        )
        self._save("cold-start")
        self.evaluate("after the cold start", 0)

    def _report_cold_start(self, values: dict[str, float]) -> None:
        self.folder.add_metrics("cold_start", int(values["step"]), values)
        self.reporter.cold_start(values)

    def grpo(self) -> None:
        """GRPO from the present model, then a measurement and a checkpoint."""
        assert self.config.grpo is not None
        if self._checkpoint is None or self.config.cold_start is None:
            self.evaluate("before GRPO", 0)
        self.reporter.phase("GRPO")
        assert self._checkpoint is not None
        self.model, _ = load(self._checkpoint, dtype=self.config.model.dtype)
        trainer = DialogueGRPOTrainer(
            model=self.model,
            args=trl_config(
                self.config,
                folder=str(self.folder.path / "trl"),
                processes=self.processes.count,
                cpu=self.processes.cpu,
            ),
            settings=self.config.grpo,
            pool=self.pool,
            driver=self.driver,
            seed=self._seed("grpo"),
            callbacks=[GrpoProgress(self)],
        )
        with quiet_trl(), self.recorder.during("grpo", lambda: int(trainer.state.global_step) + 1):
            trainer.train()
        self.model = trainer.accelerator.unwrap_model(trainer.model)
        self.summary["grpo_updates"] = int(trainer.state.global_step)
        self._save("grpo")
        self.evaluate("after GRPO", self.summary["grpo_updates"])

    def evaluate(self, title: str, step: int) -> dict[str, Any]:
        """Measure the present model on the held-out tasks."""
        with self.recorder.during("evaluation", lambda: step):
            values = evaluate(
                self.model,
                self.held_out,
                self.driver,
                self.config.evaluation,
                seed=self._seed("evaluation"),
                rank=self.processes.rank,
                processes=self.processes.count,
            )
        self.folder.add_metrics("evaluation", step, values)
        self.summary[title.replace(" ", "_")] = values
        self.reporter.evaluation(title, values)
        return values

    def finish(self) -> Path:
        """Write summary and plot."""
        self.folder.write_json("summary.json", self.summary)
        if self.processes.rank == 0:
            plot_run(self.folder.path)
            write_report(self.folder.path, limit=200, newest=True)
            lines = ("config.json", "metrics.jsonl", "trajectories.jsonl", "checkpoints", "summary.json")
            pages = ("curves.png", "report.html")
            self.reporter.phase("Run folder")
            self.reporter.files(f"{self.folder.path} with", [Path(name) for name in lines + pages])
        self.processes.wait()
        return self.folder.path

    def close(self) -> None:
        """Release sessions, files and the event loop. May be called again."""
        self.pool.close()
        self.held_out.close()
        self.folder.close()
        if hasattr(self, "driver"):
            self.driver.close()

    def _save(self, name: str) -> None:
        path = self.folder.checkpoint(name)
        if self.processes.rank == 0:
            save(self.model, self.chat.tokenizer, path)
        self.processes.wait()
        self._checkpoint = str(path)

    def _seed(self, part: str) -> int:
        return derive_seed(self.config.seed, part)
