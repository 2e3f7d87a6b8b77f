"""An agent that knows the gold actions: it makes its own, and tells the customer in words to do theirs."""

from __future__ import annotations

from mua_env import Session, Task
from mua_env.core.messages import AssistantMessage, ToolCall
from mua_env.core.tasks import Action
from mua_env.episode.session import StepResult


def calling(*actions: Action) -> AssistantMessage:
    calls = [{"id": str(i), "function": {"name": a.name, "arguments": a.arguments}} for i, a in enumerate(actions)]
    return AssistantMessage(tool_calls=tuple(map(ToolCall.model_validate, calls)))


def telling(action: Action) -> str:
    given = action.arguments
    if action.name == "apply_for_credit_card":
        return f"I recommend the {given['card_type']}: please apply for it."
    if action.name == "submit_referral":
        return f"I recommend the {given['account_type']}: please submit a referral for it."
    return f"Please use {given['discoverable_tool_name']} with {given.get('arguments')}."


def serve(session: Session, task: Task) -> StepResult:
    """Hold the dialogue of a task to its end."""
    result = session.start(task)
    for action in task.actions:
        if not result.done:
            result = session.send(calling(action) if action.requestor == "agent" else telling(action))
    for _ in range(20):
        if not result.done:
            result = session.send("Is there anything else?")
    return result
