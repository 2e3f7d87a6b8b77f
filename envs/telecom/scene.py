"""What happens to the user and the phone before the dialogue. Names are those of the public telecom benchmark."""

from __future__ import annotations

from typing import Literal

from mua_env.core.tools import tool

from .handset import Handset
from .models import PHONE, Surroundings
from .records import PERMISSIONS


class Scene(Handset):
    """What happens to the user and the phone before the dialogue."""

    @tool(writes=True)
    def set_user_info(self, name: str, phone_number: str) -> None:
        """Say who the user is and which line the phone is on."""
        self.db.update(Surroundings, PHONE, name=name, phone_number=phone_number)

    @tool(writes=True)
    def set_user_location(self, abroad: bool) -> None:
        """Say whether the user is abroad."""
        self.db.update(Surroundings, PHONE, is_abroad=abroad)

    @tool(writes=True)
    def simulate_network_search(self) -> None:
        """Let the phone look for its network."""
        with self.changing() as phone:
            self.search(phone)

    @tool(writes=True)
    def turn_airplane_mode_on(self) -> str:
        """Switch airplane mode on."""
        return self._turn_airplane_mode(on=True)

    @tool(writes=True)
    def turn_airplane_mode_off(self) -> str:
        """Switch airplane mode off."""
        return self._turn_airplane_mode(on=False)

    def _turn_airplane_mode(self, *, on: bool) -> str:
        with self.changing() as phone:
            # The switch is pressed at least once, as there; twice where it stood right.
            while self.flip_airplane_mode(phone) is not on:
                pass
        return f"Airplane Mode is now {'ON' if on else 'OFF'}."

    @tool(writes=True)
    def unseat_sim_card(self) -> str:
        """Take the SIM card out."""
        with self.changing() as phone:
            phone["sim_card_missing"] = True
            self.search(phone)
        return "SIM card un-seated successfully."

    @tool(writes=True)
    def lock_sim_card(self, mode: Literal["pin", "puk"]) -> str:
        """Lock the SIM card; no tool unlocks it."""
        with self.changing() as phone:
            phone["sim_card_status"] = f"locked_{mode}"
            self.search(phone)
        return f"SIM card locked successfully in {mode} mode."

    @tool(writes=True)
    def turn_data_on(self) -> str:
        """Switch mobile data on; the phone does not look for its network."""
        with self.changing() as phone:
            phone["data_enabled"] = True
        return "Data connection restored."

    @tool(writes=True)
    def turn_data_off(self) -> str:
        """Switch mobile data off."""
        self._turn("data_enabled", on=False)
        return "Data connection broken."

    @tool(writes=True)
    def turn_roaming_on(self) -> str:
        """Switch data roaming on."""
        return self._turn("roaming_enabled", on=True, name="Data Roaming")

    @tool(writes=True)
    def turn_roaming_off(self) -> str:
        """Switch data roaming off."""
        return self._turn("roaming_enabled", on=False, name="Data Roaming")

    @tool(writes=True)
    def turn_data_saver_mode_on(self) -> str:
        """Switch data saver mode on."""
        return self._turn("data_saver_mode", on=True, name="Data Saver Mode", searches=False)

    @tool(writes=True)
    def turn_data_saver_mode_off(self) -> str:
        """Switch data saver mode off."""
        return self._turn("data_saver_mode", on=False, name="Data Saver Mode", searches=False)

    def _turn(self, switch: str, *, on: bool, name: str = "", searches: bool = True) -> str:
        with self.changing() as phone:
            phone[switch] = on
            if searches:
                self.search(phone)
        return f"{name} is now {'ON' if on else 'OFF'}."

    @tool(writes=True)
    def break_apn_settings(self) -> str:
        """Give the phone an access point that does not exist."""
        with self.changing() as phone:
            phone["active_apn_settings"]["apn_name"] = "broken"
            self.search(phone)
        return "APN settings broken. Please call reset_apn_settings() to fix."

    @tool(writes=True)
    def break_apn_mms_setting(self) -> str:
        """Take the address for picture messages out of the access point's settings."""
        with self.changing() as phone:
            phone["active_apn_settings"]["mmsc_url"] = None
        return "APN MMS setting broken. Please call reset_apn_settings() to fix."

    @tool(writes=True)
    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> str:
        """Switch calls over Wi-Fi on or off, and if wanted picture messages over Wi-Fi."""
        lines = [f"Wi-Fi Calling is now {'ON' if enabled else 'OFF'}."]
        with self.changing() as phone:
            phone["wifi_calling_enabled"] = enabled
            if mms_over_wifi is not None:
                phone["wifi_calling_mms_over_wifi"] = mms_over_wifi
                lines.append(f"MMS over Wi-Fi is now {'ON' if mms_over_wifi else 'OFF'}.")
        return "\n".join(lines)

    @tool(writes=True)
    def break_vpn(self) -> str:
        """Connect to the phone's VPN, whose server has become slow, and stays so."""
        with self.changing() as phone:
            phone["vpn_profile"]["server_performance"] = "poor"
            if not self.join_vpn(phone):
                phone["vpn_details"] = {**(phone["vpn_details"] or {}), "server_performance": "poor"}
        return "VPN connection broken."

    @tool(writes=True)
    def remove_app_permission(self, app_name: str, permission: str) -> list[bool | str]:
        """Take a permission from an app."""
        permission = permission.lower()
        with self.changing() as phone:
            app = phone["app_statuses"].get(app_name)
            if app is None:
                return [False, f"App '{app_name}' not found. Cannot remove permission."]
            if permission not in PERMISSIONS:
                return [False, f"Permission '{permission}' not tracked for app '{app_name}'."]
            app["permissions"][permission] = False
        return [True, f"Permission '{permission}' removed from app '{app_name}'."]
