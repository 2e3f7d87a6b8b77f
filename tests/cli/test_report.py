"""The HTML page of a run."""

from __future__ import annotations

import io
import unicodedata
from html.parser import HTMLParser

import pytest
from rich.console import Console
from shop.domain import shop
from shop.user import ShopUser

from mua_env.agents.random import RandomAgent
from mua_env.cli import main
from mua_env.core.messages import AssistantMessage
from mua_env.core.trajectory import TrajectoryWriter
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import DataError
from mua_env.evaluation.reports.dialogues import read_dialogue, write_report
from mua_env.evaluation.reports.terminal import print_entry
from mua_env.users.human import ask_on_terminal

EVIL = "<script>alert('x')</script>"


class Page(HTMLParser):
    """Counts tags and classes, and keeps every address that a browser would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.classes: list[str] = []
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.append(tag)
        self.classes.append(values.get("class") or "")
        self.addresses += [values[name] for name in ("src", "href") if name in values]
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes nothing"


def call(**arguments):
    return {"function": {"name": "cancel_order", "arguments": arguments}}


@pytest.fixture
def run_folder(tmp_path):
    """A right, a wrong and an unscored dialogue, and one of a random agent."""
    setting = load_setting(shop, "train")
    session = Session(setting, ShopUser())
    right = [[call(order_id="#1", reason="ordered by mistake")], "Done."]
    wrong = [[call(order_id="#3")], f"Done. {EVIL}"]
    broken = ["Please crash the user"]
    with TrajectoryWriter(tmp_path / "trajectories.jsonl") as writer:
        for number, turns in enumerate((right, wrong, broken)):
            session.start(setting.tasks[1], seed=0)
            for turn in turns:
                message = {"content": turn} if isinstance(turn, str) else {"tool_calls": turn}
                session.send(AssistantMessage.model_validate(message))
            writer.write(session.trajectory(id=f"dialogue-{number}"))
        agent = RandomAgent()
        result = session.start(setting.tasks[2], seed=1)
        agent.reset(system_prompt="", tools=session.tools, seed=1)
        while not result.done:
            result = session.send(agent.act(result.messages))
        writer.write(session.trajectory(id="dialogue-3", agent="random"))
    session.close()
    return tmp_path


def test_the_page_is_whole_static_and_escaped(run_folder):
    target = write_report(run_folder)
    assert target == run_folder / "report.html"
    text = target.read_text()
    page = Page(text)
    assert page.open == []
    assert page.addresses == []
    assert "script" not in page.tags
    assert EVIL not in text
    assert "&lt;script&gt;" in text


def test_each_dialogue_has_its_verdict_and_the_wrong_one_its_difference(run_folder):
    text = write_report(run_folder).read_text()
    verdicts = [name.split()[1] for name in Page(text).classes if name.startswith("dialogue ")]
    assert verdicts[:3] == ["right", "wrong", "unscored"]
    assert "ordered by mistake" in text
    assert '<td class="expected">cancelled (ordered by mistake)</td>' in text
    assert '<td class="got">pending</td>' in text
    assert "fault: the line went dead" in text
    assert "thought: it worked" in text


def test_messages_are_marked_by_their_source_and_calls_are_folded(run_folder):
    page = Page(write_report(run_folder).read_text())
    sources = [name.split()[1] for name in page.classes if name.startswith("message ")]
    assert sources[:5] == ["user", "agent", "tool", "agent", "user"]
    assert "fold" in page.classes


def test_view_writes_where_it_is_told_and_only_so_many(run_folder, tmp_path, capsys):
    out = tmp_path / "pages" / "two.html"
    assert main(["view", str(run_folder), "--out", str(out), "--limit", "2"]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    assert sum(name.startswith("dialogue ") for name in Page(out.read_text()).classes) == 2


def test_the_newest_dialogues_come_last_first(run_folder):
    text = write_report(run_folder, limit=2, newest=True).read_text()
    assert text.index("dialogue-3 ") < text.index("dialogue-2 ")
    assert "dialogue-1 " not in text


def test_what_is_read_keeps_its_trajectory(run_folder):
    from mua_env.core.trajectory import read_trajectories

    (first, *_) = read_trajectories(run_folder / "trajectories.jsonl")
    dialogue = read_dialogue(first)
    assert dialogue.verdict == "right"
    assert len(dialogue.blocks) == len(first.entries)


def test_a_folder_without_trajectories_is_refused(tmp_path):
    with pytest.raises(DataError, match="no trajectories"):
        write_report(tmp_path)


def test_control_characters_reach_neither_page_nor_terminal(tmp_path):
    session = Session(load_setting(shop, "train"), ShopUser())
    session.start(session.setting.tasks[1], seed=0)
    session.send("Do\0ne \x1b[31mtwice\x9b\nYes?")
    with TrajectoryWriter(tmp_path / "trajectories.jsonl") as writer:
        writer.write(session.trajectory(id="odd"))
    session.close()
    page = write_report(tmp_path).read_text(encoding="utf-8")
    screen = io.StringIO()
    (said,) = (entry for entry in session.episode.entries if entry.source == "agent")
    print_entry(Console(file=screen, width=80), said)
    for shown in (page, screen.getvalue()):
        assert "Do\ufffdne \ufffd[31mtwice\ufffd" in shown
        assert not [c for c in shown if unicodedata.category(c) == "Cc" and c not in "\t\n"]


def test_a_person_gets_no_control_characters(capsys, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: "/stop")
    reply = ask_on_terminal("Do\0ne \x1b[31mtwice")
    assert (reply, capsys.readouterr().out) == ("/stop", "agent: Do\ufffdne \ufffd[31mtwice\n")
