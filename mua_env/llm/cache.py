"""Record and replay: replies of language models on disk, addressed by what was asked.

The address is the SHA-256 of the canonical JSON of model, prompt version, sampling (seed included), messages,
tools, and index. The endpoint is no part of it, so that a recording replays anywhere.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal, get_args

from mua_env.errors import ConfigError
from mua_env.llm.errors import LLMError
from mua_env.llm.recordings import Recording

CacheMode = Literal["record", "replay", "auto"]
"""`record` always calls and overwrites; `replay` never calls; `auto` calls only for what is missing."""


def address(content: dict[str, Any]) -> str:
    """The key of a request: equal content, equal key, whatever the order of its fields."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class ReplyCache:
    """A folder of recorded replies that many processes may use at once. A recording is evidence: nothing is evicted.

    Args:
        folder: made when it is missing, except in `replay`.
        mode: see `CacheMode`.

    Raises:
        ConfigError: an unknown mode, or nothing to replay from.
        DataError: what lies there is no recording, or one that somebody has tampered with.
    """

    def __init__(self, folder: str | Path, mode: CacheMode = "auto") -> None:
        if mode not in get_args(CacheMode):
            raise ConfigError(f"mode: one of {', '.join(get_args(CacheMode))}, got {mode!r}")
        self.folder = Path(folder)
        self.mode: CacheMode = mode
        if mode == "replay" and not Recording.exists(self.folder):
            raise ConfigError(f"no recording in {self.folder}: record one first (mode='record')")
        self._store = Recording(self.folder, write=mode != "replay")

    def get(self, content: dict[str, Any]) -> str | None:
        """The recorded reply, or None when the model is to be called.

        Raises:
            LLMError: the mode is `replay` and there is none (kind `replay_miss`).
            DataError: the recording cannot be read.
        """
        if self.mode == "record":
            return None
        key = address(content)
        value = self._store.get(key)
        if value is None and self.mode == "replay":
            last = content["messages"][-1]["content"] if content["messages"] else ""
            raise LLMError(
                "replay_miss",
                f"{self.folder} holds no reply {key[:12]} (model {content['model']}, after {last!r:.60})",
            )
        return value

    def put(self, content: dict[str, Any], reply: str) -> None:
        """Keep a reply."""
        self._store.put(address(content), reply)

    def __len__(self) -> int:
        return len(self._store)
