"""How tau-bench shows its tools: its schemas as literals, the words of its errors, and the order of its records' keys.

Each tool is a class in a file of its own under ``tau_bench/envs/<domain>/tools/``: ``get_info`` returns the schema, and
``invoke`` runs. Source: https://github.com/sierra-research/tau-bench (MIT); the files are the user's own.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mua_env.domain.public import wording
from mua_env.domain.public.presentation import BenchmarkPresentation, KeyOrders
from mua_env.domain.public.wording import Template, Wordings
from mua_env.errors import DataError


def read(folder: Path, kinds: Wordings, tables: Mapping[str, list[dict[str, Any]]]) -> BenchmarkPresentation | None:
    """What the tools of a domain look like there.

    Args:
        folder: the domain's, as ``tau_bench/envs/retail``.
        kinds: the kinds of each tool's refusals.
        tables: the benchmark's records, with their keys as they stand in its files.

    Returns:
        ``None`` where the copy has no code (the data files alone).

    Raises:
        DataError: the code is not of the expected form; the text names the file.
    """
    tools = folder / "tools"
    if not (tools / "__init__.py").is_file():
        return None
    classes = {node.name: (path, node) for path in sorted(tools.glob("*.py")) for node in _classes(path)}
    schemas, signatures, words, ours = {}, {}, {}, []
    for name in _listed(tools / "__init__.py"):
        if name not in classes:
            raise DataError(f"{tools}: no class {name}, which is listed as a tool")
        path, node = classes[name]
        schema = _schema(path, node)
        tool = schema["function"]["name"]
        schemas[tool] = schema
        signatures[tool] = f"{name}.invoke"
        found = wording.by_kind(kinds.get(tool, ""), wording.refusals(_method(path, node, "invoke"), wording.returned))
        words[tool] = found or {}
        ours += [tool] if found is None else []
    return BenchmarkPresentation(
        schemas=schemas,
        signatures=signatures,
        wordings=words,
        unknown=_unknown(folder.parent / "base.py"),
        orders=_orders(tables),
        ours=tuple(ours),
    )


def _classes(path: Path) -> list[ast.ClassDef]:
    return [node for node in wording.parse(path).body if isinstance(node, ast.ClassDef)]


def _listed(path: Path) -> list[str]:
    """The names in the list of all tools, in its order."""
    for node in wording.parse(path).body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.List) and value.elts and all(isinstance(item, ast.Name) for item in value.elts):
            return [item.id for item in value.elts if isinstance(item, ast.Name)]
    raise DataError(f"{path}: no list of tools in it")


def _method(path: Path, node: ast.ClassDef, name: str) -> ast.FunctionDef:
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == name:
            return item
    raise DataError(f"{path}: the class {node.name} has no method {name}")


def _schema(path: Path, node: ast.ClassDef) -> dict[str, Any]:
    for item in ast.walk(_method(path, node, "get_info")):
        if isinstance(item, ast.Return) and item.value is not None:
            try:
                schema = ast.literal_eval(item.value)
                return {**schema, "function": {**schema["function"], "name": str(schema["function"]["name"])}}
            except (ValueError, TypeError, KeyError, RecursionError):
                break
    raise DataError(f"{path}: {node.name}.get_info returns no literal function schema")


def _unknown(path: Path) -> Template | None:
    """The answer to a call of a tool that is not there: the text of ``step`` that holds the action's name."""
    if not path.is_file():
        return None
    for function in wording.functions(wording.parse(path)):
        if function.name == "step":
            texts = (Template.of(item.value) for item in ast.walk(function) if isinstance(item, ast.Assign))
            return next((text for text in texts if text is not None and text.names == ("name",)), None)
    return None


def _orders(tables: Mapping[str, list[dict[str, Any]]]) -> KeyOrders:
    firsts = (tuple(rows[0]) for rows in tables.values() if rows)
    return {frozenset(keys): keys for keys in firsts}
