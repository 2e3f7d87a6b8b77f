"""How a persona is told to a language model: sentences for the instruction of a generated task."""

from __future__ import annotations

from collections.abc import Mapping

MANNERS: Mapping[str, tuple[str, ...]] = {
    "plain": ("You speak plainly.", "You say what is needed, in ordinary words."),
    "terse": ("You are short of words.", "You answer in as few words as you can."),
    "polite": ("You are polite.", "You are friendly and say thank you."),
    "chatty": ("You like to chat and drift a little.", "You talk a lot, also of things beside the point."),
    "confused": ("You are unsure of yourself and get muddled.", "You are easily confused and ask again."),
    "impatient": ("You are in a hurry.", "You have little patience and want this over with."),
}
"""By the persona's name; each text says it alone."""
