from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from dual.lines import lines
from dual.test_dual_control import GUIDED, SETTING, play
from mua_env.agents.random import RandomAgent
from mua_env.cli.seat import UserSeat
from mua_env.core.messages import AssistantMessage
from mua_env.episode.session import Session
from mua_env.evaluation.reports.dialogues import read_dialogue
from mua_env.evaluation.reports.terminal import print_entry
from mua_env.users.agenda.user import AgendaUser

DOCS = Path(__file__).resolve().parents[2] / "docs" / "dual-control.md"


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    module = ModuleType("dual_docs_example")  # SQLAlchemy looks annotations up in the module
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec("\n".join(blocks), vars(module))


class Asks(RandomAgent):
    """Asks the same each time."""

    def act(self, messages: object) -> AssistantMessage:
        return AssistantMessage(content="Please switch it off.")


def test_a_person_in_the_users_seat_has_tools_with_forms_and_undo(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ["Help!", "look_at_light", "/undo", "Help me!", "set_power", "off", "It is off.", "/stop"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    out = io.StringIO()
    seat = UserSeat(Console(file=out, width=100, highlight=False), SETTING)
    seat.play(Asks(), lines.tasks("train")[0], seed=0)
    entries = seat.stage.session.episode.entries
    assert [entry.message.content for entry in entries if entry.source == "user"] == ["Help me!", "It is off.", ""]
    (made,) = [call for entry in entries for round in entry.user_acts for call in round.tool_calls]
    assert (made.function.name, made.function.arguments) == ("set_power", '{"power": "off"}')
    assert "look_at_light: red" in out.getvalue()
    assert "set_power: off" in out.getvalue()
    seat.stage.session.close()


def test_reports_show_what_the_user_did_as_hidden() -> None:
    session = Session(SETTING, AgendaUser())
    play(session, GUIDED)
    out = io.StringIO()
    print_entry(Console(file=out, width=160), session.episode.entries[-1])
    assert "hidden from the agent" in out.getvalue()
    assert "look_at_light {} -> green" in out.getvalue()
    block = read_dialogue(session.trajectory(id="x")).blocks[-1]
    assert "did: look_at_light {} -> green" in str(block)
    session.close()
