"""The phone in the expert's hands: what is looked at for which symptom, and what is done about what was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Seen = dict[str, str | bool]


@dataclass(frozen=True)
class Step:
    """A thing to look at or to do: in words, and as a call for an agent that holds the phone itself."""

    words: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def _app(permission: str) -> dict[str, str]:
    return {"app_name": "messaging", "permission": permission}


LOOKS: Final[Mapping[str, Step]] = {
    "network": Step("check the network status", "check_network_status"),
    "sim": Step("check the SIM status", "check_sim_status"),
    "apn": Step("check the APN settings", "check_apn_settings"),
    "saver": Step("check whether Data Saver is on", "check_data_restriction_status"),
    "mode": Step("check the network mode preference", "check_network_mode_preference"),
    "vpn": Step("check the VPN status", "check_vpn_status"),
    "wifi_calling": Step("check whether Wi-Fi calling is on", "check_wifi_calling_status"),
    "permissions": Step(
        "check the permissions of the messaging app", "check_app_permissions", {"app_name": "messaging"}
    ),
    "bar": Step("look at the status bar", "check_status_bar"),
    "speed": Step("run a speed test", "run_speed_test"),
    "mms": Step("try to send a picture message", "can_send_mms"),
    "request": Step("check the payment request", "check_payment_request"),
}
REPAIRS: Final[Mapping[str, Step]] = {
    "airplane": Step("turn off airplane mode", "toggle_airplane_mode"),
    "sim": Step("take out your SIM card and put it back in", "reseat_sim_card"),
    "apn": Step("reset the APN settings", "reset_apn_settings"),
    "data": Step("turn on mobile data", "toggle_data"),
    "roaming": Step("turn on data roaming", "toggle_roaming"),
    "saver": Step("turn off Data Saver", "toggle_data_saver_mode"),
    "mode": Step("set the network mode to 4g_5g_preferred", "set_network_mode_preference", {"mode": "4g_5g_preferred"}),
    "vpn": Step("disconnect the VPN", "disconnect_vpn"),
    "wifi_calling": Step("turn off Wi-Fi calling", "toggle_wifi_calling"),
    "storage": Step("allow the messaging app to use the storage", "grant_app_permission", _app("storage")),
    "sms": Step("allow the messaging app to use sms", "grant_app_permission", _app("sms")),
    "reboot": Step("restart the phone", "reboot_device"),
    "pay": Step("make the payment", "make_payment"),
}
_BASIC: Final = ("network", "sim", "apn")
FOR: Final[Mapping[str, tuple[str, ...]]] = {
    "service": _BASIC,
    "data": (*_BASIC, "saver", "mode", "vpn"),
    "mms": (*_BASIC, "mode", "wifi_calling", "permissions"),
}
"""What is looked at for a symptom."""
PROOF: Final = {"service": "bar", "data": "speed", "mms": "mms"}
"""What shows that a symptom is gone."""


def repairs(symptom: str, seen: Seen, *, abroad: bool) -> list[str]:
    """What is to be done on the phone about what was seen, in order."""
    found = []
    if seen.get("airplane") is True:
        found.append("airplane")
    if seen.get("sim") == "missing":
        found.append("sim")
    if seen.get("apn") == "broken" or (symptom == "mms" and seen.get("mmsc") == "not set"):
        found.append("apn")
    if symptom != "service":
        found += _for_data(symptom, seen, abroad)
    if symptom == "mms":
        found += _for_pictures(seen)
    return [*found, "reboot"] if "apn" in found else found


def _for_data(symptom: str, seen: Seen, abroad: bool) -> list[str]:
    found = []
    if seen.get("data") is False:
        found.append("data")
    if abroad and seen.get("roaming") is False:
        found.append("roaming")
    if symptom == "data" and seen.get("saver") is True:
        found.append("saver")
    slow = ("2g_only", "3g_only", "4g_only") if symptom == "data" else ("2g_only",)
    if seen.get("mode") in slow:
        found.append("mode")
    if symptom == "data" and seen.get("vpn") == "poor":
        found.append("vpn")
    return found


def _for_pictures(seen: Seen) -> list[str]:
    found = ["wifi_calling"] if seen.get("wifi_calling") is True else []
    granted = seen.get("permissions")
    if isinstance(granted, str):
        found += [name for name in ("storage", "sms") if name not in granted]
    return found


def solved(symptom: str, seen: Seen) -> bool:
    """Whether what was seen shows that a symptom is gone."""
    if symptom == "service":
        return seen.get("signal") in ("poor", "fair", "good", "excellent") and seen.get("airplane") is not True
    return seen.get("speed") == "excellent" if symptom == "data" else seen.get("mms") == "can"


def in_words(steps: Sequence[Step], *, please: str = "Please") -> str:
    """Steps as sentences, one instruction in each."""
    return " ".join(f"{please} {step.words}." for step in steps)
