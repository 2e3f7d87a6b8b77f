"""The rule that comes with every key that has an owner: only the caller's own records may be dealt with."""

from __future__ import annotations

from mua_env.domain.description.kinds.keys import Key, key_column
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.rules import Rule
from mua_env.domain.description.scope import Model

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
