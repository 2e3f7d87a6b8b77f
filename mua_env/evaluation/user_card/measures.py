"""What the card counts: pure functions over a dialogue and what it is measured against.

Each names what it found, so that a figure can be traced to the words that made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from pydantic import BaseModel, ConfigDict

from mua_env.core.tasks import MindChange, Request
from mua_env.evaluation.user_card import cues
from mua_env.evaluation.user_card.dialogue import Exchange, Ground
from mua_env.evaluation.user_card.facts import Source, mentions, replace
from mua_env.evaluation.user_card.tokens import Tokens, unknown_values
from mua_env.users.agenda.nlg.grammar import unmark
from mua_env.users.agenda.nlg.personas import PERSONAS, Voice
from mua_env.users.llm.roles import SURE, agents_words


class Violation(BaseModel):
    """Something that a faithful user does not do: which measure found it, in which turn of the agent, and what."""

    model_config = ConfigDict(frozen=True)

    measure: str
    turn: int
    detail: str


class Share(BaseModel):
    """How many of something happened, of how many that could have."""

    model_config = ConfigDict(frozen=True)

    of: int = 0
    made: int = 0


def revealed(dialogue: Sequence[Exchange], ground: Ground) -> list[Violation]:
    """Values of the goal that the user states before the agent asked for them or named them.

    A slot is asked for once any text of the agent mentions it. A proposal or claim may be corrected by what is right,
    a refusal answered by the fallback; of a thing whose name the user does not know it may tell what it does know.
    One violation for each reply, however much it tells.
    """
    found: list[Violation] = []
    asked: set[str] = set()
    heard: list[str] = []
    told: set[str] = set()
    proposed = refused = False
    for turn in dialogue:
        heard.append(turn.text)
        asked |= _asked(turn.text, ground)
        proposed |= _invites_correction(turn.text)
        refused |= cues.REFUSES.search(turn.text) is not None
        given: set[str] = set()
        for source in ground.sources:
            given |= _given(source, asked, heard=turn.text, proposed=proposed, refused=refused)
            given |= _answers(source, asked, turn.text, ground)
        text = _without(cues.IDIOMS.sub("", turn.said), given)
        text = _without(text, (form for form in _all_forms(ground) if any(mentions(part, form) for part in heard)))
        news = sorted(form for form in _all_forms(ground) - told if mentions(text, form))
        told.update(form for form in _all_forms(ground) if mentions(turn.said, form))
        if news:
            found.append(Violation(measure="revealed", turn=turn.turn, detail=f"{news} in {turn.said!r}"))
    return found


def invented(dialogue: Sequence[Exchange], ground: Ground) -> list[Violation]:
    """Ids, emails, postal codes, amounts, dates and names that the user cannot know.

    Known are the task's goal and instruction, the public tables, and whatever agent and tools have said. A part of
    an id may stand for it. One violation for each reply.
    """
    goal = ground.task.goal
    known = Tokens.of(ground.task.instruction, {} if goal is None else goal.model_dump(mode="json"))
    found = []
    for turn in dialogue:
        for text in (turn.text, *turn.results):
            known.add(text)
        strange = unknown_values(cues.BROKEN_OFF.sub(" ", turn.said), known, ground.catalogue)
        if strange:
            found.append(Violation(measure="invented", turn=turn.turn, detail=f"{strange} in {turn.said!r}"))
            known.add(turn.said)  # repeating it invents nothing new
    return found


def plays_agent(dialogue: Sequence[Exchange]) -> list[Violation]:
    """Replies in the agent's role."""
    found = []
    shown: list[str] = []
    for turn in dialogue:
        shown += turn.results
        words = agents_words(turn.said, shown, least=SURE)
        if words is not None:
            detail = f"it speaks as the agent ({words!r}): {turn.said!r}"
            found.append(Violation(measure="plays_agent", turn=turn.turn, detail=detail))
    return found


def contradictions(dialogue: Sequence[Exchange], wrong: Mapping[int, str]) -> tuple[Share, list[Violation]]:
    """Wrong proposals that the user agreed to; ``wrong`` says for each turn of the agent what was wrong in it."""
    answered = [turn for turn in dialogue if turn.turn in wrong]
    taken = [
        Violation(measure="contradiction", turn=turn.turn, detail=f"{wrong[turn.turn]}: {turn.said!r}")
        for turn in answered
        if cues.agrees(turn.said)
    ]
    return Share(of=len(answered), made=len(taken)), taken


