"""The tools of ``inspect-evals``: a rewriting of an older revision of tau2's, with the wrappers that show them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from mua_env.domain.public.foreign_code import ForeignCode
from mua_env.domain.public.tau2_presentation import wrapped_schema
from mua_env.domain.public.tau2_types import Types
from mua_env.errors import DataError

from .copies import Copy
from .retrieval import Library, Searcher
from .stand_ins import DB, StoreModel, is_discoverable_tool, is_tool
from .toolkits import LIBRARY, SEARCHES, Classes, Schemas, library_of

_PACKAGE: Final = "inspect_evals.tau2"
_BANK: Final = f"{_PACKAGE}.banking"
_MODULES: Final = ("BankingAgentTools", "BankingUserTools", "data_model", "db_query", "utils")
_PREFIX: Final = "banking_"
"""What the package puts before the tools' names; gold actions have them without."""


_SHOWN: Final = {
    "KB_search": (
        "query",
        "Find the documents of the knowledge base that fit a query best (BM25).",
        "words to look for",
    ),
    "grep": (
        "pattern",
        "Find the documents of the knowledge base with the most matches of a regular expression, case ignored.",
        "the regular expression, as 'close.*account' or 'fee|charge'",
    ),
}
"""The two searches, which the package has otherwise or not at all: argument, what it does, what the argument is."""


def classes_of_package(copy: Copy, variant: str) -> Classes:
    """The classes of an ``inspect-evals``.

    Args:
        copy: the package's data; its code lies beside it.
        variant: the retrieval variant.

    Raises:
        DataError: its code is not as it should be.
        MissingExtra: a library for the search is missing.
    """
    root = copy.rewritten
    code, library = _code(root), library_of(copy, variant)
    agent_kind = code.named(f"{_BANK}.BankingAgentTools", "BankingAgentTools")
    user_kind = code.named(f"{_BANK}.BankingUserTools", "BankingUserTools")
    types = Types(root)
    own, shown = _wrapped(types, "tools"), _wrapped(types, "user_tools")
    _mark(agent_kind, own, code.named(f"{_BANK}.BankingAgentTools", "AGENT_DISCOVERABLE_TOOLS"))
    _mark(user_kind, shown, code.named(f"{_BANK}.BankingUserTools", "USER_DISCOVERABLE_TOOLS"))
    found = _searches(library, SEARCHES.get(variant, ()))
    kind = type(agent_kind)("Agent", (agent_kind,), {"__module__": agent_kind.__module__, **found})

    def agent(database: Any, logged: frozenset[str]) -> Any:
        return kind(db=database, initialized=True)  # every call leaves a mark in this revision

    return Classes(
        agent=agent,
        user=lambda database: user_kind(db=database, initialized=True),
        database=code.named(f"{_BANK}.data_model", "TransactionalDB"),
        agent_schemas={name: _schema(name) for name in found} | {k: v for k, v in own.items() if k != "grep"},
        user_schemas=shown,
    )


def _searches(library: Library, ways: Sequence[str]) -> dict[str, Callable[..., str]]:
    @is_tool()
    def search(self: Any, query: str) -> str:
        return _listed(Searcher(library, "bm25"), query) or "No relevant documents found."

    @is_tool()
    def grep(self: Any, pattern: str) -> str:
        return _listed(Searcher(library, "grep"), pattern) or f"No matches found for pattern: {pattern}"

    both = {"bm25": ("KB_search", search), "grep": ("grep", grep)}
    return dict(both[way] for way in ways)


def _listed(searcher: Searcher, sought: str) -> str:
    rows = []
    for place, (key, score) in enumerate(searcher.retrieve(sought), start=1):
        title, content = searcher.get_document_title(key), searcher.get_document_content(key)
        rows.append(f"{place}. {title}\n   ID: {key}\n   Score: {score:.4f}\n   Content: {content}\n")
    return "\n".join(rows)


def _schema(name: str) -> dict[str, Any]:
    argument, description, meaning = _SHOWN[name]
    properties = {argument: {"type": "string", "description": meaning}}
    parameters = {"type": "object", "properties": properties, "required": [argument]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _mark(kind: type, shown: Iterable[str], discoverable: Iterable[str]) -> None:
    """Mark a class's tools as tau2 marks them, once: the package keeps lists of names instead."""
    methods = vars(kind)
    for name in sorted(discoverable):
        if name in methods:
            is_discoverable_tool()(methods[name])
    for name in shown:
        if name in methods:
            is_tool()(methods[name])


def _wrapped(types: Types, module: str) -> Schemas:
    """Function schemas of the functions that make tools: each holds one that does the work, with its docstring."""
    found: Schemas = {}
    for node in types.tree(f"tau2.banking.{module}").body:
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(mark) == "tool" for mark in node.decorator_list):
            inner = next((item for item in node.body if isinstance(item, ast.AsyncFunctionDef)), None)
            if inner is None:
                raise DataError(f"{module}.{node.name} holds no function that does its work")
            name = node.name.removeprefix(_PREFIX)
            found[name] = wrapped_schema(types, f"tau2.banking.{module}", inner, name)
    return found


@cache
def _code(root: Path) -> ForeignCode:
    return ForeignCode(
        files={f"{_BANK}.{name}": root / "banking" / f"{name}.py" for name in _MODULES},
        stand_ins={
            "inspect_ai.util": {"StoreModel": StoreModel},
            f"{_PACKAGE}.environment.db": {"DB": DB},
            f"{_PACKAGE}.utils": {"TAU2_DATA_DIR": root / "data"},
        },
        library=LIBRARY,
        # The rest of it reads files.
        only={f"{_BANK}.data_model": ("DatabaseTable", "TransactionalDB")},
    )
