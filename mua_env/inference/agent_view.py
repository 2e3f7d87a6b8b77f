"""How an agent's model sees a dialogue, written beside its weights: what was trained so is to be shown so again.

A model that learned from the compact policy document, one-line tools and brief results reads the full ones as another
language. `agent_view.json` in its folder says what it is to be shown, and where its dialogues end.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mua_env.errors import ConfigError, first_fault
from mua_env.inference.chat_template import Detail

FILE = "agent_view.json"
SCHEMA_VERSION = 1

Results = Literal["full", "brief"]
"""How much of what a tool returned the agent is shown."""


class AgentView(BaseModel):
    """What a model is shown, and its limits; the defaults are those of a model that nothing is said about.

    Attributes:
        policy: the policy document as the agent reads it.
        tools: the tool schemas as it reads them.
        results: what tools returned as it reads it; ``brief`` is as the domain words it.
        max_turns: turns a dialogue; None for the domain's own limit.
        turn_tokens: tokens that it may sample in a turn.
        total_tokens: tokens of a dialogue, prompt included; None for no limit.
        template_options: of the chat template, as ``{"enable_thinking": False}``.
        chat_format: whose chat template it was trained with, in words; empty where that is not known.
    """

    model_config = ConfigDict(frozen=True)

    schema_version: int = SCHEMA_VERSION
    policy: Detail = "full"
    tools: Detail = "full"
    results: Results = "full"
    max_turns: int | None = Field(None, ge=1)
    turn_tokens: int = Field(1024, ge=1)
    total_tokens: int | None = Field(None, ge=1)
    template_options: dict[str, Any] = Field(default_factory=dict)
    chat_format: str = ""


def write_view(view: AgentView, folder: Path) -> None:
    """Write a view beside a model."""
    text = json.dumps(view.model_dump(mode="json"), indent=2, ensure_ascii=False)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def read_view(model: str | os.PathLike[str]) -> AgentView:
    """The view that lies beside a model; the default one where there is none, as in older folders and on the hub.

    Raises:
        ConfigError: it cannot be read, or is newer than this package.
    """
    file = Path(model) / FILE
    if not file.is_file():
        return AgentView()
    try:
        view = AgentView.model_validate_json(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    except ValidationError as error:
        raise ConfigError(
            f"{file} does not say how the model is shown a dialogue: {first_fault(error, whole='file')}"
        ) from None
    if view.schema_version > SCHEMA_VERSION:
        newer = f"schema version {view.schema_version}, newer than {SCHEMA_VERSION}"
        raise ConfigError(f"{file} has {newer}; update mua-env")
    return view
