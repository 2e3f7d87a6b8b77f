"""What all HTML pages share: templates in which everything is escaped, and no control characters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mua_env.core.outside import visible
from mua_env.core.paths import write_whole
from mua_env.core.scores import bounded
from mua_env.core.screen import counted
from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from jinja2 import Environment


_MARK = '<meta name="generator" content="mua-env">'


def unheard(path: Path) -> None:
    """Nobody is told that a page was replaced."""


def write_page(target: Path, page: str, *, force: bool = False, on_replace: Callable[[Path], None] = unheard) -> None:
    """Write a page, and its folder where it is missing.

    Args:
        target: the file.
        page: its text.
        force: replace whatever the file holds.
        on_replace: told when a file was there that is replaced.

    Raises:
        ConfigError: a file is there that is no page of this package, and ``force`` is not given.
        WriteError: the page could not be written; one that was there is as it was.
    """
    replaced = target.is_file()
    if replaced:
        with target.open("rb") as file:
            ours = _MARK.encode() in file.read(1024)
        if not (ours or force or target.stat().st_size == 0):
            raise ConfigError(f"{target} is there and is no page of mua-env; name another by --output, or say --force")
    write_whole(target, page)
    if replaced:
        on_replace(target)


def page_environment() -> Environment:
    """The templates of this folder, with everything escaped that is put into them; needs Jinja."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mua_env.evaluation.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if isinstance(value, str) else value,
    )
    environment.filters["counted"] = counted
    environment.filters["bounded"] = bounded
    return environment
