from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("litellm", reason="needs the [llm] extra")

from loopback import Loopback

from mua_env.llm import LLMSettings


@pytest.fixture
def settings_for():
    """Settings for a loopback server: short limits, so that a fault costs a test little."""

    def make(server: Loopback, **changes: Any) -> LLMSettings:
        options: dict[str, Any] = {"timeout_s": 0.5, "deadline_s": 5.0, "attempts": 3, **changes}
        return LLMSettings("tiny", base_url=server.base_url, **options)

    return make


@pytest.fixture(autouse=True)
def quick_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mua_env.llm.client.FIRST_PAUSE_S", 0.02)
