"""A training run from configuration to report: expert dialogues, cold start, GRPO, each measured.

    folder = train(load_config("examples/retail_small.yaml"))

Runs alone or under ``accelerate launch``; see `mua_env.training.processes` for the trap in its command line.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, get_args

from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config import TrainConfig
from mua_env.training.console import Reporter
from mua_env.training.demonstrations import Demonstrations, copy_drills, turn_windows
from mua_env.training.plots import plot_run
from mua_env.training.report import AFTER, BEFORE, COLD_START, SHOWN, write_training_report
from mua_env.training.run_folder import RunFolder, is_blank, new_run_folder, newest_run_folder
from mua_env.training.same_run import check_same_run
from mua_env.training.seeds import derive_seed
from mua_env.training.shuffling import Shuffler
from mua_env.training.stopping import stopping
from mua_env.users.base import UserSimulator

try:
    import torch
    from transformers.utils.logging import disable_progress_bar

    from mua_env.training.adapters import add_adapter, merge_adapter, peft_config
    from mua_env.training.backends.make import make_backend
    from mua_env.training.chat import ChatTokens
    from mua_env.training.checkpoints import Checkpoints, ColdStartCheckpoints, GrpoCheckpoints, Phase, write_whole
    from mua_env.training.cold_start import train_cold_start
    from mua_env.training.evaluation import evaluate
    from mua_env.training.experts import ExpertLog
    from mua_env.training.grpo import DialogueGRPOTrainer, quiet_trl, trl_config, updates_a_batch
    from mua_env.training.models import load, save, start_from_nothing
    from mua_env.training.pool import make_mixed_pool
    from mua_env.training.processes import Processes
    from mua_env.training.progress import GrpoProgress
    from mua_env.training.recording import Recorder
    from mua_env.training.rollout import RolloutDriver
    from mua_env.training.tracking import Tracking
    from mua_env.training.trajectory import TokenTrajectory
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
    """Run a configuration; returns the run's folder.

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
    run = Run(config, reporter=reporter, user=user, folder=folder, resume=resume)
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


