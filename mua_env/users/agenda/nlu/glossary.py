"""Reading Chinese: a glossary that turns what an agent writes into the words by which acts and values are told apart.

Dialogue acts, slots and comparisons are found by cue words (``mua_env.users.agenda.nlu.cues`` and the domains'
languages). A Chinese text is read through a glossary into these cue words, phrase by phrase, longest first; values
(ids, names, numbers, product names) are left as they stand. What the glossary does not know is left out. The
result is no translation: word order stays Chinese, and only the cues count.
"""

# ruff: noqa: E501

from __future__ import annotations

import re
from functools import lru_cache

Glossary = tuple[tuple[str, str], ...]
"""Pairs of a regular expression over Chinese text and the cue words that it stands for, in the order of trying."""

_HAN = re.compile(r"[\u4e00-\u9fff]+")
_TOUCH = re.compile(
    r"(?<=[\u4e00-\u9fff])(?=[\w#$@])(?![\u4e00-\u9fff])|(?<=[\w#$@])(?<![\u4e00-\u9fff])(?=[\u4e00-\u9fff])"
)
_MARKS = str.maketrans(
    {
        "\uff0c": ", ", "\u3002": ". ", "\uff1f": "? ", "\uff01": "! ", "\uff1b": "; ", "\uff1a": ": ", "\u3001": ", ",
        "\uff08": " (", "\uff09": ") ", "\u300c": '"', "\u300d": '"', "\u300e": '"', "\u300f": '"', "\u201c": '"',
        "\u201d": '"', "\u3010": " ", "\u3011": " ", "\uff03": "#", "\uff04": "$", "\uff0f": "/", "\u2026": "... ",
    }
)  # fmt: skip

_VERBS = {
    "取消": "cancelled", "退货": "returned", "退回": "returned", "换货": "exchanged", "更换": "changed",
    "换好": "exchanged", "更新": "updated", "修改": "modified", "更改": "changed", "变更": "changed", "改签": "changed",
    "改": "changed", "提交": "submitted", "办理": "completed", "办": "completed", "完成": "completed",
    "处理": "processed", "预订": "booked", "预定": "booked", "订": "booked", "添加": "added", "增加": "added",
    "加": "added", "升级": "upgraded", "升": "upgraded", "升舱": "upgraded", "发放": "issued", "退款": "refunded",
    "退": "returned", "换": "exchanged", "创建": "created", "申请": "requested", "受理": "processed", "登记": "recorded",
    "补偿": "issued", "搞定": "completed", "改好": "changed",
}  # fmt: skip
_VERB = "|".join(sorted(_VERBS, key=len, reverse=True))
_FOR = "(?:(?:为|帮|替|给)[您你])?"
_DONE = re.compile(
    rf"(?:已经?|刚刚|刚才)(?:全部|都)?{_FOR}(?:成功|顺利)?{_FOR}({_VERB})(?:好|完成|完毕|成功)?了?"
    rf"|已经?[为给替帮][您你](?:的[^,.?!]{{1,24}}?)(增加|添加|取消|升级|修改|更改|改签|更新|更换)了?"
    rf"|(?:成功){_FOR}({_VERB})了?|{_FOR}({_VERB})(?:成功|完成|完毕|好)了?(?!后)"
)

