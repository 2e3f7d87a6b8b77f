"""How agents say that they found no record under what the user told them: the cue, put together from its parts.

Four ways: the agent fails to find something; a search comes back with nothing; there is no record of a kind; a value
is not known. Each needs a word for a record or a value beside the negation, since "I don't see any problem" and "there
are no seats left" say something else.
"""

from __future__ import annotations

from typing import Final

_RECORD: Final = (
    r"(?:accounts?|profiles?|users?|customers?|members?|persons?|orders?|reservations?|bookings?|records?|match(?:es)?|"
    r"results?|hits?|entry|entries|trace|trips?)"
)
_VALUE: Final = (
    r"(?:e-?mail(?: address)?|address|names?|zip(?: code)?|ids?|numbers?|codes?|references?|details|information|"
    r"combination|one|that|this|it|they|those|spelling)"
)
_THING: Final = rf"(?:{_RECORD}|{_VALUE})"
_NOT: Final = r"(?:n't|not|never)"
_CANNOT: Final = (
    r"(?:(?:could|can|do|does|did|was|were|am|is|are|has|have)(?: ?n't| not| never)|can't|cannot|'(?:m|s|re) not|"
    r"unable to|fail(?:ed|s)? to|struggl(?:e|ing) to|unsuccessful(?:ly)?(?: in| at)?|no luck(?: in| with)?)"
)
_SOFTLY: Final = (
    r"(?:(?:seem|appear|manage|able|yet|still|actually|really|currently|quite|been|be|having|any|luck|to) ){0,4}"
)
_FIND: Final = (
    r"(?:find(?:ing)?|found|locat(?:e|ed|ing)|verif(?:y|ied|ying)|identif(?:y|ied|ying)|retriev(?:e|ed|ing)|"
    r"recogni[sz](?:e|ed|ing)|match(?:ed|ing)? (?:it|that|this|to|with)|track(?:ed|ing)? down|come up with|"
    r"get anything|(?:pull|bring|turn)(?:ed|s|ing)? (?:(?:\w+ ){0,3})up)"
)
_REACH: Final = r"(?:see(?:ing)?|access|look up|open|spot|reach)"
_OTHER: Final = (
    r"(?!.{0,50}\b(?:reasons?|problems?|issues?|harm|seats?|flights?|ways?|options?|polic(?:y|ies)|else|insurance|inbox|prices?|fares?|"
    r"versions?|variants?|sizes?|colou?rs?|your (?:message|request))\b)"
)
"""What else one can fail to find."""
_TROUBLE: Final = r"(?:trouble|difficulty|difficulties|problems?|issues?|hard time|success)"
_PLACE: Final = (
    r"(?:our|the|my|this|your|any) (?:\w+ )?(?:systems?|databases?|records?|files?|list|side|end|account|profile)"
)
_WHERE: Final = (
    r"(?:on (?:file|your|the|this)|in (?:our|the|my|your|here|it|there)|among|under|with|for|by|at that|called|named)"
)
_AFTER: Final = (
    rf"(?:found|match\w*|exists?|retrieved|located|identified|comes? (?:up|back)|came (?:up|back)|coming up|"
    rf"shows? up|showed up|showing|turn(?:s|ed) up|registered|linked|associated|listed|belong\w*|{_WHERE})"
)
_FEE: Final = (
    r"(?! (?:fees?|charges?|costs?|changes?|requests?|numbers?|updates?|issues?|problems?)\b|[^.?!]{0,40}"
    r"\b(?:can|may|will) be (?:cancel|chang|modif|return|exchang|refund))"
)

NEGATIVE: Final = (
    r"n't|\b(?:not?|none|nobody|nothing|nowhere|never|cannot|unable|unsuccessful\w*|invalid|incorrect|wrong|unknown|empty|"
    r"blank|short|zero|mis\w+|fail\w*|struggl\w*|trouble|difficult\w*|problems?|issues?|hard time|luck|success)\b"
)
"""A sentence without this cannot match, which saves looking."""

