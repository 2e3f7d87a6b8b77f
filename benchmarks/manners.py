"""The share of tasks that a domain's expert solves when it speaks in another manner.

python benchmarks/manners.py --domain retail airline telecom --manner markdown terse bundled --levels 1 2 3 --count 150

`markdown` writes long messages with lists and headings, `terse` a few words, `bundled` asks for everything at once.
Each takes the decisions and calls of the domain's own expert and words them anew (`manners/*.json`). An act that a
manner has no words for is said in the expert's own, and counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from manner_asks import ASKS, WITH_IDENTITY
from manner_words import NO_NOTE, NOTES, TITLES, Fields, Seen, bullets, choices, fields, listing, steps
from measure import show, wilson
from smallest import add_smoke

from mua_env import AgendaUser, Domain, Session, Setting, Task, agent_factory, load_setting
from mua_env.agents.scripted.desk import Desk

DOMAINS = ("retail", "airline", "telecom")
MANNERS = ("markdown", "terse", "bundled")
FOLDER = Path(__file__).parent / "manners"


class Manner:
    """The words of one manner, and what it knows in one dialogue."""

    def __init__(self, name: str, domain: str) -> None:
        self.name = name
        self.domain = domain
        self.words: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        self.unknown: Counter[str] = Counter()
        self.acts = 0
        self.begin("", seed=0)

    def begin(self, opening: str, *, seed: int) -> None:
        """Forget the last dialogue."""
        self.seen, self.opening, self.rng = Seen(), opening, Random(f"manner:{seed}")
        self.serving: Any = None
        self.proposed: tuple[tuple[str, str, str], Fields] = (("", "", ""), [])

    def phrase(self, desk: Any, act: str, values: Mapping[str, str]) -> str | None:
        """An act in this manner, ``None`` where it has no words for it."""
        first = _first(desk)
        lead = self.rng.choice(self.words["leads"]).format(first=first)
        known = {"first": first, "item": "item(s)", "lead": lead, "answer": values.get("claim", ""), **values}
        slots = ASKS.get(f"{act}:{self.domain}") or ASKS.get(act)
        if act == "identify" and self.name == "bundled" and slots:
            slots = [*slots, *WITH_IDENTITY.get(desk.intent(self.opening), ())]
        if slots:
            return _filled(self._question(slots, known), known)
        if act not in self.words["acts"]:
            return None
        if act == "propose":
            self.proposed = self._proposal()
        if act in ("propose", "done"):
            known |= self._told()
        if self.name == "markdown" and "choices" in known:
            known["choices"] = choices(known["choices"])
        if "steps" in known:
            known["steps"] = steps(known["steps"], self.words["steps"])
        return _filled(self.rng.choice(self.words["acts"][act]), known)

    def _question(self, slots: Sequence[str], known: Mapping[str, str]) -> str:
        asked = [self.rng.choice(self.words["slots"][slot]) for slot in slots]
        if len(asked) == 1:
            label, question = asked[0]
            return str(self.rng.choice(self.words["one"])).replace("{label}", label).replace("{question}", question)
        entry = self.rng.choice(self.words["entry"])
        lines = [
            entry.replace("{number}", str(number)).replace("{label}", label).replace("{question}", question)
            for number, (label, question) in enumerate(asked, start=1)
        ]
        frame = str(self.rng.choice(self.words["many"]))
        return frame.replace("{list}", "\n".join(lines)).replace("{inline}", listing([label for label, _ in asked]))

    def _proposal(self) -> tuple[tuple[str, str, str], Fields]:
        handler = self.serving
        # A reason is no argument of the airline's call, and yet what a clerk reads back.
        arguments = {"reason": handler.reason} if handler.tool == "cancel_reservation" else {}
        arguments |= handler.arguments()
        cabin = str(arguments.get("cabin", "")).replace("_", " ")
        titles = TITLES.get(handler.intent) or TITLES[handler.tool]
        title, will, did = (text.format(id=handler.subject, cabin=cabin) for text in titles)
        subject = "" if handler.tool in ("modify_user_address", "book_reservation") else handler.subject
        return (title, will, did), fields(handler.tool, arguments, self.seen, subject)

    def _told(self) -> dict[str, str]:
        (title, will, did), parts = self.proposed
        note, following = NOTES.get(self.serving.tool, NO_NOTE)
        # The id is in what will be done.
        further = [part for part in parts if part[0] not in ("Order ID", "Reservation ID")]
        return {
            "title": title,
            "will": will,
            "did": did,
            "list": bullets(parts) if self.name == "markdown" else "\n".join(f"- {a}: {b}" for a, b in parts),
            "values": "; ".join(f"{label.lower()} {value}" for label, value in further),
            "checks": "\n".join(f"- {label}: {value}, correct?" for label, value in further),
            "note": note,
            "next": following,
            "short": f"{will[:1].upper()}{will[1:]}: {', '.join(self._brief(*part) for part in further)}",
        }

    def _brief(self, label: str, value: str) -> str:
        products = {item["name"] for item in self.seen.items.values()}
        return f"{label} {value}" if label in products else value


def _filled(template: str, values: Mapping[str, str]) -> str:
    text = template.format(**values).strip()
    return text[:1].upper() + text[1:]


def _first(desk: Any) -> str:
    name = getattr(desk, "user", {}).get("name", {}).get("first_name", "")
    return f", {name}" if name else ""


@contextmanager
def spoken(manner: Manner, domain: Domain) -> Iterator[None]:
    """The experts' desks speak in a manner; "bundled" is in a hurry from the start, and so asks for all it needs."""
    # A domain's expert is imported when the first one is made, and its desk with it.
    agent_factory("expert", domain)()
    with ExitStack() as stack:
        for desk in _desks(Desk):
            if "phrase" in vars(desk):
                stack.enter_context(patch.object(desk, "phrase", _phrase(manner, desk.phrase)))
            if manner.name == "bundled" and "late_after" in vars(desk):
                stack.enter_context(patch.object(desk, "late_after", 0))
        stack.enter_context(patch.object(Desk, "handler", _handler(manner, Desk.handler)))
        yield


