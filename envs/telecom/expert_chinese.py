"""The scripted telecom expert in Chinese: the same script, heard and spoken through two tables.

What a phone's screen says, names and plans stay in English.
"""

# ruff: noqa: E501, RUF001

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from mua_env.agents.scripted.interpreter import InterpretedExpert, Interpreter

from .expert import TelecomExpert
from .expert_phrases import COMPACT

_STATES = "(?:本来就|已经是)"
_HEARD: tuple[tuple[str, str], ...] = (
    *(
        (rf"{name}{_STATES}{word}", f" {english} is already {state} ")
        for name, english in (
            ("飞行模式", "airplane mode"), ("移动数据", "mobile data"), ("数据漫游", "data roaming"),
            ("省流量模式", "data saver"), ("Wi-Fi 通话", "wi-fi calling"),
        )
        for word, state in (("开", "on"), ("关", "off"))
    ),
    (r"您?(?:确定吗|真[的得]需要这样吗)|真[的得]需要这样|这样安全吗|为什么要这样[做作]|我怕弄坏|我不[想相]随便改", " are you sure? "),
    (r"恢复信号|重新有服务|手机没有信号", " want to get my service back "),
    (r"移动上网|手机上网|流量上网", " want to fix my mobile internet "),
    (r"重新发彩信|发图片|彩信发不出去", " want to send pictures again "),
    (r"下一期[的得]账单|还没出[的得]账单", " want to pay my next bill "),
    (r"逾期[的得]账单|忘了付[的得]账单", " want to pay my overdue bill "),
    (r"加一些流量|多买点流量", " want to add some data "),
    (r"更换套餐|换一个别[的得]套餐", " want to change my plan "),
    (r"我不[想相]换套餐", " rather "),
    (r"换成套餐", " the plan "),
    (r"我?不[在再]国外|我?[在再]国内", " not abroad "),
    (r"我?[在再]国外，[在再]", " abroad, in "),
    (r"改主意|改一下|换一下|换个[想相]法|改变主意|[想相]换|又[想相]了[想相]", " changed my mind "),
    (r"不对|不是|不太对|错了|有误|有问题|有点问题|^\s*(?:不|哎)", " no, "),
    (r"没有了|没了|没别[的得]了?|不用了|没有其他", " no, that is all "),
    (r"^(?:嗯|好[的得])?，?\s*(?:是[的得]|是|对|没错)(?=[，。！])|是[的得]", " yes "),
    (r"^(?:嗯，)?(?:好[的得]?|行|可以)(?=[，。！])", " okay "),
)  # fmt: skip

_STEPS: Mapping[str, str] = MappingProxyType(
    {
        "check the network status": "请查看网络状态。",
        "check the SIM status": "请查看SIM卡状态。",
        "check the APN settings": "请查看APN设置。",
        "check whether Data Saver is on": "请查看省流量模式是否开启。",
        "check the network mode preference": "请查看网络模式。",
        "check the VPN status": "请查看VPN状态。",
        "check whether Wi-Fi calling is on": "请查看Wi-Fi通话是否开启。",
        "check the permissions of the messaging app": "请查看短信应用的权限。",
        "look at the status bar": "请看一下状态栏。",
        "run a speed test": "请做一次测速。",
        "try to send a picture message": "请试着发一条彩信。",
        "check the payment request": "请查看付款请求。",
        "turn off airplane mode": "请关闭飞行模式。",
        "take out your SIM card and put it back in": "请取出SIM卡再插回去。",
        "reset the APN settings": "请重置APN设置。",
        "turn on mobile data": "请打开移动数据。",
        "turn on data roaming": "请打开数据漫游。",
        "turn off Data Saver": "请关闭省流量模式。",
        "set the network mode to 4g_5g_preferred": "请把网络模式设为 4g_5g_preferred。",
        "disconnect the VPN": "请断开VPN。",
        "turn off Wi-Fi calling": "请关闭Wi-Fi通话。",
        "allow the messaging app to use the storage": "请允许短信应用使用存储权限。",
        "allow the messaging app to use sms": "请允许短信应用使用sms权限。",
        "restart the phone": "请重启手机。",
        "make the payment": "请完成付款。",
    }
)
_SAID: Mapping[str, str] = MappingProxyType(
    {
        "identify": "请告诉我您的手机号码、姓名和出生日期。",
        "ask_phone": "抱歉，没有找到这个号码。请问您的手机号码是多少？",
        "mismatch": "这与账户不符。请再告诉我一次您的姓名和出生日期。",
        "stranger": "抱歉，我无法办理，因为只有账户的本人才可以要求。还有其他可以帮您的吗？",
        "help": "请问有什么可以帮您？",
        "explain": "是的，这很安全，也有必要，请照做。",
        "remedy": "您的流量用完了：{used} / {limit} GB。每 GB 的价格是 ${rate}，最多 2 GB。您想加流量还是更换套餐？",
        "ask_gb": "请问要加多少 GB？",
        "ask_plan": "可选：{plans}。请问要哪个套餐？",
        "propose_gb": "我将为您的线路加 {gb} GB 流量，费用 ${price}。请问是否确认？（是/否）",
        "propose_plan": "我将把您的套餐改为 {plan}，每月 ${price}。请问是否确认？（是/否）",
        "bought": "已经办好了：{what}。还有其他可以帮您的吗？",
        "pay": "我已给您发送账单 {bill} 的付款请求，金额 ${amount}。请查看付款请求。请完成付款。",
        "paid": "账单 {bill} 已支付。还有其他可以帮您的吗？",
        "not_due": "抱歉，我无法接受这笔付款，因为这里只能付逾期的账单。还有其他可以帮您的吗？",
        "too_much": "抱歉，我无法加 {gb} GB，因为规定最多 2 GB。还有其他可以帮您的吗？",
        "watch": "抱歉，我无法改为 {plan}，因为它只用于手表。还有其他可以帮您的吗？",
        "transferred": "正在为您转接人工客服。",
        "more": "还有其他可以帮您的吗？",
        "bye": "再见。",
    }
)
_WHAT: Mapping[str, str] = MappingProxyType(
    {"{gb} GB of data were added": "{gb} GB 流量已添加", "your plan was changed to {plan}": "套餐已更改为 {plan}"}
)
_STEP = re.compile(r"Please ([^.]+)\.")


class _Guide(Interpreter):
    """Says steps one by one; all else by the tables."""

    def speak(self, text: str) -> str:
        """What the expert says in its compact style, in Chinese."""
        steps = _STEP.findall(text)
        rest = _STEP.sub("", text).strip()
        if steps and rest in _AROUND and all(step in _STEPS for step in steps):
            return _AROUND[rest].format(steps="".join(_STEPS[step] for step in steps))
        return super().speak(text)


_AROUND: Mapping[str, str] = MappingProxyType(
    {
        "": "{steps}",
        "Are you abroad?": "{steps}您现在在国外吗？",
        "What does the phone show now?": "我们再检查一次。{steps}",
    }
)
_BY_STEPS = frozenset({"look", "look_abroad", "repair", "unsolved"})


class TelecomChineseExpert(InterpretedExpert, TelecomExpert):
    """Solves telecom tasks by dialogue in Chinese, in the compact style."""

    interpreter = _Guide(_HEARD, {act: text for act, text in COMPACT.items() if act not in _BY_STEPS}, _SAID, _WHAT)


__all__ = ["TelecomChineseExpert"]
