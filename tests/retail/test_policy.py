"""The policy document: every rule that tasks rely on is in it, and its words are our own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mua_env.domain.contract import load_domain


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower())


@pytest.mark.parametrize("compact", [False, True])
def test_the_rules_that_tasks_rely_on_are_there(compact: bool) -> None:
    text = load_domain("retail").policy(compact=compact).lower()
    for rule in (
        r"no longer needed",
        r"ordered by mistake",
        r"e-mail.{0,40}first name, last name",
        r"a (clear )?yes",
        r"pending",
        r"delivered",
        r"processed",
        r"same\*? product",
        r"gift card.{0,60}cover",
        r"original|paid with",
        r"own (profile and )?orders|own orders",
        r"transfer|hand over",
        r"say \**no,? and why",
    ):
        assert re.search(rule, text, re.DOTALL), rule


def test_the_compact_document_is_short() -> None:
    domain = load_domain("retail")
    assert len(words(domain.policy(compact=True))) < 150
    assert len(words(domain.policy())) > 400


def test_the_words_are_our_own(tau1_dir: Path) -> None:
    def runs(text: str, length: int = 7) -> set[tuple[str, ...]]:
        found = words(text)
        return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}

    public = runs((tau1_dir / "retail" / "wiki.md").read_text())
    assert len(public) > 500
    for compact in (False, True):
        assert not runs(load_domain("retail").policy(compact=compact)) & public
