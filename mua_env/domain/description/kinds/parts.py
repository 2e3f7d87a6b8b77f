"""Kinds that are parts of another record: some of an order's items, and other variants of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from mua_env.domain.description.kinds.kind import LOOK, Kind, Mention, Speech, longest_first, whole
from mua_env.domain.description.locales import Locale
from mua_env.domain.description.scope import Model, Record, Scope
from mua_env.errors import ToolError


@dataclass(frozen=True, eq=False)
class Part(Kind):
    """Some of the parts of a record, known by their names. Raw: their keys.

    Attributes:
        parts: the parts of the records that are known (see ``within``).
        key: of a part.
        label: of a part: its name.
        known: all names that there are, so that a wrong one is noticed.
        most: how many are drawn.
    """

    parts: Callable[[Scope], list[Record]] = field(default=lambda scope: [], kw_only=True)
    key: str = field(default="", kw_only=True)
    label: str = field(default="name", kw_only=True)
    known: Callable[[], Sequence[str]] = field(default=tuple, kw_only=True)
    most: int = field(default=2, kw_only=True)

    asking = "the_several"

    def asks(self, locale: Locale) -> str:
        """By the noun, in the plural too."""
        noun = re.escape(locale.text(self.noun))
        return rf"{super().asks(locale)}|\b(?:which|what|list|each|any|all) (?:\w+ ){{0,3}}{noun}s?\b"

    def names_in(self, text: str, names: Sequence[str]) -> list[Mention]:
        """Names in a text, in their order; a plural counts."""
        return longest_first({form: name for name in names for form in (name, f"{name}s", f"{name}es")}, text)

    def find(self, text: str, scope: Scope) -> Any | None:
        """The keys of the parts that a text names."""
        there = {part[self.label]: part[self.key] for part in self.parts(scope)}
        named = dict.fromkeys(mention.value for mention in self.names_in(text, list(there)))
        return [there[name] for name in named] or None

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """All of them, and no other."""
        found = {mention.value for mention in self.names_in(text, [*self.known(), *wanted])}
        return found == set(wanted) if found else None

    def say(self, wanted: Any, speech: Speech) -> str:
        """Their names."""
        the = speech.locale.message("the")
        return speech.locale.listing([speech.say(the, noun=speech.keep(name)) for name in wanted])

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """Their names."""
        return locale.listing(self.wanted(raw, scope))

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """One or more of those that there are."""
        there = [part[self.key] for part in self.parts(scope)]
        return rng.sample(there, rng.randint(1, min(self.most, len(there)))) if there else None

    def wanted(self, raw: Any, scope: Scope) -> Any:
        """Their names."""
        return [part[self.label] for part in self.record(raw, scope)]

    def record(self, raw: Any, scope: Scope) -> Any:
        """The parts themselves."""
        there = {part[self.key]: part for part in self.parts(scope)}
        missing = sorted(set(raw) - set(there))
        if missing or not raw:
            raise ToolError(f"no such {self.noun} there: {', '.join(map(repr, missing))}" if raw else f"no {self.noun}")
        return [there[key] for key in raw]


@dataclass(frozen=True, eq=False)
class Variant(Kind):
    """For each of some parts another variant of the same thing, told by the options that change. Raw: their keys.

    Wanted is, for each part, its name, its present options (``old``) and those that shall be different.

    Attributes:
        of: the table of things.
        parts: the kind of the parts that are swapped; its record must be known (see ``within``).
        link: the key of the thing in a part.
        variants: the column of the thing that holds them: key -> ``{"options": ..., "available": ...}``.
        axes: name -> option -> values, of all things that there are, so that a wrong one is noticed.
    """

    of: Model = field(default=None, kw_only=True)
    parts: Part = field(default=Part("item"), kw_only=True)
    link: str = field(default="", kw_only=True)
    variants: str = field(default="variants", kw_only=True)
    axes: Callable[[], Mapping[str, Mapping[str, Sequence[str]]]] = field(default=dict, kw_only=True)

    asking = "the_several"

    def asks(self, locale: Locale) -> str:
        """By the noun, or by the name of any option."""
        axes = "|".join(sorted({re.escape(axis) for options in self.axes().values() for axis in options}))
        named = rf"|\b(?:which|what|new|preferred|other) (?:\w+ ){{0,3}}(?:options?|variants?|versions?|(?:{axes})s?)\b"
        return super().asks(locale) + (named if axes else "")

    def find(self, text: str, scope: Scope) -> Any | None:
        """The variants that fit what a text says of each part."""
        each = list(self._each(scope))
        about = self._about(text, [part[self.parts.label] for part, _ in each])
        found = []
        for part, variants in each:
            axes = {axis: sorted({v["options"][axis] for v in variants.values()}) for axis in part["options"]}
            new = _options(about.get(part[self.parts.label], ""), axes)
            fit = [key for key, v in variants.items() if v["options"] == part["options"] | new]
            if not new or not fit or fit == [part[self.parts.key]]:
                return None
            found.append(fit[0])
        return found

    def verdict(self, wanted: Any, text: str) -> bool | None:
        """Every option that is stated must be right, those that shall not change included."""
        about, said = self._about(text, [new["name"] for new in wanted]), []
        for new in wanted:
            axes, there = self.axes().get(new["name"], {}), about.get(new["name"], "")
            found = _options(there, {axis: axes.get(axis, [value]) for axis, value in new["options"].items()})
            said += [found[axis] == value for axis, value in new["options"].items() if axis in found]
            kept = {axis: value for axis, value in new["old"].items() if axis not in new["options"]}
            said += [False for axis, value in kept.items() for other in axes.get(axis, ())
                     if other != value and re.search(whole(f"{axis} {other}"), there, LOOK)]  # fmt: skip
        return all(said) if said else None

    def say(self, wanted: Any, speech: Speech) -> str:
        """Each by what changes."""
        template = speech.locale.message("with")
        return speech.locale.listing(
            [
                speech.say(template, name=speech.keep(w["name"]), options=speech.keep(_told(w["options"])))
                for w in wanted
            ]
        )

    def state(self, raw: Any, scope: Scope, locale: Locale) -> str:
        """Each by what changes."""
        template = locale.message("with")
        return locale.listing(
            [template.format(name=w["name"], options=_told(w["options"])) for w in self.wanted(raw, scope)]
        )

    def draw(self, rng: Random, scope: Scope, *, wild: bool = False) -> Any | None:
        """For each part another variant; wild ones may not be available."""
        found = []
        for part, variants in self._each(scope):
            free = [k for k, v in variants.items() if k != part[self.parts.key] and (wild or v.get("available", True))]
            if not free:
                return None
            found.append(rng.choice(free))
        return found

    def wanted(self, raw: Any, scope: Scope) -> Any:
        """By name and what changes."""
        return [
            {
                "name": part[self.parts.label],
                "old": part["options"],
                "options": {a: v for a, v in variants[key]["options"].items() if part["options"].get(a) != v},
            }
            for key, (part, variants) in zip(raw, self._each(scope), strict=True)
        ]

    def record(self, raw: Any, scope: Scope) -> Any:
        """The variants themselves."""
        each = list(self._each(scope))
        if len(raw) != len(each):
            raise ToolError("there must be as many new ones as old ones, position by position")
        for key, (part, variants) in zip(raw, each, strict=True):
            if key not in variants:
                raise ToolError(f"{key!r} is no variant of the {part[self.parts.label]}")
        return [variants[key] for key, (_, variants) in zip(raw, each, strict=True)]

    def _each(self, scope: Scope) -> Iterator[tuple[Record, Mapping[str, Record]]]:
        for part in scope[self.parts.name or self.parts.slot]:
            thing = scope.load(self.of, part[self.link])
            yield part, {} if thing is None else thing[self.variants]

    @staticmethod
    def _about(text: str, names: Sequence[str]) -> dict[str, str]:
        """The stretch of a text about each name: from its last mention to the next name's; all of it for one name."""
        if len(names) == 1:
            return {names[0]: text}
        last = {name: [m.start() for m in re.finditer(whole(name), text, LOOK)][-1:] for name in names}
        at = sorted((places[0], name) for name, places in last.items() if places)
        ends = [*(start for start, _ in at), len(text)][1:]
        return {name: text[start:end] for (start, name), end in zip(at, ends, strict=True)}


def _told(options: Mapping[str, str]) -> str:
    return ", ".join(f"{axis} {value}" for axis, value in options.items())


def _options(text: str, axes: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The value that a text gives for each axis; one with the axis beside it counts before a bare one."""
    found = {}
    for axis, values in axes.items():
        ordered = sorted(values, key=len, reverse=True)
        hits = [v for v in ordered if re.search(rf"{whole(f'{axis} {v}')}|{whole(f'{v} {axis}')}", text, LOOK)]
        hits = hits or [value for value in ordered if re.search(whole(value), text, LOOK)]
        if hits:
            found[axis] = hits[0]
    return found
