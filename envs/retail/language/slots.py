"""Slots of the retail domain: how an agent asks for each, and how the user gives it."""

from __future__ import annotations

from mua_env.users.agenda.language import Slot

SLOTS: dict[str, Slot] = {
    slot.name: slot
    for slot in (
        Slot(
            "first_name",
            "first name",
            r"\b(?:first|given)(?: and last)? names?\b|\bfull name|\byour name|\bname (?:and|\+|&|with|plus)\b|"
            r"\b(?:and|&|\+|or|your|,) name\b|^\W*name\b"
            r"|\bname on\b",
            personal=True,
        ),
        Slot(
            "last_name",
            "last name",
            r"\blast names?\b|\bsurname|\bfamily name|\bfull name|\byour name|\bname (?:and|\+|&|with|plus)\b|"
            r"\b(?:and|&|\+|or|your|,) name\b|^\W*name\b"
            r"|\bname on\b",
            personal=True,
        ),
        Slot(
            "name",
            "name",
            r"(?!)",
            short="[{value}|I am {value}.|I'm {value}.|My name is {value}.]",
            long="[My name is|I'm|I am|It's|The name is|You're talking to] {value}.",
            personal=True,
        ),
        Slot(
            "zip",
            "zip code",
            r"\bzip\b|\bzipcode|\bpostal\b|\bpostcode|\bpost code",
            short="[zip|zip code] {value}[.|]",
            piece="zip {value}",
            long="[My zip code is|The zip code is|My zip is|It's zip code|And zip code] {value}.",
            personal=True,
        ),
        Slot(
            "email",
            "email",
            r"\be-?mail\b",
            short="[{value}|It is {value}|It's {value}|email {value}|My email is {value}|The email is {value}|My email "
            "address is {value}|Email address: {value}]",
            long="[My email is|My email address is|It's|You can find me under|It should be under] {value}.",
            personal=True,
        ),
        Slot(
            "user_id",
            "user id",
            r"\buser ?(?:id|name)\b|\baccount (?:id|number)|\bcustomer (?:id|number)|\bmember(?:ship)? (?:id|number)",
            personal=True,
        ),
        Slot("phone", "phone number", r"\bphone\b|\btelephone|\bmobile number", personal=True),
        Slot(
            "order_id",
            "order number",
            r"\border ?(?:id|number|no\.|nr\b|#(?!\s?w?\d))|\border's (?:id|number)|\b(?:which|what|for which|"
            r"specific|particular) (?:\w+ ){0,2}orders?\b|"
            r"\bids? (?:of|for) (?:the|your|this|that|each) (?:\w+ )?order|\bnumbers? (?:of|for) (?:the|your|this|"
            r"that) (?:\w+ )?order|"
            r"\b(?:the|that|correct|right) number\b|(?<!whole )(?<!entire )\border (?:would you|do you|are you|"
            r"you(?:'d| would| want| wish|"
            r" are|'re))",
            piece="order {value}",
            short="[order {value}|{value}|It is order {value}.|Order number {value}.|It's {value}.|It is {value}.|The "
            "order number is {value}.|The number is {value}.]",
            long="[It's order|The order number is|That would be order|It's about order|The order is] {value}.",
            code=4,
        ),
        Slot(
            "reason",
            "reason",
            r"\breasons?\b|\bwhy\s*\?|\bwhy (?:do|are|would|you|did|is|was|this|the|it)\b|\bwhat made you\b|"
            r"\b(?:no longer "
            r"need(?:ed)?|any ?more|any longer)\b.{0,60}\bmistake\b",
            short="[{value}|It is {value}.|Reason: {value}.|It's {value}.]",
            long="[The reason is that it was {value}|The reason is: {value}|It's {value}|Just put {value}|Well, "
            "{value}].",
        ),
        Slot(
            "items",
            "item",
            r"\b(?:which|what|more|other|name the|list the|list of|names? of the|specific|exact|all|each|any|the|"
            r"these|following|particular) "
            r"(?:\w+ ){0,3}(?:items?|products?|articles?|pieces?|things)\b|\bitems?\s*(?:\?|$)|\bitem\(s\)|"
            r"\bproduct\(s\)|\bwhat (?:exactly )?(?:would|do) you (?:like|want|wish)"
            r"(?: to)? (?:return|exchange|modify|change|swap|send back)(?! (?:it|them|this|that|the \w+|your \w+) "
            r"(?:for|to|with)\b)|\bitems? (?:would|do|you)|\bitem (?:name|id)s?\b|\bwhat (?:exactly )?(?:are|is) you "
            r"(?:returning|exchanging)",
            short="[{value}|It is {value}.|{value}, please.|{value}.]",
            long="[It's about|That would be|I mean|It would be|It's] {value}.",
        ),
        Slot(
            "item_options",
            "option of the item",
            r"(?!)",
            short="[{value}.|It is {value}.|I mean {value}.|That is {value}.]",
            long="[I mean|It's|That would be|I'm talking about] {value}.",
        ),
        Slot(
            "new_options",
            "new option",
            r"\bnew (?:item|option|variant|product|version|color|size|one|choice|specification|configuration|model|"
            r"selection)|"
            r"\b(?:which|what|desired|preferred|other|different|replacement|specific) (?:\w+ ){0,3}(?:options?|"
            r"variants?|versions?|colou?rs?|sizes?|styles?|materials?|specifications?"
            r"|combinations?|features?|configurations?|attributes?|models?|kind|types?|replacements?)\b|"
            r"\b(?:exchange|swap|change|"
            r"replace|modify|switch)\w* (?:\w+ ){0,4}"
            r"(?:for|to|with|into|by) (?:what|which|instead)\b|\b(?:exchange|change|replace|swap|modify)(?:d)? "
            r"(?:\w+ ){0,4}(?:to|for|with|into)\s*\?|(?<!name )(?<!mail )(?<!address )(?<!code )(?<!zip )(?<!number )"
            r"(?<!account )(?<!profile )(?<!file )\binstead\b|\breplacement"
            r"|\bwhat (?:would|do) you (?:like|want) (?:\w+ ){0,4}(?:for|to be|instead|in exchange)|\boptions? "
            r"(?:would|do) you|\boptions\b|\bprefer(?:red|ence)?\b(?!\s*[.,?!])(?!.{0,30}\b(?:payment|refund)\b)",
            short="[{value}|{value}, please.|{value}.|I want {value}.]",
            long="[I'd like|I would like|I want|Please make it|I'm looking for] {value}.",
        ),
        Slot("one", "one", r"\bwhich (?:ones?|of (?:the|these|those|them|your)|(?:do|would|should) you|is it)\b"),
        Slot(
            "payment_method",
            "payment method",
            r"\bpayment|\bpay\b|\bpaying\b|\bgift card|\bpaypal|\bcredit card|\bwhich card|\brefund(?:ed)? (?:to|"
            r"method|go|sent|be|issued)|"
            r"\breceive (?:the|your|a) refund|\brefund\b.{0,30}\b(?:where|which|how)|\b(?:where|"
            r"how)\b.{0,40}\brefund|\bprice difference",
            short="[{value}|{value}, please.|{value}.|Use {value}.]",
            long="[Please use|I'd like to use|I want to use|Let's use|Use|Put it on] {value}.",
        ),
        Slot(
            "address",
            "address",
            r"(?<!email )(?<!e-mail )(?<!mail )\baddress|\bstreet\b|\bcity\b|\bapartment|\bship (?:it|them|to)|"
            r"\bdeliver(?:ed)? (?:it )?to\b",
            short="[{value}|{value}.|New address: {value}.|It is {value}.|It's {value}.|The new address is {value}.|My "
            "new address is {value}.|The address is {value}.]",
            long="[The new address is|It should go to|The address is|Please use|It's] {value}.",
        ),
        Slot(
            "product",
            "product",
            r"\b(?:which|what|name of the|the|type of|kind of|specific) (?:\w+ ){0,2}(?:product|item)s?\b|\bproduct "
            r"(?:type|name)",
            short="[{value}|The {value}.|It is the {value}.|{value}.]",
            long="[It's about|I mean|I'm interested in|That would be] the {value}.",
        ),
    )
}
