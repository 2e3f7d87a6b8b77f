"""What is missing in a description, or does not go together: in words, each with what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from mua_env.domain.description import cues
from mua_env.domain.description.arguments import Argument
from mua_env.domain.description.description import Description
from mua_env.domain.description.draws import Draw
from mua_env.domain.description.kinds import Caller, Key, Named
from mua_env.domain.description.rows import RowsSource, Tables
from mua_env.domain.description.rules import Rule, explains, rules_of
from mua_env.domain.description.wishes import Question, Wish
from mua_env.errors import MuaError, did_you_mean

_DRAWS = 40
"""Values that are drawn of each kind."""


def problems(description: Description) -> list[str]:
    """What is wrong with a description; empty if nothing is. What depends on something missing is not looked at."""
    looks: tuple[Callable[[], list[str]], ...] = (
        lambda: [*_wishes(description), *_identification(description)],
        lambda: [*_arguments(description)],
        lambda: [*_rules(description), *_words(description)],
        lambda: [*_tables(description), *_readings(description)],
    )
    try:
        # Each look takes for granted what the one before it has found in order.
        return next((found for look in looks if (found := look())), [])
    except MuaError as error:
        return [str(error)]


def _wishes(description: Description) -> Iterator[str]:
    specs = description.toolkit.specs
    if not description.wishes:
        yield "there are no wishes; write one for each tool that writes"
    for intent, wish in description.wishes.items():
        tool = description.tool_of(intent)
        if tool not in specs:
            yield f"the wish {intent!r} is for the tool {tool!r}, which there is not.{did_you_mean(tool, specs)}"
        elif isinstance(wish, Wish) and not specs[tool].writes:
            yield f"the wish {intent!r} is for {tool!r}, which does not write; mark it writes=True, or use Question"
        elif isinstance(wish, Question) and specs[tool].writes:
            yield f"the question {intent!r} is answered by {tool!r}, which writes; a question needs a tool that reads"
    wished = {description.tool_of(intent) for intent in description.wishes}
    for name, spec in specs.items():
        if spec.writes and not spec.terminal and name not in wished:
            yield f"the tool {name!r} writes, but no wish is for it; add Wish('cancel the booking', 'cancelled') or so"


def _identification(description: Description) -> Iterator[str]:
    specs = description.toolkit.specs
    if not description.identify:
        yield "nothing identifies a user; name the tool that finds one in 'identify'"
    for tool in description.identify:
        if tool not in specs:
            yield f"identify names the tool {tool!r}, which there is not.{did_you_mean(tool, specs)}"
    if not description.rows.get(description.users.__tablename__):
        yield f"data() has no rows for the table of users, {description.users.__tablename__!r}"


def _arguments(description: Description) -> Iterator[str]:
    tools = [*description.identify, *(description.tool_of(intent) for intent in description.wishes)]
    for tool in dict.fromkeys(tools):
        for name in description.signature(tool).without:
            yield f"the argument {name!r} of {tool!r} has no kind; write Annotated[str, Email] or the like"
    if any(description.signature(tool).without for tool in tools):
        return
    users = description.rows[description.users.__tablename__]
    for tool in description.identify:
        for slot in description.slots(tool):
            try:
                slot.of_person(dict(users[0]))
            except (KeyError, TypeError) as error:
                yield (
                    f"{tool!r} asks for the {slot.kind.noun}, which the rows of {description.users.__tablename__!r} "
                    f"do not hold ({error}); name their column with fact="
                )
    yield from _named_tools(description)
    asked = [slot for intent in description.wishes for slot in description.asked(intent)]
    personal = {slot.slot for tool in description.identify for slot in description.slots(tool)}
    for name in sorted(personal & {slot.slot for slot in asked}):
        yield f"the slot {name!r} is both who the user is and part of a request; give one of the kinds another slot="


def _named_tools(description: Description) -> Iterator[str]:
    specs = description.toolkit.specs
    for slot in description.all_slots:
        for attribute in ("listed_by", "found_by"):
            tool = getattr(slot.kind, attribute, "")
            if tool and tool not in specs:
                near = did_you_mean(tool, specs)
                yield f"{attribute} of the {slot.kind.noun} names {tool!r}, which is no tool.{near}"
        if isinstance(slot.kind, Named) and not (slot.kind.listed_by or slot.kind.found_by):
            yield f"no tool tells the key of a {slot.kind.noun} by its name; name one with listed_by= or found_by="


def _rules(description: Description) -> Iterator[str]:
    ids: dict[str, Rule] = {}
    for intent in description.changes:
        tool = description.tool_of(intent)
        known = {slot.record for slot in description.slots(tool)} | {"user"}
        for rule in rules_of(getattr(description.toolkit, tool)):
            if ids.setdefault(rule.id, rule) is not rule:
                yield f"two rules are called {rule.id!r}"
            for name in rule.needs:
                if name not in known:
                    near = did_you_mean(name, known)
                    yield (
                        f"the rule {rule.id!r} is about {name!r}, which {tool!r} does not know.{near} "
                        f"It knows {', '.join(sorted(known))}"
                    )
            yield from _reason(description, rule)


def _reason(description: Description, rule: Rule) -> Iterator[str]:
    """What the rule refuses with must give its reason, and no other rule's."""
    bare = re.sub(r"\{[^}]*\}", "", rule.refusal)
    if not rule.reasons.search(bare) and not rule.reasons.search(rule.sentence):
        yield f"the rule {rule.id!r} refuses with {rule.refusal!r}, in which its own reason is not found"
        return
    for other in description.rules.values():
        if other is not rule and rule.reasons.search(bare) and not explains(bare, [rule], [other]):
            yield f"the rule {rule.id!r} refuses with {rule.refusal!r}, which reads as the reason of {other.id!r} too"


