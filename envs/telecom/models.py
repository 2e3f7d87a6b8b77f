"""Tables of the telecom world: the operator's records, and the phone that the user holds with what surrounds it.

Columns and values have the structure of the public telecom benchmark (tau2-bench), so that its records can be loaded
as they are. Amounts of money and of data are JSON numbers: 2 and 2.0 stay apart. Dates are ISO text. A column that is
None stands for an absent value.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import JSON, Boolean, Integer, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# none_as_null: an absent value is SQL NULL, not the JSON document "null".
_Document = JSON(none_as_null=True)

Number = int | float

PHONE: Final = "phone"
"""Key of the one row in the tables ``phone`` and ``surroundings``."""


class Base(DeclarativeBase):
    """Declarative base of the telecom tables."""

    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads a plain class attribute
        str: String(),
        bool: Boolean(),
        int: Integer(),
        Number: _Document,
        list[str]: _Document,
        list[dict[str, Any]]: _Document,
        dict[str, Any]: _Document,
        dict[str, str]: _Document,
    }


class Plan(Base):
    """A tariff: what it costs a month, how much data it holds, what more data costs."""

    __tablename__ = "plans"

    plan_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    data_limit_gb: Mapped[Number]
    price_per_month: Mapped[Number]
    data_refueling_price_per_gb: Mapped[Number]


class Device(Base):
    """A device that the operator knows of."""

    __tablename__ = "devices"

    device_id: Mapped[str] = mapped_column(primary_key=True)
    device_type: Mapped[str]
    """``phone``, ``router``, ``tablet``, ``watch`` or ``other``."""
    model: Mapped[str]
    imei: Mapped[str | None]
    is_esim_capable: Mapped[bool]
    activated: Mapped[bool]
    activation_date: Mapped[str | None]
    """``YYYY-MM-DD HH:MM:SS``, as the next."""
    last_esim_transfer_date: Mapped[str | None]


class Line(Base):
    """A phone line with its tariff and what it has used of it."""

    __tablename__ = "lines"

    line_id: Mapped[str] = mapped_column(primary_key=True)
    phone_number: Mapped[str] = mapped_column(index=True)
    status: Mapped[str]
    """``Active``, ``Suspended``, ``Pending Activation`` or ``Closed``."""
    plan_id: Mapped[str]
    device_id: Mapped[str | None]
    data_used_gb: Mapped[Number]
    data_refueling_gb: Mapped[Number]
    roaming_enabled: Mapped[bool]
    contract_end_date: Mapped[str | None]
    last_plan_change_date: Mapped[str | None]
    last_sim_replacement_date: Mapped[str | None]
    suspension_start_date: Mapped[str | None]
    owner_id: Mapped[str | None] = mapped_column(index=True, info={"hidden": True})
    """The customer who has this line in its ``line_ids`` (:func:`mua_env.envs.telecom.records.with_owners`)."""


class Bill(Base):
    """A bill with its items."""

    __tablename__ = "bills"

    bill_id: Mapped[str] = mapped_column(primary_key=True)
    customer_id: Mapped[str]
    period_start: Mapped[str]
    period_end: Mapped[str]
    issue_date: Mapped[str]
    total_due: Mapped[Number]
    due_date: Mapped[str]
    line_items: Mapped[list[dict[str, Any]]]
    """Each ``description``, ``amount``, ``date``, ``item_type``."""
    status: Mapped[str]
    """``Draft``, ``Issued``, ``Awaiting Payment``, ``Paid``, ``Overdue`` or ``Disputed``."""


class Customer(Base):
    """A customer: who they are, how they pay, which lines and bills are theirs."""

    __tablename__ = "customers"

    customer_id: Mapped[str] = mapped_column(primary_key=True)
    full_name: Mapped[str]
    date_of_birth: Mapped[str]
    email: Mapped[str]
    phone_number: Mapped[str] = mapped_column(index=True)
    address: Mapped[dict[str, Any]]
    """``street``, ``city``, ``state``, ``zip_code``."""
    account_status: Mapped[str]
    payment_methods: Mapped[list[dict[str, Any]]]
    """Each ``method_type``, ``account_number_last_4``, ``expiration_date``."""
    line_ids: Mapped[list[str]]
    bill_ids: Mapped[list[str]]
    """Oldest first."""
    created_at: Mapped[str]
    last_extension_date: Mapped[str | None]
    goodwill_credit_used_this_year: Mapped[Number]


class Phone(Base):
    """The user's phone: one row."""

    __tablename__ = "phone"

    phone_id: Mapped[str] = mapped_column(primary_key=True)
    sim_card_status: Mapped[str]
    """``active``, ``missing``, ``locked_pin`` or ``locked_puk``."""
    sim_card_missing: Mapped[bool]
    airplane_mode: Mapped[bool]
    network_signal_strength: Mapped[str]
    """``none``, ``poor``, ``fair``, ``good`` or ``excellent``."""
    network_technology_connected: Mapped[str]
    """``none``, ``2G``, ``3G``, ``4G`` or ``5G``."""
    network_connection_status: Mapped[str]
    """``connected``, ``searching``, ``no_service`` or ``emergency_only``."""
    battery_level: Mapped[int]
    data_enabled: Mapped[bool]
    roaming_enabled: Mapped[bool]
    network_mode_preference: Mapped[str]
    """``4g_5g_preferred``, ``4g_only``, ``3g_only`` or ``2g_only``."""
    active_apn_settings: Mapped[dict[str, Any]]
    """``apn_name`` (``internet`` or ``broken``), ``reset_at_reboot``, ``mms_apn``, ``mmsc_url``, ``mms_proxy``,
    ``mms_port``."""
    wifi_enabled: Mapped[bool]
    wifi_connected: Mapped[bool]
    wifi_ssid: Mapped[str | None]
    wifi_signal_strength: Mapped[str]
    wifi_calling_enabled: Mapped[bool]
    wifi_calling_mms_over_wifi: Mapped[bool]
    data_saver_mode: Mapped[bool]
    vpn_enabled_setting: Mapped[bool]
    vpn_connected: Mapped[bool]
    vpn_details: Mapped[dict[str, Any] | None] = mapped_column(_Document)
    """Of the connection, as long as there is one: ``server_address``, ``protocol``, ``server_performance``."""
    vpn_profile: Mapped[dict[str, Any]]
    """What the phone connects to when it connects to its VPN; the same fields."""
    app_statuses: Mapped[dict[str, Any]]
    """By name of the app: ``app_name``, ``permissions`` (``sms``, ``storage``, ``phone``, ``network``)."""


class Surroundings(Base):
    """Where the user is, and what reaches the phone from outside: one row."""

    __tablename__ = "surroundings"

    phone_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str | None]
    phone_number: Mapped[str | None]
    is_abroad: Mapped[bool]
    roaming_allowed: Mapped[bool]
    signal_strength: Mapped[dict[str, str]]
    """By network technology."""
    mobile_data_usage_exceeded: Mapped[bool]
    line_active: Mapped[bool]
    payment_request: Mapped[dict[str, Any] | None] = mapped_column(_Document)
    """``bill_id``, ``amount_due``, ``paid``."""