ACTS: Glossary = (
    (r"只能(?:修改|取消|换货|换|退货|退|办理)[^,.?!]{0,3}一次", " once "),
    (r"能不能|可不可以|能否|可否|是否可以|可以请[您你]", " could you "),
    (r"(?:状态|显示)(?:是|为)?\s*[\"']?\s*(?:已经?)?(处理|取消|送达|发货|完成)[\"']?", " status already shown "),
    (r"[是对]\s*(?:/|或|or)\s*[否不](?:是|对)?", " yes/no "),
    (r"回复\s*[\"']?\s*(?:是|确认|同意|好)(?!否)[\"']?|说\s*[\"']\s*是\s*[\"']", " reply yes "),
    (r"(?:一旦|只要)[您你]?确认|(?:请[您你]?|[您你])?确认(?:无误)?(?:之)?后", " once verified "),
    (r"(?:需要|还需|请等待)?[您你]的?(?:明确)?(?:同意|确认)(?=[。.!]|才)", " need your confirmation "),
    (r"请[您你]?(?:再次|最后|先)?(?:确认|核对)(?:一下)?(?=[您你]的)", " please verify "),
    (r"(?:请[您你]?)(?:再次|最后|先|再)?(?:确认|核对)", " please confirm the details "),
    (r"(?:如果?|若)(?:以上|上述)?(?:信息|内容|这些)?(?:都|均)?(?:没有?问题|无误|正确|同意|可以)", " if this is correct confirm "),
    (r"[您你]?(?:是否)(?:确认|确定)", " do you confirm "),
    (r"[您你]?(?:确认|确定)(?:要)?([^,.?!]{0,40})吗", r" do you confirm \1 "),
    (r"[您你]?(?:是否)?同意(?:以上|上述)?([^,.?!]{0,20})吗", r" do you agree \1 "),
    (r"[您你]?是否同意", " do you agree "),
    (r"(?:对吗|对吧|对不对|正确吗|没错吧|是吗|无误吗|是否正确|是否无误|没问题吗|没问题吧|可以吗|行吗|好吗|可行吗|可以吧)", " is that correct "),
    (r"(?:[您你])?(?:是否)?(?:需要|要不要|要|希望|想让)我(?:现在|帮[您你]|为[您你]|这就)*(?:继续|提交|办理|处理|执行|操作)([^,.?!]{0,20})(?:吗|\?)", r" would you like me to proceed \1? "),
    (r"(?:[您你])?(?:是否)?(?:需要|要|希望|想)(?:现在)?(?:继续|提交|办理|处理|执行)([^,.?!哪什多]{0,20})吗", r" would you like me to proceed \1? "),
    (r"(?:是否|可以|我可以|能)(?:现在)?(?:继续|提交|办理|执行|开始办理|处理)([^,.?!]{0,20})(?:吗|\?)", r" would you like me to proceed \1? "),
    (r"是否(?:现在)?(?:继续|提交|办理|执行)", " would you like me to proceed "),
    (r"(?:[您你])?(?:是否)?(?:需要|要不要|要|希望|想让)我(?:现在)?(?:帮[您你]|为[您你]|把[您你]|给[您你]|将[您你])?", " would you like me to "),
    (r"(?:找不到|没有?找到|未找到|没能找到|查不到|未能找到|没有?查到|查无|无法(?:找到|核实|验证|查到|识别)|不匹配|不存在|没有(?:任何)?匹配)", " could not find "),
    (r"(?:缺货|没有?货|无货|售罄|卖完|没有?库存|没有?现货|断货|下架)", " is unavailable, out of stock "),
    (r"没有(?:剩余|空余)?(?:余票|座位|空位|航班可)|(?:余票|座位)不足|满座|满员", " no seats available "),
    (r"(?:不可用|不可选|买不到|暂不供应)", " is not available "),
    (r"(?:转接|转给|转交|转到|转至|转|交由|接入)(?:给|到|至)?\s*(?:人工|真人|客服|专员|专人|同事|代表|主管)(?:客服|坐席|服务|同事|代表)?", " transferring you to human agent "),
    (r"(?:人工|真人)(?:客服|坐席|服务|代表)?(?:将|会|来)?(?:接手|跟进|继续为)", " human agent take over "),
    (r"(?:人工|真人)(?:客服|坐席|服务|代表)?", " human agent "),
    (r"(?:之后|以后|随后|后)(?:就|将|都)?(?:无法|不能|不可)(?:再)?", " afterwards cannot again "),
    (r"(?:无法|不能|不可)(?:再(?:次)?|撤销|恢复|撤回)", " cannot be undone again "),
    (r"(?:之前|以前|前)[^,.?!]{0,6}(?:无法|不能|不可)", " until verified cannot "),
    (r"(?:无法|不能|没法|没有?办法|不可以|不允许|不支持|不符合|不被允许|办不了|做不到|不予|不得|不可(?!用)|不提供|不接受|不在[^,.?!]{0,10}范围|不具备)", " cannot "),
    (r"(?:超出|违反)[^,.?!]{0,8}(?:范围|规定|政策)", " against our policy "),
    (r"(?:余额|金额)?不足(?:以)?|不够", " is not enough "),
    (r"(?:必须|只好|只能)拒绝|予以拒绝|婉拒", " must decline "),
    (r"(?:只能|仅能|只可以|仅可|只可)(?:退|用|取消|修改|换)", " can only refund "),
    (r"(?:只有|仅有|只限|仅限|仅)", " only "),
    (r"(?:才能|才可以|才可|方可)(?:被)?(?:取消|退货|退|换货|换|修改|更改)", " can be cancelled "),
    (r"(?:还有|还)?(?:什么|哪些)?(?:其他|其它|别的)(?:可以|能|需要|问题|事|什么|要|帮|请求|疑问|的)?[^,.?!]{0,12}(?=[吗?呢]|告诉|$)", " anything else help "),
    (r"还有什么[^,.?!]{0,14}", " anything else help "),
    (r"还需要(?:什么|哪些|我)?[^,.?!]{0,12}帮", " anything else help "),
    (r"(?:再见|拜拜|再会)", " goodbye "),
    (r"祝[您你][^,.?!]{0,14}|祝(?:生活|旅途|购物|一切|旅行)[^,.?!]{0,8}", " have a nice day "),
    (r"感谢[您你]?的?(?:来电|咨询|联系|光临|惠顾|选择|乘坐|购物)", " thank you for contacting us "),
    (r"(?:请问)?(?:有什么|什么|有何)(?:我)?(?:可以|能|需要)(?:我)?(?:帮|为|协助)[^,.?!]{0,10}|需要(?:什么|哪些|何种)(?:帮助|协助|服务)|(?:怎么|如何|怎样)(?:才能)?(?:帮|协助|为)[^,.?!]{0,6}|[您你](?:今天)?(?:想|要|需要)(?:办理|咨询|做)?(?:什么|哪)(?:业务|事情?|操作|服务)?(?=[?呢,.]|$)", " how can i help you "),
    (r"(?:请[您你]?)?(?:稍等|稍候|等一下|等一等|等一会|稍后片刻)(?:片刻|一下)?|(?:我)?正在(?:为[您你]|帮[您你])?(?:查|处理|办|核|搜|检)[^,.?!]{0,6}|我(?:这就|马上|现在就?|先|来)(?:去|帮[您你]|为[您你])*(?:查|看|办|处理|核|搜|检)[^,.?!]{0,6}|让我(?:先)?(?:查|看|核|确认)[^,.?!]{0,6}", " one moment "),
    (r"(?:请|麻烦|烦请|劳烦)[您你]?(?:先|再|重新|再次|分别|也|一并|帮忙)*(?:把[^,.?!]{0,10}(?:发|给))?(?:提供|告诉我?|告知我?|给我|发给?我|发来|发送|输入|填写|说明|列出|选择|选|指定|报|给出|检查|核实|回复)(?:一下)?", " please provide "),
    (r"(?:告诉我|告知我|提供|发给我|给我|说明|发我|选择|列出)(?:一下)?", " provide "),
    (r"(?:我|还)需要(?=[您你知])", " i need "),
    (r"(?:我)?(?:需要|想)(?:先)?(?:知道|了解|核实|确认|验证|核对)(?:一下)?", " i need to know "),
    (r"(?:是什么|是多少|多少|什么时候|什么|几)", " what "),
    (r"为什么(?:要|想)?|为何", " why do you "),
    (r"(?:因为|由于|鉴于)", " because "),
    (r"(?:所以|因此)", " therefore "),
    (r"(?:规定|政策|条款|规则)", " policy "),
    (r"(?:抱歉|对不起|很遗憾|不好意思|遗憾)", " sorry "),
    (r"(?:还是|或者|或是|或|要么)", " or "),
    (r"(?:任选其一|其中之一|之一|都可以|任意一个)", " one of "),
    (r"(?:以及|并且|还有|和|与|及|跟)", " and "),
    (r"尾号(?:为|是)?", " ending in "),
    (r"(?:哪一|哪几|哪)(?:个|些|件|笔|种|张|款|位|样|趟|天|班|项|单)?", " which "),
    (r"(?:是的|没错|对的)", " yes "),
    (r"(?:请问)", " "),
    (r"(?:[您你]的)", " your "),
    (r"(?:[您你])", " you "),
    (r"(?:我将|我会|即将|将(?:要|会)?)", " i will "),
    (r"(?:除外|以外|不变|保持|保留|其余)", " unchanged "),
)  # fmt: skip


