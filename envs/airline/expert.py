"""The scripted expert of the airline domain: solves tasks by dialogue and tools, as a careful clerk would.

It identifies the user, asks for what it needs, looks everything up, names what it is going to do and asks
"(yes/no)", acts, and asks for anything else. It refuses with a reason what the policy document forbids and hands
over what only a human may do.
"""

from __future__ import annotations

from typing import Final

from mua_env.agents.scripted.desk import Handlers
from mua_env.agents.scripted.expert import Script, ScriptedExpert
from mua_env.agents.scripted.handlers import Human

from . import expert_reading as reading
from .expert_booking import Book
from .expert_changes import Bags, Cabin, Flights, Replace
from .expert_desk import Desk
from .expert_refunds import Cancel, Compensate
from .expert_requests import NEVER, Answer, Never

HANDLERS: Final[Handlers] = {
    "book_flight": Book,
    "change_cabin": Cabin,
    "change_flights": Flights,
    "change_flights:cabin": Flights,
    "add_bags": Bags,
    "change_passenger": Replace,
    "cancel_reservation": Cancel,
    "compensation": Compensate,
    "ask:free_bags": Answer,
    "ask:total_paid": Answer,
    **dict.fromkeys(NEVER, Never),
    "human": Human,
}
"""What carries out requests, by intent."""


class AirlineExpert(ScriptedExpert):
    """Solves airline tasks through dialogue. Styles: :class:`~mua_env.agents.scripted.expert.ScriptedExpert`."""

    def states_wish(self, text: str) -> bool:
        """Whether a message of the user states a wish."""
        return reading.intent(text) is not None

    def script(self, opening: str) -> Script:
        """The dialogue from the user's opening to the end."""
        desk = Desk(self, HANDLERS)
        text = yield from desk.identify(opening)
        yield from desk.attend(reading.intent(text) or reading.intent(opening), text)
