"""The scripted expert of the telecom domain: finds out who calls and what is wrong, and guides the caller's hands.

It cannot touch the phone. It asks what the phone shows, several things at a time, does in the records what can be done
there, tells the caller what to do, and has it look whether the symptom is gone. With the phone's tools in its own hands
(solo mode) it does the same from a ticket.
"""

from __future__ import annotations

from typing import Final

from mua_env.agents.scripted.desk import Handlers
from mua_env.agents.scripted.expert import Script, ScriptedExpert

from . import expert_reading as reading
from .expert_desk import Clerk
from .expert_requests import Bill, Purchase, Stranger, Symptom

HANDLERS: Final[Handlers] = {
    "service": Symptom,
    "data": Symptom,
    "mms": Symptom,
    "pay_bill": Bill,
    "next_bill": Bill,
    "refuel_data": Purchase,
    "change_plan": Purchase,
}
"""What carries out requests, by intent."""


class TelecomExpert(ScriptedExpert):
    """Solves telecom tasks through dialogue. Styles: :class:`~mua_env.agents.scripted.expert.ScriptedExpert`."""

    def states_wish(self, text: str) -> bool:
        """Whether a message of the user states a wish."""
        return reading.intent(text) is not None

    def script(self, opening: str) -> Script:
        """The dialogue from the user's opening to the end; from the ticket, where the phone is in its own hands."""
        if any(schema["function"]["name"] == "reboot_device" for schema in self.tools):
            from .expert_solo import work_off

            yield from work_off(self, opening)
            return
        clerk = Clerk(self, HANDLERS, stranger=Stranger)
        text = yield from clerk.identify(opening)
        yield from clerk.attend(reading.intent(opening) or reading.complaint(opening) or reading.intent(text), text)
