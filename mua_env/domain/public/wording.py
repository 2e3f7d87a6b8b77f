"""The words of a benchmark's errors, read from the source of its tools: literals alone, nothing is run.

A tool's function refuses by a literal text, plain or with placeholders (an f-string). Which of a function's refusals is
which, this package knows by their order; the words, and where the values stand in them, are the user's own copy's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mua_env.errors import DataError

Wordings = Mapping[str, str]
"""Function -> the kinds of its refusals in the order of its lines, with a space between; ``-`` for one that cannot
happen here, ``a|b`` for one that stands for two of ours."""


@dataclass(frozen=True)
class Template:
    """A text with placeholders, each with the name of what stands in it (the last one of its expression)."""

    parts: tuple[str | None, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, node: ast.expr) -> Template | None:
        """The template of a literal text or f-string; ``None`` for any other expression."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return cls((node.value,))
        if not isinstance(node, ast.JoinedStr):
            return None
        parts: list[str | None] = []
        names = []
        for piece in node.values:
            if isinstance(piece, ast.Constant):
                parts.append(str(piece.value))
            elif isinstance(piece, ast.FormattedValue):
                parts.append(None)
                names.append(_name(piece.value))
        return cls(tuple(parts), tuple(names))

    def fill(self, values: Mapping[str, Any]) -> str | None:
        """The text with values in it, by name, else in their order; ``None`` where there are too few."""
        spare = (value for name, value in values.items() if name not in self.names)
        try:
            found = iter([values[name] if name in values else next(spare) for name in self.names])
        except StopIteration:
            return None
        return "".join(str(next(found)) if part is None else part for part in self.parts)


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
    return ""


def parse(path: Path) -> ast.Module:
    """A Python file, parsed.

    Raises:
        DataError: it cannot be read or parsed.
    """
    try:
        return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError) as error:
        raise DataError(f"{path} cannot be read as Python: {error}") from None


def returned(node: ast.AST) -> ast.expr | None:
    """The text that a ``return "Error: ..."`` gives (tau-bench's way to refuse)."""
    if not isinstance(node, ast.Return) or node.value is None:
        return None
    template = Template.of(node.value)
    return node.value if template is not None and (template.parts[:1] or ("",))[0].startswith("Error") else None  # type: ignore[union-attr]


def raised(node: ast.AST) -> ast.expr | None:
    """The text that a ``raise ValueError(...)`` gives (tau2's)."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        return node.exc.args[0]
    return None


def refusals(function: ast.AST, text_of: Callable[[ast.AST], ast.expr | None]) -> list[Template]:
    """The texts by which a function refuses, in the order of its lines."""
    found = [text for node in ast.walk(function) if (text := text_of(node)) is not None]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return [template for node in found if (template := Template.of(node)) is not None]


def by_kind(kinds: str, templates: list[Template]) -> dict[str, Template] | None:
    """The templates of a function by kind; ``None`` where there are not as many as there are kinds."""
    names = kinds.split()
    if len(names) != len(templates):
        return None
    return {kind: template for name, template in zip(names, templates, strict=True) for kind in name.split("|")}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions of a module or class, methods too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
