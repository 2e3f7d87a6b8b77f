"""An agent's text held against a retail request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mua_env.users.agenda.language import Comparison

from .matching import ZIP, has_value, last_fours, name_pattern, names_in, normal, order_ids, payment_kinds, reasons
from .matching import parts as parts_of
from .products import strange

Record = Mapping[str, Any]
Products = Mapping[str, Mapping[str, Sequence[str]]]
"""Product name -> option -> the values that it can have."""

_ITEM_INTENTS = ("return_items", "exchange_items", "modify_items")
_KEPT = re.compile(
    r"\b(?:contain|includ|consist|keep|kept|remain|unchanged|other|rest|stay|without|except|not)\w*\b", re.IGNORECASE
)
_REASON = re.compile(r"\breason\b[^.:\n]{0,40}(?::|\bis\b)\s*\w", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_BRANDS = {
    "visa": re.compile(r"\bvisa\b", re.IGNORECASE),
    "mastercard": re.compile(r"\bmaster ?card\b", re.IGNORECASE),
    "amex": re.compile(r"\bamex\b|\bamerican express\b", re.IGNORECASE),
}
_NO_VALUE = (
    r"(?:of|you|your|and|or|options?|for|from|the|a|an|instead|change|with|that|as|is|are|will|would|to|in|by)\b"
)
_IDS = re.compile(r"#?\bW\d+|\bending in \d+")


def compare(intent: str, slots: Record, text: str, products: Products) -> Comparison:
    """The slots that a text states wrongly, and those that it states rightly; silence counts as neither."""
    wrong: list[str] = []
    right: list[str] = []
    checks: dict[str, Callable[[Any, str], bool | None]] = {
        "order_id": _order,
        "reason": _reason,
        "payment_method": _payment,
        "address": _address,
    }
    for slot, check in checks.items():
        if slots.get(slot):
            _note(slot, check(slots[slot], text), wrong, right)
    if intent in _ITEM_INTENTS and slots.get("items"):
        _note("items", _items(slots["items"], text, products), wrong, right)
        if "items" not in wrong:
            _note("new_options", _new_options(slots["items"], text, products), wrong, right)
    return Comparison(tuple(wrong), tuple(right))


def mentions(slot: str, text: str) -> tuple[str, ...]:
    """The values of a slot that a text states."""
    finders = {"order_id": order_ids, "payment_method": payment_kinds, "reason": reasons}
    return tuple(dict.fromkeys(finders[slot](text))) if slot in finders else ()


def _note(slot: str, verdict: bool | None, wrong: list[str], right: list[str]) -> None:
    if verdict is not None:
        (right if verdict else wrong).append(slot)


def _order(wanted: str, text: str) -> bool | None:
    found = order_ids(text)
    return wanted in found if found else None


def _reason(wanted: str, text: str) -> bool | None:
    if wanted.lower() in text.lower():
        return True
    found = reasons(text)
    if found:
        return wanted in found
    return False if _REASON.search(text) else None


def _payment(wanted: Record, text: str) -> bool | None:
    brands = {name for name, pattern in _BRANDS.items() if pattern.search(text)}
    if wanted.get("brand") in _BRANDS and brands and wanted["brand"] not in brands:
        return False
    digits = last_fours(text)
    if wanted.get("last_four"):
        if digits:
            return wanted["last_four"] in digits
        if str(wanted["last_four"]) in text:
            return True
    if str(wanted.get("id", "\0")) in text:
        return True
    kinds = payment_kinds(text)
    return wanted.get("source") in kinds if kinds else None


def _address(wanted: Record, text: str) -> bool | None:
    low = normal(text)
    parts = [normal(str(wanted.get(key, ""))) for key in ("address1", "address2", "city", "zip")]
    stated = [part for part in parts if part and part in low]
    if not stated and not ZIP.search(text):
        return None
    return len(stated) == sum(bool(part) for part in parts)


def _items(wanted: Sequence[Record], text: str, products: Products) -> bool | None:
    names = [item["name"] for item in wanted]
    found = names_in(text, [*names, *products])
    if not found:
        return False if strange(text, wanted) else None
    if any(name not in found for name in names):
        return False
    extra = [name for name in found if name not in names]
    return not any(_meant(name, text) for name in extra)


def _meant(name: str, text: str) -> bool:
    """Whether some line that names a product does not say that it stays as it is."""
    pattern = name_pattern(name)
    lines = [line for line in re.split(r"[\n;]|(?<=[.?!])\s", text) if pattern.search(normal(line))]
    return any(not _KEPT.search(line) for line in lines)


def _new_options(wanted: Sequence[Record], text: str, products: Products) -> bool | None:
    names = [item["name"] for item in wanted]
    whole = normal(text)
    found = parts_of(text, names)
    verdicts = []
    for item in wanted:
        own = [part for name, part in found if name == item["name"]]
        # Twins are told apart by their options only: what is said of either counts for both.
        part = " ".join(own) if own and len(set(names)) > 1 else whole
        if item.get("new_options"):
            strange = _strange(item, part, products.get(item["name"], {}))
            verdicts.append(False if strange else _options_of(item, part, whole))
    if any(verdict is False for verdict in verdicts):
        return False
    return True if any(verdicts) else None


def _strange(item: Record, part: str, choices: Mapping[str, Sequence[str]]) -> bool:
    """Whether an option value is stated that is neither the present one nor the wanted one."""
    new, old = item["new_options"], item.get("options") or {}
    expected = {normal(str(value)) for value in (*new.values(), *old.values(), item["name"])}
    # "stainless steel" holds "steel", and "Bed Linen" a fabric: what is expected is taken out first.
    for phrase in sorted(expected, key=len, reverse=True):
        part = part.replace(phrase, "*") if len(phrase) > 3 else part
    return any(
        normal(str(value)) not in expected and has_value(part, key, value)
        for key, values in choices.items()
        for value in values
        if key in new
    )


def _options_of(item: Record, part: str, whole: str) -> bool | None:
    new, old = item["new_options"], item.get("options") or {}
    changed = [key for key in new if new[key] != old.get(key)]
    if str(item.get("new_item_id", "\0")) in whole:
        return True
    stated = [key for key in changed if _states(part, key, new[key])]
    if any(_labelled(part, key) and not _states(part, key, new[key]) for key in new if key not in changed):
        return False
    if len(stated) == len(changed):
        return True if changed else None
    detailed = bool(stated) or any(has_value(part, key, old[key]) for key in old)
    labelled = any(_labelled(part, key) for key in changed)
    return False if detailed or labelled else None


def _labelled(part: str, key: str) -> bool:
    """Whether a value follows the name of an option: "color: tan", "with color tan", "color to tan"."""
    name = re.escape(normal(key))
    return re.search(rf"\b{name}\b\s?(?:[:=]|(?:is |to |in )?(?!{_NO_VALUE})[a-z0-9])", part) is not None


def _states(part: str, key: str, value: str) -> bool:
    if has_value(part, key, value):
        return True
    # In a list such as "(M, navy)" the values stand without the names of their options.
    body = re.escape(normal(str(value)))
    return re.search(rf"[(,:>]\s?{body}\s?(?:[,);.]|$)", part, re.MULTILINE) is not None


def answered(slots: Record, text: str) -> bool:
    """Whether the text holds the expected answer: numbers by value, an address by its street and postal code."""
    answer = slots.get("answer")
    if answer is None or answer == "":
        return False
    if isinstance(answer, Mapping):
        return _address(answer, text) is True
    wanted = str(answer).strip()
    if _NUMBER.fullmatch(wanted.lstrip("$").replace(",", "")):
        value = float(wanted.lstrip("$").replace(",", ""))
        # Digits of ids and of cards are no numbers.
        plain = _IDS.sub(" ", text).replace(",", "")
        return any(float(number) == value for number in _NUMBER.findall(plain))
    return normal(wanted) in normal(text)


def _which(text: str) -> str:
    """What "which one?" asks for: the last kind of thing that the text lists."""
    if len(order_ids(text)) > 1:
        return "order_id"
    paying = payment_kinds(text) or re.search(r"\bcards?\b", text, re.IGNORECASE)
    if paying and not re.search(r"\b(?:items?|products?|variants?|options?)\b", text, re.IGNORECASE):
        return "payment_method"
    return (
        "new_options"
        if re.search(r"\b(?:instead|prefer|available|in stock|new one)\b", text, re.IGNORECASE)
        else "items"
    )


_THINGS = ("items", "item_options", "new_options")


def refine(asked: Sequence[str], text: str, given: Mapping[str, int], intent: str) -> tuple[str, ...]:
    """Mend what patterns alone get wrong.

    A postal code asked for with a street is part of the new address; "which one?" after the item was named asks for
    its options; a question for new options mentions the item.
    """
    slots = list(asked)
    if "one" in slots:
        at = slots.index("one")
        slots[at : at + 1] = [] if len(slots) > 1 else [_which(text)]
    if "address" in slots:
        slots = [slot for slot in slots if slot not in _THINGS]
    if "zip" in slots and "address" in slots:
        identity = "first_name" in slots or "email" in slots
        slots.remove("address" if identity and not given.get("zip") else "zip")
    if "items" in slots and "new_options" in slots and given.get("items"):
        slots.remove("items")
    if "items" in slots and given.get("items") and "new_options" not in slots:
        slots[slots.index("items")] = "item_options"
    if intent == "ask":
        return tuple(dict.fromkeys("product" if slot in _THINGS else slot for slot in slots))
    if "product" in slots and ("items" in slots or "item_options" in slots or "new_options" in slots):
        slots.remove("product")
    return tuple(slots)


def difference(old: Record, new: Record) -> tuple[str, ...]:
    """The slots whose values differ; of items, whether they are others or only their new options are."""
    changed: list[str] = []
    for name in new:
        if old.get(name) == new[name]:
            continue
        if name != "items":
            changed.append(name)
            continue
        before = [(item.get("name"), item.get("options")) for item in old.get("items") or ()]
        after = [(item.get("name"), item.get("options")) for item in new["items"]]
        if before != after:
            changed.append("items")
        if any(item.get("new_options") for item in new["items"]):
            changed.append("new_options")
    return tuple(slot for slot in changed if slot not in ("answer", "topic", "order_hint"))