def _words(description: Description) -> Iterator[str]:
    """Each wish must be known by its own words."""
    locale = description.locale()
    patterns = {intent: re.compile(cue, re.IGNORECASE) for intent, cue in description.named().items()}
    for intent in description.changes:
        for text in (locale.verb(description.wish(intent).deed), description.claim(intent, locale)):
            heard = cues.named_in(text, patterns)
            if heard[:1] != [intent]:
                other = f"is heard as {heard[0]!r}" if heard else "is not heard as any wish"
                yield f"the wish {intent!r}: {text!r} {other}; word it otherwise, or add verbs with also="


def _tables(description: Description) -> Iterator[str]:
    for slot in description.all_slots:
        model = getattr(slot.kind, "of", None)
        if model is None or isinstance(slot.kind, Caller):
            continue
        rows = description.rows.get(model.__tablename__, ())
        if not rows:
            yield f"data() has no rows for the table {model.__tablename__!r}"
        elif isinstance(slot.kind, Named):
            labels = [row.get(slot.kind.label) for row in rows]
            if len(set(labels)) < len(labels):
                yield f"two rows of {model.__tablename__!r} have the same {slot.kind.label}, by which they are named"
        elif isinstance(slot.kind, Key) and slot.kind.owner and slot.kind.owner not in rows[0]:
            yield f"the rows of {model.__tablename__!r} have no column {slot.kind.owner!r}, which names their owner"
    for intent in description.questions:
        question = description.wishes[intent]
        assert isinstance(question, Question)
        model = getattr(description.needed(intent)[-1].kind, "of", None)
        if model is None or callable(question.answer):
            continue
        row = next(iter(description.rows.get(model.__tablename__, ())), None)
        if row is not None and question.answer not in row:
            table = model.__tablename__
            yield f"the question {intent!r} is answered by the column {question.answer!r}, which {table} lacks"


def _readings(description: Description) -> Iterator[str]:
    """What is said of a value must be read back as the same value."""
    tables, rng = Tables(description.rows), Random(0)
    users = list(tables.by_key(description.users).values())
    seen: set[str] = set()
    for intent in description.wishes:
        draw = Draw(description, RowsSource(tables, rng.choice(users), description.user_key), rng)
        failed = [slot for _ in range(_DRAWS) for slot in _misread(draw, intent, rng.choice(users), tables)]
        for slot, said in failed:
            if slot.slot not in seen:
                seen.add(slot.slot)
                yield f"the {slot.kind.noun} of {intent!r} is stated as {said!r}, and not read back from that"


def _misread(draw: Draw, intent: str, user: Any, tables: Tables) -> Sequence[tuple[Argument, str]]:
    description, locale = draw.description, draw.description.locale()
    draw.source = RowsSource(tables, user, description.user_key)
    drawn = draw.values(intent)
    if drawn is None:
        return ()
    found = []
    for slot in description.asked(intent):
        said = locale.message("stated").format(
            noun=slot.kind.noun, value=slot.kind.state(drawn.raws[slot.slot], drawn.scope, locale)
        )
        wanted = slot.kind.wanted(drawn.raws[slot.slot], drawn.scope)
        if slot.kind.verdict(wanted, said) is False:
            found.append((slot, said))
    return found


def unmet(description: Description, met: Sequence[str]) -> list[str]:
    """The rules that no task meets, in words."""
    return [
        f"no task breaks the rule {name!r} in {description.name}: data() has no rows that do, or another rule always "
        "comes with it"
        for name in description.rules
        if name not in met
    ]
