"""Text made here for the tagger of acts: what agents write, line by line with the acts of each line.

A template is a list of ``acts | line`` with alternatives in brackets; ``{deed}``, ``{done}``, ``{thing}``, ``{slot}``,
``{value}``, ``{id}`` are drawn. A line is one segment; an empty one ends a block.
"""

# ruff: noqa: E501, RUF001

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from mua_env.users.agenda.nlg.grammar import expand

DEEDS = (
    ("cancel", "cancelled"), ("return", "returned"), ("exchange", "exchanged"), ("change", "changed"),
    ("update", "updated"), ("book", "booked"), ("move", "moved"), ("renew", "renewed"), ("upgrade", "upgraded"),
    ("refund", "refunded"), ("modify", "modified"), ("add", "added"), ("extend", "extended"),
)  # fmt: skip
THINGS = (
    "order", "reservation", "flight", "booking", "loan", "room", "course", "plan", "visit", "appointment", "lamp",
    "desk", "ticket", "cabin", "address", "payment method", "line", "application", "rental",
)  # fmt: skip
SLOTS = (
    "email address", "order number", "reservation ID", "user ID", "full name and ZIP code", "phone number",
    "date of birth", "new date", "payment method", "reason", "new color", "size", "number of bags", "cabin",
    "shipping address", "item you want to return", "passenger's name", "flight you prefer", "customer ID",
)  # fmt: skip
VALUES = (
    "Visa ending in 1234", "gift card", "PayPal", "May 26", "2025-03-14", "economy", "business class", "black, large",
    "oak, 120 cm", "12 Elm Street, Denver, CO 80201", "2 bags", "no longer needed", "change of plan", "$45.20",
    "flight AL123", "4K, waterproof", "morning",
)  # fmt: skip
IDS = ("#W1234567", "AB12CD", "L1003", "K-20", "R77", "#W7654321", "ZX9P4Q", "B-204")

