"""CPU that a user takes for a turn of an agent that writes hostile text, over generated texts, by domain and language.

python benchmarks/hostile_text.py --texts 2000

The texts attack what reads them: runs of every kind of character, cue words in runs and with runs between them, phrases
that begin patterns and never end them, lists, brackets, word salad. Cue words come from the domain's own patterns.
The script ends with status 1 when a text costs more than --limit-ms.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from measure import show
from smallest import add_smoke

from mua_env.domain.contract import Domain
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlu.cues import ENGLISH
from mua_env.users.agenda.user import LANGUAGES, AgendaUser

DOMAINS = ("retail", "airline", "telecom")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_WORD = re.compile(r"[a-z][a-z' -]*[a-z]")
_GROUPS = re.compile(r"\\.|\[[^\]]*\]|\{[^}]*\}|\(\?[^)|]*|[()|?*+^$]")
_RUNS = (
    *" \n\t\r\v\f\u00a0\u2003\u2028\u3000\u200b\u00ad\x00\x1b",
    *"5aZ_-*#`>|~=+.,:;!?'\"()[]{}<>/\\@$%&\u2013\u2014\u2022\u2019\u201c\uff0c\u3002\uff1f",
    *"\u7684\u8bf7\u60a8\u597d\u00e9\u0301\u202e\U0001f600",
    *("\r\n", " \n", "\n ", "\n\n- ", ". ", "? ", ", ", "a b ", "1 ", "1. ", "#W", "$1", "1,", "1."),
    *("@a.", "**a** ", "(a) ", "[](", "<a>", "&#9;"),
    *("- a: b\n", "| a | b |\n", "HAT001 ", "2024-05-15 ", "5:00 ", "\\n", "{value}", "[a|b] ", '"a" ', "it ", "not "),
)  # fmt: skip


@dataclass
class Worst:
    """The dearest text so far: CPU in seconds, its kind and beginning."""

    seconds: float = 0.0
    text: str = ""


def cues(language: DialogueLanguage, code: str) -> list[str]:
    """Words and phrases that stand in the patterns by which agents are understood."""
    patterns = [slot.asked for slot in language.slots.values()]
    patterns += [text for intent in language.intents.values() for text in (intent.named, intent.done)]
    patterns += [operation.asked for operation in language.operations]
    patterns += [pattern.pattern for pattern in vars(ENGLISH).values()]
    found = {part.strip() for text in patterns for part in _GROUPS.sub("\0", text).lower().split("\0")}
    words = {word for part in found for word in _WORD.findall(part)}
    if code == "zh":
        from mua_env.users.agenda.nlu.glossary import ACTS

        words |= {word for pattern, _ in ACTS for word in _HAN.findall(pattern)}
    return sorted(words)


def texts(rng: Random, words: Sequence[str], count: int) -> Iterator[str]:
    """Hostile texts, each kind of run and of phrase among them if ``count`` is large enough."""
    kinds = (_run, _repeated, _between, _two, _salad, _begun, _lines)
    for number in range(count):
        size = rng.choice((1500, 4000, 8000, 9000, 12_000, 16_000, 60_000))
        run = _RUNS[number // len(kinds) % len(_RUNS)]
        yield kinds[number % len(kinds)](rng, words, run, size)


def _filled(text: str, size: int) -> str:
    return text * max(1, size // len(text))


def _run(rng: Random, words: Sequence[str], run: str, size: int) -> str:
    return _filled(run, size)


def _repeated(rng: Random, words: Sequence[str], run: str, size: int) -> str:
    return _filled(rng.choice(words) + rng.choice((" ", "", run, ", ", "? ", "\n")), size)


def _between(rng: Random, words: Sequence[str], run: str, size: int) -> str:
    first, second = rng.choice(words), rng.choice(words)
    return f"{first} {_filled(run, size)} {second}{rng.choice(('', '?', '.', ':', ' yes/no?'))}"


def _two(rng: Random, words: Sequence[str], run: str, size: int) -> str:
    return _filled(f"{rng.choice(words)} {rng.choice(words)}{run}", size)


def _salad(rng: Random, words: Sequence[str], run: str, size: int) -> str:
    between = (" ", " ", " ", run, ", ", ". ", "? ", "\n", ": ")
    return "".join(rng.choice(words) + rng.choice(between) for _ in range(size // 6))


def _begun(rng: Random, words: Sequence[str], run: str, size: int) -> str:
    phrase = " ".join(rng.choice(words) for _ in range(rng.randint(2, 4)))
    return _filled(f"{phrase} ", size // 2) + _filled(run, size // 2)


def _lines(rng: Random, words: Sequence[str], run: str, size: int) -> str:
    lines = [
        f"{rng.choice(('- ', '1. ', '* ', '', '> ', '   '))}{rng.choice(words)}: {run * 3}" for _ in range(size // 20)
    ]
    return rng.choice(("Please provide the following:\n", "")) + "\n".join(lines)


def turn_seconds(session: Session, text: str, *, seed: int) -> float:
    """CPU seconds of one whole turn, tools of the user included; the dialogue has just begun or asked once."""
    task = session.setting.tasks[seed % len(session.setting.tasks)]
    session.start(task, seed=seed)
    if seed % 2:
        session.send("Let me check that for you. Could you tell me your full name, please?")
        if session.episode.ended:
            session.start(task, seed=seed)
    begun = time.process_time()
    session.send(text)
    return time.process_time() - begun


def measure(setting: Setting, code: str, count: int, *, seed: int) -> tuple[list[float], Worst]:
    """CPU seconds of each text, and the dearest text. What looks dear is measured again: the least time counts."""
    rng = Random(f"{setting.domain.name}/{code}/{seed}")
    language = _language(setting.domain, code)
    session = Session(setting, AgendaUser(language=code))
    times, worst = [], Worst()
    for number, text in enumerate(texts(rng, cues(language, code), count)):
        taken = turn_seconds(session, text, seed=number)
        if taken > max(0.01, worst.seconds):
            taken = min(taken, *(turn_seconds(session, text, seed=number) for _ in range(2)))
        times.append(taken)
        if taken > worst.seconds:
            worst = Worst(taken, text)
    session.close()
    return times, worst


def _language(domain: Domain, code: str) -> DialogueLanguage:
    language = domain.language
    assert isinstance(language, DialogueLanguage)
    return language.spoken(code)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=2000, help="for each domain and language (default 2000)")
    parser.add_argument("--limit-ms", type=float, default=50.0, help="of CPU for any text (default 50)")
    parser.add_argument("--domains", nargs="+", default=list(DOMAINS), choices=DOMAINS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", help="write the figures to this file")
    add_smoke(parser)
    options = parser.parse_args()
    if options.smoke:
        options.texts, options.limit_ms = 14, float("inf")
    rows: dict[str, dict[str, float]] = {name: {} for name in ("texts", "median, ms", "99 %, ms", "dearest, ms")}
    dear: dict[str, str] = {}
    for name in options.domains:
        for code in LANGUAGES:
            times, worst = measure(load_setting(name, "test"), code, options.texts, seed=options.seed)
            ordered = sorted(times)
            column = f"{name}, {code}"
            rows["texts"][column] = len(times)
            rows["median, ms"][column] = ordered[len(ordered) // 2] * 1e3
            rows["99 %, ms"][column] = ordered[len(ordered) * 99 // 100] * 1e3
            rows["dearest, ms"][column] = ordered[-1] * 1e3
            dear[column] = f"{len(worst.text)} characters: {worst.text[:70]!r} ... {worst.text[-20:]!r}"
    show("CPU of a user's turn on hostile text", list(dear), rows)
    for column, text in dear.items():
        print(f"dearest in {column}: {text}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"rows": rows, "dearest": dear}, file, indent=2)
    over = [column for column, value in rows["dearest, ms"].items() if value > options.limit_ms]
    if over:
        print(f"over {options.limit_ms:g} ms: {'; '.join(over)}")
        sys.exit(1)


if __name__ == "__main__":
    main()
