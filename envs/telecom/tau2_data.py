"""Reads tau2-bench's telecom databases: the operator's (``db.toml``) and the user's (``user_db.toml``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from mua_env.core.database import Rows
from mua_env.domain.public.tau2 import Layout
from mua_env.errors import DataError

from .models import Bill, Customer, Device, Line, Plan
from .records import APN, FIELDS, PERMISSIONS, phone_row, surroundings_row, whole, with_owners

Record = dict[str, Any]
FILES: Final = ("db.toml", "user_db.toml")
_TABLES: Final[Mapping[str, type]] = {
    "plans": Plan,
    "devices": Device,
    "lines": Line,
    "bills": Bill,
    "customers": Customer,
}
# What tau2 takes where a record says nothing.
_DEFAULTS: Final[Mapping[str, Record]] = {
    "plans": {},
    "devices": {"activated": False},
    "lines": {
        "status": "Pending Activation",
        "data_used_gb": 0.0,
        "data_refueling_gb": 0.0,
        "roaming_enabled": False,
    },
    "bills": {"line_items": [], "status": "Draft"},
    "customers": {
        "account_status": "Pending Verification",
        "payment_methods": [],
        "line_ids": [],
        "bill_ids": [],
        "created_at": "2025-01-01",
        "goodwill_credit_used_this_year": 0.0,
    },
}
_FLOATS: Final = frozenset(
    {
        "data_limit_gb",
        "price_per_month",
        "data_refueling_price_per_gb",
        "data_used_gb",
        "data_refueling_gb",
        "total_due",
        "goodwill_credit_used_this_year",
    }
)
_MOMENTS: Final = frozenset({"activation_date", "last_esim_transfer_date", "created_at"})


def read_rows(layout: Layout, operator_file: str = FILES[0]) -> Rows:
    """Both databases as rows.

    Args:
        layout: where the files lie.
        operator_file: name of the operator's; beside another than tau2's own the user's may be missing.

    Raises:
        DataError: a file is missing or not what tau2 has; the text names it.
    """
    operator = layout.document(operator_file)
    there = operator_file == FILES[0] or (layout.folder / FILES[1]).is_file()
    user = layout.document(FILES[1]) if there else {}
    try:
        rows = {
            table: [_record(model, {**_DEFAULTS[table], **record}) for record in operator.get(table, [])]
            for table, model in _TABLES.items()
        }
        own = {"phone": [_phone(user.get("device", {}))], "surroundings": [_around(user.get("surroundings", {}))]}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{layout.folder}: not the databases of tau2's telecom domain ({error!r})") from None
    return {**with_owners(rows), **own}


def _record(model: type, record: Record) -> Record:
    unknown = sorted(record.keys() - set(FIELDS[model]))
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r}")
    return {name: _value(name, value) for name, value in whole(model, record).items()}


def _value(name: str, value: Any) -> Any:
    """A value in the form that tau2's tools show it in."""
    if value is None:
        return None
    converted: Mapping[str, Callable[[Any], Any]] = {
        **dict.fromkeys(_FLOATS, float),
        **dict.fromkeys(_MOMENTS, _moment),
        "line_items": _items,
    }
    return converted.get(name, _plain)(value)


def _moment(value: Any) -> str:
    return str(value if isinstance(value, datetime) or len(str(value)) == 10 else datetime.fromisoformat(str(value)))


def _items(items: list[Record]) -> list[Record]:
    return [{**item, "amount": float(item["amount"]), "date": str(item["date"])} for item in items]


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | str | list | dict) else str(value)


def _phone(device: Record) -> Record:
    settings = dict(device)
    settings["active_apn_settings"] = {**APN, **device.get("active_apn_settings", {})}
    if "app_statuses" in device:
        settings["app_statuses"] = {
            name: {
                "app_name": app["app_name"],
                "permissions": {**dict.fromkeys(PERMISSIONS, False), **app.get("permissions", {})},
            }
            for name, app in device["app_statuses"].items()
        }
    return phone_row(**settings)


def _around(surroundings: Record) -> Record:
    return surroundings_row(**surroundings)
