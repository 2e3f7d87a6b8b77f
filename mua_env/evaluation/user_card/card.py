"""The card itself: figures over many dialogues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median

from pydantic import BaseModel, ConfigDict

from mua_env.evaluation.user_card.measures import Share, Violation
from mua_env.evaluation.user_card.result import Result

MEASURES = ("revealed", "invented", "plays_agent", "contradiction", "mind_change", "early_stop", "late_stop")
"""Every kind of violation, in the order of a card's lines."""
EXAMPLES = 5
"""Violations of each kind that a card quotes."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Example(_Model):
    """A violation with the dialogue that it comes from."""

    dialogue: str
    seed: int
    violation: Violation


class ProbeCard(_Model):
    """The dialogues with one probe; ``upper_bounds`` is as of `Card`.

    Attributes:
        probe: its name.
        dialogues, faults: held, and failed.
        turns: of the agent, mean.
        violations: by measure.
        gave_up: dialogues that the user left after useless turns.
        stopped: dialogues that the user ended.
        success: scored dialogues that reached the goal.
    """

    probe: str
    dialogues: int
    faults: int
    turns: float
    violations: dict[str, int]
    gave_up: int
    stopped: int
    success: Share
    upper_bounds: int = 0


class Card(_Model):
    """The figures of a user.

    Attributes:
        user, domain, tasks: what was measured, as results name it.
        dialogues: that were held; ``faults`` of them failed, by cause.
        violations: by measure; ``violating`` dialogues hold at least one.
        contradictions: wrong proposals made to the user, and those that it agreed to.
        agreements: right proposals made to the user, and those that it agreed to.
        mind_changes: planned changes that fell due, and those carried out.
        expert: dialogues with the scripted expert that were scored, and those that reached the goal; ``upper_bounds``
            of the latter hang on statements that nobody has judged.
        openings: distinct first messages; ``shared_openings`` of them began dialogues about different goals.
        replies: of the user; ``words`` and ``characters`` are means of a reply.
        turns: of the agent in a dialogue, mean.
        tokens: that the user reported, by name; empty where it reports none.
        cost_usd: in total; ``None`` where none is reported.
        guarded: replies that the user's own guards had it make anew.
        ms: milliseconds for a reply, mean of all; ``ms_median`` is the median of the dialogues' means.
        probes: the same by probe.
        examples: violations quoted, the first few of each measure.
    """

    user: str
    domain: str
    tasks: str
    dialogues: int
    faults: dict[str, int]
    violations: dict[str, int]
    violating: int
    contradictions: Share
    agreements: Share
    mind_changes: Share
    expert: Share
    upper_bounds: int = 0
    openings: int
    shared_openings: int
    replies: int
    turns: float
    words: float
    characters: float
    tokens: dict[str, float]
    cost_usd: float | None
    guarded: int
    ms: float
    ms_median: float
    probes: tuple[ProbeCard, ...]
    examples: tuple[Example, ...]

    @property
    def total(self) -> int:
        """All violations."""
        return sum(self.violations.values())


def make_card(results: Sequence[Result], *, user: str, domain: str, tasks: str) -> Card:
    """The card of the results of one user."""
    replies = sum(result.replies for result in results)
    usage = Counter[str]()
    for result in results:
        usage.update(result.usage)
    seconds = [result.seconds / result.replies for result in results if result.replies]
    return Card(
        user=user,
        domain=domain,
        tasks=tasks,
        dialogues=len(results),
        faults=dict(Counter(_short(result.fault) for result in results if result.fault).most_common()),
        violations=_violations(results),
        violating=sum(bool(result.violations) for result in results),
        contradictions=_share(results, "contradiction"),
        agreements=_share(results, "agreement"),
        mind_changes=_share(results, "mind_change"),
        expert=_success(result for result in results if result.probe == "expert"),
        upper_bounds=sum(result.upper_bound for result in results if result.probe == "expert"),
        openings=len({result.opening for result in results if result.opening}),
        shared_openings=_shared(results),
        replies=replies,
        turns=fmean(result.turns for result in results) if results else 0.0,
        words=sum(result.words for result in results) / max(replies, 1),
        characters=sum(result.characters for result in results) / max(replies, 1),
        tokens={name: value for name, value in sorted(usage.items()) if name.endswith("tokens")},
        cost_usd=usage.get("cost_usd"),
        guarded=sum(result.guarded for result in results),
        ms=1000 * sum(result.seconds for result in results) / max(replies, 1),
        ms_median=1000 * median(seconds) if seconds else 0.0,
        probes=tuple(_probe(name, results) for name in dict.fromkeys(result.probe for result in results)),
        examples=_examples(results),
    )


def _probe(name: str, results: Iterable[Result]) -> ProbeCard:
    own = [result for result in results if result.probe == name]
    return ProbeCard(
        probe=name,
        dialogues=len(own),
        faults=sum(result.fault is not None for result in own),
        turns=fmean(result.turns for result in own),
        violations=_violations(own),
        gave_up=sum(result.gave_up for result in own),
        stopped=sum(result.stopped for result in own),
        success=_success(own),
        upper_bounds=sum(result.upper_bound for result in own),
    )


def _violations(results: Iterable[Result]) -> dict[str, int]:
    found = Counter(violation.measure for result in results for violation in result.violations)
    return {name: found[name] for name in MEASURES}


def _share(results: Iterable[Result], measure: str) -> Share:
    shares = [result.shares[measure] for result in results if measure in result.shares]
    return Share(of=sum(share.of for share in shares), made=sum(share.made for share in shares))


def _success(results: Iterable[Result]) -> Share:
    scored = [result.success for result in results if result.success is not None]
    return Share(of=len(scored), made=sum(scored))


def _shared(results: Iterable[Result]) -> int:
    goals: dict[str, set[str]] = {}
    for result in results:
        if result.opening:
            goals.setdefault(result.opening, set()).add(result.goal)
    return sum(len(found) > 1 for found in goals.values())


def _examples(results: Iterable[Result]) -> tuple[Example, ...]:
    found: dict[str, list[Example]] = {name: [] for name in MEASURES}
    for result in results:
        for violation in result.violations:
            if len(found[violation.measure]) < EXAMPLES:
                found[violation.measure].append(Example(dialogue=result.id, seed=result.seed, violation=violation))
    return tuple(example for examples in found.values() for example in examples)


def _short(fault: str | None) -> str:
    text = " ".join((fault or "").split())
    return text if len(text) <= 120 else text[:117] + "..."