def has_chinese(text: str) -> bool:
    """Whether a text has Chinese characters."""
    return _HAN.search(text) is not None


def read_through(text: str, nouns: Glossary, verbs: Glossary) -> str:
    """A Chinese text as cue words; a text without Chinese characters is returned as it is.

    Args:
        text: what the agent wrote.
        nouns: what a domain speaks of, tried before the glossary of dialogue acts.
        verbs: what is done in a domain, tried after it.
    """
    if not has_chinese(text):
        return text
    text = _DONE.sub(_claim, text.translate(_MARKS))
    for glossary in (nouns, ACTS, verbs):
        for pattern, words in _compiled(glossary):
            text = pattern.sub(words, text)
    text = _HAN.sub(" ", _TOUCH.sub(" ", text))
    text = _SPACE.sub(r"\1", _BLANKS.sub(" ", text)).replace("??", "?").strip()
    return text if any(char.isalpha() for char in text) else "well."


_BLANKS = re.compile(r"[ \t]+")
_SPACE = re.compile(r" ([,.?!;:])")


def _claim(match: re.Match[str]) -> str:
    verb = next(group for group in match.groups() if group)
    before, _, _ = match[0].rpartition(verb)
    about = before.partition("的")[2]
    return f" {about} has been {_VERBS[verb]} "


@lru_cache(maxsize=16)
def _compiled(pairs: Glossary) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), words) for pattern, words in pairs)
