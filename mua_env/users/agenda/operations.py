"""What the agent guides the user to do with its own tools: from the agent's text to tool calls.

The user acts only as guided: on a request or an imperative, and for a look also on a question. It does nothing on
what is forbidden, conditional ("if it is red, ..."), offered, or told of the agent's own work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mua_env.core.messages import FunctionCall, ToolCall, ToolMessage
from mua_env.users.agenda.language import DialogueLanguage, Operation
from mua_env.users.agenda.nlu.dialogue_acts import plain, sentences


@dataclass(frozen=True, slots=True)
class Deed:
    """An operation that the agent has asked for, with the arguments that it named."""

    operation: Operation
    arguments: str

    @property
    def call(self) -> ToolCall:
        """The user's tool call."""
        return ToolCall(function=FunctionCall(name=self.operation.tool, arguments=self.arguments))


@dataclass(frozen=True, slots=True)
class Seen:
    """What an operation came to: the tool's result, or why it failed."""

    operation: Operation
    result: str
    ok: bool

    @classmethod
    def of(cls, deed: Deed, message: ToolMessage) -> Seen:
        """Read the tool's message."""
        ok = not message.content.startswith("Error: ")
        return cls(deed.operation, message.content.removeprefix("Error: "), ok)


MOST_LOOKED_AT = 60_000
"""Characters that are searched for instructions in one message, counted for each operation that they may ask for.

A hundred sentences that each speak of ten things to do; nobody follows more at once.
"""

_CONDITION = re.compile(
    r"(?<!know )(?<!see )(?<!check )(?<!tell me )(?<!look )\bif\b"
    r"(?! (?:you (?:can|could|don't mind|would|please)|possible|so\b))"
    r"|\bin case\b|\bunless\b"
)
_GERUND = re.compile(r"\w+ing\b", re.IGNORECASE)
_ITEM = re.compile(r"^\W*(?:(?:step )?(?:\d{1,2}|[a-h])[.):]+\s*)?")
_BREAK = re.compile(r"[,;:()]\s|\s-\s|\bthen\b|\bbut\b|\band (?=please|then|tell|let|now)")
_FORBID = re.compile(
    r"\b(?:don't|do not|never|not|no need|needn't|avoid|without|instead of|refrain|stop|until|before|after|once|"
    r"when|while|already|did you|have you|had you|do you (?:want|wish|need)|shall|should (?:i|we)|may i|would you like|"
    r"by|because|whether you)\b"
)
_OWN_WORK = re.compile(r"\b(?:i|we|i'll|i've|we'll|we've|i'm|we're)\b")
_YOU = re.compile(r"\byou\b")
_ASKS = re.compile(
    r"\bplease\b|\b(?:could|can|would|will) you\b|\blet's\b|\byou(?:'ll| will)? (?:should|need to|have to|must|can|may|"
    r"to)\b|\btry\b|\bgo ahead\b|\bwant you\b|\b(?:tell|show) me\b|\blet me know\b|\bmake sure\b"
)
_LEAD = re.compile(r"\W*(?:(?:and|or|first|next|now|also|then|ok|okay|again|just|simply|finally)\b\W*)*")
_LOOK = re.compile(_LEAD.pattern + r"(?:(?:have|take) a )?(?:look|check|see|watch|read|describe|observe|inspect)\b.*")


def guided(text: str, language: DialogueLanguage, tools: Iterable[str]) -> list[Deed]:
    """The operations that an agent's text asks the user for, in the order of their mention.

    Args:
        text: what the agent said.
        language: of the domain, with its operations.
        tools: names of the tools that the user has.
    """
    able = frozenset(tools)
    operations = [operation for operation in language.operations if operation.tool in able]
    if not operations:
        return []
    words = frozenset().union(*(operation.words for operation in operations))
    deeds: list[Deed] = []
    left = MOST_LOOKED_AT
    ordered = (part for sentence in sentences(plain(text)) for part in in_order(sentence, operations))
    for sentence in ordered:
        said = {word for word in words if word in sentence.lower()}
        spoken_of = [op for op in operations if not op.words or not said.isdisjoint(op.words)]
        left -= len(sentence) * len(spoken_of)
        if left < 0:
            break
        deeds.extend(deed for deed in _in_sentence(sentence, spoken_of) if deed not in deeds)
    # A switch that is to be set is not flipped as well: "turn it off: open the settings and toggle it".
    set_ = {deed.operation.switch for deed in deeds if deed.operation.state is not None}
    return [deed for deed in deeds if deed.operation.state is not None or not _flips(deed.operation, set_)]


