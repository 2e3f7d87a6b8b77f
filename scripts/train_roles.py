"""Train the classifier that tells a customer's line from an agent's, `mua_env.users.llm.roles`.

It learns from three sources: real turns of language models as agents and as users (a file of JSON lines, each with
``dialogue``, ``agent`` and ``llm_user``), dialogues of the scripted experts with the agenda user, and lines made here
(`role_text`, `role_lines.txt`). Of the real turns nothing but the weights is kept. Cross-validation leaves out whole
dialogues.

    python scripts/train_roles.py turns.jsonl.gz --folds 3
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from role_text import lines

from mua_env import AgendaUser, Session, import_domain, load_setting
from mua_env.inference.linear import LinearModel
from mua_env.users.llm.roles import ENOUGH, LABEL, WEIGHTS, role_features

DESCRIBED = Path(__file__).resolve().parents[1] / "examples" / "domains"
DOMAINS, LANGUAGES = ("retail", "airline", "telecom"), ("en", "zh")
PERSONAS = ("terse", "plain", "polite", "chatty", "confused", "impatient")
PER_TEMPLATE, DIALOGUES, WRITTEN = 100, 120, 4
"""Lines of each template, dialogues of each domain and language, and how often each written line is seen in a pass."""
_MARKER = re.compile(r"#+\s*[A-Z-]+\s*#+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
Line = tuple[str, str]


def main() -> None:
    """Read the arguments, train, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("turns", type=Path, help="real turns, as .jsonl.gz")
    parser.add_argument("--folds", type=int, default=0, help="cross-validate first; 0 for not at all")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    with gzip.open(arguments.turns, "rt", encoding="utf-8") as file:
        turns = [json.loads(line) for line in file]
    made = [*lines(Random(0), PER_TEMPLATE), *written() * WRITTEN, *sorted(set(scripted()))]
    for fold in range(arguments.folds):
        held = set(shuffled({turn["dialogue"] for turn in turns})[fold :: arguments.folds])
        model = train([turn for turn in turns if turn["dialogue"] not in held], made)
        print(report(model, real(turn for turn in turns if turn["dialogue"] in held)), file=sys.stderr)
    train(turns, made).save(arguments.out)


def train(turns: Iterable[dict[str, Any]], made: Iterable[Line]) -> LinearModel:
    """A model of real turns and made lines."""
    rng = Random(1)
    examples = [*(part for line in real(turns) for part in with_parts(line, rng)), *made]
    labelled = ((role_features(text), {LABEL} if role == LABEL else set()) for text, role in examples)
    return LinearModel.fit(labelled, [LABEL], buckets=2**15, epochs=6)


def real(turns: Iterable[dict[str, Any]]) -> Iterator[Line]:
    """The two lines of each turn, without markers."""
    for turn in turns:
        for field, role in (("agent", LABEL), ("llm_user", "customer")):
            text = _MARKER.sub("", turn[field]).strip()
            if text:
                yield text, role


def written() -> list[Line]:
    """Lines that were written one by one."""
    text = Path(__file__).with_name("role_lines.txt").read_text(encoding="utf-8")
    return [(line.partition("\t")[2], line.partition("\t")[0]) for line in text.splitlines()]


def with_parts(line: Line, rng: Random) -> Iterator[Line]:
    """A line, and some of its sentences alone: slips are short."""
    text, role = line
    yield line
    sentences = [part for part in _SENTENCE_END.split(text) if len(part) > 12]
    if len(sentences) > 1:
        yield from ((part, role) for part in rng.sample(sentences, 2))
    if len(sentences) > 2:
        yield " ".join(sentences[:2]), role


def scripted() -> Iterator[Line]:
    """What experts and agenda users say to each other."""
    described = [import_domain(str(path)) for path in sorted(DESCRIBED.glob("*.py"))]
    for domain in (*DOMAINS, *described):
        setting = load_setting(domain, "train" if isinstance(domain, str) else "generate:level=3")
        code = setting.domain.language.code
        for language in LANGUAGES if isinstance(domain, str) else (code,):
            for number in range(DIALOGUES):
                user = AgendaUser(persona=PERSONAS[number % len(PERSONAS)], noise=number % 3 / 2, language=language)
                yield from dialogue(Session(setting, user), number, language)


def dialogue(session: Session, number: int, language: str) -> Iterator[Line]:
    """The lines of one dialogue."""
    setting = session.setting
    more: dict[str, Any] = {"language": language} if language != setting.domain.language.code else {}
    more |= {"style": "compact"} if setting.domain.name in DOMAINS and (language != "en" or not number % 2) else {}
    agent = setting.domain.expert(**more)
    task = setting.tasks[number * min(len(setting.tasks), 4 * DIALOGUES) // DIALOGUES]
    agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=number)
    step = session.start(task, seed=number)
    while not step.done:
        yield from ((m.content, "customer") for m in step.messages if m.role == "user" and m.content)
        turn = agent.act(step.messages)
        if turn.content:
            yield turn.content, LABEL
        step = session.send(turn)


def shuffled(names: set[str]) -> list[str]:
    """In an order that is always the same."""
    ordered = sorted(names)
    Random(3).shuffle(ordered)
    return ordered


def report(model: LinearModel, held: Iterable[Line]) -> str:
    """How many of each role's lines are taken for an agent's, at the threshold that is used."""
    taken: dict[str, list[bool]] = {LABEL: [], "customer": []}
    for text, role in held:
        taken[role].append(model.scores(role_features(text))[LABEL] >= ENOUGH)
    shares = (f"{role} {sum(found) / len(found):.2%} of {len(found)}" for role, found in taken.items())
    return f"taken for the agent's at {ENOUGH}: {', '.join(shares)}"


if __name__ == "__main__":
    main()