def _desks(kind: Any) -> Iterator[Any]:
    yield kind
    for below in kind.__subclasses__():
        yield from _desks(below)


def _phrase(manner: Manner, own: Any) -> Any:
    def phrase(desk: Any, act: str, **values: str) -> str:
        manner.acts += 1
        text = manner.phrase(desk, act, values)
        if text is None:
            manner.unknown[act] += 1
            return str(own(desk, act, **values))
        return text

    return phrase


def _handler(manner: Manner, own: Any) -> Any:
    def handler(desk: Any, intent: str) -> Any:
        manner.serving = own(desk, intent)
        return manner.serving

    return handler


def hold(session: Session, manner: Manner, task: Task, *, seed: int) -> tuple[bool, list[str]]:
    """One dialogue: whether it is solved, and what was said."""
    expert = agent_factory("expert", session.setting.domain)()
    expert.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
    step = session.start(task, seed=seed)
    manner.begin(step.messages[-1].content or "", seed=seed)
    said = [f"user: {step.messages[-1].content}"]
    while not step.done:
        for message in step.messages:
            if message.role == "tool":
                manner.seen.take(message.content or "")
        turn = expert.act(step.messages)
        step = session.send(turn)
        if turn.content:
            said.append(f"agent: {turn.content}")
            said += [f"user: {message.content}" for message in step.messages if message.role == "user"]
        said += [f"  call {call.function.name}({call.function.arguments})" for call in turn.tool_calls or ()]
    return step.score is not None and step.score.reward == 1.0, said


def measure(setting: Setting, manner: Manner, options: argparse.Namespace) -> dict[str, Any]:
    """Solved tasks by level and in all."""
    solved: Counter[str] = Counter()
    number: Counter[str] = Counter()
    session = Session(setting, AgendaUser())
    with spoken(manner, setting.domain):
        for level in options.levels:
            tasks = setting.domain.generate(level=level, seed=options.seed, split="test")
            for at, task in enumerate(islice(tasks, options.count // len(options.levels))):
                well, said = hold(session, manner, task, seed=at)
                for name in (f"level {level}", "all"):
                    number[name] += 1
                    solved[name] += well
                if options.show and not well:
                    print(f"--- {manner.name}, {task.id}", *said, sep="\n")
    session.close()
    if not manner.acts:
        sys.exit(f"the expert of {setting.domain.name!r} has no desk, so that it spoke in its own manner alone")
    low, high = wilson(solved["all"], number["all"])
    shares = {f"{name}, %": 100 * solved[name] / number[name] for name in number}
    return {"tasks": number["all"], **shares, "from": 100 * low, "to": 100 * high}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", nargs="+", default=list(DOMAINS), choices=DOMAINS)
    parser.add_argument("--manner", nargs="+", default=list(MANNERS), choices=MANNERS)
    parser.add_argument("--levels", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--count", type=int, default=150, help="tasks of a domain, in equal parts by level")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print the dialogues that failed")
    parser.add_argument("--json", help="write the figures to this file")
    add_smoke(parser)
    options = parser.parse_args()
    if options.smoke:
        options.count = len(options.levels)
    figures: dict[str, dict[str, Any]] = {}
    for name in options.domain:
        setting = load_setting(name, "test")
        for word in options.manner:
            manner = Manner(word, name)
            figures[f"{name}, {word}"] = measure(setting, manner, options)
            if manner.unknown:
                print(f"{name}, {word}: in the expert's own words: {dict(manner.unknown)}")
    columns = list(next(iter(figures.values())))
    show("Tasks solved by the expert in another manner", columns, figures)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
