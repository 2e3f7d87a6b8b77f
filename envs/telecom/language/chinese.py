"""Chinese for the telecom domain: what the caller says, and how an agent's text and guidance are read."""

# ruff: noqa: E501, RUF001

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from mua_env.users.agenda.chinese import CHINESE
from mua_env.users.agenda.language import Operation, Slot
from mua_env.users.agenda.nlg.personas import Voice
from mua_env.users.agenda.nlu.glossary import Glossary, has_chinese, read_through

from . import TelecomLanguage
from .saying import NAMES, misread, misreads, on_screen
from .slots import SLOTS

_NOUNS: Glossary = (
    (r"(?:手机|电话|线路|联系)(?:的)?(?:号码|号)|号码", " phone number "),
    (r"(?:客户|用户|账户|会员)\s*(?:ID|id|编号|号码|号)", " customer id "),
    (r"(?:出生日期|生日|出生年月日?)", " date of birth "),
    (r"(?:全名|姓名|名字)", " full name "),
    (r"(?:在|人在)?(?:国外|境外|海外)|出国|外国|旅行(?:中)?|漫游(?:中|状态)", " abroad "),
    (r"什么时候(?:开始|出现)|从何时|多久了", " when did it start "),
    (r"(?:什么|哪种|哪款)(?:手机|型号)|手机型号", " which phone model "),
    (r"(?:加|增加|购买|充)(?:流量|数据)?\s*(?:还是|或者?|或)\s*(?:更换|换|改)(?:个)?套餐|(?:更换|换|改)套餐\s*(?:还是|或者?|或)", " add data or change plan "),
    (r"(?:多少|几)\s*(?:GB|G|兆|流量)|流量(?:的)?数量", " how many GB "),
    (r"(?:加|增加|充|充值|购买|添加)\s*(\d+(?:\.\d+)?)\s*(?:GB|G)(?:的)?(?:流量|数据)?", r" add \1 GB of data "),
    (r"(\d+(?:\.\d+)?)\s*(?:GB|G)(?:的)?(?:额外|附加)?(?:流量|数据)", r" \1 GB of data "),
    (r"(?:哪个|哪种|什么|新)(?:的)?套餐", " which plan "),
    (r"(?:更换|换|改|变更)(?:成|为|到)?(?:的)?套餐|套餐(?:改|换|变更)(?:成|为|到)", " change plan to "),
    (r"(?:改|换|变更)(?:成|为|到)", " change to "),
    (r"套餐", " plan "),
    (r"账单", " bill "),
    (r"(?:流量|移动数据)", " data "),
    (r"彩信|图片(?:消息|短信)", " picture message "),
    (r"(?:信号|服务)", " service "),
    (r"(?:恢复|复机)", " resume "),
    (r"(?:付款|支付|缴费)", " payment "),
)  # fmt: skip
_VERBS: Glossary = ((r"(?:加|增加|充值|购买)", " add "), (r"(?:更换|换|改)", " change to "))

