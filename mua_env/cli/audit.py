"""`mua-env tasks audit`: what is wrong with the tasks of a source, and what agents without skill score on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mua_env.cli.bar import terminal_only
from mua_env.cli.options import CountOption, PathOption, SeedOption
from mua_env.core.paths import write_whole
from mua_env.core.screen import echo_json, open_console
from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from mua_env.evaluation.audit import Audit


def audit_tasks(
    source: Annotated[
        str, typer.Argument(help="Domain and task source, as retail:train, retail:test:level=2 or retail:tau1:test.")
    ],
    path: PathOption = None,
    scoring: Annotated[
        str | None, typer.Option("--scoring", help="compat or strict; default: the source's own.")
    ] = None,
    count: CountOption = None,
    seed: SeedOption = 0,
    baselines: Annotated[bool, typer.Option(help="Run the baselines with the agenda user.")] = True,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the audit as JSON; - is standard output, without the table.")
    ] = None,
    html_file: Annotated[Path | None, typer.Option("--html", help="Write the audit as a self-contained page.")] = None,
    every_task: Annotated[bool, typer.Option("--all", help="List every task in the table.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with status 1 if something is wrong.")] = False,
) -> None:
    """Audit tasks: gold that fails or changes nothing, duplicates, what lies with the user, baselines."""

    found = _run(source, path, scoring, limit=count, seed=seed, run_baselines=baselines)
    if html_file is not None:
        from mua_env.evaluation.reports.audit import render_html

        _write(html_file, render_html(found))
    if json_file is not None:
        _write(json_file, found.model_dump_json(indent=1) + "\n")
    if json_file != Path("-"):
        from mua_env.evaluation.audit.table import render

        open_console().print(render(found, every_task=every_task))
    if check and any(task.suspect for task in found.tasks):
        raise typer.Exit(1)


def _run(
    source: str, path: Path | None, scoring: str | None, *, limit: int | None, seed: int, run_baselines: bool
) -> Audit:
    from rich.progress import Progress

    from mua_env.episode.setting import load_setting
    from mua_env.evaluation.audit import audit

    domain, colon, tasks = source.partition(":")
    if not colon or not tasks:
        raise ConfigError(f"{source!r} names no task source; use <domain>:<source>, as retail:train")
    setting = load_setting(domain, tasks, path=path, mode=scoring, check=False)  # type: ignore[arg-type]  # checked there
    with Progress(console=terminal_only(), transient=True) as bar:
        row = bar.add_task("Auditing", total=None)
        return audit(
            setting,
            source=source,
            limit=limit,
            seed=seed,
            run_baselines=run_baselines,
            progress=lambda done, total: bar.update(row, completed=done, total=total),
        )


def _write(path: Path, text: str) -> None:
    if path == Path("-"):
        echo_json(text.rstrip("\n"))
        return
    write_whole(path, text)
