"""The scripted airline expert in Chinese: the same script, heard and spoken through two tables.

The reasons of a refusal, and values, stay in English.
"""

# ruff: noqa: E501, RUF001

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mua_env.agents.scripted.interpreter import InterpretedExpert, Interpreter

from .expert import AirlineExpert
from .expert_phrases import PHRASES

_OF = r"[^。，？！]{0,12}"
_HEARD: tuple[tuple[str, str], ...] = (
    (r"预订(?:一个航班|一趟航班|机票)", " want to book a flight "),
    (rf"改签{_OF}[的得]航班，也换舱位", " want to change the flights and the cabin of a reservation "),
    (rf"改签{_OF}[的得]航班", " want to change the flights of a reservation "),
    (rf"更改{_OF}[的得]舱位", " want to change the cabin of a reservation "),
    (rf"更改{_OF}[的得]目[的得]地", " want to change the destination of a reservation "),
    (rf"更换{_OF}[的得]乘客", " want to change a passenger of a reservation "),
    (rf"给{_OF}增加一位乘客", " want to add another passenger to a reservation "),
    (rf"给{_OF}加(?:旅行)?保险", " want to add insurance to a reservation "),
    (rf"给{_OF}加(?:托运)?行李", " want to add bags to a reservation "),
    (rf"从{_OF}里减一件行李", " want to remove a bag from a reservation "),
    (rf"知道{_OF}有几件免费行李", " want to know how many bags are free on a reservation "),
    (rf"知道{_OF}一共付了多少钱", " want to know how much I paid for a reservation "),
    (r"(?:申请|要求|[得的]到)补偿，因为(?:航班出了问题|我[的得]航班不顺利)", " want to be compensated for a problem with a flight "),
    (r"航空公司取消了我[的得]一个航班|我[的得]一个航班被取消了", " a flight was cancelled by the airline "),
    (r"航空公司取消了航班|航班被航空公司取消了", " the airline cancelled a flight "),
    (r"取消(?:一个|我[的得](?:一个)?)(?:预订|行程)", " want to cancel a reservation "),
    (r"找人工(?:客服)?", " want to talk to a human agent "),
    (r"我?[的得]?(?:出行)?计划(?:变了|有变|改了)", " my plans have changed "),
    (r"我生病了|我身体不适", " I am ill "),
    (r"(?:那边|哪边)?天气(?:不好|恶劣)", " the weather is bad "),
    (r"是?(?:私人|个人)原因", " it is personal "),
    (r"航班延误了", " flight is delayed "),
    (r"(\d{4}-\d\d-\d\d)\s*[的得]航班\s*((?:AL|HAT)\d{3})", r" flight \2 on \1 "),
    (r"最便宜[的得]航班（转机也行）", " the cheapest flight "),
    (r"最便宜[的得]直飞航班", " the cheapest direct flight "),
    (r"(?:当天)?最早[的得]直飞航班", " the earliest direct flight "),
    (r"(?:当天)?最晚[的得]直飞航班", " the latest direct flight "),
    (r"(?:返程|回程)(?:日期)?(?:是|：)?(?=\s*\d)", " return on "),
    (r"(?:(?:出发)?日期(?:是|：)?|出发是)(?=\s*\d)", " leaving on "),
    (r"(?:从|出发地是|出发城市是|出发地：|出发城市：)", " from "),
    (r"(?:到|目[的得]地是|飞往|目[的得]地：)(?=\s*[A-Z])", " to "),
    (r"基础经济舱", " basic economy "),
    (r"经济舱", " economy "),
    (r"商务舱", " business "),
    (r"单程", " one way "),
    (r"往返", " round trip "),
    (r"没有托运行李", " no checked bags "),
    (r"(\d+) 件付费", r" \1 of all paid "),
    (r"(\d+) 件托运行李", r" \1 checked bags "),
    (r"不要保险", " no insurance "),
    (r"要旅行保险", " with travel insurance "),
    (r"（生于 (\d{4}-\d\d-\d\d)）", r" (born \1) "),
    (r"(?<=\))\s*和", " and "),
    (r"尾号", " ending in "),
    (r"礼品卡", " gift card "),
    (r"旅行券", " certificate "),
    (r"信用卡", " credit card "),
    (r"我?(?:手边)?(?:不知道|不记得|没有(?=用户|预订号|邮箱|电话|行程)|不清楚|想不起来|找不到)", " I don't know "),
    (r"改主意|改一下|换一下|换个想法|改变主意|想换", " changed my mind "),
    (r"不对|不是|不太对|错了|有误|有问题|有点问题|^\s*(?:不|哎)", " no, "),
    (r"没有了|没了|没别[的得]了?|不用了|没有其他", " no, that is all "),
    (r"^(?:嗯|好的)?，?\s*(?:是的|是|对|没错)(?=[，。！])|是的", " yes "),
    (r"^(?:嗯，)?(?:好的?|行|可以)(?=[，。！])", " okay "),
)  # fmt: skip

