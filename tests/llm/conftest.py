from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("litellm", reason="needs the [llm] extra")

from loopback import Loopback

from mua_env.llm import LLMSettings
from mua_env.llm.client import import_litellm


@pytest.fixture
def settings_for():
    """Settings for a loopback server: no pauses to speak of; tests of time limits set their own."""

    def make(server: Loopback, **changes: Any) -> LLMSettings:
        options: dict[str, Any] = {"timeout_s": 10.0, "deadline_s": 20.0, "attempts": 3, **changes}
        return LLMSettings("tiny", base_url=server.base_url, **options)

    return make


@pytest.fixture(autouse=True, scope="session")
def imported() -> None:
    """LiteLLM takes seconds to import; tests that measure time must not pay for it."""
    import_litellm()


@pytest.fixture(autouse=True)
def quick_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mua_env.llm.client.FIRST_PAUSE_S", 0.02)
