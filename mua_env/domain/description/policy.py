"""The policy document that a description yields: who is served, what is asked first, and the rules of each wish."""

from __future__ import annotations

from mua_env.domain.description.description import Description


def policy(description: Description, preamble: str = "") -> str:
    """Markdown in the description's own language; one line for each wish with its rules.

    Args:
        description: of the domain.
        preamble: what stands before the rules (default: identify, look up, confirm, refuse with a reason).
    """
    locale = description.locale()
    ways = [locale.listing([slot.kind.noun for slot in description.slots(tool)]) for tool in description.identify]
    head = preamble or locale.message("preamble").format(what=locale.listing(ways, either=True))
    lines = [locale.message("policy_head").format(preamble=head)]
    for intent in description.changes:
        deed = locale.verb(description.wish(intent).deed)
        rules = (" " if locale.spaced else "").join(rule.sentence for rule in description.rules_of(intent))
        if rules:
            lines.append(locale.message("policy_wish").format(deed=deed, rules=rules))
        else:
            lines.append(locale.message("policy_free").format(deed=deed))
    return "\n".join(lines) + "\n"
