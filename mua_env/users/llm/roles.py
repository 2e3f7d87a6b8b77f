"""Who speaks in a line: whether a model that plays the customer has slipped into the agent's part.

In a service dialogue the parts differ by who owns what, who helps whom, and who carries something out. A line is read
for these signs, in English and Chinese, whatever its wording; what only one part can say counts as much as two things
that one part says more often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

ENOUGH = 2
"""The weight at which a line is the agent's."""

_OWNED = (
    r"e-?mail(?: address)?|(?:user |customer |account )?ids?|account|orders?|reservations?|bookings?|itinerary|"
    r"(?:full|first|last) name|(?:zip|postal) ?code|zip|(?:phone|mobile|order|reservation|booking|"
    r"confirmation|account) "
    r"number|(?:shipping |billing |home |current )?address|(?:payment|original payment) method|"
    r"(?:credit |debit |gift )?cards?|identity|date of birth|profile|membership|purchase"
)
_SHARED = (
    r"name|baggage|allowance|requests?|concerns?|issues?|inquiry|questions?|refund|return|exchange|flights?|tickets?|passengers?|items?|bags?|"
    r"cancell?ation|details|information|preferences?|phone|device|sim(?: card)?|line|bill|trip|"
    r"package|delivery|changes?|payment|service|data"
)
_HELP = r"(?:help|assistance|support|time|advice|opinion|team|colleagues?|company)"
_HOUSE = (
    r"(?! (?:policy|policies|process|system|department|team|rules?|procedures?|page|site|website|desk|confirmation))"
)
_DOES = (
    r"(?:check|look|process|cancel|update|change|modify|book|arrange|pull|find|handle|proceed|issue|"
    r"submit|refund|return|"
    r"exchange|transfer|connect|escalate|verify|locate|access|retrieve|upgrade|assist|review|initiate)"
)
_ALONE = r"(?:process|issue|refund|waive|initiate|pull up)"
_DID = (
    r"(?:processed|cancell?ed|updated|changed|modified|exchanged|booked|refunded|returned|located|found|"
    r"verified|issued|"
    r"submitted|upgraded|transferred|initiated|completed|added|removed|applied)"
)
_WILL = r"(?:i will|i'll|i can|i could|i am going to|i'm going to|i'd be happy to|i'd be glad to|let me|allow me to)"

