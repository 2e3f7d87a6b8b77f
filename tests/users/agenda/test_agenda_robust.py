from __future__ import annotations

import random

import pytest

from .people import cancel, exchange, redirect, user

WORDS = (
    *(
        "please",
        "provide",
        "your",
        "email",
        "zip",
        "code",
        "order",
        "number",
        "items",
        "yes",
        "no",
        "confirm",
        "cancelled",
    ),
    *(
        "is",
        "has",
        "been",
        "would",
        "you",
        "like",
        "to",
        "me",
        "i",
        "(yes/no)",
        "the",
        ",",
        ".",
        "?",
        "!",
        "-",
        "1.",
        "**",
    ),
    *(
        "cannot",
        "exchange",
        "return",
        "for",
        "with",
        "what",
        "which",
        "new",
        "not",
        "available",
        "transfer",
        "human",
        "\n",
    ),
)

CASES = {
    "empty": "",
    "blank": " \n\t ",
    "letters": "a" * 100_000,
    "spaces": " " * 100_000,
    "lines": "\n" * 100_000,
    "brackets": "(" * 100_000,
    "yes/no": "yes/no " * 15_000,
    "table": "|---" * 25_000,
    "stars": "*_`#" * 25_000,
    "digits": "1" * 100_000,
    "ids": "#W1234567 " * 10_000,
    "mail": "a@" * 50_000,
    "control": "\x00\x01\x02\x03" * 25_000,
    "emoji": "\u202e\U0001f600e\u0301" * 25_000,
    "json": '{"name": "cancel_pending_order", "arguments": {"order_id": "#W1234567"}}',
    "braces": "{value} {0} [a|b] %s " * 1000,
    "what": "what the a of " * 8_000,
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_no_text_crashes_the_user(name: str) -> None:
    for request in (cancel(), exchange(), redirect()):
        session = user(request)
        for _ in range(3):
            reply = session.reply(CASES[name])
            assert reply.text
            assert len(reply.text) < 2000


def test_random_word_salad_never_crashes_and_always_ends() -> None:
    rng = random.Random(5)
    for seed in range(150):
        session = user(cancel(), exchange(), persona="chatty", noise=0.5, seed=seed)
        for _ in range(60):
            reply = session.reply(" ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 60))))
            assert "\x02" not in reply.text
            if reply.stop:
                break
