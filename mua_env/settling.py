"""How requests end: what generators of tasks and their gold go by."""

from __future__ import annotations

from mua_env.tasks import Request


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
