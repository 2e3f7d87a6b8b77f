"""The user's phone: all of its tools, and here those for access point, Wi-Fi, Wi-Fi calling and VPN.

Names, arguments and what they show are those of the public telecom benchmark.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mua_env.core.tools import tool
from mua_env.errors import ToolError, first_fault

from .handset import Handset
from .phone_apps import AppTools
from .phone_network import NetworkTools, on_off, with_bar
from .records import APN


class AccessPoint(BaseModel):
    """Settings of an access point; what is left out is as the phone comes with it."""

    model_config = ConfigDict(extra="forbid")

    apn_name: Literal["internet", "broken"] = Field("internet", description="Its name.")
    reset_at_reboot: bool = Field(False, description="Whether the settings go back to the default at a restart.")
    mms_apn: str | None = Field(APN["mms_apn"], description="Access point for picture messages.")
    mmsc_url: str | None = Field(APN["mmsc_url"], description="Address of the centre for picture messages.")
    mms_proxy: str | None = Field(None, description="Proxy server for picture messages, if any.")
    mms_port: int | None = Field(None, description="Port of that proxy server.")


class SettingsTools(Handset):
    """What the user can see and do in the settings."""

    @tool
    def check_apn_settings(self) -> str:
        """Look at the access point that the phone goes to the internet by, and at its address for pictures."""
        apn = self.phone()["active_apn_settings"]
        return (
            f"Current APN Name: {apn['apn_name']}\n"
            f"MMSC URL (for picture messages): {apn['mmsc_url'] or 'Not Set'}\n"
            "(These are technical settings, usually best left unchanged.)"
        )

    @tool(writes=True)
    def set_apn_settings(
        self, apn_settings: Annotated[AccessPoint, Field(description="The settings to have from now on.")]
    ) -> str:
        """Enter the settings of an access point by hand."""
        settings = _access_point(apn_settings)
        with self.changing() as phone:
            phone["active_apn_settings"] = settings
            self.search(phone)
            return with_bar(f"APN settings set to: {settings['apn_name']}", phone)

    @tool(writes=True)
    def reset_apn_settings(self) -> str:
        """Put the access point back to what the phone came with. It takes effect when the phone is restarted."""
        with self.changing() as phone:
            phone["active_apn_settings"]["reset_at_reboot"] = True
            self.search(phone)
            return with_bar("APN settings will reset at reboot.", phone)

    @tool
    def check_wifi_status(self) -> str:
        """Look whether Wi-Fi is on, and what network it is in."""
        phone = self.phone()
        if not phone["wifi_enabled"]:
            return "Wi-Fi is turned OFF."
        if not phone["wifi_connected"]:
            return "Wi-Fi is ON but not connected to any network."
        strength = phone["wifi_signal_strength"]
        return f"Wi-Fi is ON and connected to '{phone['wifi_ssid']}'. Signal strength: {strength}."

    @tool(writes=True)
    def toggle_wifi(self) -> str:
        """Switch Wi-Fi on, or off if it is on. It cannot be done in airplane mode."""
        with self.changing() as phone:
            if phone["airplane_mode"]:
                return with_bar("Cannot change Wi-Fi settings while Airplane Mode is ON.", phone)
            on = self.flip(phone, "wifi_enabled", searches=False)
            if not on:
                self.drop_wifi(phone)
            return with_bar(f"Wi-Fi is now {on_off(on)}.", phone)

    @tool
    def check_wifi_calling_status(self) -> str:
        """Look whether calls go over Wi-Fi where there is one."""
        return f"Wi-Fi Calling is currently turned {on_off(self.phone()['wifi_calling_enabled'])}."

    @tool(writes=True)
    def toggle_wifi_calling(self) -> str:
        """Switch calls over Wi-Fi on, or off if they are on."""
        with self.changing() as phone:
            state = on_off(self.flip(phone, "wifi_calling_enabled", searches=False))
            return with_bar(f"Wi-Fi Calling is now {state}.", phone)

    @tool
    def check_vpn_status(self) -> str:
        """Look whether the phone goes through a VPN, and through which."""
        phone = self.phone()
        if not phone["vpn_connected"]:
            configured = phone["vpn_enabled_setting"]
            return "VPN is turned ON in settings, but currently not connected." if configured else "VPN is turned OFF."
        if not phone["vpn_details"]:
            return "VPN is ON and connected (no specific details available)."
        return f"VPN is ON and connected. Details: {self._vpn_details(phone['vpn_details'])}"

    def _vpn_details(self, details: dict[str, Any]) -> str:
        if self.mode == "strict":
            return ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in details.items())
        # tau2 shows the Python objects that it keeps the details in.
        level = details["server_performance"]
        shown = {**details, "server_performance": _AsIs(f"<PerformanceLevel.{level.upper()}: {level!r}>")}
        return str(shown)

    @tool(writes=True)
    def connect_vpn(self) -> str:
        """Connect to the VPN that is set up on the phone."""
        with self.changing() as phone:
            if not self.join_vpn(phone):
                return "VPN already connected."
            return with_bar("VPN connected successfully.", phone)

    @tool(writes=True)
    def disconnect_vpn(self) -> str:
        """Leave the VPN, so that the phone goes to the internet directly."""
        with self.changing() as phone:
            left = self.drop_vpn(phone)
            text = "VPN disconnected successfully." if left else "No active VPN connection to disconnect."
            return with_bar(text, phone)


class _AsIs(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _access_point(settings: AccessPoint | dict[str, Any]) -> dict[str, Any]:
    if isinstance(settings, AccessPoint):
        return settings.model_dump()
    try:
        return AccessPoint.model_validate(settings).model_dump()
    except ValidationError as error:
        raise ToolError(first_fault(error, of="apn_settings")) from None


class TelecomPhone(NetworkTools, SettingsTools, AppTools):
    """The thirty tools of the telecom user: a phone to look at and to operate, and a bill to pay."""
