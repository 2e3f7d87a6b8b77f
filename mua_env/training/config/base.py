"""What all groups of settings have in common: unknown names are refused, and errors name the setting."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from mua_env.errors import ConfigError, did_you_mean, first_fault, missing_extra

S = TypeVar("S", bound=BaseModel)


class Settings(BaseModel):
    """A group of settings."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def read_settings(kind: type[S], source: str | os.PathLike[str] | dict[str, Any]) -> S:
    """Settings of any kind from a YAML file or a mapping; what it leaves out has the default.

    Raises:
        ConfigError: the file is missing or no mapping, or a setting is unknown or has a wrong value.
    """
    data = source if isinstance(source, dict) else _read(Path(source))
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        hint = _hint(kind, first["loc"]) if first["type"] == "extra_forbidden" else ""
        fault = first_fault(error, whole="the configuration")
        raise ConfigError(f"{fault} (got {first['input']!r:.120}).{hint}") from None


def _hint(kind: type[BaseModel], path: tuple[int | str, ...]) -> str:
    """The setting that an unknown name may have meant."""
    fields = kind.model_fields
    for name in path[:-1]:
        if not isinstance(name, str) or name not in fields:
            continue
        inner = [part for part in (fields[name].annotation, *get_args(fields[name].annotation)) if _is_settings(part)]
        fields = inner[0].model_fields if inner else {}
    return did_you_mean(str(path[-1]), fields)


def _is_settings(part: Any) -> bool:
    return isinstance(part, type) and issubclass(part, BaseModel)


def _read(path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ImportError:
        raise missing_extra("train", needed_by="a YAML configuration") from None
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} holds {type(data).__name__}, not a mapping of settings")
    return data
