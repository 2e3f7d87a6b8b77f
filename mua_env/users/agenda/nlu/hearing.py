"""From an agent's text to what its user can answer: segments, the act of each, and what they ask for.

The text is cut first (:mod:`~mua_env.users.agenda.nlu.segments`), then each segment is tagged, then the acts of the
whole follow. Which values are right and which wrong is not decided here, but against the goal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlu.cue_acts import CueActs, without_purpose
from mua_env.users.agenda.nlu.cues import ENGLISH, Cues
from mua_env.users.agenda.nlu.dialogue_acts import PRONOUN, AgentActs, any_slot, named_slots
from mua_env.users.agenda.nlu.segments import Segment, segments
from mua_env.users.agenda.nlu.tagger import tag

_LONGEST = 500
"""Characters of a segment by which its act is told."""
_LABEL = re.compile(r"[^:\uff1a]{1,60}[:\uff1a]")
_NOTE = re.compile(r"\b(?:note|important|reminder|status|next)\b")
_OR = re.compile(r"\b(?:or|either|alternatively)\b")


_CHANGES = re.compile(r"\bwhat\b[^.?!]{0,30}\b(?:changes?|modifications?)\b")
_OR_END = re.compile(r"\bor\W*$")


@dataclass(frozen=True, slots=True)
class Part:
    """A segment and what it does.

    Attributes:
        segment: with its place.
        text: in which values are found.
        heard: in lower case, as its act is told.
        acts: of it.
        asked: the slots that it asks for.
    """

    segment: Segment
    text: str
    heard: str
    acts: frozenset[str]
    asked: tuple[str, ...] = ()


@dataclass(slots=True)
class Hearing(AgentActs):
    """The acts of a text, with the parts that perform them.

    Attributes:
        parts: its segments, in order.
        choices: slots of which it lays out several values to choose from.
    """

    parts: list[Part] = field(default_factory=list)
    choices: frozenset[str] = frozenset()

    def doing(self, *acts: str) -> list[Part]:
        """The parts that perform any of some acts."""
        return [part for part in self.parts if not part.acts.isdisjoint(acts)]


def hear(
    text: str,
    language: DialogueLanguage,
    *,
    given: Mapping[str, int] | None = None,
    intent: str = "",
    cues: Cues = ENGLISH,
) -> Hearing:
    """What a text does.

    Args:
        text: what the agent said, with its line breaks.
        language: of the domain.
        given: how often the user has said each slot so far.
        intent: of the request that the user is at.
        cues: of the natural language.
    """
    cut = segments(text)
    heard = [" ".join(language.hear(segment.text).split()).lower()[:_LONGEST] for segment in cut]
    cued = CueActs(language, cues)
    bare = [without_purpose(low, cues) for low in heard]
    names = any_slot(language)
    named = [names.search(words) is not None for words in bare]
    by_cues = [cued.of(*each) for each in zip(cut, heard, bare, named, strict=True)]
    # A glossary leaves nothing but cues.
    tagged = tag(cut, heard, by_cues) if language.code == "en" else by_cues
    tagged = [_by_form(cut, heard, by_cues, at) or acts for at, acts in enumerate(tagged)]
    tagged = [_plainly_refused(acts, by_cues[at], cut[at]) for at, acts in enumerate(tagged)]
    tagged = [_of_its_list(cut, tagged, at, heard[at]) or acts for at, acts in enumerate(tagged)]
    parts: list[Part] = []
    before = ""
    for at, (segment, low, acts) in enumerate(zip(cut, heard, tagged, strict=True)):
        asked = _asked(segment, bare[at], before, language) if "ask" in acts else ()
        parts.append(Part(segment, language.legible(segment.text), low, acts, asked))
        before = f"{before} {low}" if segment.depth and before else low
    hearing = Hearing(text="\n".join(part.text for part in parts), parts=parts)
    _settle(hearing, language, given or {}, intent, cues)
    return hearing


def _plainly_refused(acts: frozenset[str], cued: frozenset[str], segment: Segment) -> frozenset[str]:
    """A sentence that refuses by its words does: agents refuse seldom, so few examples show it."""
    if segment.depth or "refuse" not in cued or acts & {"claim", "confirm"}:
        return acts
    return (acts - {"inform", "other"}) | {"refuse"}


def _by_form(
    cut: Sequence[Segment], heard: Sequence[str], cued: Sequence[frozenset[str]], at: int
) -> frozenset[str] | None:
    """What needs no tagger: items of which one ends with "or" are alternatives; words for "nothing found" are plain."""
    here = cut[at]
    if not here.depth:
        return cued[at] if "missing" in cued[at] else None
    same = (low for low, other in zip(heard, cut, strict=True) if other.depth == here.depth and other.lead == here.lead)
    return frozenset({"option"}) if any(_OR_END.search(low) for low in same) else None


def _of_its_list(cut: Sequence[Segment], tagged: Sequence[frozenset[str]], at: int, bare: str) -> frozenset[str] | None:
    """What an item with a label does that seems to tell a mere fact, where most of its list propose or claim."""
    here, label = cut[at], _LABEL.match(bare)
    if not here.depth or tagged[at] != {"inform"} or label is None or _NOTE.search(label[0]):
        return None
    others = [
        acts
        for place, (acts, other) in enumerate(zip(tagged, cut, strict=True))
        if place != at and other.depth == here.depth and other.lead == here.lead
    ]
    for act in ("propose", "claim"):
        if 2 * sum(act in acts for acts in others) > len(others):
            return frozenset({act})
    return None


def _asked(segment: Segment, bare: str, before: str, language: DialogueLanguage) -> tuple[str, ...]:
    """The slots that a segment asks for: of a line in a form, those in front of its colon."""
    label = _LABEL.match(bare) if segment.depth else None
    names = (named_slots(label[0], language) if label else []) or named_slots(bare, language)
    if not names and before and PRONOUN.search(bare):
        names = named_slots(before, language)
    return tuple(names)


def _settle(hearing: Hearing, language: DialogueLanguage, given: Mapping[str, int], intent: str, cues: Cues) -> None:
    """The acts of the whole text from those of its parts."""
    asked: list[str] = []
    for part in hearing.parts:
        asked.extend(part.asked)
        _note(hearing, part, cues)
    hearing.choices = frozenset(_choices(hearing, language))
    asked.extend(slot for slot in language.slots if slot in hearing.choices)
    hearing.asked = language.refine(tuple(dict.fromkeys(asked)), hearing.text, given, intent)
    if any(language.slots[slot].personal and not given.get(slot) for slot in hearing.asked):
        hearing.confirm = False  # who it is comes first: nothing is put for a yes yet
    hearing.wait &= not (hearing.confirm or asked or hearing.question or hearing.handover)
    hearing.close &= not (hearing.question or asked or hearing.handover or hearing.confirm)
    if hearing.offer_handover:
        hearing.confirm = False


def _note(hearing: Hearing, part: Part, cues: Cues) -> None:
    acts, low, question = part.acts, part.heard, part.segment.question
    hearing.question |= question
    hearing.confirm |= "confirm" in acts
    if "claim" in acts:
        hearing.done.append(part.text)
    lacking = "refuse" in acts and cues.unavailable.search(low) is not None
    hearing.unavailable |= lacking
    hearing.refused |= "refuse" in acts and (not lacking or cues.refuse.search(low) is not None)
    hearing.reason |= not question and cues.reason.search(low) is not None
    hearing.not_found |= "missing" in acts
    hearing.offer_handover |= {"transfer", "offer"} <= acts
    hearing.handover |= "transfer" in acts and "offer" not in acts
    hearing.offer |= "offer" in acts and "transfer" not in acts
    hearing.more |= "more" in acts
    hearing.close |= "close" in acts
    hearing.help |= "help" in acts or ("ask" in acts and _CHANGES.search(low) is not None)
    hearing.wait |= "wait" in acts
    hearing.apologise |= cues.apologise.search(low) is not None
    hearing.choice |= cues.either.search(low) is not None
    hearing.which |= "ask" in acts and cues.which.search(low) is not None


def _choices(hearing: Hearing, language: DialogueLanguage) -> Iterator[str]:
    """The slots of which several values are laid out, by parts that offer them or in one question with "or"."""
    laid_out = "\n".join(part.text for part in hearing.doing("option"))
    either = "\n".join(part.text for part in hearing.doing("ask", "option") if _OR.search(part.heard))
    asked = "\n".join(part.text for part in hearing.doing("ask") if part.segment.question and _OR.search(part.heard))
    put = [part.text for part in hearing.doing("confirm") if _OR.search(part.heard)]
    if not (laid_out or asked or put):
        return
    for slot, spec in language.slots.items():
        several = not spec.code and any(len(language.mentions(slot, text)) > 1 for text in put)
        several |= len(language.mentions(slot, laid_out)) > 1 or len(language.mentions(slot, either)) > 1
        if several or (not spec.code and language.mentions(slot, asked)):  # "the Visa, or another one?"
            yield slot


def texts(parts: Sequence[Part]) -> str:
    """What parts say, a line each."""
    return "\n".join(part.text for part in parts)