NOT_FOUND: Final = (
    # the agent fails to find
    rf"\b{_CANNOT} {_SOFTLY}{_FIND}\b{_OTHER}|\bdid(?: not|n't) return (?:\w+ ){{1,2}}{_RECORD}\b",
    rf"\b{_CANNOT} {_SOFTLY}{_REACH}{_OTHER} (?:\S+ ){{0,4}}{_THING}\b",
    rf"\b{_TROUBLE} (?:in |with )?{_FIND}\b{_OTHER}",
    rf"\b(?:do not|don't) {_SOFTLY}(?:have|show|get|hold) (?:any |an? |the )?(?:\w+ )?"
    rf"(?:{_RECORD}\b{_FEE}[^.?!]{{0,40}}\b{_AFTER}|{_VALUE} in {_PLACE}|(?:anybody|anyone)\b)",
    # a search comes back with nothing
    r"\b(?:came|come|comes|coming|went) (?:back|up|out) (?:empty|blank|short|with (?:nothing|no\b|zero))",
    rf"\b(?:return(?:ed|s|ing)?|ga?ve|gives|yield(?:ed|s)?|produced?|(?:turn|brought|pull)\w* up|found|finds?|shows?|"
    rf"showed|displays?|match(?:es|ed)?|gets?|got|hold|holds|see|saw) (?:me |us |up |back )?(?:an? )?"
    rf"(?:empty|nothing(?! (?:wrong|else|more|but|that)\b)|none|nobody|no one|zero|no (?:\w+ )?{_RECORD}\b)",
    r"\bdr(?:aws?|ew|awing) a blank\b|\bnothing (?:at all )?(?:came|comes?|coming|turn\w*|show\w*|pop\w*) "
    r"(?:back|up)\b|"
    r"\bnothing (?:is |was |has been |seems to be )?(?:registered|on file|found|listed|under|match\w*|"
    r"linked|associated)\b|\b(?:has|have|had|contains?) nothing (?:for|under|on file|with|by|matching|like)\b",
    r"\bnot found\b|\bno match(?:es)?\b|\bany match(?:es)?\b|\bzero (?:match(?:es)?|results?|hits?|records?)\b",
    # there is no record of a kind
    rf"\bno (?:\w+ )?{_RECORD}\b{_FEE}[^.?!]{{0,30}}\b{_AFTER}\b|\bno such (?:thing|(?:\w+ )?{_RECORD})\b{_FEE}|"
    r"\bno (?:records?|trace|entry|entries) (?:of|for)\b",
    rf"\bthere(?: is|'s| was| are| were) (?:no|not any|not an?) (?:such )?{_RECORD}\b{_FEE}|"
    rf"\bthere (?:is|was|are|were)n't (?:any|an?) (?:such )?{_RECORD}\b{_FEE}",
    r"\bthere (?:doesn't|does not|didn't|did not) (?:seem|appear) to be\b",
    rf"\b(?:seems?|appears?) to (?:be|have) no {_RECORD}\b{_FEE}",
    r"\b(?:nobody|no one|no-one|none)\b[^.?!]{0,20}\b(?:registered|called|named|under|by that|with th\w+)\b|"
    r"\bnone (?:of them )?(?:match\w*|(?:has|have) (?:that|this))\b|"
    rf"\bnone of (?:your|these|the|those) (?:\w+ )?{_RECORD} (?:has|have|bears?|carr(?:y|ies)|match\w*|shows?)\b",
    # a value is not known
    rf"\b{_THING}\b[^.?!]{{0,50}}\bca(?:n|n'|nno)t be (?:found|located|identified|verified|retrieved|matched)\b",
    rf"\b(?:is|are|was|were|has|have)(?: {_NOT}|n't) (?:\w+ )?(?:been )?(?:recogni[sz]ed|on file|registered with us|"
    r"known to|(?:showing|coming|turning|popping) up)\b",
    rf"\b{_THING} (?:is|are|was|were)(?: not|n't) (?:\w+ )?(?:in {_PLACE}|there|listed|among)\b|"
    rf"\b(?:is|are|was|were)(?: not|n't) (?:\w+ )?in {_PLACE}\b|\bunknown (?:to|in) {_PLACE}\b|\bnowhere to be found\b",
    rf"{_NOT} (?:\w+ )?(?:associated|linked|connected|tied|attached|registered) (?:with|to|under) (?:any|an)\b",
    rf"{_NOT} (?:seem to |appear to )?(?:match|exist(?! in (?!our|the|my|this)))\b",
    rf"{_NOT} (?:seem|appear|look)(?: to)?(?: be)? (?:valid|right|correct|registered|on file|under|to exist|"
    rf"in {_PLACE})\b",
    rf"{_NOT} (?:be )?(?:quite )?(?:right|correct|valid)\b|\binvalid\b",
    rf"{_NOT} (?:come|show|turn|pop|appear)(?: up)? (?:\w+ )?{_WHERE}\b|{_NOT} (?:come|show|turn|pop) up\b",
    rf"{_NOT} (?:\w+ )?(?:(?:listed|shown|stored|saved|recorded) (?:on|in|among|with|under)|"
    r"(?:correspond|belong) to (?:an?|any))\b",
    rf"\b{_VALUE}\b[^.?!]{{0,20}}\b(?:seems?|appears?|looks?|must|may|might)(?: to)?(?: be)? "
    r"(?:incorrect|wrong|mis\w+)\b",
    r"\b(?:ids?|e-?mail|codes?|numbers?|names?|zip|address) (?:did|does)(?:n't| not) (?:seem to )?work\b",
)
"""Alternatives of one regular expression over a lower-case sentence."""
