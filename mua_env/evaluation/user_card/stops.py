"""Whether the user ended the dialogue at the right time: the measures of early and late stops."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mua_env.core.tasks import Request
from mua_env.evaluation.user_card import cues
from mua_env.evaluation.user_card.dialogue import Exchange, Ground
from mua_env.evaluation.user_card.facts import mentions
from mua_env.evaluation.user_card.measures import Violation

_TRANSFERRED = re.compile(r"\byou are being transferred to a human agent\b", re.IGNORECASE)
PATIENCE = 3
"""Useless turns of the agent in a row after which nobody is blamed for leaving."""


def early_stop(dialogue: Sequence[Exchange], ground: Ground) -> list[Violation]:
    """The user left while the agent waited for a yes, had not acted on one, or had things left to do.

    Whoever leaves after three useless turns of the agent has given up (see :func:`gave_up`), and is not counted. What
    is left to do is reckoned in the user's favour: a text that claims, refuses or answers something, and each writing
    tool that succeeded, may have settled one request. A transfer that has been made leaves nothing to do.
    """
    if not dialogue or not dialogue[-1].stop or gave_up(dialogue, ground):
        return []
    last = dialogue[-1]
    if _handed_over(last):
        return []
    if cues.ASKS_TO_CONFIRM.search(last.text) and not cues.CLAIMS_DONE.search(last.text):
        if not cues.declines(last.said):
            return [_early(last, "the agent waits for a confirmation")]
    elif _unacted(dialogue):
        return [_early(last, "the agent has not acted on the last confirmation")]
    wanted = len(ground.task.goal.requests) if ground.task.goal else 0
    settled = sum(_settled(turn, ground) for turn in dialogue) + len(_witnessed(dialogue, ground))
    if settled < wanted:
        return [_early(last, f"{settled} of {wanted} requests can be settled")]
    return []


def late_stop(dialogue: Sequence[Exchange], ground: Ground) -> list[Violation]:
    """The user went on twice after everything was settled and the agent had closed.

    What is settled is reckoned in the user's favour again: refusals that follow each other count once, and a change
    of mind planned for after a confirmation makes one more thing to do.
    """
    goal = ground.task.goal
    if goal is None:
        return []
    changes = sum(request.change is not None and request.change.after == "confirmation" for request in goal.requests)
    # What the user believes only when it has seen it cannot be settled by a claim.
    seen = {at: turn for turn, at in _witnessed(dialogue, ground)}
    by_claim = [at for at, request in enumerate(goal.requests) if not _must_see(request, ground)]
    if len(by_claim) + len(seen) < len(goal.requests):
        return []
    wanted = len(by_claim) + changes
    settled, refusing, on = 0, False, []
    for turn in dialogue:
        refuses = _refuses(turn.text)
        claims = _claims(turn.text) and not refuses
        settled += claims or (refuses and not refusing)
        refusing = refuses
        done = settled >= wanted and all(at <= turn.turn for at in seen.values())
        if done and cues.CLOSES.search(turn.text) and not turn.stop:
            on.append(turn)
    if len(on) < 2:
        return []
    return [Violation(measure="late_stop", turn=on[-1].turn, detail=f"went on after {on[-1].text!r}: {on[-1].said!r}")]


def gave_up(dialogue: Sequence[Exchange], ground: Ground) -> bool:
    """Whether the user left after three turns of the agent in a row that led nowhere.

    A turn leads somewhere that proposes, claims, refuses or answers something, writes, has the user do something with
    its own tools, or asks for what was not asked for before, and does not repeat an earlier one.
    """
    if not dialogue or not dialogue[-1].stop:
        return False
    useless, asked, before = 0, set[str](), set[str]()
    for turn in dialogue[1:]:
        new = {name for name, slot in ground.language.slots.items() if slot.pattern.search(turn.text)} - asked
        useful = bool(new) or _moves(turn, ground)
        useless = 0 if (useful and turn.text not in before) or turn.writes else useless + 1
        asked |= new
        before.add(turn.text)
    return useless >= PATIENCE


def _early(turn: Exchange, why: str) -> Violation:
    return Violation(measure="early_stop", turn=turn.turn, detail=f"{why}: {turn.said!r} to {turn.text[-160:]!r}")


def _unacted(dialogue: Sequence[Exchange]) -> bool:
    """Whether nothing was done, claimed or refused after the last yes."""
    pending = False
    for turn in dialogue:
        if turn.writes or cues.CLAIMS_DONE.search(turn.text) or cues.REFUSES.search(turn.text):
            pending = False
        if cues.ASKS_TO_CONFIRM.search(turn.text) and cues.agrees(turn.said) and not turn.stop:
            pending = True
    return pending


def _handed_over(turn: Exchange) -> bool:
    """Whether the agent has called a tool and says that the user is being transferred: the user ends it there."""
    return bool(turn.results) and _TRANSFERRED.search(turn.text) is not None


def _claims(text: str) -> bool:
    return cues.CLAIMS_DONE.search(text) is not None and cues.ASKS_TO_CONFIRM.search(text) is None


def _refuses(text: str) -> bool:
    """Whether a text refuses; one that proposes something instead does not settle anything."""
    return cues.REFUSES.search(text) is not None and cues.ASKS_TO_CONFIRM.search(text) is None


def _settled(turn: Exchange, ground: Ground) -> int:
    """How many requests an exchange may have settled."""
    spoken = _claims(turn.text) or _refuses(turn.text) or _answers(turn.text, ground)
    return max(len(turn.writes), int(spoken))


def _must_see(request: Request, ground: Ground) -> bool:
    intent = ground.language.intents.get(request.intent)
    return intent is not None and intent.witnessed


def _witnessed(dialogue: Sequence[Exchange], ground: Ground) -> list[tuple[int, int]]:
    """The turns in which the user saw with its own tools that a request is fulfilled, with the request's position."""
    found: dict[int, int] = {}
    for at, request in enumerate(ground.task.goal.requests if ground.task.goal else ()):
        for turn in dialogue if _must_see(request, ground) else ():
            if turn.shown and ground.language.settled(request.intent, request.slots, turn.shown):
                found.setdefault(at, turn.turn)
    return [(turn, at) for at, turn in found.items()]


def _moves(turn: Exchange, ground: Ground) -> bool:
    signs = (cues.ASKS_TO_CONFIRM, cues.CLAIMS_DONE, cues.REFUSES)
    return bool(turn.shown) or any(sign.search(turn.text) for sign in signs) or _answers(turn.text, ground)


def _answers(text: str, ground: Ground) -> bool:
    for request in ground.task.goal.requests if ground.task.goal else ():
        if request.outcome != "answered":
            continue
        if ground.language.answered(request.slots, text) or mentions(text, str(request.slots.get("answer", "\0"))):
            return True
    return False
