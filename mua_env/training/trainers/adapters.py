"""Low-rank adapters (LoRA, through PEFT): only they are trained, and without them the model is the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config.train import LoraConfig

if TYPE_CHECKING:
    from peft import LoraConfig as PeftLoraConfig
    from transformers import PreTrainedModel


def peft_config(config: LoraConfig) -> PeftLoraConfig:
    """PEFT's configuration for ours.

    Raises:
        MissingExtra: PEFT is not installed.
    """
    try:
        from peft import LoraConfig as Peft
    except ImportError:
        raise missing_extra("train", needed_by="LoRA") from None
    targets = list(config.targets) if isinstance(config.targets, tuple) else config.targets
    return Peft(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=targets,
        task_type="CAUSAL_LM",
    )


def add_adapter(model: PreTrainedModel, config: LoraConfig, *, seed: int) -> Any:
    """The model with a fresh adapter, which changes nothing yet and is all that is trained.

    Raises:
        ConfigError: the model has no such modules.
        MissingExtra: PEFT is not installed.
    """
    wanted = peft_config(config)
    from peft import get_peft_model
    from transformers import set_seed

    set_seed(seed)  # PEFT draws the first weights from the global generator
    try:
        return get_peft_model(model, wanted)
    except ValueError as error:
        raise ConfigError(f"model.lora: {error}") from None


def merge_adapter(model: Any) -> Any:
    """The plain model with the adapter's change in its weights; one without an adapter is left as it is."""
    return model.merge_and_unload() if hasattr(model, "merge_and_unload") else model