_ENGLISH = {
    2: (
        rf"\byour (?!{_HELP})(?:\w+ ){{0,2}}?(?:{_OWNED})\b{_HOUSE}",
        r"\b(?:help|assist|support|serve) you\b(?! guys)",
        r"\bhow (?:can|may|could|might) i (?:help|assist|be of)\b",
        r"\b(?:anything|something|what) else (?:that )?i (?:can|could|may)\b",
        rf"\bi(?:'ve| have)? (?:now |just |already |successfully )*{_DID} (?:\w+ ){{0,2}}?(?:your|"
        rf"(?:.{{1,40}} )?for you)\b",
        rf"{_WILL} (?:now |just |go ahead and |be happy to |then |quickly )*{_DOES} (?:\w+ ){{0,3}}?your\b",
        r"\b(?:transfer|transferring|connect|connecting|refer) you (?:to|with|over)\b|\byou are being transferred\b",
        r"^\W*(?:agent|assistant|representative|support|advisor|service)\s*[:\uff1a]",
        r"\bthank you for (?:contacting|calling|reaching out|choosing|shopping|flying|being a)\b",
        r"\byour (?:\w+ ){1,4}(?:has|have) (?:now |been |successfully )*(?:been )?\w+ed\b",
        r"\bwhat (?:can|may|could) i do for you\b|\b(?:happy|glad|here) to (?:help|assist)\b|\bwhat seems to be\b",
        r"\b(?:do you want|would you like) to\b",
        r"\bwhich (?:\w+ ){0,3}(?:do|would|are) you (?:want|like|prefer|looking)\b",
        r"\byou(?:'ll| will| should) (?:get|receive) (?:a|an|the|your)\b(?! (?:call|message|answer))",
        rf"{_WILL} (?:now |just |go ahead and |then |quickly )*{_ALONE}\b|\b(?:i|we) (?:can|could|are able to) offer\b",
        r"\bi(?:'ve| have) (?:now |just |already |successfully )*(?:processed|refunded|issued|located|verified)\b",
        r"\bwe(?:'ll| will| have|'ve)(?: \w+ly)? (?:refund|process|issue|contact you|arrange|investigate)",
        r"\bplease (?:go to|open|tap|navigate|toggle|restart|reboot|power cycle|reseat)\b",
        r"\bwe apologi[sz]e\b|\b(?:which|what|how) (?:\w+ ){0,3}would you like\b",
        r"\bvaluable customer\b|\bvalued (?:customer|member)\b|\bdear (?:customer|sir|madam)\b",
    ),
    1: (
        rf"\byour (?!{_HELP})(?:\w+ ){{0,2}}?(?:{_SHARED})\b{_HOUSE}",
        # A customer says "let me look" too, of its own papers; what nothing follows tells nobody apart.
        rf"{_WILL} (?:now |just |go ahead and |be happy to |then |quickly )*{_DOES}\b(?!\W*(?:[.!?]|$))",
        r"\bfor you\b",
        r"\bthank you for (?:providing|sharing|verifying|your (?:patience|understanding|cooperation))\b",
        r"\b(?:could|can|would|will) you (?:please )?(?:provide|share|verify|confirm|specify|clarify)\b",
        r"\bplease (?:provide|share|verify|confirm|specify|hold|wait|allow|note|be advised|reply|stand by)\b",
        r"\byou(?:'ll| will| should| can expect to) (?:receive|get|see|be (?:refunded|charged|notified))\b",
        r"\bwould you (?:like|prefer)\b|\bdo you (?:want|wish) (?:me )?to\b|\b(?:shall|should|"
        r"may) i (?:go ahead|proceed)\b",
        r"\b(?:our|we) (?:records|system|policy|team|offer|can|do not|don't|will|are (?:unable|able|sorry))\b",
        r"\bi(?:'m| am) sorry (?:to hear|for (?:the|any|this)|about (?:the|that))\b|\bapologi[sz]e for\b",
        r"\b(?:i need|i'll need|i will need|i require|we need|may i have|can i have|could i have|"
        rf"can i get)\b.{{0,40}}\byour\b(?! {_HELP})",
        r"\byou(?:'re| are) (?:all set|welcome|eligible|entitled)\b|\brest assured\b|\bhave a (?:great|nice|"
        r"good|wonderful)\b",
        r"\b(?:to|before) (?:proceed|get started|verify|help|assist|locate)\b.{0,30}\b(?:i|we|please)\b",
        rf"\bi(?:'ve| have) (?:now |just |already |successfully )*{_DID}\b",
        r"\b(?:anything|something) else you(?:'d| would| need| want| may| might)\b",
        rf"\bsuccessfully (?:been )?{_DID}\b|\b(?:has|have) been successfully\b",
        r"\bunfortunately,? (?:i|we) (?:cannot|can't|am unable to|are unable to|do not|don't)\b",
        r"\bto confirm,? you\b|\b(?:i see|it (?:looks like|seems|appears)) (?:that )?you\b|\byou(?:'d|"
        r" would) like to\b",
        r"\bhere (?:are|is) (?:the|your|some|a few|all)\b|\*\*[^*]+\*\*",
        r"\bi(?: can|'ll| will|'d be (?:happy|glad) to| would be (?:happy|glad) to)(?: \w+ly)? (?:help|"
        r"assist)(?: out)? with\b",
        r"\bi(?:'ll| will| would)? need (?:a few|some|the following|to verify|to confirm)\b|\bi need from you\b",
        r"\b(?:within|take) (?:\w+ ){0,2}\d[\d -]*(?:business |working )?days\b(?![^.!]*\?)",
        r"\b(?:cancell?ation|exchange|return|refund|request|change|booking|update) (?:is|was|has been) (?:now )?"
        r"(?:done|completed?|processed|successful|noted|submitted|confirmed)\b(?![^.!]*\?)",
        r"^\W*(?:okay|ok|alright|all right|great|perfect|done|sure|certainly)\b\W*i(?:'ve| have) (?:now |just )*"
        r"(?:cancell?ed|booked|exchanged|upgraded|rebooked)\b",
        r"\bi(?:'ll| will) get (?:\w+ ){1,3}(?:\w+ed|sorted|taken care of|done)\b",
        r"\btake your time\b|\bwhenever you(?:'re| are) ready\b|\blet me know (?:if|which|what|how|when) you\b",
        r"\b(?:could|can) you (?:please )?(?:let me know|tell me) (?:which|your|the (?:order|reason|reservation))\b",
    ),
    -1: (
        r"\bmy\b",
        r"\bi(?:'d| would) (?:like|want|prefer|rather|appreciate)\b|\bi want\b|\bi'm (?:trying|looking|hoping)\b",
        r"\b(?:can|could|would|will) you (?:please |also |just )?(?:\w+ ){0,1}?(?:me|my|that|this|it|the)\b"
        r"(?! (?:with )?your\b)",
        r"\bplease (?:also |just |then |now )?(?:cancel|change|modify|keep|book|refund|exchange|return|use|add|upgrade|"
        r"process|proceed|go ahead|update|apply|charge|transfer me|help me|do)\b|\bfor me\b",
    ),
}
_CHINESE = {
    2: (
        r"[您你]的[^\s\uff0c。\uff01\uff1f,.!?]{0,4}(?:邮箱|电子邮件|邮件地址|账[户号]|帐[户号]|订单|预订|姓名|名字|邮编|邮政编码|地址|手机号|电话号码|用户|卡|身份|行程|号码)",
        r"(?:帮|为|给|替|协助|帮助|帮到|服务)[您你](?!们)(?=.{0,8}(?:查|取消|处理|办|修改|更换|更新|退|换|订|改|转|安排|申请|解决|确认|看|的|"
        r"[吗?\uff1f。\uff01,\uff0c]|$))",
        r"(?<!没)(?:还有|有)(?:什么|没有)?(?:其他|别的)[^。\uff01\uff1f.!?]{0,8}(?:帮|协助|需要)",
        r"请(?:您)?(?:提供|告知|告诉我|出示|输入|核实)(?:一下)?(?:[您你]|订单|邮箱|姓名|账)",
        r"^\W*(?:客服|坐席|助理|助手)\s*[:\uff1a]",
        r"感谢[您你](?:的)?(?:来电|联系|耐心|等待|咨询|配合|提供)",
        r"[您你](?:想|要|希望|需要|打算).{0,6}(?:哪|什么)|很高兴(?:为|能)",
        r"我们(?:会|将|可以|已经?).{0,12}(?:退款|处理|发货|取消|安排|联系[您你]|办理)",
        r"[您你]已被?转|(?:转接|转给).{0,6}人工",
    ),
    1: (
        r"[您你]的",
        r"(?:我|我们)(?:来|会|将|可以|这就|马上|已经|已)[^\s\uff0c。\uff01\uff1f,.!?]{0,4}(?:查|取消|处理|办理|修改|更换|更新|退|换|协助)",
        r"请稍[等候]|请[您你]?确认|请问[您你]|抱歉给[您你]|祝[您你]",
        r"需要[您你]|[您你](?:需要|希望|想要|是否)",
        r"(?:已|已经)(?:为|帮|给)?[您你]?[^\s\uff0c。\uff01\uff1f,.!?]{0,6}(?:取消|处理|退款|修改|更新|办理)(?:好|完|成功)?了?",
    ),
    -1: (
        r"我的",
        r"我(?:想|要|希望|需要|打算)",
        r"(?:能|可以|麻烦|请|劳驾)?[您你]?(?:能|可以|可否)?帮我|(?:给|替|为)我",
    ),
}
_SIGNS = tuple(
    (weight, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for table in (_ENGLISH, _CHINESE)
    for weight, patterns in table.items()
    for pattern in patterns
)


def agents_words(text: str, shown: Iterable[str] = ()) -> str | None:
    """The words of a line by which it is the agent's, or None for a customer's.

    Args:
        text: the line.
        shown: what the customer reads out in it, as the display of a device ("Your SIM card is active").
    """
    weight, words = 0, ""
    text, read = text.replace("\u2019", "'"), " ".join(shown).lower()
    for value, pattern in _SIGNS:
        match = pattern.search(text)
        if match is not None and (value < 0 or match[0].lower() not in read):
            weight += value
            words = words or match[0].strip()
    return words if weight >= ENOUGH else None