def _flips(operation: Operation, switches: set[str]) -> bool:
    return not operation.look and operation.switch in switches


_FIRST = re.compile(
    r"\W*(?:and |then |so |now |please )?(?:once|after|when|as soon as) (?P<one>[^,]{4,80}), (?P<two>.{4,})",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"(?P<two>.{4,}?),? (?:right |directly |only )?(?:after|once|as soon as) (?P<one>[^,.;]{4,80})(?P<end>.*)",
    re.IGNORECASE,
)
_BUT_FIRST = re.compile(
    r"(?P<two>.{4,}?),? (?:but|and)(?: please)?,? (?:before that|first|beforehand),? (?P<one>.{4,})", re.IGNORECASE
)
_BY_YOU = re.compile(r"(?:you(?:'ve| have)? )?(?:done |just |first )?")
_INFLECTED = re.compile(r"(\w+?)(?:ing|ed)\b")


def in_order(sentence: str, operations: Sequence[Operation]) -> list[str]:
    """A sentence that says what comes first by "after" or "before that", as sentences in the order of doing."""
    for pattern in (_FIRST, _LAST, _BUT_FIRST):
        found = pattern.fullmatch(sentence)
        if found is None:
            continue
        one = _imperative(found["one"], operations)
        if one is not None and any(op.pattern.search(found["two"]) for op in operations):
            return [one, found["two"]]
    return [sentence]


def _imperative(clause: str, operations: Sequence[Operation]) -> str | None:
    """A clause that says that something was done ("you have reset it", "resetting it") as "please reset it"."""
    clause = clause[_BY_YOU.match(clause.lower()).end() :]  # type: ignore[union-attr]
    word, _, rest = clause.partition(" ")
    found = _INFLECTED.fullmatch(word)
    stems = [found[1], f"{found[1]}e", found[1][:-1]] if found else [word]
    for stem in stems:
        said = f"{stem} {rest}"
        if any(match.start() == 0 for op in operations if (match := op.pattern.search(said))):
            return f"Please {said}"
    return None


_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def _by_name(sentence: str, operations: Sequence[Operation]) -> Iterator[tuple[re.Match[str], Operation]]:
    """The operations whose tools are called by their names, as in "1. check_sim_status"."""
    for match in _NAME.finditer(sentence):
        named = (op for op in operations if op.tool == match[0] and op.state is None)
        operation = next(named, None)
        if operation is not None:
            yield match, operation


def _in_sentence(sentence: str, operations: Sequence[Operation]) -> Iterator[Deed]:
    low = sentence.lower()
    if _CONDITION.search(low):
        return
    question = low.rstrip("\"') ").endswith("?")
    found = [(match, operation) for operation in operations for match in operation.pattern.finditer(sentence)]
    found += _by_name(sentence, operations)
    for match, operation in sorted(found, key=lambda item: item[0].start()):
        before = _ITEM.sub("", low[: match.start()], count=1)
        clause = _BREAK.split(before)[-1]
        if _FORBID.search(clause) or _is_own_work(clause):
            continue
        imperative = _LEAD.fullmatch(clause) is not None and not _GERUND.match(match[0])
        wanted = not question and (imperative or (operation.look and _LOOK.fullmatch(clause) is not None))
        if wanted or _ASKS.search(before) or (operation.look and question):
            named = {name: value for name, value in match.groupdict().items() if value is not None}
            arguments = {**operation.arguments, **named}
            yield Deed(operation, json.dumps(arguments, ensure_ascii=False))


def _is_own_work(clause: str) -> bool:
    """Whether a clause speaks of what the agent does, and of nobody else behind it."""
    last = max((match.end() for match in _YOU.finditer(clause)), default=0)
    return _OWN_WORK.search(clause, last) is not None
