"""Whole records of the telecom world: every field is there, None where there is no value; and those to start with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mua_env.core.database._statements import Model

from .models import PHONE, Bill, Customer, Device, Line, Phone, Plan, Surroundings

Record = dict[str, Any]

APN: Final[Record] = {
    "apn_name": "internet",
    "reset_at_reboot": False,
    "mms_apn": "mms",
    "mmsc_url": "http://mms.carrier.com/mms/wapenc",
    "mms_proxy": None,
    "mms_port": None,
}
"""The access point that a phone comes with, and that it goes back to."""
VPN: Final[Record] = {
    "server_address": "192.168.1.1",
    "protocol": "OpenVPN",
    "server_performance": "excellent",
}
PERMISSIONS: Final = ("sms", "storage", "phone", "network")
_HIDDEN: Final = frozenset({"owner_id", "phone_id", "vpn_profile"})


def _fields(model: Model) -> tuple[str, ...]:
    return tuple(column.name for column in model.__table__.columns if column.name not in _HIDDEN)


FIELDS: Final[Mapping[type, tuple[str, ...]]] = {
    model: _fields(model) for model in (Plan, Device, Line, Bill, Customer, Phone, Surroundings)
}
"""The fields of a record as the benchmark has it, in order."""


def whole(model: type, row: Mapping[str, Any]) -> Record:
    """A row as a whole record."""
    return {name: row.get(name) for name in FIELDS[model]}


def apps(**granted: tuple[str, ...]) -> Record:
    """Apps by name with the permissions that they have: ``apps(messaging=("sms",))``."""
    return {
        name: {"app_name": name, "permissions": {permission: permission in have for permission in PERMISSIONS}}
        for name, have in granted.items()
    }


def phone_row(**settings: Any) -> Record:
    """A phone in good order with ``settings`` changed, as a row."""
    return {
        "phone_id": PHONE,
        "sim_card_status": "active",
        "sim_card_missing": False,
        "airplane_mode": False,
        "network_signal_strength": "good",
        "network_technology_connected": "5G",
        "network_connection_status": "connected",
        "battery_level": 80,
        "data_enabled": True,
        "roaming_enabled": False,
        "network_mode_preference": "4g_5g_preferred",
        "active_apn_settings": dict(APN),
        "wifi_enabled": False,
        "wifi_connected": False,
        "wifi_ssid": None,
        "wifi_signal_strength": "none",
        "wifi_calling_enabled": False,
        "wifi_calling_mms_over_wifi": False,
        "data_saver_mode": False,
        "vpn_enabled_setting": False,
        "vpn_connected": False,
        "vpn_details": None,
        "vpn_profile": dict(VPN),
        "app_statuses": apps(messaging=("sms", "storage", "phone"), browser=("storage", "network")),
        **settings,
    }


def surroundings_row(**settings: Any) -> Record:
    """Surroundings at home with an active line, with ``settings`` changed, as a row."""
    return {
        "phone_id": PHONE,
        "name": None,
        "phone_number": None,
        "is_abroad": False,
        "roaming_allowed": False,
        "signal_strength": {"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"},
        "mobile_data_usage_exceeded": False,
        "line_active": True,
        "payment_request": None,
        **settings,
    }


def with_owners(rows: Mapping[str, list[Record]]) -> dict[str, list[Record]]:
    """Rows in which each line names the customer who has it, for look-ups by number."""
    owners = {line: customer["customer_id"] for customer in rows["customers"] for line in customer["line_ids"]}
    lines = [{**line, "owner_id": owners.get(line["line_id"])} for line in rows["lines"]]
    return {**rows, "lines": lines}
