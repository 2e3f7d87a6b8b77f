"""Runs in the layout of the paper's tables, listed, and as a submission to tau2-bench's leaderboard."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from mua_env.core.scores import BASES, Score
from mua_env.core.trajectory import Trajectory, TrajectoryWriter
from mua_env.errors import ConfigError, DataError
from mua_env.evaluation.comparison.leaderboard import About, tau2_submission, write_tau2_submission
from mua_env.evaluation.comparison.published import COLUMNS, MEANS, ROWS, SOURCES
from mua_env.evaluation.comparison.runs import list_runs
from mua_env.evaluation.comparison.tables import make_table


def score(reward: float | None, tcr: float | None = None) -> Score:
    return Score(
        reward=reward, success=None if reward is None else reward == 1, parts={"database": reward}, basis=BASES["task"],
        tcr=tcr, criteria=None if tcr is None else ("database",),
    )  # fmt: skip


def write(
    folder: Path,
    source: str,
    table: Sequence[Sequence[float | None]],
    *,
    agent: str = "llm:m",
    user: str = "llm:gpt-4.1",
    tcr: float | None = None,
    config: dict[str, object] | None = None,
) -> Path:
    """A run from a table of rewards, a row for each task, a column for each trial."""
    domain, _, tasks = source.partition(":")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"agent": agent, **(config or {})}), encoding="utf-8")
    with TrajectoryWriter(folder / "trajectories.jsonl", sync=False) as file:
        for task, row in enumerate(table):
            for trial, reward in enumerate(row):
                file.write(
                    Trajectory(
                        id=f"{task}#{trial}",
                        domain=domain,
                        tasks=tasks,
                        revision="abc",
                        source_revision="v1.0.1 (0a)",
                        task_id=str(task),
                        seed=trial,
                        agent=agent,
                        user=user,
                        system_prompt="",
                        tools=[],
                        entries=[],
                        turns=4,
                        ended_by="user_stop",
                        score=score(reward, tcr),
                        presentation="benchmark",
                        usage={"cost_usd": 0.25},
                    )
                )
    return folder


@pytest.mark.parametrize("layout", COLUMNS)
def test_published_rows_fit_their_columns_and_their_means(layout: str) -> None:
    for values in ROWS[layout].values():
        row = dict(zip(COLUMNS[layout], values, strict=True))
        for name, parts in MEANS.items():
            known = [row.get(part) for part in parts]
            if name in row and all(value is not None for value in known):
                assert row[name] == pytest.approx(sum(map(float, filter(None, known))) / len(parts), abs=0.15)
    assert set(COLUMNS[layout]) <= set(SOURCES) | set(MEANS)


def test_own_rows_stand_beside_published_ones_which_say_where(tmp_path: Path) -> None:
    run = write(tmp_path / "mine", "retail:tau1:test", [[1, 1, 1, 0]] * 115)
    text = make_table([run], layout="table1").markdown()
    assert "| MUA-RL-32B | 72.6 | 46.5 | 67.3 | 45.4 | 28.3 | 45.1 | published, arXiv 2508.18669 |" in text
    assert "| llm:m | 75.0 (1) | - | - | - | - | - | measured here |" in text
    assert "(1) data: v1.0.1 (0a) (published: not stated)" in text


def test_footnotes_say_what_was_taken_otherwise(tmp_path: Path) -> None:
    run = write(tmp_path / "r", "airline:tau1:test", [[1, None], [0, 1]], user="agenda")
    table = make_table([f"mine={run}"], published=False)
    (row,) = table.rows
    assert (row.name, row.cells[1].value) == ("mine", 75.0)
    assert [note.partition(":")[0] for note in table.footnotes] == ["user", "tasks", "trials", "counting", "data"]
    assert "1 of 4 dialogues ended by faults and are left out" in table.footnotes[3]
    counted = make_table([run], published=False, counting="tau-bench")
    assert counted.rows[0].cells[1].value == 50.0
    assert "count as failures" in counted.footnotes[3]


def test_another_split_is_told_and_not_taken_for_the_whole(tmp_path: Path) -> None:
    table = make_table([write(tmp_path / "r", "telecom:tau2:small", [[1.0]] * 20, tcr=0.5)], published=False)
    assert [cell.value for cell in table.rows[0].cells[4:]] == [100.0, 50.0]
    assert any("20 of telecom:tau2:small (published: the 114 of telecom:tau2:base)" in n for n in table.footnotes)


def test_an_overall_figure_is_the_plain_mean_of_its_parts_and_only_of_all(tmp_path: Path) -> None:
    shares = {"base": 4, "miss_func": 3, "miss_param": 2, "long_context": 1}
    runs = [
        write(tmp_path / name, f"bfclmultiturn:{name}", [[1.0]] * wins + [[0.0]] * (4 - wins), user="script")
        for name, wins in shares.items()
    ]
    whole, part = (make_table(some, layout="table2", published=False).rows[0].cells for some in (runs, runs[:3]))
    assert [cell.value for cell in whole[:5]] == [100.0, 75.0, 50.0, 25.0, 62.5]
    assert part[4].value is None


def test_users_have_rows_of_their_own(tmp_path: Path) -> None:
    run = write(tmp_path / "r", "retail:tau1:test", [[1.0]])
    with TrajectoryWriter(run / "trajectories.jsonl", sync=False) as file:
        first = Trajectory.model_validate_json((run / "trajectories.jsonl").read_text().splitlines()[0])
        file.write(first.model_copy(update={"id": "0#1", "user": "agenda", "score": score(0.0)}))
    names = {row.name: row.cells[0].value for row in make_table([run], published=False).rows}
    assert names == {"llm:m, user llm:gpt-4.1": 100.0, "llm:m, user agenda": 0.0}


def test_a_table_renders_for_a_terminal(tmp_path: Path) -> None:
    from rich.console import Console

    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115 (recorded)
    run = write(tmp_path / "r[bold]", "retail:tau1:test", [[1.0]], agent="[red]x")
    console.print(make_table([run]).render(intervals=True))
    text = console.export_text()
    assert "[red]x" in text
    assert "100.0 [" in text


def test_what_belongs_in_no_table_is_told(tmp_path: Path) -> None:
    run = write(tmp_path / "r", "retail:test", [[1.0]])
    with pytest.raises(DataError, match="no run has tasks that belong into table1"):
        make_table([run])
    with pytest.raises(ConfigError, match=r"layout is 'table4'; use one of table1, .*Did you mean 'table"):
        make_table([run], layout="table4")  # type: ignore[arg-type]


def test_runs_are_listed_with_what_came_of_them(tmp_path: Path) -> None:
    write(tmp_path / "a", "retail:test", [[1.0, 0.0]], config={"user": "agenda", "user_options": {"noise": 0.1}})
    write(tmp_path / "deep" / "er" / "b", "airline:test", [[None]])
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "trajectories.jsonl").write_text("no json\n", encoding="utf-8")
    found = {Path(line.folder).name: line for line in list_runs(tmp_path)}
    assert set(found) == {"a", "b", "c"}
    a = found["a"]
    assert (a.kind, a.agent, a.tasks, a.user) == ("rollout", "llm:m", "retail:test", "agenda (noise=0.1)")
    assert (a.dialogues, a.scored, a.success) == (2, 2, 0.5)
    assert found["b"].success is None
    assert "trajectories.jsonl, line 1" in found["c"].broken
    with pytest.raises(DataError, match="is no folder"):
        list_runs(tmp_path / "nowhere")


ABOUT = About(model_name="My Model", model_organization="Us", submitting_organization="Us", email="a@b.example")


def test_a_submission_holds_pass_k_in_per_cent_and_says_what_was_left_out(tmp_path: Path) -> None:
    retail = write(tmp_path / "r", "retail:tau2:base", [[1, 1, 1, 1]] * 57 + [[1, 1, 0, 0]] * 57)
    airline = write(tmp_path / "a", "airline:tau2:base", [[1, 0]] * 2)
    made = tau2_submission([retail, airline], ABOUT)
    figures = made["results"]["retail"]
    assert [figures[f"pass_{k}"] for k in (1, 4)] == [75.0, 50.0]
    assert figures["pass_2"] == pytest.approx(100 * (1 + 1 / 6) / 2)
    assert figures["cost"] == 0.25
    assert made["results"]["airline"]["pass_3"] is None
    method = made["methodology"]
    assert (method["user_simulator"], method["tau2_bench_version"]) == ("llm:gpt-4.1", "v1.0.1")
    assert method["verification"] == {"modified_prompts": False, "omitted_questions": True}
    assert made["submission_type"] == "custom"
    assert tau2_submission([retail], ABOUT)["methodology"]["verification"]["omitted_questions"] is False


def test_what_no_submission_can_be_is_refused(tmp_path: Path) -> None:
    retail = write(tmp_path / "r", "retail:tau2:base", [[1]])
    other = write(tmp_path / "o", "airline:tau2:base", [[1]], user="agenda")
    own = write(tmp_path / "own", "retail:test", [[1]])
    banking = write(tmp_path / "b", "banking:tau2:base", [[1]])
    for runs, words in (
        ([own], "no run has tasks of tau2-bench"),
        ([retail, retail], "retail is in two runs"),
        ([retail, other], "different users"),
    ):
        with pytest.raises(DataError, match=words):
            tau2_submission(runs, ABOUT)
    with pytest.raises(ConfigError, match="retrieval_config"):
        tau2_submission([banking], ABOUT)
    told = tau2_submission([banking], ABOUT.model_copy(update={"retrieval_config": "bm25"}))
    assert told["results"]["banking_knowledge"]["retrieval_config"] == "bm25"


def test_a_submission_lies_in_a_folder_of_its_name(tmp_path: Path) -> None:
    retail = write(tmp_path / "r", "retail:tau2:base", [[1]])
    about = ABOUT.model_copy(
        update={"submission_date": date(2026, 11, 30), "references": [("Code", "https://x.example")]}
    )
    file = write_tau2_submission([retail], tmp_path / "out", about)
    assert file == tmp_path / "out" / "my-model_us_2026-11-30" / "submission.json"
    assert json.loads(file.read_text(encoding="utf-8"))["references"] == [{"title": "Code", "url": "https://x.example"}]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["export", "tau2-leaderbord", "x"], 2, "Did you mean 'tau2-leaderboard'"),
        (["export", "tau2-leaderboard", "x"], 2, "--model is needed"),
        (["compare", "x"], 2, "two folders or more"),
        (["compare", "x", "y"], 2, "no trajectories in 'x'"),
        (["runs", "nowhere"], 2, "nowhere is no folder"),
        (["tables", "x", "--layout", "table9"], 2, "layout is 'table9'"),
        (["blame", "x"], 2, "no trajectories in 'x'"),
        (["regrade", "x", "--reward", "y"], 2, "reward is 'y'"),
    ],
)
def test_wrong_input_is_answered_in_a_line(words: list[str], status: int, said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mua_env", *words], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == status
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
