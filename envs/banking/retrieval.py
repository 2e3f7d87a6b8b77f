"""The agent's retrieval over the knowledge base: BM25 and regular expressions, ranked as tau2-bench ranks them."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from mua_env.errors import ToolError, missing_extra

from .copies import Document

TOP = 10
"""Documents that a search gives at most, as in tau2."""
LONGEST_SEARCH = 2.0
"""Seconds of the processor that a regular expression may take on all documents: some take for ever."""
_TIMING = SimpleNamespace(retrieval_ms=0.0, postprocessing_ms=0.001, total_ms=0.0)
"""tau2 prints how long a search took. Here it always takes 0 ms, so that two runs read the same."""

_BRACE = re.compile(r"\\.|\{(?!\d*,?\d*\})", re.DOTALL)
"""An escape, or a brace that counts nothing: to the other library it would begin an inexact match."""

Hits = list[tuple[str, float]]


@dataclass(frozen=True)
class Library:
    """The documents, with what searches in them. Shared by all worlds; nothing in it changes."""

    documents: Sequence[Document]

    def __deepcopy__(self, memo: dict[int, Any]) -> Library:
        return self

    @cached_property
    def by_id(self) -> dict[str, Document]:
        """The documents by id."""
        return {document.id: document for document in self.documents}

    @cached_property
    def _index(self) -> Any:
        try:
            from rank_bm25 import BM25Okapi
        except ImportError:
            raise missing_extra("banking", needed_by="The agent's BM25 search") from None
        return BM25Okapi([document.content.lower().split() for document in self.documents])

    def check(self, ways: Sequence[str]) -> None:
        """Have what the ways of a variant need.

        Raises:
            MissingExtra: a library is not installed.
        """
        if "bm25" in ways:
            _ = self._index
        if "grep" in ways:
            _stoppable("")

    def bm25(self, query: str) -> Hits:
        """The documents that are ranked highest by Okapi BM25 over words in lower case; equals by their order."""
        if not query or not query.strip():
            return []
        scores = self._index.get_scores(query.lower().split())
        order = sorted(range(len(scores)), key=lambda place: scores[place], reverse=True)[:TOP]
        return [(self.documents[place].id, float(scores[place])) for place in order]

    def grep(self, pattern: str) -> Hits:
        """The documents with the most matches of a regular expression, case ignored; equals by their order.

        What is no regular expression is looked for as it stands.

        Raises:
            ToolError: the expression takes too long.
        """
        if not pattern.strip():
            return []
        sought, end = _stoppable(pattern), time.monotonic() + LONGEST_SEARCH
        counts: Hits = []
        for document in self.documents:
            left = max(end - time.monotonic(), 0.001)
            try:
                counts.append((document.id, float(len(sought.findall(document.content, timeout=left)))))
            except TimeoutError:
                raise ToolError(f"the pattern takes more than {LONGEST_SEARCH:g} s; use a simpler one") from None
        return sorted((hit for hit in counts if hit[1]), key=lambda hit: hit[1], reverse=True)[:TOP]


def _stoppable(pattern: str) -> Any:
    """The expression for a library that reads Python's language and, unlike ``re``, can be stopped."""
    try:
        import regex
    except ImportError:
        raise missing_extra("banking", needed_by="The agent's grep") from None
    try:
        re.compile(pattern, re.IGNORECASE)
        plain = _BRACE.sub(lambda match: match[0] if match[0].startswith("\\") else r"\{", pattern)
        return regex.compile(plain, regex.IGNORECASE | regex.VERSION0)
    except (re.error, regex.error):
        return regex.compile(re.escape(pattern), regex.IGNORECASE | regex.VERSION0)


@dataclass(frozen=True)
class Searcher:
    """One way to search, with the methods that tau2's tools call.

    Args:
        library: the documents.
        way: ``"bm25"`` or ``"grep"``.
    """

    library: Library
    way: str

    def __deepcopy__(self, memo: dict[int, Any]) -> Searcher:
        return self

    def retrieve(self, query: str, top_k: int | None = None, return_timing: bool = False) -> Any:
        """Ids and scores of the documents found, with the time that it took where it is asked for."""
        hits = self.library.bm25(query) if self.way == "bm25" else self.library.grep(query)
        hits = hits if top_k is None else hits[:top_k]
        return SimpleNamespace(results=hits, timing=_TIMING) if return_timing else hits

    def get_document_title(self, doc_id: str) -> str | None:
        """The title of a document."""
        found = self.library.by_id.get(doc_id)
        return None if found is None else found.title

    def get_document_content(self, doc_id: str) -> str | None:
        """The text of a document."""
        found = self.library.by_id.get(doc_id)
        return None if found is None else found.content
