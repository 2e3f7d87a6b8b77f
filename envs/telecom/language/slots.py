"""What an agent may ask of a caller, and how a caller puts it."""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Mapping

from mua_env.users.agenda.language import Intent, Slot

SYMPTOMS = ("service", "data", "mms")
"""The symptoms, in the order in which one needs the other."""

SLOTS: Mapping[str, Slot] = {
    slot.name: slot
    for slot in (
        Slot(
            "phone",
            "phone number",
            r"\b(?:phone|mobile|cell(?:phone)?|line|telephone|contact|callback)(?:'s)? numbers?\b|\bnumber (?:of|on|for|"
            r"associated with|linked to|that) (?:the|your|this|is)\b|\b(?:affected|associated|registered|which) (?:phone )?"
            r"(?:number|line)\b|\bwhat(?:'s| is) your number\b|\bwhich (?:of your )?lines?\b",
            short="[{value}|It is {value}.|It's {value}.|My number is {value}.|My phone number is {value}.|Number: {value}.|{value}.]",
            long="[My number is|The phone number is|It's|The line is] {value}.",
            personal=True,
            code=4,
        ),
        Slot(
            "customer_id",
            "customer id",
            r"\b(?:customer|account|client|user) (?:id\b|number|identifi\w+)|\bid number\b",
            short="[{value}|It is {value}.|It's {value}.|My id is {value}.|Customer id {value}.|{value}.]",
            piece="customer id {value}",
            personal=True,
            code=3,
        ),
        Slot(
            "full_name",
            "name",
            r"\b(?:full|your|first|last|legal|account holder'?s?|the) (?:and last )?(?:full )?names?\b(?! of the network)|"
            r"\bwho (?:am i|is this|are you)\b|\bname (?:and|on the account|, )|\bname\?",
            short="[{value}|I am {value}.|I'm {value}.|My name is {value}.|The name is {value}.|{value}.]",
            long="[My name is|I'm|This is] {value}.",
            personal=True,
        ),
        Slot(
            "dob",
            "date of birth",
            r"\bdate of birth\b|\bbirth ?(?:date|day)\b|\bdob\b|\bwhen were you born\b|\bborn\b",
            short="[{value}|Born {value}.|I was born {value}.|{value}.|It is {value}.|It's {value}.]",
            piece="born {value}",
            long="[My date of birth is|I was born on|My birthday is] {value}.",
            personal=True,
        ),
        Slot(
            "location",
            "location",
            r"\babroad\b|\b(?:travel+ing|roaming) (?:right now|at the moment|currently|abroad|outside|internationally|or)\b|"
            r"\bare you (?:currently |now |presently )?(?:travel+ing|roaming|outside|in another country|overseas|at home)\b|"
            r"\b(?:which|what|in which) country\b|\bwhere are you\b|\byour (?:current )?location\b|\boverseas\b|"
            r"\boutside (?:of )?(?:your|the|our) (?:home|usual|country|service|coverage|network)\b|\bhome (?:network|country)\b",
            short="[{value}.|I am {value}.|I'm {value}.]",
            piece="{value}",
            long="[I'm|At the moment I'm|Right now I am|I am] {value}.",
            personal=True,
        ),
        Slot(
            "since",
            "time it began",
            r"\bwhen did (?:it|this|that|the (?:problem|issue))\b|\bsince when\b|\bhow long\b|\bwhen (?:it|this) "
            r"(?:started|began)\b|\bfirst notice\b",
            short="[{value}.|It began {value}.|It started {value}.]",
            long="[It began|It started|I noticed it] {value}.",
            personal=True,
        ),
        Slot(
            "device",
            "phone model",
            r"\b(?:device|phone|handset) (?:model|type|make)\b|\b(?:model|make|type|brand|kind) (?:of|and model)\b.{0,20}"
            r"\b(?:phone|device|handset)\b|\b(?:what|which) (?:phone|device|model|smartphone)\b",
            short="[{value}.|A {value}.|It's a {value}.|I have a {value}.]",
            long="[It's a|I have a|The phone is a] {value}.",
            personal=True,
        ),
        Slot(
            "gb",
            "amount of data",
            r"\bhow (?:much|many)\b.{0,40}\b(?:data|gb|gigabytes?|gigs)\b|\b(?:amount|quantity) of (?:data|gb)\b|"
            r"\bhow (?:much|many) (?:would|do|should|shall)\b|\b(?:gb|gigabytes?) (?:would|do) you\b|\bdata amount\b|"
            r"\bhow much (?:more|extra|additional)\b",
            short="[{value}.|{value}, please.]",
            piece="{value}",
            long="[I'd like|I would take|Let's say] {value}.",
        ),
        Slot(
            "plan",
            "plan",
            r"\b(?:which|what) (?:of (?:these|the|our) )?(?:\w+ )?(?:plans?|tariffs?)\b|\bplan (?:would|do) you (?:like|"
            r"prefer|want)\b|\bnew plan\b|\b(?:select|choose|pick) (?:a|one|the|which) (?:\w+ )?plan\b|\bone of (?:these|"
            r"the) plans\b|\bname of the plan\b",
            short="[{value}.|{value}, please.]",
            piece="{value}",
            long="[I'd like|I would take|Let me have] {value}.",
        ),
        Slot(
            "remedy",
            "choice",
            r"\b(?:refuel\w*|add(?:ing)?|top(?:ping)?[- ]up|more data|extra data|additional data|buy(?:ing)?)\b.{0,80}\bor\b"
            r".{0,60}\bplan|\bplan\b.{0,60}\bor\b.{0,60}\b(?:refuel\w*|add(?:ing)?|top(?:ping)?[- ]?up|more data|extra "
            r"data|additional data)\b|\bwhich (?:option|solution|of (?:these|the two))\b|\bhow (?:would|do) you (?:like|"
            r"want|wish) to (?:proceed|continue|solve|go on)\b|\bwhat would you prefer\b|\bwhich (?:would|do) you prefer\b",
            short="[{value}.|{value}, please.]",
            piece="{value}",
            long="[I'd rather take|I'd go for|I would take] {value}.",
        ),
    )
}

_DONE = r"\b(?:done|complete|completed|added|refuel\w*|changed|switched|moved|updated|paid|processed|applied|all set)\b"

INTENTS: Mapping[str, Intent] = {
    intent.name: intent
    for intent in (
        Intent("service", (), r"\b(?:service|signal|suspen\w+|resume|line|reception)\b", r".", witnessed=True),
        Intent(
            "data",
            ("gb", "plan", "remedy"),
            r"\b(?:data|internet|roaming|refuel\w*|plan|speed)\b",
            r".",
            witnessed=True,
        ),
        Intent(
            "mms",
            ("gb", "plan", "remedy"),
            r"\b(?:mms|picture|photo|multimedia|messag\w+)\b",
            r".",
            witnessed=True,
        ),
        Intent("pay_bill", (), r"\b(?:bills?|pay|payment|invoice|overdue)\b", r".", witnessed=True),
        Intent(
            "refuel_data",
            ("gb",),
            r"\brefuel\w*|\btop(?:ping)?[- ]?up|\b(?:add|adding|added|buy|buying|purchase)\b.{0,40}\b(?:data|gb|"
            r"gigabytes?)\b|\b(?:extra|additional|more) (?:data|gb|gigabytes?)\b|\bgb\b.{0,40}\badded\b",
            _DONE,
        ),
        Intent(
            "change_plan",
            ("plan",),
            r"\bplans?\b",
            _DONE,
        ),
    )
}

IDENTITY = (frozenset({"phone"}), frozenset({"customer_id"}))
