"""ACEBench's tasks beside others in one evaluation, and their dialogues scored anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mua_env
from mua_env.cli import main
from mua_env.envs.acebench import checkout as reader
from mua_env.evaluation.regrade import regrade
from mua_env.evaluation.results_table import main_table

EASY = "retail:test:level=1"


def test_sources_in_files_and_others_go_together_and_are_scored_anew(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.delenv(reader.VARIABLE, raising=False)
    run = tmp_path / "run"
    results = mua_env.evaluate(tasks=[EASY, "acebench:multi_step"], path=str(checkout), count=1, folder=run)
    assert [row[:2] for row in main_table(results)[1:]] == [[EASY, "agenda"], ["acebenchagent:multi_step", "nudge"]]
    found = regrade(run, path=str(checkout))
    assert [(one.now is not None, one.changed) for one in found] == [(True, False)] * 2
    assert main(["regrade", str(run)]) == 1
    told = capsys.readouterr()
    assert "1 dialogue scored anew: 0 with another reward" in told.out
    assert "NOT SCORED ANEW: 1 dialogue" in told.err
    assert "DATA CHANGED" not in told.err


def test_a_user_with_an_agenda_is_told_who_plays_instead(checkout: Path) -> None:
    with pytest.raises(mua_env.TaskError, match="user=derived"):
        mua_env.evaluate(tasks="acebench", path={"acebench": str(checkout)}, count=1)
