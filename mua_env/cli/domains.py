"""`mua-env domains`: list the installed domains, write a new one, and check one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mua_env.cli.options import renamed
from mua_env.core.screen import echo

app = typer.Typer(help="List, write and check domains.")


@app.callback(invoke_without_command=True)
def domains(context: typer.Context) -> None:
    """List the installed domains with their environment ids, tools and splits; or write and check one."""
    if context.invoked_subcommand is not None:
        return
    from mua_env.domain.contract import load_domain
    from mua_env.domain.discovery import environment_ids
    from mua_env.errors import DomainError, MuaError

    for name, identifier in sorted(environment_ids().items()):
        try:
            domain = load_domain(name)
        except DomainError as error:
            echo(f"{name:<14} {identifier:<24} broken: {error}")
            continue
        try:
            splits = ", ".join(f"{split} ({len(domain.tasks(split)):,} tasks)" for split in domain.splits)
        except MuaError as error:  # those over somebody else's files, where these are not to be had
            echo(f"{name:<14} {identifier:<24} {error}")
            continue
        toolset = getattr(domain, "toolkit", None)
        tools = "" if toolset is None else f"{len(toolset.schemas())} tools; "
        echo(f"{name:<14} {identifier:<24} {tools}{splits}")


@app.command("new", cls=renamed({"--folder": "--output"}))
def new(
    name: Annotated[str, typer.Argument(help="Lower case, as hotel or car_rental.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where it is written; a folder called like it if not given.")
    ] = None,
) -> None:
    """Write a working domain with its tests and its entry point, to begin from."""
    from mua_env.domain.scaffold import new_domain

    written = new_domain(name, output)
    for path in written:
        echo(str(path))
    home = written[0].parent
    echo(f"Test it: cd {home} && python -m pytest   Check it: mua-env domains check {written[0]}")
    echo(f"Install it: pip install -e {home}")


@app.command("check")
def check(
    module: Annotated[
        str, typer.Argument(help="An installed domain, a module (package.module:name), or a file.", show_default=False)
    ],
) -> None:
    """Tell in words what is missing in a domain or inconsistent. Exit status 1 if anything is."""
    from mua_env.domain.importing import import_domain
    from mua_env.evaluation.domain_check import check_domain

    domain = import_domain(module)
    found = check_domain(domain)
    for problem in found:
        echo(f"- {problem}")
    echo(f"{domain.name}: {len(found)} problem{'s' * (len(found) != 1)}")
    if found:
        raise typer.Exit(1)
