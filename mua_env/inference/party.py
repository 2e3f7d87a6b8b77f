"""Agents, users and rewards as a command line or a file names them: one word, for all that can take part.

expert                       a built-in one
agenda:persona=terse         with options
runs/quickstart              a model's folder, or a training run's (its last checkpoint)
llm:gpt-4.1, openai/gpt-4.1  a LiteLLM model
http://127.0.0.1:8000/v1     an OpenAI-compatible server
somebodys-agent              an entry point of `mua_env.agents`, `mua_env.users` or `mua_env.rewards`
package.module:Name          a class or function of anybody's
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from mua_env.core.json_reader import MalformedJSON, read_json
from mua_env.core.task_sets import parse_source
from mua_env.errors import ConfigError, MissingExtra, did_you_mean

_OBJECT = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
URL = ("http://", "https://")
"""How the name of a server begins."""
_MODELS = ("llm", "local")


@dataclass(frozen=True)
class Party:
    """What a name stands for.

    Attributes:
        kind: one of the built-in names, or "" where `made` is meant.
        options: that came with the name.
        made: what an entry point or ``package.module:Name`` holds.
    """

    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    made: Any = None


def read_party(text: str, *, who: str, builtin: Sequence[str], group: str) -> Party:
    """Find out what a name stands for; nothing is made yet.

    Args:
        text: the name, with options as ``name:key=value`` (values are JSON where they can be).
        who: for messages, as ``"agent"``.
        builtin: the names of what this package brings; `llm` and `local` among them stand for models.
        group: entry points, as ``"mua_env.agents"``.

    Raises:
        ConfigError: it stands for nothing, or cannot be imported.
        MissingExtra: only LiteLLM could tell whether it is a model's name, and it is not installed.
    """
    if text.startswith(URL) and "llm" in builtin:
        return Party("llm", {"base_url": text})
    name, given = parse_source(text)
    options = {key: _value(value) for key, value in given.items()}
    head, _, rest = name.partition(":")
    if name in builtin:
        return Party(name, options)
    if head in builtin and head in _MODELS and rest:
        return Party(head, {"model": _checkpoint(rest) if head == "local" else rest, **options})
    found = {entry.name: entry for entry in entry_points(group=group)}
    if name in found:
        return Party("", options, _imported(found[name].value, f"{who} {name!r}"))
    if "local" in builtin and Path(name).is_dir():
        return Party("local", {"model": _checkpoint(name), **options})
    if _OBJECT.fullmatch(name):
        return Party("", options, _imported(name, f"{who} {name!r}"))
    return _model(name, options, who, builtin, [*builtin, *found])


def _model(name: str, options: dict[str, Any], who: str, builtin: Sequence[str], known: Sequence[str]) -> Party:
    """A model of LiteLLM's, or of the hub.

    Raises:
        ConfigError: neither knows it.
    """
    near = did_you_mean(name, known)
    said = f"{who} is {name!r}; use one of {', '.join(map(repr, known))}.{near}"
    if not near and "llm" in builtin:
        said += (
            " Or name a model's folder, a LiteLLM model (llm:NAME), a server's http://..., an entry point, or "
            "package.module:Name"
        )
        if _of_litellm(name):
            return Party("llm", {"model": name, **options})
    if "/" in name and "local" in builtin:
        from mua_env.inference.models import check_model

        check_model(name)  # says where it was looked for
        return Party("local", {"model": name, **options})
    raise ConfigError(said)


def _of_litellm(name: str) -> bool:
    from mua_env.llm.library import import_litellm

    try:
        litellm = import_litellm()
    except MissingExtra:
        if "/" in name or "-" in name:
            raise
        return False
    try:
        litellm.get_llm_provider(name)
    except Exception:  # LiteLLM's own error, which says to name a provider
        return False
    return True


def _checkpoint(folder: str) -> str:
    """The model of a training run's folder, as its state names it; any other folder as it is."""
    path = Path(folder)
    try:
        state = json.loads((path / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return folder
    model = state.get("model") if isinstance(state, dict) else None
    if not isinstance(model, str) or Path(model).is_absolute() or ".." in Path(model).parts:
        raise ConfigError(f"{folder} is the folder of a training run that has no checkpoint yet")
    return str(path / model)


def _imported(place: str, what: str) -> Any:
    module, _, name = place.partition(":")
    try:
        found: Any = import_module(module)
        for part in filter(None, name.split(".")):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{what} cannot be imported: {error}") from error
    return found


def _value(text: str) -> Any:
    try:
        return read_json(text)
    except MalformedJSON:
        return text
