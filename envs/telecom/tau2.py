"""The telecom tasks of tau2-bench: its tools, set-up functions and assertions over its own data."""

from __future__ import annotations

from mua_env.kit import Kit
from mua_env.public.untyped import UntypedToolkit
from mua_env.tools import tool

from .models import Base
from .phone import TelecomPhone
from .settle import settle
from .stage import TelecomStage
from .tools import OperatorTools, Summary


class Tau2TelecomTools(UntypedToolkit, OperatorTools):
    """The thirteen tools of tau2's telecom agent. There the user ends a dialogue, not a transfer."""

    @tool
    def transfer_to_human_agents(self, summary: Summary) -> str:
        """Hand the user over to a human agent: on their wish, or for what the policy and these tools cannot do."""
        return "Transfer successful"


class Tau2TelecomPhone(UntypedToolkit, TelecomPhone):
    """The thirty tools of tau2's telecom user."""


KIT = Kit(
    toolkit=Tau2TelecomTools,
    models=Base,
    user_toolkit=Tau2TelecomPhone,
    stage=TelecomStage,
    settle=settle,
    settled_gold=False,
)
"""The world of tau2's telecom tasks; its gold actions run without settling in between."""
