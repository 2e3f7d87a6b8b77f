"""What the user understands of labelled utterances (``tagged/*.txt``), counted by label."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from mua_env.domain.contract import load_domain
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlu.dialogue_acts import understand

FOLDER = Path(__file__).parent / "tagged"
FLAGS = {
    "confirm": "confirm",
    "refuse": "refused",
    "unavailable": "unavailable",
    "notfound": "not_found",
    "handover": "handover",
    "offer_handover": "offer_handover",
    "more": "more",
    "close": "close",
    "help": "help",
    "wait": "wait",
    "done": "done",
}
"""Labels of acts, and the fields of `AgentActs` that hold them."""


def labels(words: list[str]) -> set[str]:
    """The labels in the head of an utterance: acts, and ``ask:<slot>`` for each slot that it asks for."""
    found = {word for word in words if word in FLAGS}
    for word in words:
        if word.startswith("ask="):
            found |= {"ask:" + ("items" if slot == "which_item" else slot) for slot in word[4:].split(",")}
    return found


def blocks(name: str) -> list[tuple[set[str], str]]:
    """Label sets and texts of a file."""
    found = []
    for block in (FOLDER / name).read_text(encoding="utf-8").split("%%%")[1:]:
        head, _, text = block.partition("\n")
        found.append((labels(head.split()), text.strip()))
    return found


def _intent(wanted: set[str]) -> str:
    """The request under way: airline users tell by it whose name or which reason is asked for."""
    if "ask:passenger" in wanted:
        return "change_passenger"
    if "ask:new_passenger" in wanted:
        return "add_passenger"
    if "ask:complaint" in wanted:
        return "compensation"
    return "cancel_reservation" if "ask:reason" in wanted else "book_flight"


def recognised(text: str, wanted: set[str], language: DialogueLanguage) -> set[str]:
    """The labels that the user gives a text."""
    retail = language.name == "retail"
    given = {} if retail else {"user_id": 1}
    intent = _intent(wanted) if not retail else "ask" if "ask:product" in wanted else ""
    acts = understand(language.hear(text), language, given=given, intent=intent)
    slots = ("name" if retail and slot in ("first_name", "last_name") else slot for slot in acts.asked)
    return {f"ask:{slot}" for slot in slots} | {label for label, name in FLAGS.items() if getattr(acts, name)}


@cache
def scores(kind: str, domain: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """True positives, false positives and misses by label."""
    language = load_domain(domain).language.spoken("zh" if kind == "chinese" else "en")
    hits, extra, missed = Counter[str](), Counter[str](), Counter[str]()
    for wanted, text in blocks(f"{kind}_{domain}.txt"):
        got = recognised(text, wanted, language)
        hits.update(wanted & got)
        extra.update(got - wanted)
        missed.update(wanted - got)
    return hits, extra, missed