def agreements(dialogue: Sequence[Exchange], ground: Ground, wrong: Mapping[int, str]) -> Share:
    """Right proposals of what the user wants in the end, and those of them that it agreed to.

    A request counts until it is agreed to. Where a change of mind is planned, the changed request is the right one.
    """
    by_key = {source.key: source for source in ground.sources}
    of = made = 0
    for number, request in enumerate(ground.task.goal.requests if ground.task.goal else ()):
        source = by_key[str(number)]
        if request.change is not None:
            source = by_key[f"{number}/change"]
            request = request.model_copy(update={"slots": request.slots | request.change.slots, "change": None})
        if request.outcome != "done":
            continue
        for turn in dialogue:
            if turn.turn in wrong or not _proposes(turn.text, source, request, ground):
                continue
            of += 1
            if cues.agrees(turn.said):
                made += 1
                break
    return Share(of=of, made=made)


def mind_changes(dialogue: Sequence[Exchange], ground: Ground) -> tuple[Share, list[Violation]]:
    """Planned changes of mind that fell due, and those of them that the user carried out.

    One falls due when the agent proposes what the user wanted at first, or, where it is planned for after the
    confirmation, when the agent speaks next after a yes to that. It is carried out when the user states a value that
    only the changed request has.
    """
    by_key = {source.key: source for source in ground.sources}
    due, missing = 0, []
    for number, request in enumerate(ground.task.goal.requests if ground.task.goal else ()):
        if request.change is None:
            continue
        first, second = by_key[str(number)], by_key[f"{number}/change"]
        new = second.all_forms() - first.all_forms()
        at = _due(dialogue, first, request, request.change, ground) if new else None
        if at is None:
            continue
        due += 1
        if not any(mentions(turn.said, form) for turn in dialogue[at:] for form in new):
            detail = f"change of {sorted(request.change.slots)} in request {number + 1}"
            missing.append(Violation(measure="mind_change", turn=dialogue[at].turn, detail=detail))
    return Share(of=due, made=due - len(missing)), missing


def _due(
    dialogue: Sequence[Exchange], source: Source, request: Request, change: MindChange, ground: Ground
) -> int | None:
    agreed = False
    for position, turn in enumerate(dialogue):
        if agreed and turn.heard:
            return position
        if not _proposes(turn.text, source, request, ground):
            continue
        if change.after == "proposal":
            return position
        agreed = cues.agrees(turn.said)
    return None


def _proposes(text: str, source: Source, request: Request, ground: Ground) -> bool:
    if not cues.ASKS_TO_CONFIRM.search(text) or request.intent not in ground.language.named(text):
        return False
    known = {name: value for name, value in request.slots.items() if name not in request.unknown}
    comparison = ground.language.compare(request.intent, known, text)
    return comparison.fits and bool(comparison.right) and any(mentions(text, form) for form in source.all_forms())


def _asked(text: str, ground: Ground) -> set[str]:
    language = ground.language
    named = {name for name, slot in language.slots.items() if slot.pattern.search(text) or mentions(text, slot.noun)}
    for request in ground.task.goal.requests if ground.task.goal else ():
        named |= set(language.refine(tuple(sorted(named)), text, {}, request.intent))
    return named


def _invites_correction(text: str) -> bool:
    return bool(cues.ASKS_TO_CONFIRM.search(text) or cues.CLAIMS_DONE.search(text))


def _given(source: Source, asked: set[str], *, heard: str, proposed: bool, refused: bool) -> set[str]:
    """The forms that may be said now."""
    if source.request is not None:
        plain = source.key.isdigit()
        free = _invites_correction(heard) if plain else (refused if "fallback" in source.key else proposed)
        if free or any(slot in asked for slot in source.request.unknown):
            return set(source.all_forms())
    opened = {slot for slot in source.forms if slot in asked}
    reached = set().union(*(source.forms[slot] for slot in opened))
    # A name is asked for by its parts, an item's options with the item: slots that share a form are open together.
    for forms in source.forms.values():
        if forms & reached:
            reached |= forms
    return reached


def _answers(source: Source, asked: set[str], heard: str, ground: Ground) -> set[str]:
    """What the domain holds to be the answer to this question: asked for dates, a return date is one too."""
    values = (ground.task.goal.facts if ground.task.goal else {}) if source.request is None else source.request.slots
    given: set[str] = set()
    for slot in asked & set(source.forms):
        said = ground.language.value(slot, values, Voice(Random(0), PERSONAS["plain"]), about=heard) or ""
        for name, forms in source.forms.items():
            if name != slot and any(mentions(unmark(said), form) for form in forms):
                given |= forms
    return given


def _all_forms(ground: Ground) -> set[str]:
    return set().union(*(source.all_forms() for source in ground.sources))


def _without(text: str, forms: Iterable[str]) -> str:
    for form in sorted(forms, key=len, reverse=True):
        if form.lower() in text.lower():
            text = replace(text, form, "*")
    return text