TEMPLATES: tuple[str, ...] = (
    # forms
    """other | [Sure, I can help with that.|Happy to help!|Of course.|Thanks for reaching out.|I can help you with that.]
ask | [Please provide|To get started, I need|I'll need|Could you send me|To {deed} the {thing}, please share|I need] [the following|a few things|these details|the information below]:

ask | [1. |- |* ]{slot}
ask | [2. |- |* ]**{slot2}**[|: as it is on file|: so that I can find your profile]
ask | [3. |- |* ]{slot3}

later | [Once I have these, I'll|With these I will|When you've sent them, I'll|Then I'll|After that, I will] [look up your {thing}|prepare the {deed}|list the details and ask for your confirmation|pull up your account|summarize everything before anything is {done}].""",
    """inform | I found your {thing} {id}.
ask | [What|Which] {slot} [would you like|do you want|should I use]?""",
    """ask | [For the {deed}|To go on|To {deed} the {thing}] I'll need [three|two|some|a few] things:

ask | 1. **{Slot}**: [so that I can open your profile.|as on the contract.|it begins with a letter.]
ask | 2. **{Slot2}**: [of the {thing} you want to {deed}.|the one on your account.]
ask | 3. **{Slot3}**: [{value}, {value2}, or other.|one of yours.]

later | Then I can [help you further|go on|look it up].""",
    """ask | [May I have|Could you tell me|Can you give me|What is|Please tell me|I still need] your {slot}[?|, please?|.]""",
    """ask | [Please tell me|Tell me|Please send|Let me know|I'd like to know|Please share|To go on, please give me|Questions]:
ask | [1. |- ]your {slot}
ask | [2. |- ]the {slot2}[| for the {thing}]""",
    """ask | To {deed} the {thing}, [I'll need to verify your identity first; what is your {slot}?|please tell me the {slot}.|I have to know the {slot}.]""",
    """help | [What would you like me to do?|How can I help you today?|What can I do for you?|So what would you like to do with this {thing}?|What is it about?]""",
    # proposals
    """propose | [Here is what I will do|Here's the plan|Proposed changes|To confirm, here are the details|Please review the following|Summary of the {deed}]:

propose | - {Thing}: {id}
propose | - [Change|New value|Details|Item]: {value}
propose | - [Refund to|Payment|Charged to|Paid with]: {value2}
inform | - [Everything else stays as it is.|The other items are unchanged.|Status: pending|Current value: {value3}]

confirm | [Shall I go ahead?|Would you like me to proceed?|Do you confirm (yes/no)?|Please reply YES to confirm.|Is that correct?|Please confirm and I'll submit it.|If everything looks right, please say yes.|May I do this now?|Does that work for you?|Reply "YES" to go on.]""",
    """propose | I [will|can] {deed} {thing} {id} [and|, then] [refund {value} to your {value2}|use {value2}|set it to {value}].
confirm | [Shall I proceed?|Would you like me to do that?|Do you agree?|Okay?|Is this right?|Do I have your go-ahead?]""",
    """confirm propose | [Shall I|May I|Would you like me to|Do you want me to|Should I] {deed} {thing} {id} [to {value}|with {value}|because of {value}][?|, yes or no?| now? (yes/no)]""",
    """confirm propose | [Please confirm that you want to {deed} {thing} {id} with {value}.|You want {thing} {id} {done}, is that correct?|So it is {thing} {id} that you want {done} - do I have your confirmation?]""",
    """propose | [I have two steps ready|So that we are on the same page|My plan]: {deed} {thing} {id}, and {deed2} {thing2} {id2}.
confirm | [Do you agree to both?|Yes or no?|Shall I do both?]""",
    """propose | [1. |- ]{Deed} {thing} {id} [({value})|: {value}]
propose | [2. |- ]{Deed2} {thing2} {id2}

later | If [anything needs to change|something is wrong|you want changes], [let me know|tell me] [before I go on|first].
confirm | Otherwise, [please confirm|reply yes|say yes] [and I'll do both|to proceed].""",
    # claims
    """claim | [Your {thing} {id} has been {done}.|I've {done} {thing} {id}.|{Thing} {id} is now {done}.|The {thing} was {done} successfully.|Done! {Thing} {id} is {done}.|Your {deed} request is confirmed.|The {deed} of {thing} {id} is confirmed.]
claim | [Refund: {value}|The refund of $20 goes to your {value}.|New value: {value}|You'll get an email about it.|Paid with: {value}]
more | [Is there anything else I can help with?|Anything else?|Let me know if you need more help.|Can I help with anything more?]""",
    """claim | [All set|I've updated the following|Both are done|Completed|Here's what I did]:

claim | - {Thing} {id}: {done}
claim | - {Thing2} {id2}: {done2}

inform | [A refund takes 5 to 7 business days.|Once the bank has processed it, your money will be back.|You will receive an email with the label.]
more | [Anything else?|Is there something else you need?]""",
    """claim | {Thing} {id} [which held {value}, |]has been {done}, and {thing2} {id2} [as well|has been {done2} too|too].
close | [Have a great day!|Thank you for contacting us, goodbye!|Take care!]""",
    """claim more | [It's {done}|{Thing} {id} has been {done}|Your {thing} is {done} now]; [anything else|is there anything else you need|can I do more for you]?""",
    """claim | [Your|The] [cancellation|booking|return|exchange|change|upgrade|update|refund|renewal] [is confirmed|is done|has gone through|is complete|is in place][.|, {thing} ID {id}.| now.]
claim | [The refund arrives within 5 to 7 business days.|You'll receive the label by email.|The reservation ID is {id}.]""",
    """claim | [Cancellation|Booking|Return|Exchange|Change|Upgrade] [confirmed|done|complete|submitted][.|!]
inform | [You'll receive an email with the instructions.|Refunds take a week.]""",
    """claim | {Thing} {id}, which [held the things listed above|you asked about|is from May], has been {done}, and once [the bank has processed it|that is through] your money will be back.""",
    """claim | Your {thing} from DEN to PHX on May 26th for Ann Lee has been {done}!
claim | The reservation ID is {id}.""",
    # refusals and notes
    """refuse | [Unfortunately|I'm sorry, but|I'm afraid] [I cannot {deed} {thing} {id}|this {thing} can't be {done}|we're not able to {deed} it|the {thing} is not eligible to be {done}] [because|since|as] [it was {value}|it has already been delivered|it is {value}].
option | [However, I can|Alternatively, I could|What I can do is] {deed2} it [instead|for you].
ask | [Which would you prefer?|How would you like to proceed?|What would you like to do?]""",
    """refuse | [There is no {value} in stock.|That option is sold out.|No such {thing} is available on that day.|Only pending ones can be {done}.]""",
    """refuse | [Just so you know, we|Please note that I|One thing up front: I|As a side note, we|Good day. I] [cannot recommend hotels|can't send anything to PO boxes|am not able to see delivery vans on a map|cannot promise how quickly a bank works|am not allowed to give opinions] [because of our policy|due to our rules|, since our system does not show that|, that is against our policy].""",
    """refuse | I cannot {deed} it.
inform | [The {thing} is already {done}.|It was booked more than 24 hours ago.|That is our policy.|The {thing} belongs to somebody else.|Its status is processed.]""",
    """ask | I can't {deed} it [without your {slot}.|until you tell me the {slot}.|before I know the {slot}.]""",
    """inform | [This can be done only once|It cannot be undone afterwards|After that no further changes are possible|A {deed} changes the status to pending].
confirm | [Do you want to go on?|Shall I proceed?|Please confirm.]""",
    # options
    """option | [Here are your options|You can choose one of these|There are two ways|I found these|I can do one of these]:

option | [1. |A) |(A) |- ]{value}[| - $12.30|, or]
option | [2. |B) |(B) |- ]{value2}[| - $9.10]

ask | [Which one would you like?|Please answer with the letter.|Which shall it be?|Which do you prefer?|Let me know your choice.]""",
    """option ask | [Would you like|Do you want|Do you prefer|Should it be] [{value} or {value2}|to {deed} it, or to {deed2} it|the refund to {value}, or to {value2}]?""",
    """option | Option A, {deed} the {thing}; Option B, {deed2} it.
ask | Which one [shall it be|do you want]?""",
    """option | The following are available:

option | | No | Item | Price |
option | | 1 | {value} | $5 |
option | | 2 | {value2} | $7 |

ask | Which one would you like to book?""",
    # offers, waiting, records
    """offer | [Would you like me to look for other {thing}s?|I can also check the balance if you like.|Shall I see what else there is?|Do you want me to look into alternatives?]""",
    """offer transfer | [Would you like me to transfer you to a human agent?|Shall I connect you with a specialist?|I can hand you over to a colleague if you like.]""",
    """transfer | [I am transferring you to a human agent now.|YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.|I'll connect you with a colleague who can help.]
wait | [Please hold on.|One moment, please.|Please wait.]""",
    """wait | [One moment, please.|Let me check that for you.|I'll look into it now.|Give me a second.|I'm going to process this now.|Let me pull up your {thing}.]""",
    """missing | [I couldn't find an account with that {slot}.|There is no {thing} {id} on your profile.|Nothing came up under that {slot}.|That {slot} doesn't match our records.]
ask | [Could you check it again?|Please try another {slot2}.|Can you spell it for me?|Is there another {slot2}?]""",
    """inform | [Thanks, I've found your profile.|You are verified, thank you.|I have located your {thing}.|Here are the details of your {thing}:]

inform | - {Thing}: {id}
inform | - Status: {done}
inform | - [Paid with|On file]: {value}

help | [What would you like to do with it?|How can I help you with this {thing}?|What can I do for you?]""",
    """inform | [The total is $45.20.|Your {thing} {id} is pending.|Economy costs $120, business $310.|Gift cards are refunded at once.|The {thing} ships in two days.|Your membership allows 2 free bags.]""",
    """other | [Hello!|Thank you, Ann.|I'm sorry about that.|Great choice.|I understand how frustrating this is.|You're welcome!|No problem at all.]""",
    """later | [Once you confirm, I'll {deed} it right away.|When you've chosen, I will {deed} it.|As soon as I have your yes, the {thing} will be {done}.|If you change your mind, just tell me.]""",
    # phones
    """instruct | [Please turn airplane mode off.|Restart your phone.|Please check two things for me:|Now toggle Data Saver to OFF.|Open the settings and look at the status bar.|Please run a speed test.]
instruct | [1. |- ]check_network_status
instruct | [2. |- ]check_sim_status
ask | [Tell me what it shows.|What do you see?|Let me know the result.]""",
    """instruct | [The request is on your phone; check it and pay.|After you have reset the APN settings, restart the phone.|Please reseat the SIM card, then reboot.|Grant the app the storage permission.]""",
    # Chinese
    """other | [好的。|您好！|没问题。]
ask | [请提供以下信息|请告诉我|我需要]：

ask | [1. |- ]邮箱
ask | [2. |- ]订单号
ask | [3. |- ]原因

later | [收到后，我会列出详情并请您确认。|拿到这些信息后我就为您查询。|您确认后，我会马上办理。]""",
    """ask | [请问您的订单号是什么？|请提供您的邮箱。|您想换成什么颜色？|退款退到哪里？|请告诉我预订编号。|您的用户编号是多少？]""",
    """propose | [我将取消订单 {id}，退款到您的礼品卡。|这是我要办理的内容：把 {id} 改成 {value}。|我会为您更改航班，用 {value} 支付。]
confirm | [可以吗？|您确认吗？|是否继续？|请回复“是”确认。|对吗？]""",
    """propose | 请确认以下内容：

propose | - 订单：{id}
propose | - 新的规格：{value}
propose | - 支付方式：{value2}

confirm | [确认无误请回复“是”。|可以办理吗？|请问这样对吗？]""",
    """claim | [订单 {id} 已经取消。|已为您退货。|预订 {id} 已成功修改。|都办好了：{id} 已取消，{id2} 已换货。|航班已更改。]
more | [还有什么可以帮您的吗？|请问还需要别的帮助吗？]""",
    """refuse | [抱歉，这个订单不能取消，因为已经送达。|很遗憾，无法办理退货。|这个规格没有货了。|我们不能推荐酒店，这是规定。]""",
    """option | [您可以选择|有两种方式]：

option | A. {value}
option | B. {value2}

ask | [您想要哪一个？|请选择。]""",
    """missing | [找不到这个账户。|没有查到这个订单。]
ask | [请再检查一下邮箱。|请再说一遍订单号。]""",
    """transfer | [我现在为您转接人工客服。|正在转给人工客服，请稍候。]""",
    """wait | [请稍等。|我来查一下。|我现在就为您办理。]""",
    """close | [再见，祝您愉快！|感谢您的来电，再见。]""",
    """help | [请问有什么可以帮您？|您想办理什么？]""",
)