class Run:
    """The parts of a run, in the order of `train`."""

    def __init__(
        self,
        config: TrainConfig,
        *,
        reporter: Reporter | None = None,
        user: UserSimulator | None = None,
        folder: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> None:
        if config.model.path is None and config.cold_start is None:
            raise ConfigError("a model from nothing needs a cold start; give model.path, or keep cold_start")
        self.config = config
        # The bars of transformers for loading and saving run into our own lines.
        disable_progress_bar()  # type: ignore[no-untyped-call]
        self.pool = make_mixed_pool(config.environment, user=user)
        self.held_out = make_mixed_pool(config.environment, held_out=True, user=user)
        self.processes = Processes()
        if self.processes.sharded and config.cold_start is not None:
            raise ConfigError(
                "the cold start trains a whole model in each process, not one spread by FSDP or DeepSpeed: run it "
                "first with --no-rl, and then GRPO from its checkpoint with --no-cold-start and model.path"
            )
        rank = self.processes.rank
        chosen = Path(folder) if folder is not None else None
        if rank == 0:
            if resume:
                chosen = chosen or newest_run_folder(config.folder, config.name)
                if not is_blank(chosen):
                    check_same_run(config, chosen)
            elif chosen is not None and not is_blank(chosen):
                raise ConfigError(f"{chosen} is not empty; choose another folder, or go on with its run by --resume")
            chosen = chosen or new_run_folder(config.folder, config.name)
            chosen.mkdir(parents=True, exist_ok=True)
        self.folder = RunFolder(self.processes.share(chosen), rank=rank)
        self.reporter = reporter or Reporter(quiet=rank > 0)
        self.tracking: Tracking | None = None
        if rank == 0:
            self.tracking = Tracking(config.tracking, self.folder.path, config.model_dump(mode="json"))
            self.folder.listeners.append(self.tracking.log)
        self.checkpoints = Checkpoints(self.folder, self.processes, minutes=config.safety.minutes)
        self.metrics = self.checkpoints.resume() if resume else []
        self.summary: dict[str, Any] = {**self.checkpoints.state.summary, "processes": self.processes.count}
        begun_with = self.checkpoints.state.model
        self._checkpoint = str(self.folder.path / begun_with) if begun_with else config.model.path

    def start(self) -> None:
        """Write the configuration down, and make or load model and tokenizer."""
        config, state = self.config, self.checkpoints.state
        self.folder.write_json("config.json", config.model_dump(mode="json"))
        parts = ("model", "cold start", "experts", "grpo", "evaluation")
        self.folder.write_json("seeds.json", {"seed": config.seed, **{p: self._seed(p) for p in parts}})
        if state.step or state.phase != "start":
            self.reporter.say(f"Going on with {self.folder.path}: {state.phase.replace('_', ' ')}, update {state.step}")
        self.demonstrations: Demonstrations | None = None
        if config.cold_start is not None and not self.has("cold_started"):
            self.reporter.phase("Expert dialogues")
            self.demonstrations = Demonstrations.collect(
                self.pool,
                count=config.cold_start.trajectories,
                style=config.cold_start.expert_style,
                tools=config.environment.tools,
                seed=self._seed("experts"),
                slips=config.cold_start.expert_slips,
                keep=config.cold_start.keep,
                log=ExpertLog(self.folder, self.processes),
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
        weights = self.folder.path / "weights" / str(self.processes.rank)
        self.driver = RolloutDriver(
            self.chat,
            lengths=self.config.lengths,
            tools=self.config.environment.tools,
            backend=make_backend(self.config.sampling, self.chat, self.model, folder=weights),
        )
        self.recorder = Recorder(self.folder, self.checkpoints.ledger, self.config.name)
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
        seed = self._seed("cold start")
        dialogues = demonstrations.encode(self.chat, renumbered=settings.renumbered, seed=seed)
        if settings.shuffled:
            shuffler, rng = Shuffler(self.chat.tokenizer, dialogues), random.Random(derive_seed(seed, "shuffled"))
            dialogues += [shuffler.copy(dialogue, rng) for dialogue in dialogues for _ in range(settings.shuffled)]
        drills, windows = (
            demonstrations.encode_short(self.chat, cut, copies=1 + settings.renumbered, seed=seed) if share else []
            for cut, share in ((copy_drills, settings.drill), (turn_windows, settings.window))
        )
        self.reporter.say(
            f"  {len(dialogues)} dialogues of {sum(map(len, dialogues)) / len(dialogues):.0f} tokens on average, "
            f"{len(drills)} copy drills, {len(windows)} single turns"
        )
        lora = self.config.model.lora
        if lora is not None:
            self.model = add_adapter(self.model, lora, seed=seed)
        if settings.trl is not None:
            self._cold_start_by_trl(dialogues, seed)
        else:
            self._cold_start_by_us(dialogues, drills, windows, seed)
        self.model = merge_adapter(self.model)
        self._save("cold-start", "cold_started", self._write_model)
        self.evaluate(COLD_START, 0)

    def _cold_start_by_us(
        self,
        dialogues: list[TokenTrajectory],
        drills: list[TokenTrajectory],
        windows: list[TokenTrajectory],
        seed: int,
    ) -> None:
        assert self.config.cold_start is not None
        train_cold_start(
            self.model,
            dialogues,
            self.config.cold_start,
            pad_id=self.chat.pad_id,
            seed=seed,
            drills=drills,
            windows=windows,
            report=self._report_cold_start,
            saver=ColdStartCheckpoints(self.checkpoints),
        )

    def _cold_start_by_trl(self, dialogues: list[TokenTrajectory], seed: int) -> None:
        from mua_env.training.sft import train_with_trl

        assert self.config.cold_start is not None
        train_with_trl(
            self.model,
            self.chat.tokenizer,
            dialogues,
            self.config.cold_start,
            seed=seed,
            processes=self.processes.count,
            cpu=self.processes.cpu,
            report=self._report_cold_start,
        )

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
        if self._checkpoint is None or self.config.cold_start is None:
            self.evaluate("before GRPO", 0)
        self.reporter.phase("GRPO")
        assert self._checkpoint is not None
        self.model, _ = load(self._checkpoint, dtype=self.config.model.dtype)
        lora = self.config.model.lora
        args = trl_config(
            self.config,
            folder=str(self.folder.path / "resume"),
            processes=self.processes.count,
            cpu=self.processes.cpu,
        )
        saver = GrpoCheckpoints(
            self.checkpoints, updates_a_batch=updates_a_batch(args), learning_rate=self.config.grpo.learning_rate
        )
        trainer = DialogueGRPOTrainer(
            model=self.model,
            args=args,
            settings=self.config.grpo,
            pool=self.pool,
            driver=self.driver,
            seed=self._seed("grpo"),
            recorder=self.recorder,
            faults=self.config.safety.faults,
            callbacks=[GrpoProgress(self), saver],
            peft_config=None if lora is None else peft_config(lora),
        )
        self._agent = trainer.whole_model
        with quiet_trl():
            trainer.train(resume_from_checkpoint=saver.resume_from)
        self.summary["grpo_updates"] = int(trainer.state.global_step)
        with self._agent() as model:
            if lora is not None and self.processes.rank == 0:
                write_whole(self.folder.checkpoint("grpo-adapter"), model.save_pretrained)
            self.model = merge_adapter(model)
            self._save("grpo", "trained", self._write_model)
        self._agent = lambda: nullcontext(self.model)
        self.evaluate(AFTER, self.summary["grpo_updates"])

    def evaluate(self, title: str, step: int, *, tasks: int | None = None) -> dict[str, Any]:
        """Measure the present model on the held-out tasks, or on the first ``tasks`` of them, once; what was measured
        before the run was stopped stands."""
        settings = self.config.evaluation
        if tasks is not None:
            fewer = min(tasks, settings.tasks or tasks)
            settings = settings.model_copy(update={"tasks": fewer, "repeats": 1})
        for line in self.metrics:
            if line["phase"] == "evaluation" and line["title"] == title:
                values = {k: v for k, v in line.items() if k not in ("schema_version", "phase", "step", "title")}
                self.summary[title.replace(" ", "_")] = values
                return values
        name = "before" if title == BEFORE else ""
        with self._agent() as model, self.recorder.open("evaluation", step, name, title) as batch:
            values = evaluate(
                model,
                self.held_out,
                self.driver,
                settings,
                seed=self._seed("evaluation"),
                rank=self.processes.rank,
                processes=self.processes.count,
                batch=batch,
                faults=self.config.safety.faults,
            )
        self.folder.add_metrics("evaluation", step, {"title": title, **values})
        self.summary[title.replace(" ", "_")] = values
        self.reporter.evaluation(title, values)
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
        """Release sessions, files and the event loop. May be called again."""
        self.reporter.close()
        if self.tracking is not None:
            self.tracking.close()
        self.pool.close()
        self.held_out.close()
        self.folder.close()
        if hasattr(self, "driver"):
            self.driver.close()

    def has(self, phase: Phase) -> bool:
        """Whether the run was stopped after it had come so far."""
        order = get_args(Phase)
        return order.index(self.checkpoints.state.phase) >= order.index(phase)

    def _save(self, name: str, phase: Phase, write: Callable[[Path], None]) -> None:
        path = self.folder.checkpoint(name)
        if self.processes.rank == 0:
            write_whole(path, write)
        self.checkpoints.commit(phase, step=self.summary.get("grpo_updates", 0), checkpoint=path, summary=self.summary)
        self._checkpoint = str(path)

    def _write_model(self, path: Path) -> None:
        save(self.model, self.chat.tokenizer, path)

    def _seed(self, part: str) -> int:
        return derive_seed(self.config.seed, part)
