"""A run's dialogues as one HTML page: static, without scripts, without network."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mua_env.core.messages import AssistantMessage
from mua_env.core.trajectory import Entry, Trajectory, read_trajectories
from mua_env.evaluation.reports.pages import page_environment
from mua_env.evaluation.reports.terminal import done_by_user
from mua_env.evaluation.rollout_folder import summarize, trajectory_file

if TYPE_CHECKING:
    from jinja2 import Environment

Verdict = Literal["right", "wrong", "unscored"]
PREVIEW = 90
"""Characters of a folded tool call or result that are shown."""


@dataclass(frozen=True)
class Fold:
    """A part that is shown in one line until it is opened."""

    title: str
    body: str


@dataclass(frozen=True)
class Block:
    """One message: who, what was said, what is folded, what the other side never saw."""

    source: str
    text: str
    folds: tuple[Fold, ...]
    hidden: tuple[str, ...]


@dataclass(frozen=True)
class Dialogue:
    """One trajectory as the page shows it."""

    trajectory: Trajectory
    verdict: Verdict
    blocks: tuple[Block, ...]


def write_report(
    run: str | Path, *, out: str | Path | None = None, limit: int | None = None, newest: bool = False
) -> Path:
    """Write the page; returns where it is.

    Args:
        run: a run's folder, or a file of trajectories.
        out: the page; None writes `report.html` beside the trajectories, or `dialogues.html` where a training run has
            its report there.
        limit: only the first so many dialogues.
        newest: the last ones instead, the last one first (as after training).

    Raises:
        DataError: there are no trajectories, or they cannot be read.
    """
    source = trajectory_file(run)
    name = "dialogues.html" if (source.parent / "metrics.jsonl").exists() else "report.html"
    target = source.with_name(name) if out is None else Path(out)
    target.parent.mkdir(parents=True, exist_ok=True)
    shown = _shown(source, limit, newest)
    template = template_environment().get_template("dialogues.html.j2")
    page = template.render(
        name=source.parent.name if source.name == "trajectories.jsonl" else source.name,
        summary=summarize(shown),
        dialogues=[read_dialogue(item) for item in shown],
        policies=distinct_policies(shown),
    )
    target.write_text(page, encoding="utf-8")
    return target


def _shown(source: Path, limit: int | None, newest: bool) -> list[Trajectory]:
    if not newest:
        return list(islice(read_trajectories(source), limit))
    return list(reversed(deque(read_trajectories(source), maxlen=limit)))


def read_dialogue(trajectory: Trajectory) -> Dialogue:
    """A trajectory as the page shows it."""
    success = trajectory.score.success if trajectory.score else None
    verdict: Verdict = "unscored" if success is None else "right" if success else "wrong"
    return Dialogue(trajectory, verdict, tuple(_block(entry) for entry in trajectory.entries))


def _block(entry: Entry) -> Block:
    message, text = entry.message, entry.message.content or ""
    folds: tuple[Fold, ...] = ()
    if isinstance(message, AssistantMessage):
        folds = tuple(
            Fold(f"{call.function.name} {_preview(call.function.arguments)}", _pretty(call.function.arguments))
            for call in message.tool_calls
        )
    elif entry.source == "tool" and len(text) > PREVIEW:
        folds, text = (Fold(_preview(text), _pretty(text)),), ""
    elif not text and not entry.hidden.get("stop") and not entry.hidden.get("fault"):
        text = "(empty)"
    return Block(entry.source, text, folds, tuple(_hidden(entry)))


def _hidden(entry: Entry) -> Iterator[str]:
    hidden = entry.hidden
    yield from (f"did: {act}" for act in done_by_user(entry))
    if hidden.get("thought"):
        yield f"thought: {hidden['thought']}"
    if hidden.get("events"):
        yield f"registered: {', '.join(hidden['events'])}"
    if hidden.get("fault"):
        yield f"fault: {hidden['fault']}"
    if hidden.get("stop"):
        yield "ends the dialogue"


def _preview(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= PREVIEW else text[:PREVIEW] + "..."


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False, default=str)


def distinct_policies(trajectories: list[Trajectory]) -> list[tuple[str, str]]:
    """Each policy document once, with the domain it belongs to."""
    found = {item.system_prompt: f"{item.domain}, {item.tasks}" for item in reversed(trajectories)}
    return [(title, text) for text, title in reversed(found.items())]


def template_environment() -> Environment:
    """The templates of this package."""
    environment = page_environment()
    environment.filters["value"] = _value
    return environment
