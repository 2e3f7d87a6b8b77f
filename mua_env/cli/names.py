"""Names of options that were others once: what a script says still holds, and help shows one name for one thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperCommand


def renamed(old: Mapping[str, str]) -> type[TyperCommand]:
    """A command that takes old names of its options, which no help shows.

    Args:
        old: the present name by the old one, as ``{"--limit": "--count"}``.
    """

    class Renamed(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            end = args.index("--") if "--" in args else len(args)
            return super().parse_args(ctx, [*map(_present, args[:end]), *args[end:]])

    def _present(word: str) -> str:
        name, equals, value = word.partition("=")
        return old.get(name, name) + equals + value

    return Renamed
