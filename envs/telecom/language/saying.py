"""How a caller puts values, and tells what the phone showed."""

# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from mua_env.users.agenda.language import Operation
from mua_env.users.agenda.nlg.personas import Voice

_WISHES: Final = {
    "service": "[get [my service|my signal] back|get my phone to work on the network again|be able to make calls again, my phone has no "
    "[service|signal]|have my phone back on the network, it has no [service|signal]|get rid of the no [service|signal] "
    "problem on my phone]",
    "data": "[get my mobile [data|internet] [to work properly|back to full speed|to work as it should]|have proper mobile "
    "[internet|data] on my phone again|fix my mobile [data|internet], it is [slow or not there at all|not working right]]",
    "mms": "[send picture messages again, they don't go out|get picture messages to work on my phone|be able to send MMS "
    "again|send photos by message again, it fails every time]",
    "pay_bill": "[pay my overdue bill|pay a bill that I forgot|settle the bill that is overdue]",
    "next": "[pay my next bill already now|pay the bill that comes next in advance|pay my upcoming bill early]",
    "refuel_data": "[add some data to my line|buy more data for this month|top up the data on my line]",
    "change_plan": "[change my plan|switch to another plan|move my line to a different plan]",
}
_SHARE_MISREAD = 0.35
_EMOJI = re.compile(r"[^\x00-\x7f]+")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def wish(intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
    """The request as a verb phrase."""
    return voice.say(_WISHES["next" if intent == "pay_bill" and slots.get("next") else intent])


def value(slot: str, source: Mapping[str, Any], voice: Voice) -> str | None:
    """How a person says the value of a slot."""
    if slot in ("gb", "plan", "remedy"):
        return _remedy(slot, source, voice)
    held = source.get(slot)
    if held is None:
        return None
    if slot == "location":
        if held == "home":
            return voice.say("[not abroad|not traveling|in my own country]")
        return voice.say("[abroad, in|traveling abroad, in|abroad, namely in] {place}", place=voice.keep(held))
    return voice.keep(_date(held) if slot == "dob" and not voice.short else str(held))


def _date(iso: str) -> str:
    year, month, day = iso.split("-")
    return f"{_MONTHS[int(month) - 1]} {int(day)}, {year}"


def _remedy(slot: str, source: Mapping[str, Any], voice: Voice) -> str | None:
    if source.get("gb"):
        amount = voice.keep(f"{source['gb']:g} GB")
        if slot == "plan":
            return voice.say("no other plan, I would rather add {amount} of data", amount=amount)
        return voice.say("[|another ]{amount}[| of data]", amount=amount) if slot == "remedy" else amount
    if source.get("plan"):
        plan = voice.keep(str(source["plan"]))
        if slot == "plan":
            return plan
        return voice.say("[the plan|the one called|another plan, namely] {plan}", plan=plan)
    return None


_TOLD: Final[Mapping[str, str]] = {
    "check_status_bar": "[[The status bar|It][ now|] shows|[At the top|In the status bar|Up there] I [|now ][see|have]][|"
    " this]: {result}.",
    "check_network_status": "[[It|The network status|The page|The screen] [says|shows|reads|tells me]|I [see|get|have]][|"
    " this]: {result}.",
    "check_network_mode_preference": "[The network mode preference is|It is set to|The preferred mode is|The setting is|"
    "It says][|:| here:| now:] {result}.",
    "run_speed_test": "[[The speed test|The test|It] [says|shows|gives|tells me]|I ran it|The result|Here is what I get|"
    "The test is through][|, and this came out]: {result}.",
    "check_payment_request": "[Yes|I looked|I had a look|I checked|Let me see, yes][|, it says|, and it says|, and I see|, "
    "it's there]: {result}.",
    "": "[[It|The screen|The phone|Here it] [says|shows|reads|tells me]|I see|I have][| this]: {result}.",
}
_DONE: Final = "[Done|Okay, done|I did that|All right|That's done][:|, it says:|, and it says:|, now I see:|. The phone says:] {result}."
_SKIPPED: Final = (
    "[{name} [was already|is already] {state}[|, so I left it|, so I let it be|, so I left that alone|, so I didn't touch "
    "it|, so that was easy|, I see|, it seems|, by the way]|I didn't have to, {name} is {state} already|I left it, {name} is "
    "already {state}]."
)
NAMES: Final = {
    "airplane": "airplane mode", "data": "mobile data", "roaming": "data roaming", "saver": "data saver",
    "wifi_calling": "Wi-Fi calling", "wifi": "Wi-Fi",
}  # fmt: skip
_ROWS: Final = {"airplane": "Airplane Mode", "data": "Mobile Data Enabled", "roaming": "Data Roaming Enabled"}
_DOUBT: Final = (
    "[Are you sure|Is that really needed|Is that safe|Why should I do that|Hmm, why would that help]? [I don't want to break "
    "anything|I'd rather not change things for nothing|I have never touched that before|I would like to know first]."
)


def doubt(voice: Voice) -> str:
    """What a wary caller says before it does something for the first time."""
    return voice.say(_DOUBT)


def told(operation: Operation, result: str, voice: Voice, before: int) -> str:
    """How a caller tells what an operation showed, or that there was nothing to do."""
    if not result:
        name = NAMES.get(operation.switch, "that")
        return voice.say(_SKIPPED, name=name, state="on" if operation.state else "off")
    if before == 0 and misreads(operation, voice):
        result = misread(operation.tool, result)
    text = voice.keep(on_screen(operation, result))
    if not operation.look:
        return voice.say(_DONE, result=text)
    lead = "[Oh, I read that wrong before. |]" if voice.persona.careless and before == 1 else ""
    return voice.say(lead + _TOLD.get(operation.tool, _TOLD[""]), result=text)


def on_screen(operation: Operation, result: str) -> str:
    """What the screen says, without its icons, in a line."""
    rows = [row.strip() for row in result.split("\n") if not row.startswith("(")]
    if operation.tool == "check_network_status" and operation.switch in _ROWS:
        rows = [row for row in rows if row.startswith(_ROWS[operation.switch])]
    if operation.look:
        rows = [re.sub(r"^(?:Status Bar|Speed Test Result|Network Mode Preference): ", "", row) for row in rows]
    text = ", ".join(rows) if operation.tool == "check_network_status" else " ".join(rows)
    text = re.sub(r"\s*\|\s*", ", ", _EMOJI.sub("", text).replace("\n", " "))
    return re.sub(r"\s{2,}", " ", text).replace(" ,", ",").replace(": ,", ":").strip(" .,")


_MISREAD: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "check_data_restriction_status": (("is ON (limits data usage)", "is OFF"),),
    "check_wifi_calling_status": (("turned ON", "turned OFF"),),
    "check_network_mode_preference": (("3g_only", "4g_only"), ("2g_only", "4g_only")),
    "check_vpn_status": (("VPN is ON and connected", "VPN is turned OFF"),),
    "check_network_status": (
        ("Mobile Data Enabled: No", "Mobile Data Enabled: Yes"),
        ("Data Roaming Enabled: No", "Data Roaming Enabled: Yes"),
        ("Network Type: 3G", "Network Type: 4G"),
    ),
    "check_app_permissions": ((": sms, phone", ": sms, storage, phone"), (": storage, phone", ": sms, storage, phone")),
}
"""By tool: a value, and its neighbour on the screen."""


def misreads(operation: Operation, voice: Voice) -> bool:
    """Whether a careless caller reads something else than the screen shows."""
    if not operation.look or not voice.persona.careless:
        return False
    return voice.draw(f"misread {operation.tool}").random() < _SHARE_MISREAD


def misread(tool: str, result: str) -> str:
    """The result with one value read wrongly; as it is where nothing is easily mistaken."""
    for wrong, neighbour in _MISREAD.get(tool, ()):
        if wrong in result:
            return result.replace(wrong, neighbour).split(" Details:")[0]
    return result
