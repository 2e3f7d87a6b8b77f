"""How requests end: what generators of tasks and their gold go by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mua_env.core.tasks import Request, Requirement


def settled(request: Request, *, changed: bool = True) -> Request:
    """A request as it ends: the fallback in place of what was refused, a changed mind carried out.

    Args:
        request: what the user begins with.
        changed: apply the change of mind; ``False`` gives what the user wanted before it.
    """
    if request.fallback is not None:
        return settled(request.fallback, changed=changed)
    if changed and request.change is not None:
        return request.model_copy(update={"slots": request.slots | request.change.slots, "change": None})
    return request


def chain(request: Request) -> list[Request]:
    """A request and the fallbacks behind it."""
    return [request, *(chain(request.fallback) if request.fallback else [])]


def required(ends: Iterable[Request], *, handed_over: Sequence[str]) -> tuple[Requirement, ...]:
    """What must hold besides the database: refusals, transfers, answers; each once.

    Args:
        ends: requests as they end.
        handed_over: beginnings of words, of which a transfer must give one as its reason.
    """
    found = []
    for request in ends:
        if request.outcome == "refused":
            found.append(Requirement(kind="refusal", intent=request.intent))
        elif request.outcome == "transferred":
            reason = tuple(handed_over)
            found.append(Requirement(kind="terminal_tool", name="transfer_to_human_agents", reason=reason))
        elif request.outcome == "answered":
            found.append(Requirement(kind="told", value=request.slots["answer"]))
    return tuple(dict.fromkeys(found))
