"""Copies of dialogues with other names and digits."""

from __future__ import annotations

import random

import pytest

from mua_env.inference.chat_tokens import ChatTokens
from mua_env.training.data.augmentation import Augmentation
from mua_env.training.data.demonstrations import Demonstrations
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.quickstart import quickstart_config
from mua_env.training.rollout.pool import make_mixed_pool
from mua_env.training.tiny_model.start import start_from_nothing


@pytest.fixture(scope="module")
def made() -> tuple[ChatTokens, list[TokenTrajectory], Augmentation]:
    config = quickstart_config()
    pool = make_mixed_pool(config.environment)
    found = Demonstrations.collect(pool, count=200, style="compact", tools="compact", seed=0)
    _, tokenizer = start_from_nothing(found, config.model.scratch, seed=0)
    chat = ChatTokens(tokenizer)
    dialogues = found.encode(chat, seed=0)
    pool.close()
    return chat, dialogues, Augmentation(tokenizer, dialogues)


def test_what_was_equal_is_equal_still_and_nothing_else(
    made: tuple[ChatTokens, list[TokenTrajectory], Augmentation],
) -> None:
    _, dialogues, shuffler = made
    for number, dialogue in enumerate(dialogues[:40]):
        copy = shuffler.copy(dialogue, random.Random(number))
        copy.check()
        assert copy.mask == dialogue.mask
        assert copy.spans == dialogue.spans
        pairs = set(zip(dialogue.ids, copy.ids, strict=True))
        assert len(pairs) == len(set(dialogue.ids)) == len(set(copy.ids))
        assert copy.ids != dialogue.ids


def test_digits_stay_digits_and_requests_stay_requests(
    made: tuple[ChatTokens, list[TokenTrajectory], Augmentation],
) -> None:
    chat, dialogues, shuffler = made
    kept = ("cancel", "order", "address", "status", "tracking", "total", "email", "zip", "find_user_id", "Confirm")
    for number, dialogue in enumerate(dialogues[:40]):
        before, after = (chat.decode(t.ids) for t in (dialogue, shuffler.copy(dialogue, random.Random(number))))
        assert [before.count(word) for word in kept] == [after.count(word) for word in kept]
        assert sum(c.isdigit() for c in before) == sum(c.isdigit() for c in after)


def test_names_are_rare_and_differ_from_copy_to_copy(
    made: tuple[ChatTokens, list[TokenTrajectory], Augmentation],
) -> None:
    chat, dialogues, shuffler = made
    assert {"digit", "title0", "lower0"} <= set(shuffler.kinds)
    rng = random.Random(0)
    copies = {chat.decode(shuffler.copy(dialogues[0], rng).ids) for _ in range(5)}
    assert len(copies) == 5
    assert shuffler.copy(dialogues[0], random.Random(7)).ids == shuffler.copy(dialogues[0], random.Random(7)).ids