_SAID: Mapping[str, str] = MappingProxyType(
    {
        "identify": "请提供您的用户编号。",
        "help": "请问有什么可以帮您？",
        "bye": "再见。",
        "ask_reservation": "请问是哪个预订？预订号是多少？",
        "ask_reservation_reason": "请问预订号是多少？取消的原因是什么？",
        "ask_reason": "请问取消的原因是什么？",
        "ask_reservation_complaint": "请问预订号是多少？航班是取消还是延误？",
        "ask_complaint": "请问航班是取消还是延误？",
        "ask_reservation_cabin": "请问预订号是多少？要哪个舱位？用什么支付方式？",
        "ask_reservation_flights": "请问预订号是多少？出发日期是什么？偏好哪个航班（最便宜，还是当天最早或最晚的直飞）？用什么支付方式？",
        "ask_reservation_bags": "请问预订号是多少？要加几件行李？用什么支付方式？",
        "ask_reservation_passengers": "请问预订号是多少？要更换哪位乘客？新乘客的全名和出生日期是什么？",
        "ask_booking": "请问是单程还是往返？出发城市和目的地是哪里？出发日期是什么？要哪个舱位？偏好哪个航班？有哪些乘客？几件行李？要保险吗？用什么支付方式？",
        "ask_cabin_payment": "请问要哪个舱位？用什么支付方式？",
        "ask_bags_payment": "请问要加几件行李？用什么支付方式？",
        "ask_passengers_change": "请问要更换哪位乘客？新乘客的全名和出生日期是什么？",
        "ask_new_passenger": "请问新乘客的全名和出生日期是什么？",
        "ask_flights_one": "请问新的出发日期是什么？偏好哪个航班（最便宜，还是当天最早或最晚的直飞）？用什么支付方式？",
        "ask_flights_round": "请问出发日期和返程日期是什么？偏好哪个航班（最便宜，还是当天最早或最晚的直飞）？用什么支付方式？",
        "ask_trip": "请问是单程还是往返？出发城市和目的地是哪里？出发日期是什么？要哪个舱位？",
        "ask_travellers": "请问偏好哪个航班（最便宜，还是当天最早或最晚的直飞）？请提供所有乘客的全名和出生日期。",
        "ask_extras": "请问几件托运行李？要旅行保险吗？用什么支付方式？",
        "ask_cabin": "请问要哪个舱位？",
        "ask_return": "请问返程日期是什么？",
        "fix": "请问应该怎么改？",
        "propose": "{action}请问是否确认？（是/否）",
        "done": "{claim}还有其他可以帮您的吗？",
        "refuse": "抱歉，我无法办理，因为{reason}。",
        "answer": "{claim}还有其他可以帮您的吗？",
    }
)
_CLAUSES: Mapping[str, str] = MappingProxyType(
    {
        "Cancel reservation {id}, with a refund to the original payment methods.": "取消预订 {id}，退款到原支付方式。",
        "Send you a certificate of ${amount} as compensation for reservation {id}.": "给您发放 ${amount} 的旅行券，作为预订 {id} 的补偿。",
        "Change the cabin of reservation {id} to {cabin} for all flights and passengers; the difference goes to your {payment}.": "把预订 {id} 的舱位改为 {cabin}（所有航班和乘客）；差价用 {payment}。",
        "Change the flights of reservation {id} to {flights}, in {cabin}; the difference goes to your {payment}.": "把预订 {id} 的航班改为 {flights}，舱位 {cabin}；差价用 {payment}。",
        "Add {more} bag to reservation {id} for ${cost}, paid with your {payment}.": "给预订 {id} 加 {more} 件行李，费用 ${cost}，用 {payment}。",
        "Add {more} bags to reservation {id} for ${cost}, paid with your {payment}.": "给预订 {id} 加 {more} 件行李，费用 ${cost}，用 {payment}。",
        "Replace the passenger {old} on reservation {id} with {new} (born {dob}).": "把预订 {id} 的乘客 {old} 更换为 {new} (born {dob})。",
        "Book a {trip} from {origin} to {destination} in {cabin}: flights {flights}, for {who}, {bags} checked bags, {insurance}; {paid}.": "订票：{trip}，从 {origin} 到 {destination}，舱位 {cabin}：航班 {flights}，乘客 {who}，{bags} 件托运行李，{insurance}；{paid}。",
        "Your trip has been booked.": "您的行程已预订。",
        "The cabin of reservation {id} has been changed.": "预订 {id} 的舱位已更改。",
        "The flights of reservation {id} have been changed.": "预订 {id} 的航班已改签。",
        "The bags have been added to reservation {id}.": "预订 {id} 的行李已添加。",
        "The passenger of reservation {id} has been changed.": "预订 {id} 的乘客已更换。",
        "Reservation {id} has been cancelled; the refund goes to the original payment methods.": "预订 {id} 已取消，退款到原支付方式。",
        "A certificate has been issued and added to your profile.": "旅行券已发放到您的账户。",
        "You paid ${answer} in total for it.": "您一共付了 ${answer}。",
        "It has {answer} free checked bags.": "它有 {answer} 件免费托运行李。",
    }
)


class AirlineChineseExpert(InterpretedExpert, AirlineExpert):
    """Solves airline tasks by dialogue in Chinese, in the compact style."""

    interpreter = Interpreter(
        _HEARD, {act: variants[0] for act, variants in PHRASES.items()}, _SAID, _CLAUSES,
        ((" ending in ", " 尾号 "), ("gift card", "礼品卡"), ("certificate certificate", "旅行券 certificate"), ("basic economy", "基础经济舱"),
         ("economy", "经济舱"), ("business", "商务舱"), ("round trip", "往返"), ("one way", "单程"),
         ("with travel insurance", "要旅行保险"), ("no insurance", "不要保险"), (" and ", " 和 "),
         (" on ", "，日期 ")),
    )  # fmt: skip


__all__ = ["AirlineChineseExpert"]
