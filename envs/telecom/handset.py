"""What the phone's tools and the scene's functions share: the phone at hand, and keeping what was changed on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, Final

from mua_env.core.tools import Toolkit
from mua_env.errors import DataError

from .models import PHONE, Phone, Surroundings
from .radio import search_network
from .records import VPN

Row = dict[str, Any]
_PHONE: Final = tuple(column.name for column in Phone.__table__.columns if column.name != "phone_id")
_AROUND: Final = tuple(column.name for column in Surroundings.__table__.columns if column.name != "phone_id")


class Handset(Toolkit):
    """The phone, with what its buttons do."""

    def phone(self) -> Row:
        """The phone as it is now, every field there."""
        return self._row(Phone, _PHONE)

    def around(self) -> Row:
        """The surroundings as they are now, every field there."""
        return self._row(Surroundings, _AROUND)

    def _row(self, model: type[Phone | Surroundings], names: tuple[str, ...]) -> Row:
        row = self.db.get(model, PHONE)
        if row is None:
            raise DataError(f"the table {model.__tablename__!r} lacks its row {PHONE!r}")
        return {name: row.get(name) for name in names}

    @contextmanager
    def changing(self) -> Iterator[Row]:
        """The phone to change; what differs at the end of the block is kept."""
        phone = self.phone()
        before = deepcopy(phone)
        yield phone
        changed = {name: value for name, value in phone.items() if value != before[name]}
        if changed:
            self.db.update(Phone, PHONE, **changed)

    def search(self, phone: Row) -> None:
        """Let the phone look for its network."""
        search_network(phone, self.around())

    def flip_airplane_mode(self, phone: Row) -> bool:
        """Press the switch; the radio, Wi-Fi and a VPN go down with it. Returns whether it is on now."""
        on = phone["airplane_mode"] = not phone["airplane_mode"]
        if on or phone["wifi_enabled"]:
            self.drop_wifi(phone)
        if on:
            self.drop_vpn(phone)
        self.search(phone)
        return bool(on)

    def flip(self, phone: Row, switch: str, *, searches: bool = True) -> bool:
        """Press a switch; the phone may look for its network anew. Returns whether it is on now."""
        on = phone[switch] = not phone[switch]
        if searches:
            self.search(phone)
        return bool(on)

    def drop_wifi(self, phone: Row) -> None:
        """Lose the Wi-Fi network."""
        phone.update(wifi_connected=False, wifi_ssid=None, wifi_signal_strength="none")

    def join_vpn(self, phone: Row) -> bool:
        """Connect to the phone's VPN. Returns whether it was not connected before."""
        if phone["vpn_connected"]:
            return False
        phone.update(vpn_connected=True, vpn_details=dict(phone["vpn_profile"] or VPN))
        return True

    def drop_vpn(self, phone: Row) -> bool:
        """Leave the VPN. Returns whether there was a connection."""
        if not phone["vpn_connected"]:
            return False
        phone.update(vpn_connected=False, vpn_details=None)
        return True
