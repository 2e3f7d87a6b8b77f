"""Chinese."""

# ruff: noqa: E501, RUF001

from __future__ import annotations

from collections.abc import Mapping

from mua_env.domain.description.locales.locale import Locale

COMPACT: Mapping[str, str] = {
    "identify": "请提供{what}。",
    "not_identified": "没有找到您的资料。请提供{what}。",
    "help": "请问有什么可以帮您？",
    "ask": "请告诉我{what}。",
    "ask_again": "没有找到。请告诉我完整的{what}。",
    "which": "是哪一个{noun}：{choices}？",
    "propose": "我将为您{deed}（{stated}）。您确认吗（是/否）？",
    "done": "已办理完成：{claim}（{stated}）。还有其他需要吗？",
    "answer": "{answer}还有其他需要吗？",
    "refuse": "抱歉，不能{deed}，因为{reason}。还有其他需要吗？",
    "bye": "再见。",
}

MESSAGES: Mapping[str, str] = {
    **COMPACT,
    "identify": "[好的，我来帮您。|没问题。|当然可以。][请先提供{what}。|能告诉我{what}吗？]",
    "not_identified": "[抱歉，没有找到您的资料。|没有查到您的记录。][请提供{what}。|能告诉我{what}吗？]",
    "or_else": "{one}，或者{other}",
    "help": "[请问有什么可以帮您？|您需要办理什么业务？]",
    "ask": "[谢谢。|好的。|][请告诉我{what}。|请提供{what}。|能告诉我{what}吗？]",
    "ask_again": "[抱歉，没有找到。|抱歉，没看清。][请再告诉我完整的{what}。|请提供完整的{what}。]",
    "propose": "[请您核对：|我先说一下要办的事：|]我将为您{deed}（{stated}）。[您确认吗（是/否）？|您确定要办理吗（是/否）？]",
    "done": "已办理完成：{claim}（{stated}）。[还有其他需要吗？|还有什么可以帮您？]",
    "answer": "{answer}[还有其他需要吗？|还有什么可以帮您？]",
    "refuse": "[抱歉，|很遗憾，|对不起，]不能{deed}，因为{reason}。[还有其他需要吗？|还有什么可以帮您？]",
    "bye": "[感谢您的来电，再见。|祝您生活愉快，再见。|再见。]",
    "the": "{noun}",
    "the_several": "{noun}",
    "the_name": "{noun}名称",
    "your": "您的{noun}",
    "options": "{what}（{options}）",
    "stated": "{noun} {value}",
    "told": "{noun}是 {value} 。",
    "no_value": "没有{noun}",
    "no_agreement": "细节没有谈妥",
    "forbidden": "系统不允许：{error}",
    "original": "[原来的那个|原来的{noun}]",
    "at_home": "[我资料里的地址|我账户上的地址]",
    "mine": "[我的|]{value}",
    "some": "其中{many}个",
    "ending": "尾号 {tail} 的{name}",
    "with": "{name}（{options}）",
    "given": "[{whose}{noun}是|是] {value} 。",
    "given_short": "[ {value} 。|是 {value} 。]",
    "given_alone": "[ {value} ，谢谢。| {value} 。|要 {value} 。]",
    "my": "我的",
    "the_capital": "",
    "hint": "[就是|应该是]有 {contents} 的那个。",
    "policy_head": "# 规定\n\n{preamble}\n",
    "policy_wish": "- {deed}：{rules}",
    "policy_free": "- {deed}：客户提出即可办理。",
    "preamble": "先凭{what}核实客户身份。办理前查看有关的记录。作任何改动之前，把内容说全，并请客户确认。规定不允许的，要拒绝并说明原因。",
    "owned": "只能办理客户本人的{noun}。",
    "not_owned": "这个{noun}属于别人",
    "know": "你的{noun}是 {value} 。",
    "want": "[你想|你要|你需要]{deed}{stated}。",
    "unknown": "你不知道{noun}，只记得有 {contents} 。",
    "change": "[对方请你确认时，你改了主意：|对方请你确认时，你又想了想：]{stated}。",
    "fallback": "[如果不行：|要是办不了：]",
    "accept": "[如果被拒绝，你就接受。|办不了就算了。]",
    "discretion": "[别人问到时才说细节。|不要一次全说出来，问什么答什么。]",
    "colon": "（{stated}）",
}

CHINESE = Locale(
    code="zh",
    messages=MESSAGES,
    compact=COMPACT,
    asks=(r"{noun}",),
    yes=r"是的|^\W*(?:[好嗯]的?，?)?(?:是|对|好的|可以)|确认|没错",
    no=r"不|等等|等一下|先别|主意|其实|抱歉|没有|改一下",
    ignorance=r"不知道|不记得|没有|不清楚|想不起来|找不到",
    done=r"再见|拜拜|就这些|没有了|没别的|没有其他|都办好了|不用了",
    why=r"为什么|为何|原因|怎么回事|怎么(?:会)?不行",
    insists=r"确定吗|真的吗|再查|再看看|不对|应该可以|是这样吗",
    old=r"(?:从|由|原来?是?|原先的?|现在的?是?|而不是|不是|不要|代替)\s*\Z",
    comma="、",
    last="和",
    either="或",
    spaced=False,
)
"""Chinese messages and words."""
