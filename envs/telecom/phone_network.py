"""The user's tools: status bar, network, SIM card, mobile data."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from mua_env.core.tools import tool
from mua_env.errors import ToolError

from .handset import Handset, Row
from .radio import TECHNOLOGY, measure_speed, sim_status, status_bar

NetworkMode = Annotated[
    Literal["4g_5g_preferred", "4g_only", "3g_only", "2g_only"],
    Field(description="The networks to look for."),
]
_SIM: Final = {
    "active": "Your SIM card is active and working.",
    "missing": "No SIM card detected in the phone.",
    "locked_pin": "The SIM card is locked with a PIN code.",
    "locked_puk": "The SIM card is locked with a PUK code.",
}
_ADVICE: Final = {
    "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
    "Poor": "Connection is slow. Web browsing may be sluggish, streaming difficult.",
    "Fair": "Connection is okay for web browsing and some standard definition streaming.",
    "Good": "Connection is good for most activities, including HD streaming.",
    "Excellent": "Connection is very fast.",
}


def on_off(state: object) -> str:
    """``ON`` or ``OFF``."""
    return "ON" if state else "OFF"


def yes_no(state: object) -> str:
    """``Yes`` or ``No``."""
    return "Yes" if state else "No"


def with_bar(text: str, phone: Row) -> str:
    """What a button answers, with the status bar below."""
    return f"{text}\nStatus Bar: {status_bar(phone)}"


class NetworkTools(Handset):
    """What the user can see and do about the connection."""

    @tool
    def check_status_bar(self) -> str:
        """Look at the icons at the top of the screen: reception, network, mobile data, Wi-Fi, VPN, battery."""
        return f"Status Bar: {status_bar(self.phone())}"

    @tool
    def check_network_status(self) -> str:
        """Look at the state of the connection: airplane mode, SIM card, reception, mobile data, roaming, Wi-Fi."""
        phone = self.phone()
        lines = [
            f"Airplane Mode: {on_off(phone['airplane_mode'])}",
            f"SIM Card Status: {sim_status(phone)}",
            f"Cellular Connection: {phone['network_connection_status']}",
            f"Cellular Signal: {phone['network_signal_strength']}",
            f"Cellular Network Type: {phone['network_technology_connected']}",
            f"Mobile Data Enabled: {yes_no(phone['data_enabled'])}",
            f"Data Roaming Enabled: {yes_no(phone['roaming_enabled'])}",
            f"Wi-Fi Radio: {on_off(phone['wifi_enabled'])}",
            f"Wi-Fi Connected: {yes_no(phone['wifi_connected'])}",
        ]
        if phone["wifi_connected"]:
            lines.append(f"Connected Wi-Fi Network: {phone['wifi_ssid']}")
        return "\n".join(lines)

    @tool
    def check_network_mode_preference(self) -> str:
        """Look up which networks the phone is set to look for."""
        return f"Network Mode Preference: {self.phone()['network_mode_preference']}"

    @tool(writes=True)
    def set_network_mode_preference(self, mode: NetworkMode) -> str:
        """Choose which networks the phone looks for. Newer ones are faster."""
        if not isinstance(mode, str):
            raise ToolError(f"the mode must be a string, got {mode!r}")
        with self.changing() as phone:
            if mode not in TECHNOLOGY:
                known = ", ".join(TECHNOLOGY)
                text = f"Failed to set network mode: '{mode}' is not a valid option. Please use one of: {known}"
                return with_bar(text, phone)
            phone["network_mode_preference"] = mode
            self.search(phone)
            return with_bar(f"Preferred Network Mode set to: {mode}", phone)

    @tool
    def run_speed_test(self) -> str:
        """Measure how fast the mobile internet connection is."""
        speed, grade = measure_speed(self.phone(), self.around())
        if speed is None:
            return f"Speed test failed: {grade}."
        return f"Speed Test Result: {speed:.2f} Mbps ({grade}). {_ADVICE[grade]}"

    @tool(writes=True)
    def toggle_airplane_mode(self) -> str:
        """Switch airplane mode on, or off if it is on. While it is on, the phone is cut off from every network."""
        with self.changing() as phone:
            return with_bar(f"Airplane Mode is now {on_off(self.flip_airplane_mode(phone))}.", phone)

    @tool
    def check_sim_status(self) -> str:
        """Look whether the phone sees its SIM card, and whether that is locked."""
        return _SIM[sim_status(self.phone())]

    @tool(writes=True)
    def reseat_sim_card(self) -> str:
        """Take the SIM card out and put it back in."""
        with self.changing() as phone:
            phone["sim_card_missing"] = False
            if sim_status(phone) == "missing":
                raise ToolError("there is no SIM card to put back in")
            self.search(phone)
            return with_bar("SIM card re-seated successfully.", phone)

    @tool(writes=True)
    def toggle_data(self) -> str:
        """Switch mobile data on, or off if it is on."""
        with self.changing() as phone:
            return with_bar(f"Mobile Data is now {on_off(self.flip(phone, 'data_enabled'))}.", phone)

    @tool(writes=True)
    def toggle_roaming(self) -> str:
        """Switch data roaming on, or off if it is on: whether the phone uses data in networks of other operators."""
        with self.changing() as phone:
            return with_bar(f"Data Roaming is now {on_off(self.flip(phone, 'roaming_enabled'))}.", phone)

    @tool
    def check_data_restriction_status(self) -> str:
        """Look whether something on the phone holds its use of data down, as data saver mode does."""
        if self.phone()["data_saver_mode"]:
            return "Data Saver mode is ON (limits data usage)."
        return "Data Saver mode is OFF."

    @tool(writes=True)
    def toggle_data_saver_mode(self) -> str:
        """Switch data saver mode on, or off if it is on. It makes the connection slower."""
        with self.changing() as phone:
            state = on_off(self.flip(phone, "data_saver_mode", searches=False))
            return with_bar(f"Data Saver Mode is now {state}.", phone)
