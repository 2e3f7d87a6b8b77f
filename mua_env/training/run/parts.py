"""What all phases of a run share: its tasks and users, its processes, its folder, and how far it has come."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from transformers.utils.logging import disable_progress_bar

from mua_env.core.redaction import without_secrets
from mua_env.core.seeds import derive_seed
from mua_env.errors import ConfigError
from mua_env.inference.backends.base import RemoteBackend
from mua_env.inference.backends.weights import DiskSync, NcclSync, WeightSync
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.models import check_model
from mua_env.training.config.train import SamplingConfig, TrainConfig
from mua_env.training.rollout.pool import make_mixed_pool
from mua_env.training.run.checkpoints import Checkpoints, Phase, write_whole
from mua_env.training.run.console import Reporter
from mua_env.training.run.opening import open_run_folder
from mua_env.training.run.processes import Processes
from mua_env.training.run.tracking import Tracking
from mua_env.training.trainers.grpo_config import check_scaling, trl_config
from mua_env.users.base import UserSimulator

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class RunParts:
    """Opened before the first phase, and open until `close`; arguments as of `mua_env.training.run.pipeline.train`.

    Attributes:
        pool: tasks and users of the training.
        held_out: those that success is measured on.
        checkpoints: commit how far the run is.
        known: lines of metrics from before the run was stopped.
        summary: figures so far.
        checkpoint: the model that the next phase begins with; None for one from nothing.
    """

    def __init__(
        self,
        config: TrainConfig,
        *,
        reporter: Reporter | None = None,
        user: UserSimulator | None = None,
        folder: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> None:
        config.check_phases()
        if config.model.path is not None:
            check_model(config.model.path)
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
        if self.processes.fsdp and config.model.lora is not None:
            raise ConfigError("model.lora cannot be used with FSDP; use DeepSpeed, or data parallel processes")
        _check_trl(config, self.processes)
        self.folder = open_run_folder(config, self.processes, folder=folder, resume=resume)
        try:
            self._open(config, reporter, resume=resume)
        except BaseException:  # the folder is free again for a run that goes on when the cause is gone
            self.folder.close()
            raise

    def _open(self, config: TrainConfig, reporter: Reporter | None, *, resume: bool) -> None:
        rank = self.processes.rank
        self.reporter = reporter or Reporter(quiet=rank > 0)
        for notice in self.folder.notices:
            self.reporter.say(notice)
        self.tracking: Tracking | None = None
        if rank == 0:
            shown = without_secrets(config.model_dump(mode="json"))
            self.tracking = Tracking(config.tracking, self.folder.path, shown)
            self.folder.listeners.append(self.tracking.log)
        self.checkpoints = Checkpoints(self.folder, self.processes, minutes=config.safety.minutes)
        self.known = self.checkpoints.resume() if resume else []
        self.summary: dict[str, Any] = {**self.checkpoints.state.summary, "processes": self.processes.count}
        begun_with = self.checkpoints.state.model
        self.checkpoint = str(self.folder.path / begun_with) if begun_with else config.model.path

    def has(self, phase: Phase) -> bool:
        """Whether the run was stopped after it had come so far."""
        order = get_args(Phase)
        return order.index(self.checkpoints.state.phase) >= order.index(phase)

    def seed(self, part: str) -> int:
        """The seed of a part of the run."""
        return derive_seed(self.config.seed, part)

    def save(self, name: str, phase: Phase, write: Callable[[Path], None]) -> None:
        """Write a checkpoint, and commit that the run has come so far."""
        path = self.folder.checkpoint(name)
        if self.processes.rank == 0:
            write_whole(path, write)
        self.checkpoints.commit(phase, step=self.summary.get("grpo_updates", 0), checkpoint=path, summary=self.summary)
        self.checkpoint = str(path)

    def close(self) -> None:
        """Release sessions and files. May be called again."""
        self.reporter.close()
        if self.tracking is not None:
            self.tracking.close()
        self.pool.close()
        self.held_out.close()
        self.folder.close()


def _check_trl(config: TrainConfig, processes: Processes) -> None:
    """Refuse now what TRL would refuse when its phase begins, maybe hours later.

    Raises:
        ConfigError: a setting of TRL's that cannot be.
    """
    if config.grpo is not None:
        check_scaling(trl_config(config, folder=os.devnull, processes=processes.count, cpu=processes.cpu))
    if config.cold_start is not None and config.cold_start.trl is not None:
        from mua_env.training.trainers.sft import sft_config

        sft_config(config.cold_start, folder=os.devnull, seed=0, processes=processes.count, cpu=processes.cpu)


def make_backend(
    settings: SamplingConfig, chat: ChatTokens, model: PreTrainedModel, *, folder: Path, dtype: str = "float32"
) -> RemoteBackend | None:
    """What samples turns, or None for the model itself (``transformers``).

    Args:
        settings: of the run.
        chat: gives the end-of-turn token.
        model: where vLLM in this process begins.
        folder: for weights on their way to vLLM.
        dtype: what the model computes in, for vLLM in this process; float32 leaves it to vLLM.

    Raises:
        MissingExtra: vLLM is asked for in this process and is not installed.
    """
    if settings.backend == "vllm":
        from mua_env.inference.backends.vllm_engine import VllmColocated, VllmEngine
        from mua_env.inference.models import save

        start = folder / "vllm"
        save(model, chat.tokenizer, start)
        options = {**({} if dtype == "float32" else {"dtype": dtype}), **settings.options}
        return VllmColocated(VllmEngine(str(start), end_id=chat.end_ids, options=options))
    if settings.backend == "vllm-server":
        from mua_env.inference.backends.vllm_server import VllmServer

        assert settings.url is not None, "the configuration was checked"
        sync: WeightSync = NcclSync(settings.url) if settings.sync == "nccl" else DiskSync(settings.url, folder)
        return VllmServer(settings.url, end_id=chat.end_ids, sync=sync, timeout=settings.timeout)
    return None
