"""The user's tools: apps and their permissions, picture messages, restart, payment requests."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mua_env.core.tools import tool
from mua_env.errors import ToolError

from .handset import Handset
from .models import PHONE, Surroundings
from .phone_network import with_bar
from .radio import can_send_mms
from .records import APN, PERMISSIONS

AppName = Annotated[str, Field(description="Name of the app, such as 'messaging'.")]
Permission = Annotated[str, Field(description="One of 'sms', 'storage', 'phone', 'network'.")]


class AppTools(Handset):
    """What the user can see and do about apps, and the rest of the phone."""

    @tool
    def check_installed_apps(self) -> str:
        """List the apps on the phone."""
        return f"The following apps are installed on the phone: {', '.join(self.phone()['app_statuses'])}"

    @tool
    def check_app_status(self, app_name: AppName) -> str:
        """Look at what an app may do, one permission a line."""
        granted = self._granted(app_name)
        if granted is None:
            return f"App '{app_name}' not found on this phone."
        permissions = [" - Permissions Granted:", *(f"   - {name}" for name in granted)]
        return "\n".join(
            [f"Status for App: {app_name}", *(permissions if granted else [" - Permissions: None granted."])]
        )

    @tool
    def check_app_permissions(self, app_name: AppName) -> str:
        """Look at what an app may do, in a line."""
        granted = self._granted(app_name)
        if granted is None:
            return f"App '{app_name}' not found on this phone."
        if not granted:
            return f"App '{app_name}' currently has no permissions granted."
        return f"App '{app_name}' has permission for: {', '.join(granted)}."

    def _granted(self, app_name: str) -> list[str] | None:
        app = self.phone()["app_statuses"].get(app_name)
        return None if app is None else [name for name in PERMISSIONS if app["permissions"][name]]

    @tool(writes=True)
    def grant_app_permission(self, app_name: AppName, permission: Permission) -> str:
        """Allow an app to do something."""
        permission = permission.lower()
        with self.changing() as phone:
            app = phone["app_statuses"].get(app_name)
            if app is None:
                return self._refused(f"App '{app_name}' not found. Cannot grant permission.", phone)
            if permission not in PERMISSIONS:
                known = f"available permissions: {list(PERMISSIONS)}"
                return self._refused(f"Permission '{permission}' not tracked for app '{app_name}', {known}", phone)
            app["permissions"][permission] = True
            return with_bar(f"Success. Permission '{permission}' granted to app '{app_name}'.", phone)

    def _refused(self, text: str, phone: dict[str, Any]) -> str:
        if self.mode == "strict":
            raise ToolError(text)
        return with_bar(f"Error. {text}", phone)

    @tool
    def can_send_mms(self) -> str:
        """Try whether the messaging app can send a picture message."""
        can = "can" if can_send_mms(self.phone(), self.around()) else "cannot"
        return f"Your messaging app {can} send MMS messages."

    @tool(writes=True)
    def reboot_device(self) -> str:
        """Restart the phone: it looks for its network anew, and a reset of the access point takes effect."""
        lines = []
        with self.changing() as phone:
            if phone["active_apn_settings"]["reset_at_reboot"]:
                lines.append("Resetting APN settings...")
                phone["active_apn_settings"] = dict(APN)
            self.search(phone)
            lines.append("Restarting network services...")
            return with_bar("\n".join(lines), phone)

    @tool
    def check_payment_request(self) -> str:
        """Look whether the operator asks for the payment of a bill."""
        request = self.around()["payment_request"]
        if request is None:
            return "No payment request has been made."
        return f"You have a payment request for bill {request['bill_id']} of {request['amount_due']} USD."

    @tool(writes=True)
    def make_payment(self) -> str:
        """Pay the bill that the operator asks to be paid."""
        request = self.around()["payment_request"]
        if request is None:
            return "You do not have a payment request."
        self.db.update(Surroundings, PHONE, payment_request={**request, "paid": True})
        return f"Payment of {request['amount_due']} USD has been made for bill {request['bill_id']}."
