"""A scripted expert in another natural language: the same script, heard and spoken through tables.

What the user says is read into the words that the expert listens for; what the expert says in its compact style is
said in the other language. Values stay as the data has them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from mua_env.agents.scripted.expert import ScriptedExpert
from mua_env.core.agent import Slips
from mua_env.core.messages import AssistantMessage, Message, UserMessage

_HAN = re.compile(r"[\u4e00-\u9fff]+")
_MARKS = str.maketrans({"\uff0c": ", ", "\u3002": ".\n", "\uff1a": ": ", "\uff1f": "? ", "\uff01": "! ", "\uff08": " (",
                        "\uff09": ") ", "\uff1b": "; "})  # fmt: skip


@cache
def _finder(template: str) -> re.Pattern[str]:
    """Finds what stands at the places of a template; a value that it names twice must be the same both times."""
    seen: set[str] = set()

    def group(match: re.Match[str]) -> str:
        name = match[1]
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>.+?)"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", group, re.escape(template)) + r"\Z", re.DOTALL)


class Interpreter:
    """The tables between Chinese and the English that an expert listens for and speaks.

    Args:
        heard: pairs of a regular expression over the user's words and what the expert listens for, in order.
        phrases: what the expert says, by act, in its compact style.
        said: the same in Chinese, with the same placeholders.
        clauses: what can stand at a placeholder, in English and in Chinese.
        words: pairs of what else is said differently inside of values.
    """

    def __init__(
        self,
        heard: Sequence[tuple[str, str]],
        phrases: Mapping[str, str],
        said: Mapping[str, str],
        clauses: Mapping[str, str],
        words: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._heard = [(re.compile(pattern), replacement) for pattern, replacement in heard]
        self._phrases = phrases
        self._said = said
        self._clauses = clauses
        self._words = words

    def hear(self, text: str) -> str:
        """A user's message in the words that the expert listens for."""
        for pattern, words in self._heard:
            text = pattern.sub(words, text)
        return re.sub(r" +", " ", _HAN.sub(" ", text.translate(_MARKS))).strip()

    def speak(self, text: str) -> str:
        """What the expert says in its compact style, in Chinese; what is in no table stays as it is."""
        for act, template in self._phrases.items():
            match = _finder(template).match(text)
            if match:
                return self._said[act].format(
                    **{name: self._clause(value) for name, value in match.groupdict().items()}
                )
        return text

    def _clause(self, text: str) -> str:
        for english, chinese in self._clauses.items():
            match = _finder(english).match(text)
            if match:
                return self._swap(chinese.format(**match.groupdict()))
        return text

    def _swap(self, text: str) -> str:
        for english, chinese in self._words:
            text = text.replace(english, chinese)
        return text


class InterpretedExpert(ScriptedExpert):
    """A scripted expert that hears and speaks through an interpreter; to be named before the expert's class."""

    interpreter: ClassVar[Interpreter]

    def __init__(self, *, slips: Slips = 0.0) -> None:
        super().__init__(style="compact", slips=slips)

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        """The next step of the script, in the other language."""
        step = super().act(messages)
        return step if step.content is None else AssistantMessage(content=self.interpreter.speak(step.content))

    def read(self, message: Message) -> str:
        """A message in the words that the expert listens for."""
        text = super().read(message)
        return self.interpreter.hear(text) if isinstance(message, UserMessage) else text
