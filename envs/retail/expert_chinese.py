"""The scripted retail expert in Chinese: the same script, heard and spoken through two tables.

What the user says in Chinese is read into the words that the expert listens for; what the expert says in its compact
style is said in Chinese. Values stay as the data has them.
"""

# ruff: noqa: E501, RUF001

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mua_env.agents.scripted.interpreter import InterpretedExpert, Interpreter

from .expert import RetailExpert
from .expert_phrases import COMPACT

_HEARD: tuple[tuple[str, str], ...] = (
    (r"默认地址|个人资料里的地址", " change my default address "),
    (r"修改[^。，？]{0,12}待处理订单里的", " modify items in a pending order "),
    (r"取消", " cancel "),
    (r"退货", " return "),
    (r"换货", " exchange "),
    (r"修改[^。，？]{0,12}订单的(?:收货)?地址", " change the address of an order "),
    (r"修改[^。，？]{0,12}订单的(?:支付|付款)方式", " change the payment method of an order "),
    (r"订单的状态", " the status of an order "),
    (r"订单的总价", " the total of an order "),
    (r"物流单号", " the tracking number of an order "),
    (r"多少种选项", " how many options a product has "),
    (r"订单的收货地址", " the delivery address of an order "),
    (r"人工", " talk to a human agent "),
    (r"不再需要了?", " no longer needed "),
    (r"下错单了?", " ordered by mistake "),
    (r"我?(?:手边)?(?:不知道|不记得|没有(?=邮|订单号|姓|电|用)|不清楚|想不起来|找不到)", " I don't know "),
    (r"尾号", " ending in "),
    (r"礼品卡", " gift card "),
    (r"信用卡", " credit card "),
    (r"邮编", " zip "),
    (r"改主意|改一下|换一下|换个想法|改变主意|想换", " changed my mind "),
    (r"不对|不是|不太对|错了|有误|有问题|有点问题|^\s*(?:不|哎)", " no, "),
    (r"没有了|没了|没别的|不用了|没有其他", " no, that is all "),
    (r"^(?:嗯|好的)?，?\s*(?:是的|是|对|没错)(?=[，。！])|是的", " yes "),
)
_SAID: Mapping[str, str] = MappingProxyType(
    {
        "identify": "请提供您的邮箱，或者您的姓名和邮编。",
        "ask_email": "请问您的邮箱是什么？",
        "ask_name": "请提供您的姓名和邮编。",
        "not_identified": "抱歉，没有找到您的账户。请提供您的邮箱，或者您的姓名和邮编。",
        "give_up_identity": "由于规定，找不到您的账户，我无法继续。",
        "help": "请问有什么可以帮您？",
        "ask_order": "请问订单号是多少？",
        "ask_order_reason": "请问订单号是多少？取消的原因是什么？",
        "ask_order_items": "请问订单号是多少？要办理哪些商品？",
        "ask_options_payment": "{item} 想要什么新的规格？用什么支付方式？",
        "ask_order_items_payment": "请问订单号是多少？哪些商品？用什么支付方式？",
        "ask_everything": "请问订单号是多少？哪些商品？换成什么规格？用什么支付方式？",
        "ask_order_address": "请问订单号是多少？新地址是什么？",
        "ask_order_payment": "请问订单号是多少？用什么支付方式？",
        "ask_order_again": "抱歉，没有找到这个订单。请问订单号是多少？",
        "which_order": "请问是哪个订单：{choices}？",
        "ask_reason": "请问取消的原因是什么？",
        "ask_items": "请问是哪些商品？",
        "which_item": "有几件 {item}：{choices}。请问是哪些商品？",
        "ask_options": "{item} 想要什么新的规格？",
        "ask_payment": "请问用什么支付方式？",
        "which_payment": "请问用哪种支付方式：{choices}？",
        "ask_address": "请问新地址是什么？",
        "ask_product": "请问是哪个产品？",
        "propose": "{action}请问是否确认？（是/否）",
        "fix": "请问应该怎么改？哪些地方不对？",
        "done": "{claim}还有其他可以帮您的吗？",
        "answer": "{answer}还有其他可以帮您的吗？",
        "refuse": "抱歉，我无法办理，因为{reason}。还有其他可以帮您的吗？",
        "unavailable": "抱歉，{item}（{options}）目前缺货。",
        "more": "还有其他可以帮您的吗？",
        "bye": "再见。",
    }
)
_CLAUSES: Mapping[str, str] = MappingProxyType(
    {
        "Cancel order {order}, reason: no longer needed.": "取消订单 {order}，原因：不再需要。",
        "Cancel order {order}, reason: ordered by mistake.": "取消订单 {order}，原因：下错单。",
        "Change the address of order {order} to {value}.": "把订单 {order} 的地址改为 {value}。",
        "Change your default address to {value}.": "把您的默认地址改为 {value}。",
        "Change the payment method of order {order} to {value}.": "把订单 {order} 的支付方式改为 {value}。",
        "Return from order {order}: {names}; refund to {value}.": "退货，订单 {order}：{names}；退款到 {value}。",
        "Modify in order {order}: {swaps}; payment method: {value}.": "修改订单 {order} 的商品：{swaps}；支付方式：{value}。",
        "Exchange from order {order}: {swaps}; payment method: {value}.": "换货，订单 {order}：{swaps}；支付方式：{value}。",
        "Order {order} has been cancelled.": "订单 {order} 已取消。",
        "The address of order {order} has been changed.": "订单 {order} 的地址已修改。",
        "Your default address has been changed.": "您的默认地址已修改。",
        "The payment method of order {order} has been changed.": "订单 {order} 的支付方式已修改。",
        "The return of the items of order {order} has been requested.": "订单 {order} 的退货已申请。",
        "The items of order {order} have been modified.": "订单 {order} 的商品已修改。",
        "The items of order {order} have been exchanged.": "订单 {order} 的商品已换货。",
        "The status of order {order} is {value}.": "订单 {order} 的状态是 {value}。",
        "The total of order {order} is {value}.": "订单 {order} 的总价是 {value}。",
        "The tracking number of order {order} is {value}.": "订单 {order} 的物流单号是 {value}。",
        "The delivery address of order {order} is {value}.": "订单 {order} 的收货地址是 {value}。",
        "There are {value} available options of the {item}.": "{item} 有 {value} 种选项可选。",
    }
)


class RetailChineseExpert(InterpretedExpert, RetailExpert):
    """Solves retail tasks by dialogue in Chinese, in the compact style."""

    interpreter = Interpreter(_HEARD, COMPACT, _SAID, _CLAUSES, ((" ending in ", " 尾号 "), ("gift card", "礼品卡")))


__all__ = ["RetailChineseExpert"]
