"""A training run from configuration to report: expert dialogues, cold start, GRPO, each measured.

    folder = train(load_config("examples/quickstart.yaml"))

Runs alone or under ``accelerate launch``; see `mua_env.training.run.processes` for the trap in its command line.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from mua_env.core.redaction import without_secrets
from mua_env.core.running import run_apart
from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config.train import GrpoSettings, TrainConfig
from mua_env.training.data.demonstrations import Demonstrations
from mua_env.training.run.console import Reporter
from mua_env.training.run.plots import plot_run
from mua_env.training.run.report import AFTER, BEFORE, COLD_START, SHOWN, write_training_report
from mua_env.training.run.stopping import stopping
from mua_env.training.trainers.trl_fields import quiet_trl
from mua_env.users.base import UserSimulator

try:
    import torch

    from mua_env.inference.chat_tokens import ChatTokens
    from mua_env.inference.models import load, save
    from mua_env.training.data.expert_dialogues import ExpertLog
    from mua_env.training.data.sft_data import SftData, ask_expert
    from mua_env.training.rollout.driver import RolloutDriver
    from mua_env.training.rollout.recording import Recorder
    from mua_env.training.run.checkpoints import write_whole
    from mua_env.training.run.measurements import Measurements
    from mua_env.training.run.parts import RunParts, make_backend
    from mua_env.training.run.phase_checkpoints import ColdStartCheckpoints, GrpoCheckpoints
    from mua_env.training.run.tracking import GrpoProgress
    from mua_env.training.tiny_model.start import start_from_nothing
    from mua_env.training.trainers.adapters import add_adapter, merge_adapter, peft_config
    from mua_env.training.trainers.grpo import DialogueGRPOTrainer, trl_config, updates_a_batch
    from mua_env.training.trainers.teaching import teach
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
    resume: bool = False,
) -> Path:
    """Run a configuration; returns the run's folder. Where an event loop runs, as in a notebook, it trains in a thread
    of its own; ``await asyncio.to_thread(train, config)`` leaves that loop free meanwhile.

    Args:
        config: every setting.
        reporter: prints; one to standard output if None (the first process only).
        user: used instead of the configuration's, for training and evaluation.
        folder: an empty folder for the run; made by the configuration's name if None. With ``resume``, that of the
            run to go on with; the newest of the configuration's name if None.
        resume: go on with a run that was stopped or killed, with the same configuration.

    Raises:
        ConfigError: the configuration cannot be, or is not that of the run to go on with.
        DataError: there is no run to go on with.
        RunStopped: the run cannot go on (a full disk, a dead user, a gradient that is no number); what it did until
            then is kept.
        MissingExtra: the [train] extra is not installed.
    """
    return run_apart(lambda: _train(config, reporter=reporter, user=user, folder=folder, resume=resume))


def _train(config: TrainConfig, *, resume: bool, **given: Any) -> Path:
    run = Run(config, resume=resume, **given)
    try:
        with stopping(run.folder.path, run.reporter.say):
            if run.has("finished"):
                run.reporter.say(f"{run.folder.path} has finished; there is nothing to go on with")
                return run.folder.path
            run.start()
            run.cold_start()
            run.grpo()
            return run.finish()
    finally:
        run.close()


class Run(RunParts):
    """The phases of a run, in the order of `train`."""

    def start(self) -> None:
        """Write the configuration down, and make or load model and tokenizer."""
        config, state = self.config, self.checkpoints.state
        self.folder.write_json("config.json", without_secrets(config.model_dump(mode="json")))
        parts = ("model", "cold start", "experts", "grpo", "evaluation")
        self.folder.write_json("seeds.json", {"seed": config.seed, **{p: self.seed(p) for p in parts}})
        if state.step or state.phase != "start":
            self.reporter.say(f"Going on with {self.folder.path}: {state.phase.replace('_', ' ')}, update {state.step}")
        else:
            self.reporter.say(f"Run folder: {self.folder.path}")
        self.demonstrations: Demonstrations | None = None
        if config.cold_start is not None and not self.has("cold_started"):
            self.reporter.phase("Expert dialogues")
            log = ExpertLog(self.folder, self.processes)
            self.demonstrations = ask_expert(config, self.pool, seed=self.seed("experts"), log=log)
            self.summary["demonstrations"] = self.demonstrations.counts
            self.reporter.say(f"  {self.demonstrations.describe()}")
        self._open_model()

    @property
    def _mixed(self) -> bool:
        return self.config.model.mixed(sharded=self.processes.sharded)

    @property
    def _dtype(self) -> str:
        return self.config.model.loaded_as(sharded=self.processes.sharded)

    def _open_model(self) -> None:
        if self.checkpoint is None:
            assert self.demonstrations is not None
            self.model, tokenizer = start_from_nothing(
                self.demonstrations, self.config.model.scratch, seed=self.seed("model")
            )
        else:
            self.model, tokenizer = load(self.checkpoint, dtype=self._dtype)
        self.chat = ChatTokens(tokenizer, self.config.model.template_options)
        weights = self.folder.path / "weights" / str(self.processes.rank)
        self.driver = RolloutDriver(
            self.chat,
            lengths=self.config.lengths,
            tools=self.config.environment.tools,
            backend=make_backend(
                self.config.sampling, self.chat, self.model, folder=weights, dtype=self.config.model.dtype
            ),
            autocast=self._mixed,
        )
        self.recorder = Recorder(self.folder.add_trajectory, self.checkpoints.ledger, self.config.name)
        self.measurements = Measurements(
            self.config,
            self.held_out,
            self.driver,
            folder=self.folder,
            recorder=self.recorder,
            reporter=self.reporter,
            processes=self.processes,
            known=self.known,
            seed=self.seed("evaluation"),
        )
        torch.nn.Module.to(self.model, self.processes.device)
        self._agent: Callable[[], AbstractContextManager[Any]] = lambda: nullcontext(self.model)
        self.summary["parameters"] = self.model.num_parameters()
        self.reporter.say(
            f"  model: {self.summary['parameters']:,} parameters, {len(tokenizer):,} tokens in its vocabulary"
        )

    def cold_start(self) -> None:
        """Supervised training on the expert dialogues, then a checkpoint and a measurement, if there is to be one."""
        settings, demonstrations = self.config.cold_start, self.demonstrations
        if settings is None:
            return
        if demonstrations is None:  # done before the run was stopped
            self.evaluate(COLD_START, 0)
            return
        # All held-out tasks show what a pretrained model is worth; one from nothing only shows what it says.
        self.evaluate(BEFORE, 0, tasks=None if self.config.model.path else SHOWN)
        self.reporter.phase("Cold start")
        seed = self.seed("cold start")
        data = SftData.prepare(demonstrations, self.chat, settings, seed=seed)
        self.reporter.say(f"  {data.describe()}")
        lora = self.config.model.lora
        if lora is not None:
            self.model = add_adapter(self.model, lora, seed=seed)
        teach(
            self.model,
            data,
            self.chat,
            settings.computing(mixed=self._mixed),
            seed=seed,
            checkpoints=self.checkpoints,
            saver=ColdStartCheckpoints(self.checkpoints),
            report=self._report_cold_start,
        )
        self.model = merge_adapter(self.model)
        self.save("cold-start", "cold_started", self._write_model)
        self.evaluate(COLD_START, 0)

    def _report_cold_start(self, values: dict[str, float]) -> None:
        self.folder.add_metrics("cold_start", int(values["step"]), values)
        self.reporter.cold_start(values)

    def grpo(self) -> None:
        """GRPO from the present model, then a checkpoint and a measurement, if there is to be one."""
        if self.config.grpo is None:
            return
        if self.has("trained"):
            self.evaluate(AFTER, self.summary["grpo_updates"])
            return
        if self.checkpoint is None or self.config.cold_start is None:
            self.evaluate("before GRPO", 0)
        self.reporter.phase("GRPO")
        assert self.checkpoint is not None
        self.model, _ = load(self.checkpoint, dtype=self._dtype)
        lora = self.config.model.lora
        trainer, saver = self._trainer(self.config.grpo)
        saver.check()
        self._agent = trainer.whole_model
        with quiet_trl():
            trainer.train(resume_from_checkpoint=saver.resume_from)
        self.summary["grpo_updates"] = int(trainer.state.global_step)
        with self._agent() as model:
            if lora is not None and self.processes.rank == 0:
                write_whole(self.folder.checkpoint("grpo-adapter"), model.save_pretrained)
            self.model = merge_adapter(model)
            self.save("grpo", "trained", self._write_model)
        self._agent = lambda: nullcontext(self.model)
        self.evaluate(AFTER, self.summary["grpo_updates"])

    def _trainer(self, settings: GrpoSettings) -> tuple[DialogueGRPOTrainer, GrpoCheckpoints]:
        place, processes, lora = str(self.folder.path / "resume"), self.processes, self.config.model.lora
        args = trl_config(self.config, folder=place, processes=processes.count, cpu=processes.cpu)
        saver = GrpoCheckpoints(
            self.checkpoints, updates_a_batch=updates_a_batch(args), learning_rate=args.learning_rate
        )
        trainer = DialogueGRPOTrainer(
            model=self.model,
            args=args,
            settings=settings,
            pool=self.pool,
            driver=self.driver,
            seed=self.seed("grpo"),
            recorder=self.recorder,
            faults=self.config.safety.faults,
            callbacks=[GrpoProgress(self), saver],
            peft_config=None if lora is None else peft_config(lora),
        )
        return trainer, saver

    def evaluate(self, title: str, step: int, *, tasks: int | None = None) -> dict[str, Any]:
        """Measure the present model on the held-out tasks, or on the first ``tasks`` of them, once; what was measured
        before the run was stopped stands."""
        values = self.measurements.measure(self._agent, title, step, tasks=tasks)
        self.summary[title.replace(" ", "_")] = values
        return values

    def finish(self) -> Path:
        """Write summary and plot."""
        self.folder.write_json("summary.json", self.summary)
        if self.processes.rank == 0:
            plot_run(self.folder.path)
            write_training_report(self.folder.path)
            lines = ("config.json", "metrics.jsonl", "trajectories.jsonl", "checkpoints", "summary.json")
            pages = ("curves.png", "report.html")
            self.reporter.phase("Run folder")
            self.reporter.files(f"{self.folder.path} with", [Path(name) for name in lines + pages])
        self.checkpoints.commit("finished", summary=self.summary)
        return self.folder.path

    def close(self) -> None:
        """Release everything. May be called again."""
        super().close()
        if hasattr(self, "driver"):
            self.driver.close()

    def _write_model(self, path: Path) -> None:
        save(self.model, self.chat.tokenizer, path, view=self.config.agent_view(chat_format=self.chat.family))
