"""Rules over records, written once.

A rule is a function whose parameters name the records that it is about. It is looked at as soon as they are all known:
so the tool refuses before anything is changed, the scripted expert at the first moment (a wrong status before it asks
for anything else), and the generator sees which rules a drawn request breaks. A rule that names ``user`` is about who
is talking; no tool can know that, so it binds the agent alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar

from mua_env.domain.description.arguments import signature_of
from mua_env.domain.description.kinds.keys import Key, key_column
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import DatabaseSource, Model, Scope
from mua_env.errors import DomainError, ToolError

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule of the policy document.

    Attributes:
        id: names it in goals and audits.
        sentence: of the policy document.
        reason: a regular expression (case is ignored) that finds, in a refusal, that this is why.
        refusal: what is said when it is broken, without a full stop; ``{booking[status]}`` stands for the records.
        test: whether it holds, by the records that its parameters name.
        needs: the names of the records that it is about.
        looks: whether it looks up further records, by a parameter called ``scope``.
    """

    id: str
    sentence: str
    reason: str
    refusal: str
    test: Callable[..., bool]
    needs: tuple[str, ...]
    looks: bool = False

    @property
    def about_caller(self) -> bool:
        """Whether it binds the agent alone, since it asks who is talking."""
        return "user" in self.needs

    def known(self, scope: Scope) -> bool:
        """Whether all that it is about is known."""
        return scope.has(self.needs)

    def holds(self, scope: Scope) -> bool:
        """Whether the records fulfil it."""
        given = {name: scope[name] for name in self.needs}
        if self.looks:
            given["scope"] = scope
        return bool(self.test(**given))

    def why(self, scope: Mapping[str, Any], locale: Locale) -> str:
        """The reason of a refusal, for the records at hand."""
        return locale.text(self.refusal).format_map(scope)

    @cached_property
    def reasons(self) -> re.Pattern[str]:
        """``reason``, compiled."""
        return re.compile(self.reason, re.IGNORECASE)


def rule(id: str, sentence: str, reason: str, refusal: str = "") -> Callable[[Callable[..., bool]], Rule]:
    """Make a function of records a rule.

    Args:
        id: names it in goals and audits, as ``"confirmed-only"``.
        sentence: of the policy document, as ``"Only a confirmed booking can be changed."``.
        reason: a regular expression that finds that a refusal is about this, as ``"confirmed|past|status"``.
        refusal: what is said when it is broken (default: the sentence); records may be named, as
            ``"the booking is {booking[status]}"``.
    """
    try:
        re.compile(reason)
    except re.error as error:
        raise DomainError(f"rule {id!r}: the reason {reason!r} is no regular expression: {error}") from None
    said = refusal or sentence[:1].lower() + sentence[1:]

    def make(test: Callable[..., bool]) -> Rule:
        names = tuple(inspect.signature(test).parameters)
        needs = tuple(name for name in names if name != "scope")
        return Rule(id, sentence, reason, said.rstrip(".。"), test, needs, looks="scope" in names)

    return make


def obeys(*rules: Rule) -> Callable[[_F], _F]:
    """Below ``@tool``: the rules are checked before the tool's body, which finds the records in ``self.at``."""
    for given in rules:
        if not isinstance(given, Rule):
            raise DomainError(f"obeys() takes rules, got {given!r}; write @rule(...) above the function")

    def mark(method: _F) -> _F:
        parameters = inspect.signature(method)

        @wraps(method)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            bound = parameters.bind(self, *args, **kwargs)
            bound.apply_defaults()
            values = dict(list(bound.arguments.items())[1:])
            self.at = signature_of(method).scope_of(values, Scope(DatabaseSource(self.db)))
            for bad in broken(rules, self.at):
                raise ToolError(bad.refusal.format_map(self.at))
            return method(self, *args, **kwargs)

        run.rules = rules  # type: ignore[attr-defined]
        return run  # type: ignore[return-value]

    return mark


def rules_of(method: Callable[..., Any]) -> tuple[Rule, ...]:
    """The rules that a tool obeys."""
    return getattr(method, "rules", ())


def broken(rules: Iterable[Rule], scope: Scope) -> list[Rule]:
    """The rules that the records at hand break; those about records that are not known yet are left out."""
    return [each for each in rules if each.known(scope) and not each.holds(scope)]


_MOST_REASONS = 2
_QUESTION = re.compile(r"[^.!?\u3002\uff01\uff1f\n]*[?\uff1f]")
"""A question gives no reason ("Do you need anything else?")."""


def explains(text: str, broken: Sequence[Rule], others: Sequence[Rule]) -> bool:
    """Whether a text gives one of the broken rules as a reason, and none that is not broken.

    A text that states everything that might be in the way explains nothing: a reason of another rule counts against it,
    unless its words are also words of a broken one, and so do more than two reasons at once.
    """
    text = _QUESTION.sub(" ", text)
    if sum(each.reasons.search(text) is not None for each in broken) > _MOST_REASONS:
        return False
    true = [match.span() for each in broken for match in each.reasons.finditer(text)]
    false = [match.span() for each in others for match in each.reasons.finditer(text)]
    return bool(true) and not any(all(end <= a or start >= b for a, b in true) for start, end in false)


OTHERS = (
    r"\bbelong|\bnot (?:yours|your own)|n't (?:yours|your own)|\b(?:somebody|someone|anybody) else's|"
    r"\b(?:another|other|different) (?:person|user|customer|account|{who})|"
    r"\bnot (?:on|in|under) your (?:account|name|profile)|不属于|属于别人|(?:别人|他人|其他客户)的|不是您的"
)
"""Finds that a refusal is about a record being somebody else's."""


def ownership(record: str, kind: Key, users: Model, locale: Locale) -> Rule:
    """That a record is the caller's own; no tool can know that, so it binds the agent alone.

    Args:
        record: its name in rules.
        kind: of its key.
        users: the table of users.
        locale: of the language that the domain is written in.
    """
    owner, user_key = kind.owner, key_column(users)
    return Rule(
        id=f"own-{record.replace('_', '-')}",
        sentence=locale.message("owned").format(noun=kind.noun),
        reason=OTHERS.replace("{who}", users.__name__.lower()),
        refusal=locale.message("not_owned").format(noun=kind.noun),
        test=lambda **at: at[record][owner] == at["user"][user_key],
        needs=(record, "user"),
    )