_SWITCHES: Final = (
    ("wi-fi calling", r"wi-?fi\s*(?:通话|电话)|无线(?:网)?通话"),
    ("airplane mode", r"(?:飞行|航空)模式"),
    ("data saver", r"(?:省流量|流量节省|数据节省|节省流量|流量节约)(?:程序|模式)?|data saver"),
    ("data roaming", r"(?:数据|国际|流量)?漫游"),
    ("mobile data", r"(?:移动|蜂窝|手机)(?:网络)?(?:数据|流量)|移动网络开关"),
    ("vpn", r"vpn"),
    ("wi-fi", r"wi-?fi|无线(?:网络|网)"),
)
_LOOKS: Final = (
    ("check the status bar", r"状态栏|信号格|屏幕(?:顶部|上方)"),
    ("check the network status", r"网络(?:连接)?状态|网络状况"),
    ("check the SIM status", r"sim\s*卡"),
    ("check the APN settings", r"apn|接入点"),
    ("check the network mode preference", r"网络(?:模式|类型|制式)"),
    ("check the permissions of the messaging app", r"权限"),
    ("check the payment request", r"(?:付款|支付|缴费)(?:请求|通知)"),
    *((f"check whether {name} is on", pattern) for name, pattern in _SWITCHES),
)
_ACTS: Final = (
    ("run a speed test", r"测速|速度测试|网速测试|测(?:一下|试)?(?:网速|速度)"),
    ("reset the APN settings", r"(?:重置|恢复|还原).{0,10}(?:apn|接入点)|(?:apn|接入点).{0,10}(?:重置|恢复|还原)"),
    ("restart the phone", r"重启|重新启动|关机(?:后|再)?(?:重新)?开机"),
    ("re-seat the SIM card", r"重新?插(?:入|好|一下)?.{0,6}(?:sim|卡)|(?:sim|卡).{0,14}(?:重新?插|再插|插回|取出|拔出|重插)|(?:取出|拔出).{0,6}(?:sim|卡)"),
    ("set the network mode to 4g_5g_preferred", r"(?:设|改|切换|调|换|选)[^，。]{0,16}(?:5g|4g_5g_preferred)"),
    ("allow the messaging app to use the storage", r"(?:允许|授予|打开|开启|授权|给)[^。]{0,20}存储"),
    ("allow the messaging app to use sms", r"(?:允许|授予|打开|开启|授权|给)[^。]{0,20}(?:短信|sms)(?:的)?(?:权限|$)|存储[和、与及]\s*(?:短信|sms)"),
    ("try to send a picture message", r"(?:发|发送|试)[^。]{0,12}(?:彩信|图片|照片)|(?:彩信|图片)[^。]{0,10}(?:发|发送)"),
    ("make the payment", r"(?:完成|进行|确认|请)[^。]{0,4}(?:付款|支付|缴费)(?!请求)|支付(?:这|该|账单|一下)|付清|付款吧"),
)  # fmt: skip
_OFF = re.compile(r"关闭|关掉|关上|关了|禁用|断开|停用|(?<!开)关(?![于系注键着])")
_ON = re.compile(r"打开|开启|启用|开一下|(?<![公离分展新])开(?![始头机通着])")
_LOOKING = re.compile(r"看|查|检查|确认|告诉|是否|吗|么|显示|什么|哪")
_BARRED = re.compile(r"不要|别|先不|不用|无需|请勿|不必|不需要")
_OWN = re.compile(r"我(?:已|会|将|来|刚|这边|马上|现在|为您|帮您|们)")
_OUTCOME = re.compile(
    r"(?:如果|要是|若)[^，。]*(?:没用|不行|还是|仍|没有(?:解决|恢复|改善)|无效)|(?:之后|以后|完成后|后再|之前|前)$"
)
_WORKS = re.compile(
    r"(?:好了|恢复(?:正常)?了|能用了|正常了|解决了|可以了)(?:吗|没有|没)|是否(?:已经?)?(?:恢复|正常|解决|好了)"
)
_CLAUSE = re.compile(r"[。！？?!；;，,\n:：]+")


def read(text: str) -> str:
    """Chinese guidance as English instructions, one in each sentence."""
    return "\n".join(_instructions(text.lower()))


def _instructions(text: str) -> Iterator[str]:
    about, barred = "", False
    for clause in _CLAUSE.split(text):
        barred = bool(_OUTCOME.search(clause)) or (barred and clause.strip().startswith(("就", "再", "请", "那")))
        named = next((name for name, pattern in _SWITCHES if re.search(pattern, clause)), "")
        about = named or about
        if barred or _BARRED.search(clause) or _OWN.search(clause) or re.match(r"\s*(?:如果|要是|若)", clause):
            continue
        yield from _of_clause(clause, named, about)


def _of_clause(clause: str, named: str, about: str) -> Iterator[str]:
    acts = [words for words, pattern in _ACTS if re.search(pattern, clause)]
    yield from (f"Please {words}." for words in acts)
    pronoun = re.search(r"它|请(?:将其)?(?:关闭|打开|关掉|开启)\s*$", clause)
    switch = named or (about if pronoun else "")
    off, on = _OFF.search(clause), _ON.search(clause)
    if switch and (off or on) and not re.search(r"吗|是否|有没有", clause) and not acts:
        yield f"Please turn {'off' if off else 'on'} {switch}."
    elif _LOOKING.search(clause) and not acts:
        looks = (words for words, pattern in _LOOKS if re.search(pattern, clause))
        yield from (f"Please {words}." for words in looks)


