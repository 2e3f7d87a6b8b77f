"""Train the tagger of a domain's reasons, and write its weights: ``python scripts/train_reasons.py``

It learns from wordings made here (``reasons/DOMAIN.txt`` and, for what is no reason of any rule, ``reasons/any.txt``):
each line stands for many, ``{a|b}`` for either. A line under ``[rule other-rule]`` gives any of these rules, under
``[-]`` none. With ``--test`` every fifth line is kept back and what is found in it is printed instead.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from zlib import crc32

from mua_env.inference.linear import LinearModel
from mua_env.users.agenda.nlu.reason_tagger import LEAST, reason_features, spans

FOLDER = Path(__file__).with_name("reasons")
DOMAINS = ("retail", "airline", "telecom")
_EITHER = re.compile(r"\{([^{}]*)\}")
_WRAPS = (
    "{c}",
    "{c}",
    "{c}",
    "I'm sorry, but {c}",
    "{no} because {c}",
    "{no}, since {c}",
    "{no} as {c}",
    "{c}, so {no}",
    "{c} and {no}",
    "the reason is that {c}",
    "our policy is that {c}",
    "unfortunately {c}",
    "I've checked and {c}",
    "{c}, which is why {no}",
    "{no}: {c}",
)
_NO = (
    "I can't do that",
    "I cannot do this",
    "I am unable to help with it",
    "that isn't possible",
    "this can't be done",
    "I have to decline",
    "I'm not able to process your request",
    "it won't work",
    "I can't go ahead",
    "I must refuse this request",
)
Line = tuple[frozenset[str], str]


def lines(file: Path) -> Iterator[Line]:
    """The lines of a file with the rules that each gives."""
    rules: frozenset[str] = frozenset()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rules = frozenset(line.strip("[]").split()) - {"-"}
        elif line and not line.startswith("#"):
            yield rules, line


def expanded(line: str, rng: Random) -> str:
    """One wording of a line."""
    return " ".join(_EITHER.sub(lambda found: rng.choice(found[1].split("|")), line).split())


def wordings(
    given: Sequence[Line], cues: Mapping[str, re.Pattern[str]], count: int, seed: int
) -> Iterator[tuple[list[str], frozenset[str]]]:
    """So many wordings of each line, most within a sentence that refuses; no word is in all of them."""
    rng = Random(seed)
    for rules, line in given:
        for _ in range(count if rules else 3 * count):
            text = rng.choice(_WRAPS).format(c=expanded(line, rng), no=rng.choice(_NO))
            drop = rng.choice((0.0, 0.3, 0.6))
            yield [feature for feature in reason_features(text, cues) if rng.random() >= drop], rules


def test(model: LinearModel, cues: Mapping[str, re.Pattern[str]], held: Sequence[Line]) -> None:
    """Print how many wordings of lines that were kept back give their rules, and no others."""
    rng = Random(1)
    total, right, other = Counter[str](), Counter[str](), Counter[str]()
    for rules, line in held:
        name = " ".join(sorted(rules)) or "-"
        for _ in range(10):
            text = rng.choice(_WRAPS).format(c=expanded(line, rng), no=rng.choice(_NO))
            found = [model.scores(reason_features(span, cues)) for span in spans(text)]
            given = {rule for scores in found for rule, score in scores.items() if score >= LEAST}
            total[name] += 1
            right[name] += bool(given & rules) if rules else not given
            other[name] += bool(given - rules)
    for name, count in total.items():
        print(
            f"  {name}: right {100 * right[name] / count:.0f} %, another {100 * other[name] / count:.0f} % of {count}"
        )


def main() -> None:
    """Fit and write, or test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", nargs="+", default=list(DOMAINS), choices=DOMAINS)
    parser.add_argument("--count", type=int, default=40, help="wordings of each line")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--buckets", type=int, default=2**13)
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args()
    for domain in options.domain:
        every = [*lines(FOLDER / f"{domain}.txt"), *lines(FOLDER / "any.txt")]
        labels = sorted({rule for rules, _ in every for rule in rules})
        held = [line for line in every if crc32(line[1].encode()) % 5 == 0] if options.test else []
        language = import_module(f"mua_env.envs.{domain}.language.reasons")
        cues = language.REASONS.cues
        learnt = list(wordings([line for line in every if line not in held], cues, options.count, 0))
        model = LinearModel.fit(learnt, labels, buckets=options.buckets, epochs=options.epochs)
        print(f"{domain}: {len(every)} lines")
        if options.test:
            test(model, cues, held)
            continue
        model.save(Path(str(language.__file__)).with_suffix(".npz"))


if __name__ == "__main__":
    main()
