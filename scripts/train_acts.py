"""Train the tagger of acts, and write its weights: ``python scripts/train_acts.py --turns turns.jsonl.gz``

It learns from three sources: turns of real agents, labelled by hand (``acts_labels.jsonl`` beside this script names
them by their ids and holds none of their words; without ``--turns`` they are left out), text made here
(``acts_text.py``), and what the scripted experts of the domains say, whose acts are told by cue words. With ``--test``
every fifth labelled dialogue is kept back, and what the model makes of it is printed instead.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zlib import crc32

from acts_text import made

from mua_env import AgendaUser, Session, load_domain, load_setting
from mua_env.inference.linear import LinearModel
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlu.cue_acts import ACTS, CueActs, without_purpose
from mua_env.users.agenda.nlu.dialogue_acts import any_slot
from mua_env.users.agenda.nlu.segments import Segment, segments
from mua_env.users.agenda.nlu.tagger import WEIGHTS, Around, tag

LABELS = Path(__file__).with_name("acts_labels.jsonl")
DOMAINS = ("retail", "airline", "telecom")


@dataclass
class Text:
    """A text in segments, with the acts of each; ``key`` names the dialogue that it is from."""

    key: str
    segments: Sequence[Segment]
    heard: Sequence[str]
    cued: Sequence[frozenset[str]]
    acts: Sequence[frozenset[str]]

    def examples(self) -> Iterator[tuple[list[str], frozenset[str]]]:
        """Features and acts of each segment, its neighbours' acts taken as known."""
        around = Around(self.segments, self.heard, self.cued)
        for at, acts in enumerate(self.acts):
            before = self.acts[at - 1] if at else frozenset()
            if acts:
                yield around.every(at, before, around.above(at, self.acts)), acts


def read(text: str, language: DialogueLanguage) -> tuple[list[Segment], list[str], list[frozenset[str]]]:
    """A text in segments: as they are heard, and their acts by cue words."""
    cut = segments(text)
    heard = [" ".join(language.hear(segment.text).split()).lower() for segment in cut]
    cues = CueActs(language)
    names = any_slot(language)
    bare = [without_purpose(low) for low in heard]
    slots = [names.search(low) is not None for low in bare]
    return cut, heard, [cues.of(*each) for each in zip(cut, heard, bare, slots, strict=True)]


def labelled(turns: Path, labels: Path) -> Iterator[Text]:
    """The labelled turns whose segments are still those that were labelled."""
    known = {row["id"]: row for row in map(json.loads, labels.read_text(encoding="utf-8").splitlines())}
    with gzip.open(turns, "rt", encoding="utf-8") as lines:
        for turn in map(json.loads, lines):
            if turn["id"] not in known:
                continue
            cut, heard, cued = read(turn["agent"], load_domain(turn["domain"]).language)
            row = known[turn["id"]]
            sums = [crc32(segment.text.encode()) for segment in cut]
            if sums != row["crc32"]:
                print(f"left out, for its segments are others now: {turn['id']}")
                continue
            yield Text(turn["dialogue"], cut, heard, cued, [frozenset(acts) for acts in row["labels"]])


def made_here(count: int) -> Iterator[Text]:
    """Texts from templates; those whose lines are no segments of their own are left out."""
    languages = {(name, code): load_domain(name).language.spoken(code) for name in DOMAINS for code in ("en", "zh")}
    rng = Random(0)
    for number, lines in enumerate(made(rng, count)):
        text = "\n".join(line for _, line in lines)
        code = "zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"
        cut, heard, cued = read(text, languages[rng.choice(DOMAINS), code])
        acts = _placed(cut, lines)
        if acts is not None:
            yield Text(f"made/{number}", cut, heard, cued, acts)


def _placed(cut: Sequence[Segment], lines: Sequence[tuple[frozenset[str], str]]) -> list[frozenset[str]] | None:
    """The acts of segments by the lines that they are from; a line may be several."""
    left = [(acts, line) for acts, line in lines if acts]
    found = []
    for segment in cut:
        start = segment.text[:12].lower().strip("\"'")
        while left and start not in left[0][1].replace("*", "").lower():
            left.pop(0)
        if not left:
            return None
        found.append(left[0][0])
    return found


def experts(count: int) -> Iterator[Text]:
    """What the scripted experts say in the training tasks of their domains, with its acts by cue words."""
    for name in DOMAINS:
        for code in ("en", "zh"):
            setting = load_setting(name, "train")
            language, expert = setting.domain.language.spoken(code), setting.domain.expert(language=code)
            for number, task in enumerate(setting.tasks[:count]):
                session = Session(setting, AgendaUser(language=code))
                result = session.start(task, seed=0)
                expert.reset(system_prompt=session.system_prompt, tools=session.tools, seed=0)
                while not result.done:
                    message = expert.act(result.messages)
                    if getattr(message, "content", None):
                        cut, heard, cued = read(str(message.content), language)
                        yield Text(f"{name}/{code}/{number}", cut, heard, cued, cued)
                    result = session.send(message)
                session.close()


def test(texts: Sequence[Text], other: Sequence[Text], options: Mapping[str, int]) -> None:
    """Print precision and recall by act on every fifth dialogue, and by cue words alone."""
    held = [text for text in texts if crc32(text.key.encode()) % 5 == 0]
    model = fit([*other, *(text for text in texts if text not in held)], options)
    for name in ("cue words", "model"):
        hits, extra, missed = Counter[str](), Counter[str](), Counter[str]()
        whole = total = 0
        for text in held:
            found = text.cued if name == "cue words" else tag(text.segments, text.heard, text.cued, model)
            for got, wanted in zip(found, text.acts, strict=True):
                hits.update(got & wanted)
                extra.update(got - wanted)
                missed.update(wanted - got)
                whole += got == wanted
                total += 1
        print(f"{name}: the same acts on {100 * whole / total:.1f} % of {total} segments of {len(held)} turns")
        for act in ACTS:
            right, wrong, lost = hits[act], extra[act], missed[act]
            precision, recall = 100 * right / max(right + wrong, 1), 100 * right / max(right + lost, 1)
            print(f"  {act:10s} precision {precision:5.1f}  recall {recall:5.1f}  of {right + lost}")


def fit(texts: Sequence[Text], options: Mapping[str, int]) -> LinearModel:
    """The model of texts; those labelled by hand count several times."""
    examples = [example for text in texts for example in text.examples()]
    return LinearModel.fit(examples, ACTS, **options)


def main() -> None:
    """Gather the texts, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=Path)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--made", type=int, default=2500)
    parser.add_argument("--dialogues", type=int, default=30, help="of each expert")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--buckets", type=int, default=2**14)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    options = parser.parse_args()
    by_hand = list(labelled(options.turns, options.labels)) if options.turns else []
    other = [*made_here(options.made), *experts(options.dialogues)]
    print(f"{len(by_hand)} turns labelled by hand, {len(other)} texts made here")
    settings = {"epochs": options.epochs, "buckets": options.buckets}
    if options.test:
        test(by_hand, other, settings)
        return
    fit([*other, *by_hand], settings).save(options.output)


if __name__ == "__main__":
    main()
