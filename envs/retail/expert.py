"""The scripted expert of the retail domain: solves tasks by dialogue and tools, as a careful clerk would.

It identifies the user, asks for what it needs one or two slots at a time (all at once when turns run short), looks
everything up, names what it is going to do and asks "(yes/no)", acts, and asks for anything else. It refuses with a
reason what the policy document forbids and hands over what only a human may do.
"""

from __future__ import annotations

from typing import Final

from mua_env.agents.scripted.desk import Handlers
from mua_env.agents.scripted.expert import Script, ScriptedExpert
from mua_env.agents.scripted.handlers import Human

from . import expert_reading as reading
from .expert_desk import Desk
from .expert_handlers import Cancel, OrderAddress, OrderPayment, UserAddress
from .expert_items import Return, Swap
from .expert_questions import OrderQuestion, ProductQuestion

HANDLERS: Final[Handlers] = {
    "cancel_order": Cancel,
    "modify_order_address": OrderAddress,
    "modify_order_payment": OrderPayment,
    "modify_user_address": UserAddress,
    "return_items": Return,
    "exchange_items": Swap,
    "modify_items": Swap,
    "ask:order_status": OrderQuestion,
    "ask:order_total": OrderQuestion,
    "ask:tracking_number": OrderQuestion,
    "ask:delivery_address": OrderQuestion,
    "ask:product_options_count": ProductQuestion,
    "human": Human,
}
"""What carries out requests, by intent."""


class RetailExpert(ScriptedExpert):
    """Solves retail tasks through dialogue. Styles: :class:`~mua_env.agents.scripted.expert.ScriptedExpert`."""

    def states_wish(self, text: str) -> bool:
        """Whether a message of the user states a wish."""
        return reading.intent(text) is not None

    def script(self, opening: str) -> Script:
        """The dialogue from the user's opening to the end."""
        desk = Desk(self, HANDLERS)
        text = yield from desk.identify(opening)
        yield from desk.attend(reading.intent(opening) or reading.intent(text), text)
