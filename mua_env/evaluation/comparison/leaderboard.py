"""Runs on tau2-bench's tasks as a submission to its leaderboard.

The format is that of tau2-bench 1.0.1 (``tau2.scripts.leaderboard.submission``, docs/leaderboard-submission.md there):
pass^1 to pass^4 and the cost of a dialogue by domain, who acted, who the user was, and what was done otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from mua_env.core.paths import write_whole
from mua_env.core.trajectory import Trajectory, read_trajectories
from mua_env.errors import ConfigError, DataError
from mua_env.evaluation.comparison.published import SOURCES
from mua_env.evaluation.metrics import Metrics, measure
from mua_env.evaluation.outcomes import Outcomes
from mua_env.evaluation.rollout_folder import trajectory_file
from mua_env.evaluation.summary import Counting

FILE = "submission.json"
MOST_TRIALS = 4
DOMAINS = {"retail": "retail", "airline": "airline", "telecom": "telecom", "banking": "banking_knowledge"}
"""The leaderboard's names of domains, by those of this package."""
SIZES = {source.partition(":")[0]: size for source, size in SOURCES.values() if ":tau2:" in source}


class About(BaseModel):
    """What a submission says that no run knows.

    Attributes:
        model_name, model_organization: of the model that acted, and who made it.
        submitting_organization: who ran the evaluation.
        email: of somebody who can be asked; None for nobody.
        submission_date: today if not given.
        submission_type: ``"custom"`` (default): dialogues were held by this package and not by tau2-bench's own code.
        reasoning_effort: of the model, where it has such a setting.
        retrieval_config: how the knowledge base was searched, for the banking domain; that of the runs if not given.
        notes: further words on the method.
        references: pairs of a title and an address.
    """

    model_name: str = Field(min_length=1)
    model_organization: str = Field(min_length=1)
    submitting_organization: str = Field(min_length=1)
    email: str | None = None
    submission_date: date = Field(default_factory=lambda: datetime.now(tz=UTC).date())
    submission_type: Literal["standard", "custom"] = "custom"
    reasoning_effort: str | None = None
    retrieval_config: str | None = None
    notes: str = ""
    references: list[tuple[str, str]] = Field(default_factory=list)


def tau2_submission(runs: Sequence[str | Path], about: About, *, counting: Counting = "scored") -> dict[str, Any]:
    """A submission, as a mapping that tau2-bench's own model takes.

    Args:
        runs: folders of evaluations or rollouts on ``tau2:...`` tasks, with one user in all of them.
        about: what they do not know.
        counting: ``"scored"`` leaves faults out, as tau2-bench does.

    Raises:
        DataError: no run has such tasks, a domain stands in two of them, or their users differ.
        ConfigError: the banking domain lacks its `retrieval_config`.
    """
    results: dict[str, dict[str, Any]] = {}
    every: list[_Domain] = []
    for run in runs:
        for part in _domains(run, counting):
            if part.name in results:
                raise DataError(f"{part.name} is in two runs; a submission has one result for each domain")
            results[part.name] = _figures(part, about)
            every.append(part)
    if not every:
        raise DataError("no run has tasks of tau2-bench (tau2:base, ...)")
    users = sorted({part.user for part in every})
    if len(users) > 1:
        raise DataError(f"the runs have different users ({', '.join(users)}); a submission has one")
    newest = max(trajectory_file(run).stat().st_mtime for run in runs)
    submission: dict[str, Any] = {
        "model_name": about.model_name,
        "model_organization": about.model_organization,
        "submitting_organization": about.submitting_organization,
        "submission_date": about.submission_date.isoformat(),
        "submission_type": about.submission_type,
        "modality": "text",
        "contact_info": {} if about.email is None else {"email": about.email},
        "results": results,
        "is_new": False,
        # Dialogues lie in this package's format, which the leaderboard does not read.
        "trajectories_available": False,
        "methodology": {
            "evaluation_date": datetime.fromtimestamp(newest, tz=UTC).date().isoformat(),
            "tau2_bench_version": ", ".join(sorted({part.release.partition(" ")[0] for part in every})),
            "user_simulator": users[0],
            "notes": _notes(every, about, counting),
            "verification": {
                "modified_prompts": any(part.modified for part in every),
                "omitted_questions": any(part.omitted for part in every),
            },
        },
    }
    if about.references:
        submission["references"] = [{"title": title, "url": url} for title, url in about.references]
    if about.reasoning_effort is not None:
        submission["reasoning_effort"] = about.reasoning_effort
    return submission


