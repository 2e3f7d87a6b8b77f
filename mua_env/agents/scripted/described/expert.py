"""A scripted expert that follows from a description.

It identifies the user, asks for what it needs two slots at a time (all at once when turns run short), reads the records
that it needs, refuses as soon as a rule stands in the way, states what it is going to do and asks "(yes/no)", acts, and
asks for anything else.
"""

from __future__ import annotations

from mua_env.agents.scripted.described.desk import Desk
from mua_env.agents.scripted.expert import Script, ScriptedExpert
from mua_env.core.agent import Slips
from mua_env.domain.description import Description


class DescribedExpert(ScriptedExpert):
    """Solves the tasks of a described domain through dialogue.

    Args:
        description: of the domain.
        language: that it speaks and understands; ``None`` is the one that the description is written in.
        style: ``"plain"`` or ``"compact"``, see :class:`~mua_env.agents.scripted.expert.ScriptedExpert`.
        slips: chance that a change which the user agreed to is only claimed.

    Raises:
        ConfigError: the description has no translation into the language.
    """

    def __init__(
        self, description: Description, *, language: str | None = None, style: str = "plain", slips: Slips = 0.0
    ) -> None:
        super().__init__(style=style, slips=slips)
        self.description = description
        self.locale = description.locale(language)
        self.code = language

    def script(self, opening: str) -> Script:
        """The dialogue from the user's opening to the end."""
        desk = Desk(self)
        text = yield from desk.identify(opening)
        if text is not None:
            yield from desk.attend(opening, text)
