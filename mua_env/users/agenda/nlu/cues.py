"""The words by which dialogue acts are told apart in an agent's text (English).

Each cue is one regular expression over a lower-case sentence, without nested repetition, so that matching takes
time linear in the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mua_env.users.agenda.nlu.not_found import NEGATIVE, NOT_FOUND


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{alternative})" for alternative in alternatives))


@dataclass(frozen=True)
class Cues:
    """The cues of one natural language."""

    request: re.Pattern[str]
    """A sentence that asks for something."""
    listing: re.Pattern[str]
    """A lead-in whose list lines are things asked for."""
    confirm: re.Pattern[str]
    """Asks for a yes before acting."""
    confirm_weak: re.Pattern[str]
    """Asks for a yes unless it names a slot to be confirmed."""
    clause: re.Pattern[str]
    """Clauses of purpose that look like a request for confirmation, to be left out first."""
    done: re.Pattern[str]
    """Claims that something was carried out."""
    not_done: re.Pattern[str]
    """What before a claim makes it conditional or a statement about the past."""
    refuse: re.Pattern[str]
    refuse_not: re.Pattern[str]
    """A sentence with this is no refusal, only a condition or a warning."""
    refuse_because: re.Pattern[str]
    """A refusal with its reason behind it, whatever else the sentence holds."""
    because: re.Pattern[str]
    """Words that give a reason, also where they stand in a sentence of their own."""
    negative: re.Pattern[str]
    """Stands in every sentence that says that nothing was found."""
    not_found: re.Pattern[str]
    unavailable: re.Pattern[str]
    reason: re.Pattern[str]
    handover: re.Pattern[str]
    offer_handover: re.Pattern[str]
    ask_handover: re.Pattern[str]
    """In a question: whether a person should come in."""
    offer: re.Pattern[str]
    more: re.Pattern[str]
    close: re.Pattern[str]
    help: re.Pattern[str]
    apologise: re.Pattern[str]
    which: re.Pattern[str]
    either: re.Pattern[str]
    wait: re.Pattern[str]


_ACTED = (
    r"(?:cancell?ed|updated|changed|modified|processed|submitted|initiated|completed|exchanged|returned|"
    r"requested|arranged|booked|made|issued|applied|set up|finali[sz]ed|filed|created|added|removed|refunded|replaced|"
    r"switched|adjusted|recorded|registered|scheduled|upgraded|taken care of)"
)

ENGLISH = Cues(
    request=_any(
        r"\?\s*\W*$",
        r"\b(?:could|can|would|will|may) (?:you|i|we)\b.{0,40}\b(?:provide|share|tell|give|have|get|confirm|verify|"
        r"specify|clarify|send|state|supply|let|ask)\b",
        r"\bplease\b.{0,30}\b(?:provide|share|tell|give|confirm|verify|specify|clarify|send|state|enter|let me know|"
        r"supply|include|indicate|choose|select|list|reply|respond|answer|describe|type|name)\b",
        r"\b(?:also|will|would) (?:work|do)\b|\b(?:choose|pick|select)\b",
        r"\b(?:let me know|tell me|provide|give me|share|specify|send me|drop me|i(?:'ll| will|'d)?(?: also| just|"
        r" still| "
        r"first)? (?:need|require|"
        r"like to know|have to ask|must ask)|we(?:'ll| will)?(?: also)? need|need to know|needed:|is required|are "
        r"required)\b",
        r"\bplease\W*$|\b(?:check|verify|send|try|enter) (?:it|them|both|that|those|these|"
        r"the \w+)(?: \w+)? (?:again|once "
        r"more)\b",
        r"^\W*(?:and|also|plus|as well as)\b(?!.*\b(?:is|are|was|were|has|have|had|will|would|can|i|we)\b).{0,80}$",
        r"^\W*(?:and |also,? |first,? |next,? |then,? |now,? )?(?:what|which|who|where|when|how|why|do you|did you|"
        r"are you|is it|your)\b.{0,160}(?:\?|:\s*$)",
    ),
    listing=_any(
        r"\b(?:provide|share|tell me|need|require|let me know|give me|send|drop me|specify|following information|"
        r"following details|one of the following|have the following|answer)\b.{0,120}:\s*\W*$",
        r"\b(?:provide|share|send|specify|need|give me)\b.{0,60}\bfollowing\b",
        r"\b(?:one of (?:these|those)|supply|questions?|i'd want|i want|"
        r"missing)\b[^:]{0,60}:\s*\W*$",
    ),
    confirm=_any(
        r"\byes\s*(?:/|or)\s*no\b|\by\s*/\s*n\b|[\"'(]\s*yes\s*[\"',.)]|\b(?:reply|say|answer|type|write|enter|"
        r"respond|send|give)(?: (?:me|back|with|a|an|just|simply|only|the word)){0,3} [\"']?yes\b",
        r"(?<!what )(?<!which )(?<!who )(?<!where )\b(?:is|are|does|do|did) (?:this|that|these|those|it|everything|all|"
        r"the|my|i)\b.{0,80}\b(?:correct|right|"
        r"accurate|okay|ok|fine|good|match|acceptable)\b",
        r"\b(?:would you like|do you want|want|like|shall|should|may|can|could|ready for|okay for|ok for|happy for|"
        r"fine for|alright for) (?:me|i|us|we)(?: to)?(?: now| please)? (?:proceed|go ahead|continue|move forward|"
        r"submit|process|finali[sz]e|complete|make (?:this|these|the|that)|do (?:this|that|it|so)|place|apply)\b",
        r"\b(?:would you like|do you want|are you (?:ready|happy|okay|ok|sure|certain)|do you wish|do you still "
        r"(?:want|wish)) to (?:proceed|go ahead|"
        r"continue|move forward|confirm|make (?:this|these) change|do this|do that|complete|finali[sz]e)\b",
        r"\b(?:ok|okay|fine|alright|all right|ready|good) (?:for me |if i |with me )?(?:to )?(?:make|do|submit|"
        r"apply|book|"
        r"place) (?:the|this|that|these|it)\b",
        r"\b(?:does|would|will|did) (?:this|that|it|these) work(?: for you)?\s*\?|\bhappy with (?:this|that|it|"
        r"these)\s*\?|"
        r"\b(?:give me|need|want|have|get|await\w*|on|say) (?:your|the|an?) (?:explicit |clear |final )?(?:ok|okay|"
        r"yes|word|"
        r"green light|nod|go-ahead)\b|\bif (?:this|that|it|everything)(?: is|'s) what you (?:want|need|would like)\b|"
        r"\b(?:let me know|tell me) (?:if|whether|that) you (?:approve|agree|confirm|accept|consent)\b|"
        r"\blet me know and i(?:'ll| will)\b|\bonce you(?:'ve| have)? (?:confirm(?:ed)?|agreed?|approved?)"
        r"(?: this| that| it| these| the details)?,",
        r"\bgo(?:ing)? through with (?:it|this|that|the)\b|\b(?:shall|should|may|can|could) i (?:now |just )?(?!help|"
        r"assist|ask|check|look|find|get|have|see|explain|transfer|connect|offer|suggest|tell|show|interest|pass|hand|"
        r"escalat|search|try)\w+ (?:it|this|that|these|those|them|the (?:change|order|request|return|exchange|booking|"
        r"cancellation)s?)\b[^?]{0,40}\?",
        r"\bare you (?:quite |absolutely |really )?(?:sure|certain)\b[^?]{0,60}\?",
        r"\b(?:ok|okay|ready|good|happy|fine|safe|alright|all right) to (?:proceed|go ahead|go|submit|continue)\b",
        r"\bdo you (?:confirm|agree|authori[sz]e|approve|consent|accept|give)\b",
        r"\b(?:please )?confirm (?:that )?(?:this|these|you(?:'d| would| want| wish| are)|if you|whether you|i should|"
        r"by|with|all|everything|to proceed|so i|it|the above|the following|the details|the change)\b",
        r"\b(?:your|explicit|final|get|have|need|await|awaiting|await your) (?:explicit |final |your )*(?:confirmation|"
        r"approval|go-ahead|consent|authori[sz]ation|permission)\b",
        r"\bis (?:this|that|it) the (?:right |correct )?(?:order|item|one|account|address)\b|\bis (?:this|that|it) "
        r"what you\b|\bare (?:these|those|they) (?:all|the only)\b|\bare you (?:ok|okay|fine|"
        r"happy|alright|comfortable) with\b|"
        r"\bwould (?:that|this|it) be (?:ok|okay|alright|all right|fine|good|correct)\b|\b(?:ok|okay|yes|alright|"
        r"deal)\s*\?",
        r"\b(?:sounds?|looks?) (?:good|right|correct|okay|ok|fine)(?: to you)?\s*\?",
        r"\b(?:proceed|go ahead|correct|right|okay|agreed|agree|confirmed)\s*\?",
        r"\b(?:shall|should|may|can) i (?:now )?(?:proceed|go ahead|continue)\b|\bif (?:so|you agree|correct|"
        r"(?:that|it|everything|"
        r"all) (?:looks|sounds) \w+|that "
        r"works|"
        r"this is correct|everything is correct|all is correct|this looks)\b.{0,60}\b(?:confirm|yes|proceed|go "
        r"ahead|know)\b",
    ),
    confirm_weak=_any(r"\bconfirm(?:ation)?\b", r"\bproceed\b", r"\bgo ahead\b"),
    clause=_any(
        r"\bi (?:can|am happy to|am pleased to|am able to|want to|would like to|do|hereby)(?: now| also)? confirm\b|"
        r"\bi(?:'m| am) (?:happy|pleased|glad|delighted) to confirm\b|\bthis (?:is to )?confirms?\b",
        r"\b(?!once you(?:'ve| have)? (?:confirm(?:ed)?|agreed?|approved?)(?: this| that| it| these| the details)?,)"
        r"(?:before|so(?: that)?|then|and then|once|after|until|in order|without|to help (?:me|"
        r"us))\b[^.?!,\n]{0,25}?\b(?:proceed|"
        r"continue|go ahead|move forward|assist|help|process|confirm)\w*\b[^.?!,\n]{0,40}",
        r"\b(?:^|,\s*)?to (?:proceed|continue|go ahead|get started|move forward)\b(?! with (?:this|these|the "
        r"above)\b)(?!\s*[?(])[^.?!,\n]{0,60}(?=,)",
    ),
    done=_any(
        rf"^\W{{0,8}}(?!.*\b(?:not|to be)\b)(?:[\w#-]+ ){{1,4}}{_ACTED}\W*$",
        rf"^\W*[\u2713\u2714\u2705\u2611].{{0,80}}\b{_ACTED}\b",
        r"\b(?:request|return|exchange|cancellation|booking|change)\b.{0,40}\bis in\W*$",
        rf"\b(?:has|have|had) (?:now |just |already )?been (?:now |successfully |fully |officially )?(?:\w+ "
        rf")?{_ACTED}\b",
        rf"\b(?:was|were|is|are|'s|'re) (?:now |all )?(?:successfully )?{_ACTED}\b",
        rf"\b(?:i|we)(?:'ve| have|'ve just| have just)? (?:now |just |also |gone ahead and |"
        rf"went ahead and )?(?:successfully "
        rf")?{_ACTED}\b",
        rf"\b{_ACTED} (?:successfully|for you|as (?:you )?requested)\b",
        r"\bsuccessfully\b|\ball set\b|\b(?:is|are|'s) (?:now )?(?:all )?(?:done|complete)\b|^\W*(?:done|completed)\b|"
        r"\bwent through\b|\btaken care of\b",
    ),
    not_done=_any(
        r"\b(?:located|found|verified|identified|retrieved|authenticated|confirmed your|once|after|if|when|until|"
        r"before|unless|whether|will|would|can|could|should|shall|must|may|might|to be|"
        r"cannot|can't|not|n't|only|already|which|that was)\b"
    ),
    refuse=_any(
        r"\b(?:can ?not|can't|cant|unable|impossible|ineligible)\b|(?:\bnot|n't) (?:able|possible|allowed|supported|"
        r"permitted|"
        r"eligible|something|feasible|accepted|entitled)\b",
        r"\b(?:won't|will not) work\b|\b(?:won't|will not|wouldn't|am not going to|not going to) be (?:able|"
        r"possible|allowed)\b|\bhave to "
        r"(?:decline|refuse)\b|"
        r"\bmust (?:decline|refuse)\b|\bneed to decline\b|\bdecline (?:this|that|your)\b",
        r"\b(?:against|outside|beyond) (?:of )?(?:our|the|my|company|store|what)\b|\bpolicy (?:does not|doesn't|"
        r"prohibits|prevents|forbids|"
        r"only allows|requires)\b|\b(?:does not|doesn't|do not|don't) (?:allow|permit|support|offer|qualify|let)\b|"
        r"\bno longer (?:possible|eligible|be (?:cancel|chang|modif|return|exchang)\w*)\b|\b(?:is|are) no longer "
        r"(?:eligible|possible)\b",
        r"(?:\bnot|n't|\bno longer) an option\b|\b(?:can|may) no longer\b|\bonly able to\b",
        r"\bnot (?:enough|sufficient)\b|\binsufficient\b|\b(?:does not|doesn't|"
        r"do not|don't|will not|won't|would not|wouldn't) "
        r"(?:\w+ ){0,2}cover\b",
        r"\bno (?:\w+ ){0,2}(?:orders?|items?|reservations?|bookings?|flights?) (?:that |which )?(?:can|may) be\b",
        r"\bonly (?:\w+ ){0,4}(?:can|may) be (?:cancel|return|exchang|modif|chang|refund)\w*|"
        r"\bcan only (?:be )?(?:cancel|return|exchang|modif|chang|refund|go)\w*",
    ),
    refuse_not=_any(
        r"\b(?:can ?not|can't|unable to|not able to|won't be able to) (?:\w+ ){0,4}(?:without|until|unless|before)\b",
        r"\b(?:without|until|unless)\b.{0,60}\b(?:verif|confirm|identi|authenticat|provid)\w*",
        r"\b(?:undone|reversed|again|afterwards?|once (?:this|the|it|i)|after (?:this|that|it|the (?:change|"
        r"exchange|cancellation|modification|return|update|order (?:is|has)|items? (?:are|is)))|only be (?:done|"
        r"made|used|called) once|further|"
        r"any more changes|anymore changes|later on|in the future|if (?:you|we|i|this|the))\b",
        r"\bif\b.{0,40}\b(?:can't|cannot|unable|don't)\b",
    ),
    refuse_because=_any(
        r"\b(?:can(?:not|'t| not| no longer)|(?:unable|only able|not able|won't be able) to)\b(?:(?!\b(?:until|unless|"
        r"without|before|if|undone|reversed)\b)[^.;])*?,?\s(?:because|since|as|due to)\b"
    ),
    because=_any(r"\breasons?\b|\btherefore\b|\bso (?:i|we|it|this|that|they)\b|\bsince\b|\bbecause\b"),
    negative=_any(NEGATIVE),
    not_found=_any(*NOT_FOUND),
    unavailable=_any(
        r"(?:\bnot|n't) (?:currently |presently |be )?(?:available|in stock|sold|offered)\b|\bunavailable\b|\bout "
        r"of stock\b|"
        r"\bsold out\b|\bno longer (?:available|in stock|sold|offered)\b",
        r"\b(?:we|i|they|it|shop|store|product|item|that|this|version|variant|model|option|colou?r|size) "
        r"(?:currently )?(?:do not|don't|does not|doesn't) "
        r"(?:currently |seem to )?"
        r"(?:have|carry|stock|sell|come|exist)\b|\bnone (?:of them |are |is )*(?:available|left|in stock)\b|"
        r"\b(?:seats?|flights?|"
        r"cabin)\b.{0,40}\b(?:gone|fully booked|full|taken)\b|\bthere(?:'s| is| are) (?:no|"
        r"not any) (?:[\w-]+ ){0,3}(?:variants?|"
        r"options?|versions?|flights?|seats?)\b|\bno (?:such )?"
        r"(?:variants?|options?|items?|versions?|flights?|seats?)\b.{0,40}(?:available|match|exist|with|left|$)",
    ),
    reason=_any(
        r"\b(?:because|since|due to|as (?:it|they|the|this|that|your) |policy|policies|rules?|terms|already|only|"
        r"status|pending|delivered|"
        r"processed|shipped|cancelled|canceled|must|required?|original payment|different|eligible|ineligible|balance|"
        r"insufficient|within|hours|days|unavailable|not available|basic economy|insurance|belongs? to|another|does "
        r"not allow|"
        r"doesn't allow|same|type)\b"
    ),
    handover=_any(
        r"\b(?:transferr?(?:ing|ed)?|connect(?:ing|ed)?|escalat(?:e|ing|ed)|hand(?:ing|ed)?|pass(?:ing|ed)?|"
        r"forward(?:ing|ed)?|"
        r"redirect(?:ing|ed)?)\b.{0,50}\b(?:human|agent|representative|specialist|colleague|supervisor|person|team|"
        r"someone)s?\b",
        r"\b(?:passing|handing|putting|transferring|connecting) you (?:on|over|through|to|now)\b|\btransferring you\b",
        r"\b(?:human|agent|representative|specialist|colleague|supervisor)s?\b.{0,30}\btak(?:e|ing) over\b",
    ),
    offer_handover=_any(
        r"\b(?:would you like|do you want|want|shall|should|can|could|may|if you(?:'d| would)? "
        r"like)\b.{0,50}\b(?:transfer|connect|"
        r"escalate|hand|pass|forward)\b"
    ),
    ask_handover=_any(
        r"\b(?:get|bring in|fetch|call|transferr?ed|connected|speak (?:to|with)|talk (?:to|with)|"
        r"transferr?ed)\b.{0,30}\b(?:human|"
        r"representative|specialist|colleague|supervisor|someone)s?\b",
    ),
    offer=_any(
        r"\b(?:would you(?: still)? like|do you(?: still)? want|shall|should|may|can|could) (?:me|i|us|we)(?: to)?\b"
        r"(?! (?:\w+ )?(?:have|get|ask)\b)",
        r"\bwould you (?:like|prefer|rather)\b",
        r"\b(?:do you|would you) (?:want|wish|care)\b",
        r"\bis (?:it|this|that) (?:okay|ok|fine|alright|the|your|about|for)\b",
        r"\bare you (?:sure|certain|okay|ok|still|interested|looking|willing)\b",
    ),
    more=_any(
        r"(?<!\bor )\b(?:anything|something|any other|what|any more|any further|additional)\b.{0,12}\b(?:else|"
        r"questions?|more|"
        r"requests?|"
        r"assistance|concerns?|thing|further)\b",
        r"\b(?:another|(?:some|any) other) (?:\w+ )?(?:matter|issue|thing|way|question|request|concern|topic)s?\b|"
        r"\b(?:assist|help)(?: you)?(?: any)? further\b|\bis (?:that|this) (?:all|everything)\b(?! (?:\w+ )?(?:correct|"
        r"right|accurate|ok|okay|fine|good))",
    ),
    close=_any(
        r"\b(?:goodbye|good-bye|bye|farewell)\b|\b(?:have|enjoy) (?:a|the|your) (?:\w+ ){0,5}(?:day|evening|night|"
        r"weekend|afternoon|morning)\b|"
        r"\btake care\b(?! of)|\bthank(?:s| you) for (?:contacting|choosing|shopping|calling|your business)\b"
    ),
    help=_any(
        r"\b(?:how|what) (?:can|may|could|do|would|should)\b.{0,40}\b(?:help|assist|do for|like help|like me|need|"
        r"want|happen|like to do|like to|of service|of help|of assistance)\b",
        r"\bwhat (?:is it|brings|are you|would you|seems|issue|problem|exactly)\b|\bwhat(?:'s| is) (?:the |your )?"
        r"(?:request|issue|problem|question|concern|matter|wrong|up)\b|\b(?:describe|explain|tell me (?:(?:a "
        r"(?:bit|little) )?more )?about|clarify)\b",
    ),
    apologise=_any(r"\b(?:sorry|apologi[sz]e|apologies|unfortunately|regret|i'm afraid|i am afraid|inconvenience)\b"),
    which=_any(r"\bwhich\b|\bmore than one\b|\bseveral\b|\bmultiple\b|\btwo of\b"),
    either=_any(r"\bor\b|\beither\b|\balternatively\b|\bone of\b|\binstead\b"),
    wait=_any(
        r"\b(?:one moment|a moment|hold on|bear with me|please wait|just a (?:second|sec|minute|moment)|give me "
        r"(?:a|one) (?:second|sec|minute|moment)|one sec(?:ond)?|hang on|hang tight|stand by|let me (?:check|look|see|"
        r"pull|process|verify|find|do|go ahead|get|proceed|take)|i(?:'ll| will| am now|'m now| am|'m)(?: now| just|"
        r" quickly)? (?:going "
        r"to |go ahead and |now |proceed |check|look|process|submit|do(?!\w)|get(?!t)|take|start|begin|cancel|return|"
        r"exchange|modify|change|"
        r"updat|mak(?:e|ing)|book|search|pull|find|see(?!\w)|work|add|issu|arrang|retriev|review)|working on|"
        r"processing|pulling up)"
    ),
)
"""English cues."""
