"""How well a model plays the user: its replies word for word, and what the expert achieves with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from mua_env.core.messages import AssistantMessage, Message
from mua_env.inference.serving.decoding import Sampling
from mua_env.inference.serving.local_model import LocalModel, Reply
from mua_env.training.user_model.dialogues import UserDialogues
from mua_env.users.llm.guards import agrees
from mua_env.users.llm.prompts import STOP

SPARE = 8
"""Tokens that a reply may be longer than the right one; beyond, it is cut: it is wrong by then."""


@dataclass(frozen=True)
class Asked:
    """One reply: what is right, what the model said, and whether the agent had proposed something wrong."""

    right: str
    said: str
    wrong_proposal: bool


def measure_replies(model: str | os.PathLike[str] | LocalModel, dialogues: UserDialogues) -> dict[str, float]:
    """Greedy replies after each of the agent's messages of held-out dialogues, the history as it really was.

    Returns:
        ``replies``; ``exact`` (how many are word for word right); ``stops_right`` (they end the dialogue exactly where
        the agenda user does); ``wrong_proposals`` of the agent among them, and how many the model ``agreed`` to.
    """
    asked = ask_all(model, dialogues)
    wrong = [one for one in asked if one.wrong_proposal]
    return {
        "replies": len(asked),
        "exact": sum(one.said == one.right for one in asked),
        "stops_right": sum((STOP in one.said) == (STOP in one.right) for one in asked),
        "wrong_proposals": len(wrong),
        "agreed": sum(agrees(one.said) for one in wrong),
    }


def ask_all(model: str | os.PathLike[str] | LocalModel, dialogues: UserDialogues) -> list[Asked]:
    """Every reply of the dialogues, asked of the model."""
    engine = model if isinstance(model, LocalModel) else LocalModel(model)
    try:
        waiting: list[tuple[Future[Reply], str, bool]] = []
        for messages, slip in zip(dialogues.dialogues, dialogues.slips, strict=True):
            for index, message in enumerate(messages):
                if isinstance(message, AssistantMessage):
                    right = message.content or ""
                    limit = Sampling(max_tokens=engine.count_tokens(right) + SPARE)
                    reply = engine.submit(_form(messages[:index]), limit)
                    waiting.append((reply, right, slip == index - 1))
        return [Asked(right, reply.result().text.strip(), wrong) for reply, right, wrong in waiting]
    finally:
        if engine is not model:
            engine.close()


def _form(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [{"role": message.role, "content": message.content or ""} for message in messages]