_SLOT_NAMES = MappingProxyType(
    {
        "phone": "手机号码", "customer_id": "客户编号", "full_name": "姓名", "dob": "出生日期", "location": "所在地",
        "since": "开始时间", "device": "手机型号", "gb": "流量", "plan": "套餐", "remedy": "选择",
    }
)  # fmt: skip
_WISHES: Mapping[str, str] = MappingProxyType(
    {
        "service": "[让手机恢复信号|让手机重新有服务|能重新打电话，手机没有信号]",
        "data": "[让移动上网恢复正常|把手机上网修好，很慢或者根本上不去|让手机流量上网恢复速度]",
        "mms": "[能重新发彩信|把发图片的问题解决，彩信发不出去|让短信应用能发图片]",
        "pay_bill": "[付清逾期的账单|支付一张忘了付的账单]",
        "next": "[提前付下一期的账单|现在就付还没出的账单]",
        "refuel_data": "[给我的线路加一些流量|这个月多买点流量]",
        "change_plan": "[更换套餐|换一个别的套餐]",
    }
)
_SINCE: Mapping[str, str] = MappingProxyType(
    {
        "two days ago": "两天前", "three days ago": "三天前", "four days ago": "四天前", "last night": "昨晚",
        "about an hour ago": "大约一小时前", "two hours ago": "两小时前",
    }
)  # fmt: skip
_SWITCH_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "airplane": "飞行模式", "data": "移动数据", "roaming": "数据漫游", "saver": "省流量模式",
        "wifi_calling": "Wi-Fi 通话", "wifi": "Wi-Fi",
    }
)  # fmt: skip


_DOUBT: Final = "[您确定吗|真的需要这样吗|这样安全吗|为什么要这样做|您真的确定吗]？[我怕弄坏了|我不想随便改设置|我从来没动过这个|我想先问清楚]。"
_SEEN: Final = "[[上面|这里|屏幕上|手机上|这边][显示|写着|写的是|显示的是]|我看到|我看到的是|它写着]：{result}。"
_DONE: Final = "[好了|弄好了|做完了|照做了|已经弄好了]，[显示|上面显示|现在显示|手机上写着]：{result}。"
_SKIPPED: Final = "[{name}[本来就{state}|本来就{state}着呢|已经是{state}的][|，我没动|，不用改|，我就没动它|，没去动它|，所以没改|，这个没问题]]。"


def _slot(slot: Slot) -> Slot:
    noun = _SLOT_NAMES[slot.name]
    given = f"[{noun}是|我的{noun}是|是|就是|{noun}：] {{value}} 。"
    plain = slot.name in ("location", "remedy", "gb", "plan")
    short = "[{value}。|嗯，{value}。|是这样，{value}。|这样，{value}。]" if plain else f"[{{value}}。|{given}]"
    return replace(
        slot, noun=noun, short=short, long=short if plain else given, piece="{value}" if plain else f"{noun}：{{value}}"
    )


class TelecomChinese(TelecomLanguage):
    """Chinese for the telecom domain. Names, numbers, plans and what the phone's screen says stay as they are."""

    code = "zh"
    locale = CHINESE
    slots: Mapping[str, Slot] = MappingProxyType({name: _slot(slot) for name, slot in SLOTS.items()})

    def translations(self) -> Mapping[str, Any]:
        """Back to English."""
        return {"en": TelecomLanguage}

    def hear(self, text: str) -> str:
        """Chinese with the cue words of the domain."""
        return read_through(text, _NOUNS, _VERBS)

    def guidance(self, text: str, intent: str = "") -> str:
        """Chinese guidance as English instructions."""
        if not has_chinese(text):
            return super().guidance(text, intent)
        asked = "\nDoes it work now?" if _WORKS.search(text) else ""
        return super().guidance(read(text) + asked, intent)

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase."""
        return voice.say(_WISHES["next" if intent == "pay_bill" and slots.get("next") else intent])

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot."""
        if slot in ("gb", "plan", "remedy"):
            return _remedy(slot, source, voice)
        held = source.get(slot)
        if held is None:
            return None
        if slot == "location":
            return voice.say("[我不在国外|我在国内]") if held == "home" else f"我在国外，在 {voice.keep(held)} "
        return voice.keep(_SINCE.get(str(held), str(held)))

    def doubt(self, operation: Operation, voice: Voice) -> str:
        """What a wary caller says before it changes something on the phone for the first time."""
        return voice.say(_DOUBT)

    def told(self, operation: Operation, result: str, voice: Voice, *, before: int = 0) -> str:
        """How the caller tells what the phone showed."""
        if not result:
            name = _SWITCH_NAMES.get(operation.switch, NAMES.get(operation.switch, ""))
            state = "开着" if operation.state else "关着"
            return voice.say(_SKIPPED, name=name, state=state)
        if before == 0 and misreads(operation, voice):
            result = misread(operation.tool, result)
        return voice.say(_SEEN if operation.look else _DONE, result=voice.keep(on_screen(operation, result)))


def _remedy(slot: str, source: Mapping[str, Any], voice: Voice) -> str | None:
    if source.get("gb"):
        amount = voice.keep(f"{source['gb']:g} GB")
        return f"我不想换套餐，加 {amount} 流量就好" if slot == "plan" else f"加 {amount} "
    if source.get("plan"):
        return f"换成套餐 {voice.keep(str(source['plan']))} "
    return None


__all__ = ["TelecomChinese"]
