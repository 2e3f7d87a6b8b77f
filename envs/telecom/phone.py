"""The user's tools, all of them: names, arguments and what they show are those of the public telecom benchmark."""

from __future__ import annotations

from .phone_apps import AppTools
from .phone_network import NetworkTools
from .phone_settings import SettingsTools


class TelecomPhone(NetworkTools, SettingsTools, AppTools):
    """The thirty tools of the telecom user: a phone to look at and to operate, and a bill to pay."""
