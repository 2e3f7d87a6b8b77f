import re
import shutil
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mua_env.cli import main
from mua_env.core.trajectory import TrajectoryWriter, read_trajectories
from mua_env.errors import DataError
from mua_env.training.run.console import Reporter
from mua_env.training.run.pipeline import train
from mua_env.training.run.plots import PANELS, svg_curves
from mua_env.training.run.report import write_training_report
from mua_env.training.run.run_folder import read_metrics

from .small_run import small_config


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(small_config(), folder=tmp_path_factory.mktemp("report") / "small", reporter=Reporter(quiet=True))


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.sources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.sources += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]


def test_the_page_is_whole_and_static(run: Path) -> None:
    text = (run / "report.html").read_text()
    page = _Page(text)
    assert page.tags.count("svg") == len(PANELS)
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert "link" not in page.tags
    assert len(page.ids) == len(set(page.ids))
    assert all(source.startswith("#") for source in page.sources)
    assert not re.search(r"url\((?!#)", text)


def test_the_same_tasks_stand_side_by_side(run: Path) -> None:
    text = (run / "report.html").read_text()
    sections = re.findall(r'<section class="task"><h3>(.*?)</h3>(.*?)</section>', text, re.DOTALL)
    assert len(sections) == 3
    for name, body in sections:
        assert re.findall(r'<div class="stage">(.*?)</div>', body) == [
            "before training",
            "after the cold start",
            "after GRPO",
        ]
        assert name.startswith("retail-test")
        assert len(set(re.findall(r"seed (\d+)", body))) == 1


def test_ten_tasks_that_were_measured_at_every_stage_are_shown(run: Path, tmp_path: Path) -> None:
    """A run with twelve of them, one of which was not measured before the training, and dialogues of the training."""
    rows = [row for row in read_trajectories(run / "trajectories.jsonl") if row.meta.get("stage")]
    kept = {row.meta["stage"]: row for row in rows if row.seed == rows[0].seed}
    assert set(kept) == {"before training", "after the cold start", "after update 1", "after GRPO"}
    with TrajectoryWriter(tmp_path / "trajectories.jsonl") as writer:
        for number in reversed(range(12)):
            for stage, row in kept.items():
                if number == 4 and stage == "before training":
                    continue
                meta = {**row.meta, "row": number}
                writer.write(
                    row.model_copy(update={"id": f"{stage}-{number}", "task_id": f"task-{number}", "meta": meta})
                )
    shutil.copy(run / "metrics.jsonl", tmp_path)
    text = write_training_report(tmp_path).read_text()
    shown = re.findall(r'<section class="task"><h3>(.*?)</h3>', text)
    assert shown == [f"task-{number}" for number in range(11) if number != 4]
    assert text.count('<div class="stage">before training</div>') == 10
    assert text.count('<div class="stage">after GRPO</div>') == 10
    assert "The first 10 held-out tasks" in text


def test_the_figures_are_the_metrics(run: Path) -> None:
    text = (run / "report.html").read_text()
    measured = [row for row in read_metrics(run) if row["phase"] == "evaluation"]
    assert [row["title"] for row in measured] == [
        "before training",
        "after the cold start",
        "after update 1",
        "after GRPO",
    ]
    for row in measured:
        assert f"<td>{row['title']}</td>" in text
        assert f"<td>{row['success']:.1%}</td>" in text
    for row in read_metrics(run):
        if row["phase"] == "grpo":
            assert f"<td>{row['entropy']:.3f}</td>" in text


def test_curves_are_well_formed_and_leave_out_what_was_not_run(run: Path) -> None:
    rows = list(read_metrics(run))
    for svg in svg_curves(rows):
        element = ET.fromstring(svg)
        assert "width" not in element.attrib
        assert element.attrib["viewBox"]
        assert "currentColor" in svg
    cold = [row for row in rows if row["phase"] == "cold_start"]
    assert len(svg_curves(cold)) == 1
    assert svg_curves(rows) == svg_curves(rows)


def test_from_the_command_line(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    assert main(["report", str(run), "--out", str(out)]) == 0
    assert out.read_text() == (run / "report.html").read_text()
    assert main(["view", str(run)]) == 0
    assert "dialogues.html" in capsys.readouterr().out
    assert (run / "report.html").read_text() == out.read_text()
    assert main(["report", str(tmp_path)]) == 2
    with pytest.raises(DataError, match="cannot read the metrics"):
        write_training_report(tmp_path)
