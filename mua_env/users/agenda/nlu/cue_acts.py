"""The act of each segment by its form, its place and cue words: what the learned tagger starts from.

By cue words alone, acts are right of what their author had in mind. The tagger
(:mod:`~mua_env.users.agenda.nlu.tagger`) has these labels as features, beside the words, and knows by examples how far
to trust them.
"""

from __future__ import annotations

import re
from typing import Final

from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlu.cues import ENGLISH, Cues
from mua_env.users.agenda.nlu.dialogue_acts import would_act
from mua_env.users.agenda.nlu.segments import Segment

ACTS: Final = (
    "ask", "confirm", "propose", "claim", "refuse", "option", "offer", "inform", "later", "instruct", "missing",
    "transfer", "more", "wait", "close", "help", "other",
)  # fmt: skip
"""What a segment does towards the user."""

_IF = re.compile(
    r"^\W*(?:and |but |or )?(?:once|after(?:wards)?|when|as soon as|with (?:this|these|that|those)|then,?|if)\b"
)
_THEN = re.compile(r"\b(?:once|after|when|as soon as|before|until|if|so (?:that )?i can|then)\b")
_WILL = re.compile(
    r"\b(?:i'll|i will|we'll|we will|i can|we can|i'm able|i would|let me know|let us know|please let)\b"
)
_DEED = re.compile(r"\b(?:i'll|i will|we'll|we will|i'm going to|i am going to|i would|i'd)\b")
_SUMS_UP = re.compile(
    r"\b(?:to confirm|to summari[sz]e|in summary|summary|here(?:'s| is) what|the plan|proposed|requested changes?|"
    r"you(?:'d| would)? (?:want|like) to|would be|i can (?:cancel|return|exchange|change|modify|update|book|process))\b"
)
_ALTERNATIVE = re.compile(r"^\W*(?:alternatively|otherwise)\b|\binstead, (?:i|we) can\b|^\W*option \w\b", re.IGNORECASE)
_CHOICES = re.compile(
    r"\b(?:options?|choices|choose|available|either|alternatives?|which (?:one|of)|one of the following)\b"
)
_COURTESY = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you|sorry|i'm sorry|i apologi[sz]e|great|perfect|of course|sure|okay|ok|"
    r"certainly|"
    r"absolutely|got it|understood|no problem|you're welcome|happy to help|i understand)\b[^.?!]{0,40}[.!]?$"
)
_NUMBER_AND_DONE: Final = re.compile(
    r"\b(?:is|are|has been|have been|been) (?:now )?(?:confirmed|in place|submitted)\b"
)


_PURPOSES = re.compile(r"confirm|proceed|continu|go ahead|forward|assist|help|process|started")


def without_purpose(text: str, cues: Cues = ENGLISH) -> str:
    """A text in lower case without clauses of purpose ("before we proceed"), which look like a request for a yes."""
    return cues.clause.sub(" ", text) if _PURPOSES.search(text) else text


class CueActs:
    """Labels the segments of one text, in order; each may depend on what came before it.

    Args:
        language: of the domain.
        cues: of the natural language.
    """

    def __init__(self, language: DialogueLanguage, cues: Cues = ENGLISH) -> None:
        self.language = language
        self.cues = cues
        self._of: dict[str, frozenset[str]] = {}

    def of(self, segment: Segment, text: str, bare: str, slots: bool) -> frozenset[str]:
        """The acts of a segment.

        Args:
            segment: with its place.
            text: in lower case, as it is heard.
            bare: the same without clauses of purpose.
            slots: whether it names any as one asks for it.
        """
        found = self._plainly(segment, text, bare, slots) or self._by_place(segment, text)
        found = found or {"other" if _COURTESY.search(text) else "inform"}
        self._of[segment.text] = frozenset(found)
        return self._of[segment.text]

    def led_by(self, segment: Segment) -> frozenset[str]:
        """The acts of what introduces a segment."""
        return self._of.get(segment.lead) or self._of.get(segment.heading) or frozenset()

    def _plainly(self, segment: Segment, text: str, bare: str, slots: bool) -> set[str]:
        cues, question = self.cues, segment.question
        found: set[str] = set()
        if cues.more.search(text) and (question or "let me know" in text or "if " in text):
            found.add("more")
        if cues.close.search(text) and not question:
            found.add("close")
        if cues.negative.search(text) and cues.not_found.search(text):
            return found | {"missing"}
        found |= self._handed_over(text, question)
        if self._refuses(text, question):
            return found | {"refuse"}
        if found & {"more", "transfer"}:
            return found
        later = not question and _WILL.search(text) and (_IF.search(text) or (_THEN.search(text) and not slots))
        confirm = not later and (
            cues.confirm.search(bare) is not None or (question and would_act(text, self.language, cues))
        )
        weak = not confirm and not later and (question or "please" in text) and cues.confirm_weak.search(bare)
        asks = cues.request.search(bare) is not None
        if confirm or (weak and not slots):
            found.add("confirm")
        elif (asks and slots and not (later and _IF.search(text))) or (
            text.endswith(":") and cues.listing.search(text) is not None
        ):
            found.add("ask")
        elif later:
            found.add("later")
        elif question:
            found |= self._question(text)
        elif self._claims(text):
            found.add("claim")
        elif cues.wait.search(text):
            found.add("wait")
        return found

    def _handed_over(self, text: str, question: bool) -> set[str]:
        if not self.cues.handover.search(text) and not (question and self.cues.ask_handover.search(text)):
            return set()
        offered = question or self.cues.offer_handover.search(text) is not None
        return {"transfer", "offer"} if offered else {"transfer"}

    def _refuses(self, text: str, question: bool) -> bool:
        cues = self.cues
        if question:
            return False
        return (
            (cues.refuse.search(text) is not None and not cues.refuse_not.search(text))
            or cues.refuse_because.search(text) is not None
            or cues.unavailable.search(text) is not None
        )

    def _claims(self, text: str) -> bool:
        claim = self.cues.done.search(text) or _NUMBER_AND_DONE.search(text)
        return claim is not None and not self.cues.not_done.search(text, 0, claim.start()) and "already" not in claim[0]

    def _question(self, text: str) -> set[str]:
        if self.cues.help.search(text):
            return {"help"}
        return {"offer"} if self.cues.offer.search(text) else {"ask"}

    def _by_place(self, segment: Segment, text: str) -> set[str]:
        above = self.led_by(segment)
        if _ALTERNATIVE.search(text):
            return {"option"}
        if segment.depth and above & {"ask", "claim", "propose", "option", "confirm"}:
            return set(above & {"ask", "claim", "propose", "option"}) or {"propose"}
        if text.endswith(":") and _CHOICES.search(text):
            return {"option"}
        if _DEED.search(text) or _SUMS_UP.search(text):
            return {"propose"}
        return set()
