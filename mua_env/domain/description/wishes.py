"""What users can want: a row for each tool that changes something, and for each question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mua_env.domain.description.scope import Record, Scope


@dataclass(frozen=True)
class Wish:
    """A request that a writing tool carries out.

    Attributes:
        deed: what the agent does, as ``"cancel the booking"``: the verb, and its object with "the". Where a language
            sets no words apart, a space tells the two apart.
        done: the verb's participle, as ``"cancelled"``: "I have cancelled the booking".
        phrase: what the user says, in the grammar of phrasings (default: the deed with "a" or "my" for "the").
        also: a regular expression of further verbs by which anybody may name it, as ``"move|switch"``.
        tool: that carries it out (default: the name of the wish).
        looked_up: arguments that the user does not know and the agent finds in the records: name -> function of them.
    """

    deed: str
    done: str
    phrase: str = ""
    also: str = ""
    tool: str = ""
    looked_up: Mapping[str, Callable[[Scope], Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """Something that the user wants to know, and that a reading tool holds.

    Attributes:
        phrase: what the user says, as ``"know what a room costs"``.
        tool: that reads the record with the answer.
        answer: the column with the answer, or a function of the record.
        noun: what is told, as ``"price"``.
        also: a regular expression of further words by which anybody may name it.
    """

    phrase: str
    tool: str
    answer: str | Callable[[Record], Any]
    noun: str
    also: str = ""

    def of(self, record: Record) -> str:
        """The answer that a record holds."""
        found = self.answer(record) if callable(self.answer) else record[self.answer]
        return str(found)
