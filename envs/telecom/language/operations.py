"""What a caller can be guided to do with the phone: from an agent's words to the phone's tools."""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from mua_env.users.agenda.language import Operation

_MY = r"(?:(?:the|your|your phone's|your device's|phone's|this|on|off) )*"
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "toggle_airplane_mode": ("plane", "flight"),
    "toggle_data": ("data",),
    "toggle_roaming": ("roaming",),
    "toggle_data_saver_mode": ("saver",),
    "toggle_wifi": ("wifi", "wi-fi"),
    "toggle_wifi_calling": ("calling",),
    "check_status_bar": ("status", "signal", "icon", "screen", "service", "bars", "reception"),
    "check_network_status": ("network", "connect", "plane", "flight", "data", "roaming"),
    "check_network_mode_preference": ("network",),
    "check_sim_status": ("sim",),
    "check_data_restriction_status": ("data",),
    "check_apn_settings": ("apn", "access point"),
    "check_wifi_calling_status": ("calling",),
    "check_wifi_status": ("wifi", "wi-fi"),
    "check_vpn_status": ("vpn",),
    "check_installed_apps": ("apps",),
    "check_app_permissions": ("permission", "storage", "sms"),
    "run_speed_test": ("speed", "web", "site", "internet", "browser", "mobile data", "connection"),
    "can_send_mms": ("mms", "picture", "photo", "multimedia"),
    "check_payment_request": ("request",),
    "reseat_sim_card": ("sim",),
    "reset_apn_settings": ("reset", "restore", "revert"),
    "reboot_device": ("restart", "reboot", "power", "off and"),
    "set_network_mode_preference": ("5g", "4g", "3g", "2g", "lte", "automatic"),
    "disconnect_vpn": ("vpn",),
    "connect_vpn": ("vpn",),
    "grant_app_permission": ("permission", "storage", "sms"),
    "make_payment": ("pay", "request"),
}
"""Of each tool: words of which one stands in every sentence that asks for it."""
_LOOK = (
    r"(?:check|see|look|verify|confirm|tell me|know|whether|view|open|inspect|find out|read|is|are|does|what(?:'s| is)?|"
    r"share|describe|report|do you (?:have|use))"
)
_GAP = r"[^.?!\n]{0,60}?"

SWITCHES: Final = {
    "airplane": ("toggle_airplane_mode", "check_network_status", r"(?:airplane|aeroplane|flight)(?: mode)?"),
    "data": ("toggle_data", "check_network_status", r"(?:mobile|cellular) data(?! roaming)(?: connection)?"),
    "roaming": ("toggle_roaming", "check_network_status", r"(?:data |international |mobile data )?roaming"),
    "saver": ("toggle_data_saver_mode", "check_data_restriction_status", r"data[- ]?saver(?: mode)?"),
    "wifi_calling": ("toggle_wifi_calling", "check_wifi_calling_status", r"wi-?fi[- ]calling"),
    "wifi": ("toggle_wifi", "check_wifi_status", r"wi-?fi(?! ?-?calling)"),
}
"""By name: the tool that flips it, the tool that shows it, and its name in an agent's words."""


def _switch(name: str) -> Iterator[Operation]:
    tool, check, noun = SWITCHES[name]
    verb = r"\b(?:turn|switch|toggle|flip|set|put|keep|leave)"
    filler = r"(?: setting| switch| option| feature)?,?(?: back)?(?: to)? [\"'(]?"
    for state, word, verbs, states in (
        (True, "on", "enable|re-enable|activate", "on|enabled|active|activated"),
        (False, "off", "disable|deactivate", "off|disabled|inactive|deactivated"),
    ):
        asked = (
            rf"{verb} (?:back )?{word} {_MY}{noun}\b|{verb} {_MY}{noun}{filler}{word}\b|\b(?:{verbs}) {_MY}{noun}\b|"
            rf"\b(?:make sure|ensure|be sure) (?:that )?{_MY}{noun} (?:is|are) (?:currently |also |now )?(?:turned |switched |set to )?(?:{states})\b"
        )
        yield Operation(tool, asked, check=check, switch=name, state=state)
    flips = rf"\btoggle {_MY}{noun}\b(?!(?: \w+){{0,3}} [\"'(]?(?:on|off|back)\b)"
    yield Operation(tool, flips, switch=name)


