"""How a phone finds its network, and what then works: functions of a phone's row and its surroundings' row."""

from __future__ import annotations

from typing import Any, Final

Row = dict[str, Any]

TECHNOLOGY: Final = {"4g_5g_preferred": "5G", "4g_only": "4G", "3g_only": "3G", "2g_only": "2G"}
"""The network that each mode looks for; 4G where the phone looks for 5G and there is none."""
_RANGE: Final = {"2G": (0.1, 0.4), "3G": (1.0, 5.0), "4G": (10.0, 100.0), "5G": (50.0, 500.0)}
"""Mbps."""
_STRENGTH: Final = {"poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}
_GRADES: Final = ((1, "Very Poor"), (5, "Poor"), (25, "Fair"), (100, "Good"))
_BARS: Final = {"poor": "📶¹ Poor", "fair": "📶² Fair", "good": "📶³ Good", "excellent": "📶⁴ Excellent"}
_NO_BARS: Final = "📵 No Signal"


def sim_status(phone: Row) -> str:
    """``active``, ``missing``, ``locked_pin`` or ``locked_puk``."""
    return "missing" if phone["sim_card_missing"] else str(phone["sim_card_status"])


def search_network(phone: Row, around: Row) -> None:
    """Connect the phone to the network that its mode looks for, or to none."""
    cut_off = (
        sim_status(phone) != "active"
        or phone["airplane_mode"]
        or phone["active_apn_settings"]["apn_name"] == "broken"
        or not around["line_active"]
    )
    if cut_off:
        status, technology, strength = "no_service", "none", "none"
    else:
        signals = around["signal_strength"]
        technology = TECHNOLOGY.get(phone["network_mode_preference"], "4G")
        if technology == "5G" and signals.get("5G", "none") == "none":
            technology = "4G"
        status, strength = "connected", signals.get(technology, "none")
    phone["network_connection_status"] = status
    phone["network_technology_connected"] = technology
    phone["network_signal_strength"] = strength


def data_works(phone: Row, around: Row) -> bool:
    """Whether mobile data comes through."""
    if phone["airplane_mode"] or phone["network_signal_strength"] == "none":
        return False
    if phone["network_connection_status"] == "no_service" or not phone["data_enabled"]:
        return False
    if around["is_abroad"] and not (phone["roaming_enabled"] and around["roaming_allowed"]):
        return False
    return not around["mobile_data_usage_exceeded"]


def measure_speed(phone: Row, around: Row) -> tuple[float | None, str]:
    """Download speed in Mbps (``None`` without a connection), and what to call it."""
    if not data_works(phone, around):
        return None, "No Connection"
    factor = 1.0
    details = phone["vpn_details"]
    if phone["vpn_connected"] and details and details["server_performance"] == "poor":
        factor = 0.1
    if phone["data_saver_mode"]:
        factor *= 0.2
    low, high = _RANGE.get(phone["network_technology_connected"], (0.0, 0.0))
    speed = round((low + high) / 2.0 * _STRENGTH.get(phone["network_signal_strength"], 0.0) * factor, 2)
    return speed, next((name for below, name in _GRADES if speed < below), "Excellent")


def can_send_mms(phone: Row, around: Row) -> bool:
    """Whether a picture message can go out: over mobile data of 3G or better, by an app that may."""
    if not data_works(phone, around) or phone["network_technology_connected"] == "2G":
        return False
    # The operator carries no picture messages over Wi-Fi, and a phone set to that tries nothing else.
    if phone["wifi_calling_enabled"] and phone["wifi_calling_mms_over_wifi"]:
        return False
    if phone["active_apn_settings"]["mmsc_url"] is None:
        return False
    app = phone["app_statuses"].get("messaging")
    return app is not None and app["permissions"]["storage"] and app["permissions"]["sms"]


def status_bar(phone: Row) -> str:
    """What the top of the screen shows."""
    shown = ["✈️ Airplane Mode"] if phone["airplane_mode"] else _reception(phone)
    if phone["wifi_enabled"] and phone["wifi_connected"]:
        shown.append(f"📡 Connected to {phone['wifi_ssid']}" if phone["wifi_ssid"] else "📡 Enabled")
    if phone["vpn_connected"]:
        shown.append("🔒 VPN Connected")
    return " | ".join([*shown, f"🔋 {phone['battery_level']}%"])


def _reception(phone: Row) -> list[str]:
    technology = phone["network_technology_connected"]
    shown = [_BARS.get(phone["network_signal_strength"], _NO_BARS)]
    if technology != "none":
        shown.append(technology)
    if not phone["data_enabled"] or technology == "none":
        return [*shown, "📵 Data Disabled"]
    return [*shown, "📱 Data Enabled", *(["🔽 Data Saver"] if phone["data_saver_mode"] else [])]
