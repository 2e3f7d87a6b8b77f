"""A tokenizer's chat template, with the errors that it raises as errors of ours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mua_env.errors import ConfigError
from mua_env.inference.chat_formats.families import family_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Messages = Sequence[dict[str, Any]]
"""A chat in OpenAI form."""


class Rendering:
    """Makes text of chats.

    Args:
        tokenizer: it has a chat template.
        options: further arguments of the template.

    Attributes:
        template: its text.
        family: whose it is, in words.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, options: dict[str, Any]) -> None:
        self._tokenizer, self._options = tokenizer, options
        found: Any = tokenizer.chat_template
        # Some tokenizers have one template for chats with tools and one for chats without.
        self.template = "\n".join(found.values()) if isinstance(found, dict) else str(found)
        self.family = family_of(self.template, str(getattr(tokenizer, "name_or_path", "") or ""))

    def attempt(self, messages: Messages, tools: Sequence[dict[str, Any]] | None = None, header: bool = False) -> str:
        """The text of a chat, with the header of the agent's turn if asked for; raises whatever the template raises."""
        schemas: Any = tools
        return str(
            self._tokenizer.apply_chat_template(
                list(messages), tools=schemas, tokenize=False, add_generation_prompt=header, **self._options
            )
        )

    def __call__(self, messages: Messages, tools: Sequence[dict[str, Any]] | None = None, header: bool = False) -> str:
        """`attempt`.

        Raises:
            ConfigError: the template raises; the text says at what.
        """
        try:
            return self.attempt(messages, tools, header)
        except Exception as error:  # of Jinja, or of the template's own making
            roles = ", ".join(str(message.get("role")) for message in messages)
            raise self.refusal(
                f"it raises {type(error).__name__} ({str(error)[:200]}) for messages of {roles}"
            ) from error

    def refusal(self, what: str) -> ConfigError:
        """The error that says what is wrong with the template."""
        return ConfigError(f"the chat template of {self.family} cannot be used: {what}")


def forms_of(content: str) -> tuple[str, ...]:
    """How a content may stand in a rendered chat: as it is, or as the JSON string that some templates make of it."""
    return (content.strip(), json.dumps(content, ensure_ascii=False)) if content.strip() else ()


def stands_in(content: str, text: str) -> bool:
    """Whether a content can be found in a text."""
    return any(form in text for form in forms_of(content))
