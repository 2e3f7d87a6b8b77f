"""Models and tokenizers: from a folder or hub id, and back to a folder.

Whether a model is there is told at once: before PyTorch is imported, and before retries against a hub.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mua_env.errors import ConfigError, did_you_mean, missing_extra
from mua_env.inference.agent_view import AgentView, write_view

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def load(path: str, *, dtype: str = "float32") -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a causal language model and its tokenizer from a folder or hub id.

    Raises:
        ConfigError: there is none; the text says what transformers said.
        MissingExtra: the [train] extra is not installed.
    """
    tokenizer = load_tokenizer(path)
    from transformers import AutoModelForCausalLM

    try:
        model: Any = AutoModelForCausalLM.from_pretrained(path, dtype=dtype)
    except (OSError, ValueError) as error:
        raise _unloadable(path, error) from None
    return model, tokenizer


def load_tokenizer(path: str) -> PreTrainedTokenizerBase:
    """Load the tokenizer alone, where something else has the weights; raises as `load`."""
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise missing_extra("train", needed_by="a local model") from error

    check_model(path)
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(path)
    except (OSError, ValueError) as error:
        raise _unloadable(path, error) from None
    return tokenizer  # type: ignore[no-any-return]


def save(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, path: Path, *, view: AgentView | None = None
) -> None:
    """Write model and tokenizer to a folder that `load` reads, and how the model is shown a dialogue, if it acts."""
    path.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    if view is not None:
        write_view(view, path)


def _unloadable(path: str, error: Exception) -> ConfigError:
    return ConfigError(f"cannot load a model from {path!r}: {str(error).splitlines()[0]}")


_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")
_CONFIG = "config.json"
_PATIENCE_S = 5.0
"""For one question to the hub; transformers would ask again and again for most of a minute."""


def check_model(name: str | os.PathLike[str]) -> None:
    """Refuse a folder that holds no model, and a hub id that neither the cache nor the hub knows.

    Args:
        name: a folder with a model and its tokenizer, or a hub id.

    Raises:
        ConfigError: there is no such model; the text says where it was looked for.
        MissingExtra: the [train] extra is not installed.
    """
    path = Path(name)
    if path.is_dir():
        if not (path / _CONFIG).is_file():
            inner = sorted(file.parent.name for file in path.glob(f"*/{_CONFIG}"))
            held = f" {path} holds {', '.join(inner)}; name one of them" if inner else ""
            raise ConfigError(f"cannot load a model from {str(path)!r}: there is no {_CONFIG} in it.{held}")
        return
    text = os.fspath(name)
    if not _HUB_ID.fullmatch(text) or ("/" in text and path.parent.is_dir()):
        siblings = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        raise ConfigError(f"cannot load a model from {text!r}: no such folder.{did_you_mean(path.name, siblings)}")
    _check_hub(text)


def _check_hub(name: str) -> None:
    try:
        from huggingface_hub import HfApi, constants, try_to_load_from_cache
        from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError
    except ImportError:
        raise missing_extra("train", needed_by="a local model") from None
    if isinstance(try_to_load_from_cache(name, _CONFIG), str):
        return
    missing = f"cannot load a model from {name!r}: no such folder, not in the cache of hub models"
    if constants.HF_HUB_OFFLINE:
        raise ConfigError(f"{missing}, and the hub is not asked (HF_HUB_OFFLINE)")
    try:
        HfApi().model_info(name, timeout=_PATIENCE_S)
    except GatedRepoError:
        return  # it is there; loading says what it takes to get it
    except RepositoryNotFoundError:
        raise ConfigError(f"{missing}, and the hub has none that can be read without a token") from None
    except Exception as error:  # whatever the client of the hub raises on its way there
        raise ConfigError(f"{missing}, and the hub cannot be asked: {type(error).__name__}") from None
