"""From an agent's free text to dialogue acts, sentence by sentence.

Works on what language models write: long, polite, several questions at once, lists, markdown. Time is linear in
the text, and only the beginning and the end of a very long text are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from textwrap import wrap

from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlu.cues import ENGLISH, Cues

HEAD, TAIL = 6000, 3000
"""Characters read of the beginning and the end of a text that is longer than both."""
_LONG_SENTENCE = 100
_FIRST, _LAST = 200, 40
_LONGEST = 800
"""Sentences from the beginning and the end, and characters of each, that are looked at: what bounds the time."""


@dataclass(slots=True)
class AgentActs:
    """What an agent's turn does.

    Attributes:
        text: the text without markdown, as far as it is read.
        asked: slots asked for, in the order of their mention.
        choice: alternatives are offered, any one of which is enough.
        confirm: asks for a yes before acting.
        done: sentences that claim something was carried out.
        refused: something is refused; ``reason``: with a reason.
        unavailable: what was asked for cannot be had.
        not_found: what the user said led to no record.
        handover: announces a transfer; ``offer_handover``: offers one.
        offer: another question to be answered by yes or no.
        more: asks whether there is anything else; ``close``: says goodbye; ``help``: asks what the user wants.
        which: asks to choose among several.
        wait: announces work without asking anything.
        question: a question of any kind.
    """

    text: str = ""
    asked: tuple[str, ...] = ()
    choice: bool = False
    confirm: bool = False
    done: list[str] = field(default_factory=list)
    refused: bool = False
    reason: bool = False
    unavailable: bool = False
    not_found: bool = False
    handover: bool = False
    offer_handover: bool = False
    offer: bool = False
    more: bool = False
    close: bool = False
    help: bool = False
    apologise: bool = False
    which: bool = False
    wait: bool = False
    question: bool = False

    @property
    def empty(self) -> bool:
        """Nothing that can be read."""
        return not any(char.isalpha() for char in self.text)


_MARKUP = re.compile(
    r"\*+|`+|^\s{0,3}(?:#{1,6}\s+|>\s*)|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|[\x00-\x08\x0b-\x1f]", re.MULTILINE
)
_SPACES = re.compile(r"[ \t\u00a0]+")
_SPLIT = re.compile(r"(?<=[.?!])[\"')]?\s+(?![(\[]?\s*(?:yes|y)\s*/)|\s*\n\s*", re.IGNORECASE)
_ITEM = re.compile(r"^\s*(?:[-\u2013\u2014\u2022+]|\(?\d{1,2}[.)]|\(?[a-h][.)])\s*")
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2011": "-", "\u2013": "-"})


_STOPS = r".?!\n\u3002\uff1f\uff01"
_BLANK = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_LINE = re.compile(r" ?\n[ \n]*")
_SAME = re.compile(r"([^0-9A-Za-z])\1{3,}")
# Each run is looked at from its beginning alone: from everywhere within, it would take the square of its length.
_MARKS = re.compile(r"(?<!\W)\W{41,}")
_LONG = re.compile(r"(?<![^\W\u4e00-\u9fff])[^\W\u4e00-\u9fff]{65,}")
_STRETCH = re.compile(rf"(?<![^{_STOPS}])[^{_STOPS}]{{{_LONGEST},}}")


def readable(text: str) -> str:
    """The text as far as it is read, with every run cut short: what comes before any pattern.

    Patterns take time by the length of what they can slide along. So a blank or a line break stands for any number of
    them and a mark for at most three alike; no word has more than 64 characters, no row of marks more than 40, and what
    goes on for more than 800 without an end of a sentence is broken into lines. Nothing that people or models mean to
    say is lost.
    """
    return _readable(_within(text))


def plain(text: str) -> str:
    """The :func:`readable` text without markdown and control characters."""
    return _plain(readable(text))


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text as far as it is read, each :func:`readable`, with its indentation; empty ones too."""
    for line in _within(text).splitlines():
        words = line.strip()
        for part in _without_runs(words).splitlines() or [""]:
            yield min(line.find(words[:1]), _DEEPEST), part


_DEEPEST = 40


