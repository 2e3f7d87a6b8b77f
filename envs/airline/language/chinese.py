"""Chinese for the airline domain: what the user says, and how an agent's text is read."""

# ruff: noqa: E501, RUF001

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mua_env.users.agenda.chinese import CHINESE
from mua_env.users.agenda.language import Slot
from mua_env.users.agenda.nlg.personas import Voice
from mua_env.users.agenda.nlu.glossary import Glossary, read_through

from ..airports import CITIES, city
from ..goals import full_name
from . import AirlineLanguage
from .slots import SLOTS

Record = Mapping[str, Any]

_NOUNS: Glossary = (
    (r"(?:出生日期|生日|出生年月日?)", " date of birth "),
    (r"(?:其他|其它)(?:的)?原因", " another reason "),
    (r"(?:用户|会员|账户|客户)\s*(?:ID|id|名|编号|号码|号)", " user id "),
    (r"(?:预订|预定|订单|确认|行程)(?:的)?(?:编号|号码|号|代码|ID|id|码)", " reservation id "),
    (r"哪(?:一)?(?:个|笔|趟|份)?的?(?:预订|预定|行程|订单)", " which reservation "),
    (r"航空公司(?:已经?)?(?:has been )?(?:取消|cancelled)(?:了)?(?:航班)?", " airline cancelled flight "),
    (r"(?:航班)?(?:是否)?(?:被)?(?:取消|延误|has been cancelled)(?:了)?(?:还是|或者?|或是)(?:被)?(?:取消|延误)", " was flight cancelled or delayed "),
    (r"(?:发生|出)了?什么(?:问题|事|情况)?|什么问题", " what happened "),
    (r"为什么(?:要|想)?(?:取消|退)|为何(?:要|想)?(?:取消|退)", " why do you cancel "),
    (r"(?:取消)?(?:的)?(?:原因|理由)", " reason "),
    (r"计划(?:有)?(?:变动|改变|变更|变化|变|改)了?|行程有变", " change of plans "),
    (r"(?:天气)(?:原因|不好|恶劣)?", " weather "),
    (r"(?:生病|身体不适|健康)", " health "),
    (r"(?:单程)(?:还是|或者?)?(?:往返)?|往返(?:还是|或者?)单程|往返", " one way or round trip "),
    (r"(?:出发地|出发城市|出发机场|始发地)|从哪(?:里|儿|个城市)?(?:出发|起飞)?", " origin "),
    (r"(?:目的地|到达城市|到达机场|抵达城市)|(?:到|去|飞往|飞)哪(?:里|儿|个城市)", " destination "),
    (r"(?:返程|回程|返回|回来)(?:的)?(?:日期|时间|航班)?(?:是)?(?:哪天|哪一天|什么时候)?", " return date "),
    (r"(?:出发|去程|新的?|旅行|启程|乘机)(?:的)?(?:日期|时间)|(?:哪天|哪一天|何时|什么时候)(?:出发|走|起飞)?|日期", " which date to depart "),
    (r"(?:基础|基本)经济舱", " basic economy "),
    (r"经济舱", " economy "),
    (r"(?:商务|公务)舱", " business "),
    (r"(?:什么|哪(?:一)?(?:个|种|等)?)?(?:舱位|舱等|舱级)(?:等级)?|哪(?:一)?(?:个|种)舱", " cabin "),
    (r"(?:哪(?:一)?(?:个|班|趟|种)?|什么样的)(?:的)?航班|航班偏好|(?:更)?偏好|(?:更)?倾向(?:于)?", " which flight do you prefer "),
    (r"最便宜", " cheapest "),
    (r"直飞", " direct "),
    (r"(?:被)?(?:替换|更换|换掉)(?:的)?(?:是)?(?:哪(?:一)?位)?(?:的)?(?:乘客|旅客)|(?:替换|更换|换掉|换下)哪(?:一)?位(?:乘客|旅客)?|哪(?:一)?位(?:乘客|旅客)(?:需要|要)?(?:被)?(?:替换|更换|换)?", " which passenger to be replaced "),
    (r"新(?:的)?(?:乘客|旅客)(?:的)?", " new passenger "),
    (r"(?:乘客|旅客|乘机人)", " passengers "),
    (r"(?:全名|姓名)", " full name "),
    (r"(?:多少|几)(?:件|个)(?:托运)?(?:行李|箱子)", " how many bags "),
    (r"(\d+)\s*(?:件|个)(?:托运|免费|额外|付费)?(?:的)?(?:行李|箱子)", r" \1 bags "),
    (r"(?:托运)?(?:行李)", " bags "),
    (r"(?:不要|不买|不需要|不含|没有|无)(?:旅行|旅游|出行)?保险", " no insurance "),
    (r"(?:旅行|旅游|出行)?保险", " insurance "),
    (r"(?:支付|付款|退款)(?:的)?(?:方式|方法|账户)|(?:用|刷)哪(?:张|个)(?:卡)?|(?:怎么|如何)(?:支付|付款)", " payment method "),
    (r"(?:礼品卡)", " gift card "),
    (r"(?:信用卡)", " credit card "),
    (r"(?:代金券|旅行券|补偿券|优惠券|旅行证书)", " certificate "),
    (r"(?:补偿|赔偿)", " compensation "),
    (r"差价|差额", " price difference "),
    (r"(\d{4})\s*年\s*(\d\d)\s*月\s*(\d\d)\s*日", r" \1-\2-\3 "),
    (r"(?:航班)", " flight "),
    (r"(?:预订|预定|行程|订单)(?=[^成功])", " reservation "),
)  # fmt: skip
_VERBS: Glossary = (
    (r"取消", " cancel "),
    (r"改签", " change flight "),
    (r"升级|升舱", " upgrade cabin "),
    (r"(?:修改|更改|变更|改成|改为|改到|更新|替换|更换|换成|改|换)", " change to "),
    (r"退款|退", " refund "),
    (r"(?:预订|预定|订票|订)", " book "),
    (r"(?:添加|增加|加)", " add "),
)