def _look(tool: str, noun: str, more: str = "", **arguments: str) -> Operation:
    asked = rf"\b{_LOOK}\b{_GAP}(?:{noun})" + (f"|{more}" if more else "")
    return Operation(tool, asked, look=True, arguments=arguments)


def _state(name: str) -> Operation:
    """A question after a switch that the network status shows."""
    noun = SWITCHES[name][2]
    return Operation("check_network_status", rf"\b{_LOOK}\b{_GAP}\b{noun}\b", look=True, switch=name)


_CHOOSE = r"\b(?:set|change|switch|select|choose|pick|update|adjust)\b[^.?!\n]{0,80}?"
_ALLOW = r"\b(?:grant|give|allow|enable|turn on|add)\b[^.?!\n]{0,80}?"
_ALL = r"|\b(?:grant|give|allow|enable)\b[^.?!\n]{0,40}?\b(?:all|required|necessary|both|missing|these|those)\b[^.?!\n]{0,20}\bpermissions?\b"


def _mode(mode: str, words: str) -> Operation:
    return Operation("set_network_mode_preference", rf"{_CHOOSE}(?:{words})", arguments={"mode": mode})


def _grant(permission: str) -> Operation:
    return Operation(
        "grant_app_permission",
        rf"{_ALLOW}\b{permission}\b{_ALL}|\b(?:make sure|ensure)\b[^.?!\n]{{0,60}}?\b(?:has|have)\b[^.?!\n]{{0,40}}?\b{permission}\b",
        arguments={"app_name": "messaging", "permission": permission},
    )