def _within(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else text[:HEAD] + "\n" + text[-TAIL:]


# A turn is read by several parts of the user, each of which asks for the text in this form.
@lru_cache(maxsize=8)
def _readable(text: str) -> str:
    return _without_runs(text)


def _without_runs(text: str) -> str:
    text = _SAME.sub(r"\1\1\1", _LINE.sub("\n", _BLANK.sub(" ", text)))
    text = _LONG.sub(lambda word: word[0][:64], _MARKS.sub(_cut_marks, text))
    return _STRETCH.sub(_broken, text)


@lru_cache(maxsize=8)
def _plain(text: str) -> str:
    return _SPACES.sub(" ", _MARKUP.sub("", text.translate(_QUOTES))).strip()


def _cut_marks(run: re.Match[str]) -> str:
    return run[0][:40] + ("\n" if "\n" in run[0][40:] else " ")


def _broken(stretch: re.Match[str]) -> str:
    return "\n".join(wrap(stretch[0], _LONGEST - 100, break_on_hyphens=False))


def sentences(text: str) -> list[str]:
    """The sentences and list lines of a plain text; a long one that was there before is left out."""
    found: list[str] = []
    long: set[str] = set()
    for part in filter(None, (part.strip() for part in _SPLIT.split(text) if part)):
        part = part if len(part) <= _LONGEST else _ends(part)
        if len(part) > _LONG_SENTENCE:
            if part in long:
                continue
            long.add(part)
        found.append(part)
    return found if len(found) <= _FIRST + _LAST else [*found[:_FIRST], *found[-_LAST:]]


def _ends(sentence: str) -> str:
    return f"{sentence[: _LONGEST // 2]} {sentence[-_LONGEST // 2 :]}"


def understand(
    text: str,
    language: DialogueLanguage,
    *,
    given: Mapping[str, int] | None = None,
    intent: str = "",
    cues: Cues = ENGLISH,
) -> AgentActs:
    """The dialogue acts of an agent's text.

    Args:
        text: what the agent said.
        language: of the domain: slots and intents.
        given: how often the user has said each slot so far; lets "which one?" mean more detail.
        intent: of the request that the user is at.
        cues: of the natural language.
    """
    acts = AgentActs(text=plain(text))
    asked: list[str] = []
    stated: set[str] = set()
    listing = False
    before = ""
    for sentence in sentences(acts.text):
        item = _ITEM.match(sentence) is not None
        low = sentence.lower()
        listed = listing and (item or (len(sentence) < 60 and not low.endswith((".", "?"))))
        listing = listed or (low.endswith(":") and cues.listing.search(low) is not None)
        known = len(asked)
        told = _sentence(acts, sentence, low, listed, language, cues, asked, before)
        if listed and _VALUED.search(sentence):
            stated.update(asked[known:])
            del asked[known:]
        before = f"{before} {told}" if item and told else told
    # A list of names and values under a request to confirm is what is to be confirmed; elsewhere it is a form to fill.
    asked += [] if acts.confirm else sorted(stated, key=list(language.slots).index)
    _settle(acts, bool(asked))
    acts.asked = language.refine(tuple(dict.fromkeys(asked)), acts.text, given or {}, intent)
    return acts


_VALUED = re.compile(r"\w[*)]{0,3}\s?(?::|=|\u2192)\s?[*]{0,2}\s?[\w#$]")


def _sentence(
    acts: AgentActs,
    sentence: str,
    low: str,
    listed: bool,
    language: DialogueLanguage,
    cues: Cues,
    asked: list[str],
    before: str,
) -> str:
    """Read one sentence; returns it if it may mention slots that the next one asks for."""
    question = low.rstrip("\"') ").endswith("?")
    acts.question |= question
    bare = cues.clause.sub(" ", low)
    confirm = cues.confirm.search(bare) is not None
    weak = (
        not confirm
        and (question or "please" in low or "let me know" in low)
        and cues.confirm_weak.search(bare) is not None
    )
    more = cues.more.search(low) is not None and (question or "let me know" in low or "if " in low)
    acts.more |= more
    acts.close |= cues.close.search(low) is not None
    acts.apologise |= cues.apologise.search(low) is not None
    acts.choice |= cues.either.search(low) is not None
    _verdicts(acts, sentence, low, question or confirm, cues)
    if more:
        return ""
    asks = listed or cues.request.search(bare) is not None
    names = named_slots(bare, language) if asks else []
    if asks and not names and before and PRONOUN.search(low):
        names = named_slots(before, language)
    confirm |= question and would_act(low, language, cues) and (not names or _WANTS_ME.search(low) is not None)
    if confirm or (weak and not names):
        acts.confirm = True
    else:
        asked.extend(names)
        acts.which |= bool(names) and cues.which.search(low) is not None
    if not names:
        acts.help |= question and cues.help.search(low) is not None
        acts.offer_handover |= question and (cues.handover.search(low) or cues.ask_handover.search(low)) is not None
        acts.offer |= question and not confirm and cues.offer.search(low) is not None
    acts.wait |= not question and cues.wait.search(low) is not None
    return "" if asks else bare


PRONOUN = re.compile(
    r"\b(?:provide|share|tell me|give me|what are|send(?:ing)?(?: me)?|check(?:ing)?|verify(?:ing)?|try(?:ing)?) "
    r"(?:those|them|these|they|that|it|both|all|the (?:code|number|spelling))\b|\bthe (?:correct|right) one\b"
)
_ME = re.compile(r"\b(?:me|i|us|we)\b")
_WANTS_ME = re.compile(r"^(?!.*\bor\b(?! not| no\b)).*\b(?:want|like|need) me to\b")
_INQUIRES = re.compile(
    r"\s*(?:to )?(?:also |just |please |first |quickly )*(?:ask|know|check|have|get|see|look|explain|help|assist|find|"
    r"tell|show|search)\b"
)


def would_act(low: str, language: DialogueLanguage, cues: Cues) -> bool:
    """Whether a question offers to carry out one of the domain's intents ("shall I cancel it now?")."""
    offer = cues.offer.search(low)
    if offer is None or not _ME.search(offer[0]) or _INQUIRES.match(low, offer.end()):
        return False
    offered = low[offer.end() :]
    return any(intent.named_pattern.search(offered) for intent in language.intents.values())


def _settle(acts: AgentActs, asked: bool) -> None:
    """What the whole text tells about its parts: a text that asks is no goodbye and no announcement of work."""
    acts.wait &= not (acts.confirm or asked or acts.question or acts.handover)
    acts.close &= not (acts.question or asked or acts.handover or acts.confirm)
    if acts.offer_handover and acts.confirm:
        acts.confirm = False


@lru_cache(maxsize=64)
def any_slot(language: DialogueLanguage) -> re.Pattern[str]:
    """Finds whether any slot is named as one asks for it."""
    return re.compile("|".join(f"(?:{slot.asked})" for slot in language.slots.values()), re.IGNORECASE)


def named_slots(low: str, language: DialogueLanguage) -> list[str]:
    """The slots that a text names as one asks for them, in the order of their mention."""
    found = []
    for name, slot in language.slots.items():
        match = slot.pattern.search(low)
        if match:
            found.append((match.start(), name))
    return [name for _, name in sorted(found)]


def _verdicts(acts: AgentActs, sentence: str, low: str, question: bool, cues: Cues) -> None:
    """Claims, refusals and hand-overs: what a sentence that is no question can say."""
    if cues.negative.search(low) and cues.not_found.search(low):
        acts.not_found = True
        return
    acts.unavailable |= cues.unavailable.search(low) is not None
    refused = cues.refuse_because.search(low) is not None and not question
    refused |= cues.refuse.search(low) is not None and not cues.refuse_not.search(low) and not question
    acts.refused |= refused
    acts.reason |= cues.reason.search(low) is not None
    if question or refused:
        return
    if cues.handover.search(low) and not cues.offer_handover.search(low):
        acts.handover = True
    elif cues.handover.search(low):
        acts.offer_handover = True
    claim = cues.done.search(low)
    if claim and not cues.not_done.search(low, 0, claim.start()) and "already" not in claim[0]:
        acts.done.append(sentence)
