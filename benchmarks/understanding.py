"""What the agenda user understands of labelled utterances: precision and recall by act, in percent.

python benchmarks/understanding.py heldout4 heldout5
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from measure import show
from smallest import add_smoke

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "users" / "agenda"))
from tagged_scores import scores


def main() -> None:
    """Measure and print: by act, what is asked for taken together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=["heldout3", "heldout4", "heldout5", "norecord3", "chinese"])
    add_smoke(parser)
    options = parser.parse_args()
    for kind in ["chinese"] if options.smoke else options.kinds:
        rows: dict[str, dict[str, float]] = {}
        for domain in ("retail", "airline"):
            hits, extra, missed = (_by_act(counter) for counter in scores(kind, domain))
            for act in sorted({*hits, *extra, *missed}):
                right, wrong, lost = hits[act], extra[act], missed[act]
                row = rows.setdefault(act, {})
                row[f"{domain} of"] = right + lost
                row[f"{domain} precision"] = 100 * right / (right + wrong) if right + wrong else 0.0
                row[f"{domain} recall"] = 100 * right / (right + lost) if right + lost else 0.0
        columns = [f"{domain} {name}" for domain in ("retail", "airline") for name in ("of", "precision", "recall")]
        show(f"Understood, {kind}", columns, {act: rows[act] for act in sorted(rows)})


def _by_act(counter: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for label, number in counter.items():
        found["ask" if label.startswith("ask:") else label] += number
        found["all"] += number
    return found


if __name__ == "__main__":
    main()