_ALL_OF_THEM = (
    *(operation for name in SWITCHES for operation in _switch(name)),
    _state("airplane"),
    _state("data"),
    _state("roaming"),
    _look(
        "check_status_bar",
        r"status ?bar|signal (?:bars?|strength|indicator)|icons? at the top|top of (?:your|the) screen",
        r"\b(?:status ?bar)\b(?=[^.!]*\?)|\bdo you (?:now )?(?:see|have|get)\b[^.?!\n]{0,30}\b(?:signal|service|bars|"
        r"reception)\b|\b(?:check|see|tell me|know|confirm) (?:whether|if) you (?:now )?(?:see|have|get)\b[^.?!\n]{0,30}\b(?:signal|service|bars|reception)\b|\bis there (?:a |any )?(?:signal|service|reception)\b|\b(?:service|signal) (?:is |has been )?(?:back|restored)\b(?=[^.!]*\?)",
    ),
    _look(
        "check_network_status",
        r"network status|connection status|(?:network|connection) (?:details|settings)(?! reset)|"
        r"(?:cellular|mobile) (?:network )?connection|status of (?:your|the) (?:network|connection)|"
        r"connected to (?:a|the|your|any) (?:cellular |mobile )?network|network type(?! preference| setting| is set| set)",
        r"\bnetwork status\b",
    ),
    _look(
        "check_network_mode_preference",
        r"network mode ?(?:preference|setting|is)?|network type (?:preference|setting|is set|set)|preferred network|network preference",
    ),
    _look("check_sim_status", r"\bsim\b", r"\bsim(?: card)? status\b"),
    _look(
        "check_data_restriction_status",
        r"data[- ]?saver|data[- ]?(?:restrict|limit)\w*|restrictions? on (?:your )?data",
    ),
    _look("check_apn_settings", r"\bapns?\b|access point", r"\bapn settings\b(?=[^.!]*\?)"),
    _look("check_wifi_calling_status", r"wi-?fi[- ]calling"),
    _look("check_wifi_status", r"wi-?fi(?! ?-?calling)(?: status| connection| is|$|\W)"),
    _look("check_vpn_status", r"\bvpn\b", r"\b(?:using|have|connected to|through) (?:a|any) vpn\b"),
    _look("check_installed_apps", r"(?:installed|list of) apps|apps (?:are )?installed"),
    _look(
        "check_app_permissions",
        r"permissions?\b",
        r"\b(?:has|have) (?:both )?(?:the )?(?:storage|sms)\b[^.!]*\?",
        app_name="messaging",
    ),
    Operation(
        "run_speed_test",
        r"\b(?:(?:run|do|perform|try|start|rerun|re-run|repeat|conduct|take|complete|carry out|make)\b[^.?!\n]{0,30}?)?"
        r"\bspeed ?-?tests?\b|\b(?:check|test|measure)\b[^.?!\n]{0,30}\bspeed\b|\btest (?:your |the )?(?:internet|mobile data|connection)\b|\b(?:load|open|visit|brows)(?:ing|e)?\b[^.?!\n]{0,20}"
        r"\b(?:web ?page|website|web|internet|site|browser)\b",
        look=True,
    ),
    Operation(
        "can_send_mms",
        r"\b(?:(?:check|see|tell me|know) (?:whether|if) you can )?(?:send|try(?:ing)?(?: again)?(?: to send)?|sending|test(?:ing)?)\b[^.?!\n]{0,50}?\b(?:mms|picture messages?|photo "
        r"messages?|multimedia messages?|pictures?|photos?)\b|\bmms\b[^.?!\n]{0,30}\bwork\w*\b",
        look=True,
    ),
    _look(
        "check_payment_request",
        r"payment requests?|request (?:for|to) (?:pay|payment)",
    ),
    Operation(
        "reseat_sim_card",
        r"\b(?:re-?seat|re-?insert|remove|take out|pull out|eject|take)\b[^.?!\n]{0,40}?\bsim\b(?: card)?",
    ),
    Operation(
        "reset_apn_settings",
        r"\b(?:reset|restore|revert)\b[^.?!\n]{0,50}?\b(?:apns?|access point)\b|\b(?:reset|restore) (?:it|them|the "
        r"settings) to (?:the )?defaults?\b",
    ),
    Operation(
        "reboot_device",
        r"\b(?:restart|reboot|power[- ]cycle)\b(?: (?:the|your|this))?(?: (?:phone|device|handset|mobile|it))?|"
        r"\bturn (?:your|the) (?:phone|device) off and (?:then )?(?:back )?on\b",
    ),
    _mode(
        "4g_5g_preferred",
        r"4g ?[_/+&-] ?5g|5g ?[_/+&-] ?(?:4g|lte)|lte ?/ ?5g|4g (?:and|or) 5g|5g (?:and|or) 4g|\bprefer(?:red)? 5g|"
        r"5g (?:auto|preferred)|\b(?:includes?|including|to|with|for|use|on) 5g\b|\bautomatic\b",
    ),
    _mode("4g_only", r"(?<!from )(?:4g|lte)[_ ]?only"),
    _mode("3g_only", r"(?<!from )3g[_ ]?only"),
    _mode("2g_only", r"(?<!from )2g[_ ]?only"),
    Operation(
        "disconnect_vpn",
        r"\b(?:disconnect|turn off|switch off|disable|deactivate|close|stop|quit|exit)\b[^.?!\n]{0,30}?\bvpn\b|"
        r"\b(?:turn|switch) (?:your |the |any )?vpn(?: connection)? off\b",
    ),
    Operation(
        "connect_vpn",
        r"\b(?:connect to|reconnect|turn on|switch on|enable)\b[^.?!\n]{0,20}?\bvpn\b|\b(?:turn|switch) (?:your |the )?vpn on\b",
    ),
    _grant("storage"),
    _grant("sms"),
    Operation(
        "make_payment",
        r"\b(?:make|complete|approve|accept|submit|authori[sz]e|go ahead with|finish)\b[^.?!\n]{0,30}?\bpayment\b|"
        r"\bpay\b (?:the |your |this |that |it|now|for )[^.?!\n]{0,40}|\bpay\b(?=\W*$)|\b(?:accept|approve)\b[^.?!\n]{0,20}\brequest\b",
    ),
)
OPERATIONS: Final = tuple(replace(operation, words=_WORDS[operation.tool]) for operation in _ALL_OF_THEM)
"""What a caller can be guided to do."""
