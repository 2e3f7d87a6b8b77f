"""Refusals in other words: of those that name the right rule, how many the agenda user accepts; of others, none.

python benchmarks/true_refusals.py --domain retail airline telecom --each 5
python benchmarks/true_refusals.py --domain retail --language zh --show

The wordings (`refusals/*.jsonl`) were written from the policy documents, before the user's understanding was read.
A dialogue is led by the domain's expert up to its refusal of the last request; the wording stands in its place. It is
said once more if the user is not content, and once content, the user is asked whether there is anything else. It is
accepted if the user then leaves with reward 1. `false` wordings give a reason that does not hold, `generic` ones none.
The script ends with status 1 when one of these is accepted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import show, wilson
from refusal_cases import Case, cases
from smallest import add_smoke

from mua_env import AgendaUser, Session, Setting, agent_factory, load_setting
from mua_env.core.messages import AssistantMessage

DOMAINS = ("retail", "airline", "telecom")
FOLDER = Path(__file__).parent / "refusals"
MORE = {"en": "Is there anything else I can help you with today?", "zh": "请问还有别的事需要帮忙吗?"}
OTHERS = ("false", "false accepted", "generic", "generic accepted")
TURNS = 3
"""Turns of the agent from the refusal on."""


@dataclass(frozen=True)
class Wording:
    """One way to refuse: a true or false reason of a rule, or a generic one."""

    rule: str
    kind: str
    text: str


@dataclass(frozen=True)
class Heard:
    """What came of a wording: whether it ended well, and the user's first answer to it."""

    case: Case
    wording: Wording
    accepted: bool
    at_once: bool
    answer: str


def wordings(domain: str, language: str) -> list[Wording]:
    """Those of a domain, and those that give no reason."""
    rows = [
        json.loads(line)
        for name in (domain, "generic")
        for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return [Wording(row.get("rule", ""), row["kind"], row["text"]) for row in rows if row["language"] == language]


def led(session: Session, case: Case, language: str, *, seed: int) -> list[AssistantMessage] | None:
    """The expert's turns before its refusal, ``None`` where it never comes to one that counts."""
    options = {} if language == "en" else {"language": language}
    expert = agent_factory("expert", session.setting.domain, options)()
    expert.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
    step = session.start(case.task, seed=seed)
    turns: list[AssistantMessage] = []
    while not step.done:
        said = expert.act(step.messages)
        step = session.send(said)
        if said.content and _refused(session):
            return turns
        turns.append(said)
    return None


def _refused(session: Session) -> bool:
    return session.score_now().parts["requirements"] == 1.0


def held(session: Session, case: Case, turns: Sequence[AssistantMessage], wording: Wording, language: str) -> Heard:
    """One dialogue: the expert's turns, the wording, and what the user makes of it."""
    text = wording.text.format_map(case.values)
    step = session.start(case.task, seed=0)
    for said in turns:
        step = session.send(said)
    answer, at_once = "", False
    for turn in range(TURNS):
        step = session.send(MORE[language] if turn and _refused(session) else text)
        if turn == 0:
            answer = " ".join(message.content or "" for message in step.messages if message.role == "user")
            at_once = _refused(session)
        if step.done:
            break
    accepted = step.done and step.score is not None and step.score.reward == 1.0
    return Heard(case, wording, accepted, at_once, answer)


def pools(setting: Setting, *, seed: int, drawn: int, most: int) -> dict[str, list[Case]]:
    """Cases by rule, so many of each at most."""
    found: dict[str, list[Case]] = defaultdict(list)
    for case in cases(setting, seed=seed, drawn=drawn):
        if len(found[case.rule]) < most:
            found[case.rule].append(case)
    return found


def measure(name: str, language: str, options: argparse.Namespace) -> Iterator[Heard]:
    """Every wording on so many tasks of its rule; each generic one on one task of every rule."""
    setting = load_setting(name, "test")
    texts = wordings(name, language)
    if options.smoke:
        texts = list({(each.rule, each.kind): each for each in texts}.values())
    session = Session(setting, AgendaUser(language=language))
    for rule, pool in pools(setting, seed=options.seed, drawn=options.drawn, most=options.tasks).items():
        ways = [(case, led(session, case, language, seed=0)) for case in pool]
        ready = [(case, turns) for case, turns in ways if turns is not None]
        if len(ready) < len(ways):
            print(f"{name} {rule}: the expert's own refusal is not accepted in {len(ways) - len(ready)} of {len(ways)}")
        if not ready:
            continue
        mine = [each for each in texts if each.rule in (rule, "")]
        for number, wording in enumerate(mine):
            for time in range(1 if wording.kind == "generic" else options.each):
                case, turns = ready[(number + time) % len(ready)]
                yield held(session, case, turns, wording, language)
    session.close()


def table(heard: Sequence[Heard]) -> dict[str, dict[str, Any]]:
    """Figures by rule, and of all together."""
    rows: dict[str, dict[str, Any]] = {}
    for rule in [*dict.fromkeys(each.case.rule for each in heard), "all"]:
        counts: Counter[str] = Counter()
        for each in heard:
            if rule in (each.case.rule, "all"):
                counts[each.wording.kind] += 1
                counts[f"{each.wording.kind} accepted"] += each.accepted
                counts[f"{each.wording.kind} at once"] += each.at_once
        low, high = wilson(counts["true accepted"], counts["true"])
        rows[rule] = {
            "true": counts["true"],
            "accepted, %": 100 * counts["true accepted"] / max(1, counts["true"]),
            "from": 100 * low,
            "to": 100 * high,
            "at once, %": 100 * counts["true at once"] / max(1, counts["true"]),
            **{name: counts[name] for name in OTHERS},
        }
    return rows


def report(each: Heard) -> str:
    """A wording that did not come to its right end, and what was answered."""
    said = each.wording.text.format_map(each.case.values)
    return f"{each.case.rule} ({each.wording.kind}, {each.case.task.id})\n  agent: {said!r}\n  user:  {each.answer!r}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", nargs="+", default=list(DOMAINS), choices=DOMAINS)
    parser.add_argument("--language", default="en", choices=tuple(MORE))
    parser.add_argument("--each", type=int, default=5, help="tasks that each wording of a rule is tried on (default 5)")
    parser.add_argument("--tasks", type=int, default=20, help="different tasks of a rule at most (default 20)")
    parser.add_argument("--drawn", type=int, default=300, help="generated tasks of each level to look in (default 300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="list what did not come to its right end")
    parser.add_argument("--json", help="write the figures to this file")
    add_smoke(parser)
    options = parser.parse_args()
    if options.smoke:
        options.each, options.tasks, options.drawn = 1, 1, 15
    figures: dict[str, Mapping[str, Any]] = {}
    paid = 0
    for name in options.domain:
        heard = list(measure(name, options.language, options))
        rows = table(heard)
        figures[name] = rows
        about = f"{name} ({options.language})"
        show(f"Refusals with the right reason, {about}", ("true", "accepted, %", "from", "to", "at once, %"), rows)
        show(f"Refusals that must not be accepted, {about}", OTHERS, rows)
        paid += sum(each.accepted for each in heard if each.wording.kind != "true")
        for each in heard if options.show else ():
            if each.accepted != (each.wording.kind == "true"):
                print(report(each))
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2), encoding="utf-8")
    if paid and not options.smoke:
        sys.exit(f"{paid} refusals with a wrong reason or none were accepted")


if __name__ == "__main__":
    main()