_NAMES = MappingProxyType(
    {
        "user_id": "用户编号", "first_name": "名字", "last_name": "姓氏", "email": "邮箱", "phone": "电话号码",
        "reservation_id": "预订号", "reason": "原因", "flight_type": "行程类型", "origin": "出发城市",
        "destination": "目的地", "date": "日期", "return_date": "返程日期", "cabin": "舱位", "choice": "航班偏好",
        "passengers": "乘客", "passenger": "原乘客的姓名", "new_passenger": "新乘客", "bags": "行李件数",
        "insurance": "保险", "payment": "支付方式", "complaint": "问题", "one": "哪一个",
    }
)  # fmt: skip
_SAID: Mapping[str, str] = MappingProxyType(
    {
        "change_of_plans": "[我的计划变了|计划有变|出行计划改了]",
        "airline_cancelled": "[航空公司取消了航班|航班被航空公司取消了]",
        "health": "[我生病了|我身体不适]",
        "weather": "[那边天气不好|天气恶劣]",
        "other": "[是私人原因|个人原因]",
        "cancelled_flight": "[航空公司取消了我的一个航班|我的一个航班被取消了]",
        "delayed_flight": "[我的航班延误了|我的一个航班延误了]",
        "basic_economy": "基础经济舱",
        "economy": "经济舱",
        "business": "商务舱",
        "cheapest": "最便宜的航班（转机也行）",
        "cheapest_direct": "最便宜的直飞航班",
        "earliest_direct": "当天最早的直飞航班",
        "latest_direct": "当天最晚的直飞航班",
        "one_way": "单程",
        "round_trip": "往返",
    }
)
_ONE = "[一个预订|我的一个预订|我的预订|我的一个行程]"
_WISHES: Mapping[str, str] = MappingProxyType(
    {
        "book_flight": "预订[一个航班|一趟航班|机票]",
        "cancel_reservation": f"取消{_ONE}",
        "change_flights": f"改签{_ONE}的航班",
        "change_flights:cabin": f"改签{_ONE}的航班，也换舱位",
        "change_cabin": f"更改{_ONE}的舱位",
        "add_bags": f"给{_ONE}加[托运|]行李",
        "change_passenger": f"更换{_ONE}的乘客",
        "compensation": "[申请补偿|要求补偿|得到补偿]，因为[航班出了问题|我的航班不顺利]",
        "ask:free_bags": f"知道{_ONE}有几件免费行李",
        "ask:total_paid": f"知道{_ONE}一共付了多少钱",
        "remove_bags": f"从{_ONE}里减一件行李",
        "add_insurance": f"给{_ONE}加[旅行|]保险",
        "add_passenger": f"给{_ONE}增加一位乘客",
        "change_route": f"更改{_ONE}的目的地",
        "human": "找[人工客服|人工]",
    }
)
_GIVEN: Mapping[str, str] = MappingProxyType(
    {
        "reason": "[因为|原因是|主要是|原因：]{value}。",
        "complaint": "[情况是|是这样的，|问题是|发生的事：]{value}。",
        "origin": "[从|出发地是|出发城市是|出发地：] {value} [出发|]。",
        "destination": "[到|目的地是|飞往|目的地：] {value} 。",
        "date": "[出发日期是|出发是|日期是|日期：] {value} 。",
        "return_date": "[返程日期是|返程是|回程是|返程：] {value} 。",
        "passenger": "[要换下的是|换掉|原来的乘客是|替换] {value} 。",
        "payment": "[请用|用|我想用|就用]{value}。",
    }
)