def write_tau2_submission(
    runs: Sequence[str | Path], folder: str | Path, about: About, *, counting: Counting = "scored"
) -> Path:
    """Write `tau2_submission` as ``<model>_<organization>_<date>/submission.json`` into a folder; returns the file.

    Raises:
        DataError, ConfigError: as `tau2_submission`.
    """
    submission = tau2_submission(runs, about, counting=counting)
    words = (about.model_name, about.submitting_organization, about.submission_date.isoformat())
    place = Path(folder) / "_".join(re.sub(r"[^\w.-]+", "-", word).strip("-.").lower() for word in words)
    file = place / FILE
    write_whole(file, json.dumps(submission, indent=2, ensure_ascii=False) + "\n")
    return file


class _Domain(BaseModel):
    """A domain's dialogues in one run."""

    name: str
    tasks: int
    user: str
    release: str
    modified: bool
    omitted: bool
    reward: str
    variant: str
    figures: Metrics


def _domains(run: str | Path, counting: Counting) -> list[_Domain]:
    by_domain: dict[str, list[Trajectory]] = {}
    for item in read_trajectories(trajectory_file(run)):
        if item.tasks.startswith("tau2:"):
            by_domain.setdefault(item.domain, []).append(item)
    return [_domain(domain, items, counting) for domain, items in by_domain.items()]


def _domain(domain: str, items: list[Trajectory], counting: Counting) -> _Domain:
    outcomes = list(Outcomes(items))
    figures = measure(outcomes, counting=counting)
    sources = {item.tasks for item in items}
    return _Domain(
        name=DOMAINS.get(domain, domain),
        tasks=figures.tasks,
        user=", ".join(sorted({outcome.user for outcome in outcomes})),
        release=", ".join(sorted({item.source_revision or item.revision for item in items})),
        modified=any(item.presentation != "benchmark" for item in items),
        omitted=sources != {"tau2:base"} or figures.tasks < SIZES.get(domain, 0),
        reward=", ".join(sorted({item.score.reward_name for item in items if item.score is not None})),
        variant=", ".join(sorted({item.variant for item in items if item.variant})),
        figures=figures,
    )


def _figures(part: _Domain, about: About) -> dict[str, Any]:
    figures = part.figures
    found: dict[str, Any] = {}
    for k in range(1, MOST_TRIALS + 1):
        # Of all tasks or of none: a figure over those tasks alone that have enough trials would be another.
        whole = figures.tasks > 0 and figures.k_tasks.get(k) == figures.tasks
        found[f"pass_{k}"] = 100 * figures.pass_k[k] if whole else None
    found["cost"] = figures.cost_usd / figures.ended if figures.cost_usd else None
    if part.name == "banking_knowledge":
        found["retrieval_config"] = about.retrieval_config or part.variant
        if not found["retrieval_config"]:
            raise ConfigError("the banking domain needs retrieval_config: how the knowledge base was searched")
    return found


def _notes(parts: Sequence[_Domain], about: About, counting: Counting) -> str:
    from mua_env import __version__

    told = [about.notes] if about.notes else []
    told.append(
        f"Dialogues were held by mua-env {__version__}, an independent implementation of the benchmark's domains."
    )
    for part in parts:
        figures = part.figures
        missing = figures.ended - figures.scored
        counted = "count as failures" if counting == "tau-bench" else "are left out"
        faults = f"; {missing} that ended by faults {counted}" if missing else ""
        bounds = figures.upper_bounds
        unjudged = f"; nobody judged the statements of {bounds} successes: at most these figures" if bounds else ""
        told.append(
            f"{part.name}: {figures.tasks} tasks, {figures.ended} dialogues{faults}{unjudged}; reward "
            f"{part.reward or 'unknown'}; data {part.release}."
        )
    return " ".join(told)
