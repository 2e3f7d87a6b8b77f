"""Slots of the airline domain: how an agent asks for each, and how the user gives it."""

from __future__ import annotations

from mua_env.users.agenda.language import Slot

_PERSON_DETAIL = (
    r"\b(?:first|last|full|given|family)(?: and last)? names?\b|\bsurname|\bdates? of birth\b|"
    r"\bdob\b|\bbirth ?(?:date|day)s?\b"
)

SLOTS: dict[str, Slot] = {
    slot.name: slot
    for slot in (
        Slot(
            "user_id",
            "user id",
            r"\buser ?(?:id|name)\b|\baccount (?:id|number)|\bcustomer (?:id|number)|\bmember(?:ship)? (?:id|"
            r"number)|\bfrequent flyer",
            piece="user id {value}",
            short="[{value}|It is {value}.|My user id is {value}.|user id {value}]",
            long="[My user id is|It's|The user id is|You'll find me under] {value}.",
            personal=True,
        ),
        Slot("first_name", "first name", r"\byour (?:first |full )?name\b", personal=True),
        Slot("last_name", "last name", r"\byour (?:last|full) name\b", personal=True),
        Slot("email", "email", r"\be-?mail\b", personal=True),
        Slot("phone", "phone number", r"\bphone\b", personal=True),
        Slot(
            "reservation_id",
            "reservation id",
            r"\b(?:reservation|booking|confirmation)(?:'s)? ?(?:id|number|code|reference|no\.)s?\b|"
            r"\brecord locator|\bpnr\b|"
            r"\b(?:which|what|for which) (?:\w+ ){0,2}(?:reservation|booking|trip)s?\b|\breservation (?:is|are|"
            r"do|would) (?:it|this|you)\b|"
            r"\breservation you (?:want|would|wish|are)\b|\bids? (?:of|for) (?:the|your|this|"
            r"that) (?:\w+ )?(?:reservation|booking)",
            piece="reservation {value}",
            short="[reservation {value}|{value}|It is {value}.|Reservation {value}.|It's {value}.]",
            long="[It's reservation|The reservation id is|That would be reservation|It's about reservation] {value}.",
            code=3,
        ),
        Slot(
            "reason",
            "reason",
            r"\breasons?\b|\bwhy (?:do|are|would|you|did)\b|\bwhy\s*\?",
            short="[{value}|{value}.|Reason: {value}.]",
            long="[Well, {value}|The reason is that {value}|Because {value}|It's because {value}].",
        ),
        Slot(
            "flight_type",
            "type of trip",
            r"\bone[- ]way\b|\bround[- ]?trip\b|\btrip type|\btype of (?:trip|flight)",
            piece="{value}",
            short="[{value}|{value}, please.|It is a {value} trip.|{value}.]",
            long="[It's a|That would be a|I need a|A] {value} trip.",
        ),
        Slot(
            "origin",
            "departure city",
            r"\borigin\b|\bdepart(?:ing|ure)? (?:from|city|airport)\b|\bwhere\b.{0,40}\bfrom\b|\bfrom (?:where|"
            r"which)\b|\bfly(?:ing)? from\b|"
            r"\bleav(?:e|ing) from\b",
            piece="from {value}",
            short="[From {value}.|from {value}|Departing from {value}.]",
            long="[I'm flying from|It starts in|I leave from|From] {value}.",
        ),
        Slot(
            "destination",
            "destination",
            r"\bdestination\b|\barriv(?:al|ing) (?:city|airport|at|in)\b|\bwhere\b.{0,40}\b(?:to|going|headed)\b|"
            r"\bto (?:where|which)\b|"
            r"\bfly(?:ing)? to\b",
            piece="to {value}",
            short="[To {value}.|to {value}|I go to {value}.]",
            long="[I'm flying to|I want to get to|It goes to|To] {value}.",
        ),
        Slot(
            "date",
            "date",
            r"\b(?:dates?|days?)\b(?! of birth)|\bwhen\b(?!.{0,30}\b(?:born|birth))",
            piece="leaving {value}",
            short="[{value}|Leaving on {value}.|On {value}.|Departure {value}.]",
            long="[I'd like to leave on|The departure would be on|Leaving on|The day of departure is] {value}.",
        ),
        Slot(
            "return_date",
            "return date",
            r"\breturn(?:ing)? (?:date|day|on|flight|trip|leg)\b|\bcom(?:e|ing) back\b|\bdate (?:of|for) (?:the |"
            r"your )?return\b|\band return\b|\b(?:date|day|when)\b.{0,40}\breturn\b|"
            r"\bfly(?:ing)? back\b",
            piece="return {value}",
            short="[Return {value}.|Return on {value}.|Coming back on {value}.]",
            long="[I'd come back on|The return would be on|Coming back on|The return is on] {value}.",
        ),
        Slot(
            "cabin",
            "cabin",
            r"\bcabin\b|\bclass\b|\beconomy\b.{0,40}\bbusiness\b",
            short="[{value}|{value}, please.|In {value}.|{value}.]",
            long="[I'd like|I want|Please make it|It should be] {value}.",
        ),
        Slot(
            "choice",
            "preference",
            r"\bprefer\w*|\bwhich (?:new )?flights?\b|\bwhat (?:kind of |new )?flights?\b|\bcheapest\b|"
            r"\bdirect\b|\bnon-?stop\b|\bstop-?overs?\b|\bone[- ]stop\b|"
            r"\bwhich (?:of these |of the )?(?:options?|itinerar)",
            short="[{value}|{value}, please.|I want {value}.]",
            long="[I'd like|I'd prefer|Please take|I want] {value}.",
        ),
        Slot(
            "passengers",
            "passenger",
            rf"(?<!per )(?<!\ba )\bpassengers?\b|\btravell?ers?\b|\bwho\b.{{0,20}}\b(?:fly|travel)\w*|{_PERSON_DETAIL}",
            short="[{value}|{value}.|Passengers: {value}.]",
            long="[The passengers are|It's for|Travelling:|That would be] {value}.",
        ),
        Slot(
            "passenger",
            "name of the passenger",
            r"\bwhich (?:of the )?(?:passenger|travell?er)s?\b|\b(?:passenger|travell?er)s?\b.{0,30}\b(?:to be |"
            r"be |want to )?(?:replac|remov|chang)\w*|"
            r"\b(?:replace|change)\b.{0,20}\b(?:passenger|travell?er)\b|\b(?:current|existing|old|"
            r"present) (?:passenger|travell?er|name)|\bwhose\b|\bwho\b.{0,20}\b(?:come off|(?:be|is) (?:removed|"
            r"replaced|taken off)|"
            r"no longer)\b",
            piece="instead of {value}",
            short="[Replace {value}.|Instead of {value}.|The one to replace is {value}.]",
            long="[It's about|Please replace|The passenger to replace is|Instead of] {value}.",
        ),
        Slot(
            "new_passenger",
            "new passenger",
            rf"\bnew (?:passenger|travell?er|name|person)|{_PERSON_DETAIL}|\bwho (?:is going to|will|should|"
            rf"would|shall)\b",
            piece="{value}",
            short="[The new one is {value}.|New passenger: {value}.|Put in {value}.]",
            long="[The new passenger is|Please put in|It should be|The one who travels is] {value}.",
        ),
        Slot(
            "bags",
            "number of bags",
            r"\bbags?\b|\bbaggages?\b|\bluggage\b|\bsuitcases?\b",
            short="[{value}|{value}, please.|{value}.]",
            long="[That would be|I have|I need|It's] {value}.",
        ),
        Slot(
            "insurance",
            "insurance",
            r"\binsurance\b",
            short="[{value}|{value}, please.|{value}.]",
            long="[I'd take|Please book it with|I want|I'd go with] {value}.",
        ),
        Slot(
            "payment",
            "payment method",
            r"\b(?:settle|cover)\b.{0,30}\b(?:difference|cost|total|amount|balance|fee)\b|\bpayments?\b|\bpay\b|"
            r"\bpaying\b|\bgift cards?\b|\bcredit cards?\b|"
            r"\bcertificates?\b(?!.{0,30}\b(?:worth|of \$))|\bwhich card|"
            r"\brefund(?:ed)? (?:to|method|go|sent)|\bprice difference|\bcharge\b.{0,20}\bto\b",
            short="[{value}|{value}, please.|{value}.|Use {value}.]",
            long="[Please use|I'd like to use|I want to use|Let's use|Put it on] {value}.",
        ),
        Slot(
            "complaint",
            "problem",
            r"\b(?:delayed|cancell?ed) or (?:delayed|cancell?ed)\b|\bwhat (?:happened|went wrong|is wrong|"
            r"is the (?:issue|problem|matter))\b|"
            r"\b(?:issue|problem|incident)\b|\b(?:was|were|is|has)\b.{0,40}\b(?:delayed|cancell?ed)\b",
            short="[{value}|{value}.]",
            long="[Well, {value}|The problem is that {value}|What happened is that {value}].",
        ),
        Slot("one", "one", r"\bwhich (?:ones?\b|of (?:these|those|them|your|the following)\b)"),
    )
}