def _slot(slot: Slot) -> Slot:
    noun = _NAMES[slot.name]
    given = _GIVEN.get(slot.name, f"[{noun}是|是|就是|{noun}：] {{value}} 。")
    return replace(slot, noun=noun, short=f"[{{value}}。|{given}]", long=given, piece=f"{noun}：{{value}}")


class AirlineChinese(AirlineLanguage):
    """Chinese for the airline domain. Names, ids, cities, flights and dates stay as the data has them."""

    code = "zh"
    locale = CHINESE
    slots: Mapping[str, Slot] = MappingProxyType({name: _slot(slot) for name, slot in SLOTS.items()})

    def translations(self) -> Mapping[str, Any]:
        """Back to English."""
        return {"en": AirlineLanguage}

    def hear(self, text: str) -> str:
        """Chinese with the cue words of the domain."""
        return read_through(text, _NOUNS, _VERBS)

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase."""
        key = f"ask:{slots['topic']}" if intent == "ask" else intent
        key = "change_flights:cabin" if intent == "change_flights" and "cabin" in slots else key
        return voice.say(_WISHES[key])

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot."""
        given = source.get(slot)
        if given is None and slot in ("origin", "destination") and "route" in source:
            given = source["route"][slot == "destination"]
        if given is None:
            return None
        if isinstance(given, str) and given in _SAID:
            return voice.keep(voice.say(_SAID[given]))
        text = _plain(slot, given)
        if slot == "date" and "return_date" in source and "date" in about:
            text += f"，返程 {source['return_date']}"
        if slot == "bags" and "paid_bags" in source:
            text += f"，其中 {source['paid_bags']} 件付费"
        return voice.keep(text)

    def hint(self, slot: str, slots: Mapping[str, Any], voice: Voice) -> str | None:
        """A reservation of unknown id is named by its trip."""
        if slot != "reservation_id" or "route" not in slots:
            return None
        origin, destination = (voice.keep(_place(code)) for code in slots["route"])
        template = "[是|就是]我从 {origin} 到 {destination} 的[行程|那个预订]。"
        return voice.say(template, origin=origin, destination=destination)


def _place(code: str) -> str:
    return city(code) if code in CITIES else code


def _plain(slot: str, given: Any) -> str:
    if slot in ("origin", "destination"):
        return _place(given)
    if slot == "choice" and not isinstance(given, str):
        return "和".join(f"{leg['date']} 的航班 {leg['flight_number']}" for leg in given)
    if slot == "passengers":
        return "和".join(map(_person, given))
    if slot == "new_passenger":
        return _person(given)
    if slot == "bags":
        return f"{given} 件托运行李" if given else "没有托运行李"
    if slot == "insurance":
        return "要旅行保险" if given == "yes" else "不要保险"
    if slot == "payment":
        return "，然后用".join(map(_method, given))
    return str(given)


def _person(person: Record) -> str:
    return f"{full_name(person)}（生于 {person['dob']}）"


def _method(method: Record) -> str:
    if method["source"] == "credit_card":
        brand = {"visa": "Visa", "mastercard": "Mastercard"}.get(method.get("brand", ""), "信用卡")
        return f" {brand}（尾号 {method['last_four']}）"
    kind = {"gift_card": "礼品卡", "certificate": "旅行券"}[method["source"]]
    return f"{kind} {method['id']} "


__all__ = ["AirlineChinese"]
