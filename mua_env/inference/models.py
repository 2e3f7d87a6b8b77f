"""Models and tokenizers: from a folder or hub id, and back to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mua_env.errors import ConfigError, missing_extra

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def load(path: str, *, dtype: str = "float32") -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a causal language model and its tokenizer from a folder or hub id.

    Raises:
        ConfigError: there is none; the text says what transformers said.
        MissingExtra: the [train] extra is not installed.
    """
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise missing_extra("train", needed_by="a local model") from error

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(path)
        model: Any = AutoModelForCausalLM.from_pretrained(path, dtype=dtype)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot load a model from {path!r}: {str(error).splitlines()[0]}") from None
    return model, tokenizer


def save(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, path: Path) -> None:
    """Write model and tokenizer to a folder that `load` reads."""
    path.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
