"""The way to the terminal. Whatever this package prints goes through here, for any of it may be from outside.

Task files, models, servers and file names hold texts that a terminal would obey (escape sequences), or that show in
another order than they have. What rich adds itself, as colours, is made after these are gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mua_env.core.outside import visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult


def open_console(**options: Any) -> Console:
    """A console of rich's that prints visible characters and its own colours, and no hyperlinks.

    Args:
        options: of `rich.console.Console`; words are not highlighted unless told otherwise.
    """
    from rich.console import Console

    console = Console(**{"highlight": False, **options})
    console.push_render_hook(_Cleaner())  # type: ignore[arg-type]  # its base class would have rich imported here
    return console


def echo(text: object = "", *, err: bool = False) -> None:
    """Print a line."""
    import typer

    typer.echo(visible(str(text)), err=err)


def echo_json(text: str) -> None:
    """Print JSON; whoever parses it gets the characters that a terminal is not shown."""
    import typer

    typer.echo(visible_json(text))


class _Cleaner:
    """What rich asks before it renders (its ``RenderHook``)."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Clean(renderable) for renderable in renderables]


class _Clean:
    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        rendered: Iterable[Segment] = console.render(self._inner, options)
        for segment in rendered:
            if segment.control:  # rich's own, as a live table's moves of the cursor
                yield segment
            else:
                style = segment.style
                yield Segment(visible(segment.text), style.update_link(None) if style and style.link else style)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``"1 dialogue"``, ``"1,200 dialogues"``; ``plural`` where it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