def made(rng: Random, count: int) -> Iterator[list[tuple[frozenset[str], str]]]:
    """Texts as lines with their acts; a line without acts only breaks blocks.

    Args:
        rng: draws templates, alternatives and values.
        count: of texts.
    """
    for _ in range(count):
        lines = rng.choice(TEMPLATES).split("\n")
        values = _values(rng)
        yield [_line(line, rng, values) for line in lines]


def _line(line: str, rng: Random, values: dict[str, str]) -> tuple[frozenset[str], str]:
    acts, bar, text = line.partition(" | ")
    if not bar:
        return frozenset(), ""
    text = expand(text, rng, values)
    return frozenset(acts.split()), text[:1].upper() + text[1:]


def _values(rng: Random) -> dict[str, str]:
    (deed, done), (deed2, done2) = rng.sample(DEEDS, 2)
    thing, thing2 = rng.sample(THINGS, 2)
    values = {"deed": deed, "done": done, "deed2": deed2, "done2": done2, "thing": thing, "thing2": thing2}
    values |= {name.capitalize(): value.capitalize() for name, value in values.items()}
    for name, pool, number in (("slot", SLOTS, 3), ("value", VALUES, 3), ("id", IDS, 2)):
        for at, value in enumerate(rng.sample(pool, number), start=1):
            key = name if at == 1 else f"{name}{at}"
            values |= {key: value, key.capitalize(): value[:1].upper() + value[1:]}
    return values
