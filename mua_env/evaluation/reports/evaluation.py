"""An evaluation as one HTML page: its tables, and dialogues to read, those that did not succeed first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic_core import from_json

from mua_env.core.json_lines import whole_lines
from mua_env.core.trajectory import Trajectory
from mua_env.evaluation.outcomes import Outcomes
from mua_env.evaluation.reports.dialogues import distinct_policies, read_dialogue, template_environment
from mua_env.evaluation.reports.pages import write_page
from mua_env.evaluation.results import Results
from mua_env.evaluation.results_table import remarks, tables
from mua_env.evaluation.rollout_folder import TRAJECTORIES

SHOWN = 40
"""Dialogues on the page; `mua-env view` writes one with all."""


def write_evaluation(results: Results, outcomes: Outcomes, folder: Path) -> Path:
    """Write `report.html` into an evaluation's folder; returns where it is.

    Args:
        results: the figures.
        outcomes: of the dialogues in the folder.
        folder: with its trajectories.

    Raises:
        ConfigError: a file is there that is no page of this package.
    """
    ordered = sorted(outcomes, key=lambda outcome: (outcome.success is True, outcome.success is None))
    shown = list(_read(folder / TRAJECTORIES, [outcome.id for outcome in ordered[:SHOWN]]))
    page = (
        template_environment()
        .get_template("evaluation.html.j2")
        .render(
            results=results,
            tables=list(tables(results)),
            notes=[*remarks(results), *results.notes],
            dialogues=[read_dialogue(item) for item in shown],
            policies=distinct_policies(shown),
            total=len(outcomes),
        )
    )
    target = folder / "report.html"
    write_page(target, page)
    return target


def _read(file: Path, names: list[str]) -> Iterator[Trajectory]:
    """The last attempts of some dialogues, in the order of their names. Of the others' lines nothing is kept."""
    found: dict[str, bytes] = {}
    wanted = {name.encode() for name in names}
    for _, line in whole_lines(file):
        # A name stands near the beginning of its line, and parsing a whole one takes a millisecond.
        head = line[:400]
        if any(name in head for name in wanted):
            value = from_json(line)
            found[value.get("meta", {}).get("of", value["id"])] = line
    yield from (Trajectory.model_validate_json(found[name]) for name in names if name in found)
