"""What is read of a text is bounded before the first pattern, and what is said in an ordinary one is all read."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from mua_env import AgendaUser, Session, load_setting
from mua_env.users.agenda import operations
from mua_env.users.agenda.language import followed_by
from mua_env.users.agenda.nlu import dialogue_acts
from mua_env.users.agenda.nlu.dialogue_acts import HEAD, TAIL, plain, readable, sentences
from mua_env.users.agenda.operations import MOST_LOOKED_AT, guided

RUNS = (
    *" \n\t\r\v\f\u00a0\u2003\u2028\u3000\x00-_*.,:;!?'\"()[]{}<>|#=~\u2022\u2019\uff0c\u3002\u7684\u0301\U0001f600",
    *("5", "a"),
)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"U+{ord(run):04X}")
@pytest.mark.parametrize("form", ["{}", "Could you{}?", "please confirm {} yes/no", "tell me {} and {} turn it on"])
def test_no_run_is_left_before_the_first_pattern(run: str, form: str) -> None:
    for size in (100, 8990, 100_000):
        text = readable(form.replace("{}", run * size))
        assert len(text) <= HEAD + TAIL + 1
        assert re.search(r"\s{2}", text) is None
        assert re.search(r"([^0-9A-Za-z])\1{3}", text) is None
        assert max(map(len, re.findall(r"[^\W\u4e00-\u9fff]+", text)), default=0) <= 64
        assert max(map(len, re.findall(r"[^.?!\n]+", text)), default=0) <= 800


@pytest.mark.parametrize(
    "unit", [". , ", "*-", "a ", "ab, ", "\u597d\u7684", "x" * 70 + " ", "| - ", "could you tell me "]
)
def test_nothing_goes_on_without_an_end(unit: str) -> None:
    for text in sentences(plain(unit * 5000)):
        assert len(text) <= 801


def test_reading_twice_is_reading_once() -> None:
    rng = Random(4)
    for _ in range(200):
        text = "".join(rng.choice("ab5 \n\t.,?-*_\u2003\u597d") * rng.choice((1, 2, 90)) for _ in range(60))
        assert readable(readable(text)) == readable(text)


LONG = "".join(
    f"{number}. The lamp of order #W{number:07} costs $12.50, ships to 12 Oak Street, Apt. 4, on 2024-05-15, for no"
    " fee.\n"
    for number in range(76)
)


def test_an_ordinary_text_of_eight_thousand_characters_is_read_whole() -> None:
    assert 7500 < len(LONG) < HEAD + TAIL
    assert readable(LONG) == LONG
    assert "".join(sentences(plain(LONG))).count("#W") == 76


@pytest.mark.parametrize("sentence", ["Yes or no? ", "Please confirm. ", "Ok.\n"])
def test_of_many_sentences_the_first_and_the_last_are_read(sentence: str) -> None:
    found = sentences(f"Hello! {sentence * 1000} Shall I go ahead?")
    assert len(found) <= 240
    assert (found[0], found[-1]) == ("Hello!", "Shall I go ahead?")


def test_a_long_sentence_is_broken_between_words_and_keeps_them_all() -> None:
    words = [f"word{number}" for number in range(700)]
    assert readable(" ".join(words)).split() == words


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_pattern_of_a_user_sees_more_than_is_bounded(
    domain: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the domain's own readers are given is what `readable` returns."""
    session = Session(load_setting(domain, "test"), AgendaUser(language=language))
    session.start(session.setting.tasks[0])
    spoken = session._line.user.language  # type: ignore[union-attr]
    seen: list[str] = []

    def noted(name: str) -> None:
        read = getattr(type(spoken), name)

        def note(self: Any, *args: Any, **options: Any) -> Any:
            seen.extend(arg for arg in args if isinstance(arg, str))
            return read(self, *args, **options)

        monkeypatch.setattr(type(spoken), name, note)

    for name in ("hear", "guidance", "named", "compare", "answered", "refine"):
        noted(name)
    for text in ("Could you" + "\n" * 8990 + "?", "\u8bf7" * 50_000, "shall I cancel it? " * 3000, "5" * 100_000):
        session.send(text)
        if session.episode.ended:
            session.start(session.setting.tasks[0])
    assert seen
    heard = [text for text in seen if len(text) > HEAD + TAIL + 1]
    # Cue words are longer than the Chinese that they stand for; they are bounded before they are read as acts.
    assert language == "zh" or not heard
    session.close()


def test_instructions_are_looked_for_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = load_setting("telecom", "test")
    language: Any = setting.domain.language
    tools = [tool["function"]["name"] for tool in setting.user_tools]
    looked = 0
    within = operations._in_sentence

    def count(sentence: str, able: Any) -> Any:
        nonlocal looked
        looked += len(sentence) * len(able)
        return within(sentence, able)

    monkeypatch.setattr(operations, "_in_sentence", count)
    words = sorted({word for operation in language.operations for word in operation.words})
    guided("\n".join(" ".join(["see", *words]) for _ in range(40)), language, tools)
    assert 0 < looked <= MOST_LOOKED_AT
    steps = "\n".join(f"{n}. Please check your status bar, then turn on mobile data." for n in range(100))
    looked = 0
    assert guided(steps, language, tools)
    assert looked < MOST_LOOKED_AT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("change the flight", True),
        ("flight, then a change", False),
        ("a flight to change, and the flight", True),
        ("change it.\nThe\nflights are", True),
        ("exchange", False),
    ],
)
def test_one_thing_anywhere_before_another(text: str, found: bool) -> None:
    assert (re.search(followed_by(r"\bchang\w*", r"\bflights?\b"), text) is not None) is found


def test_texts_are_read_once_a_turn() -> None:
    dialogue_acts._readable.cache_clear()
    session = Session(load_setting("telecom", "test"), AgendaUser())
    session.start(session.setting.tasks[0])
    session.send("Could you check your status bar, please?")
    assert dialogue_acts._readable.cache_info().misses <= 4
    session.close()
