"""English."""

from __future__ import annotations

from collections.abc import Mapping

from mua_env.domain.description.locales.locale import Locale

_MORE = "[Is there anything else I can help you with?|Can I help you with anything else?|Do you need anything else?]"

COMPACT: Mapping[str, str] = {
    "identify": "What is {what}?",
    "not_identified": "I could not find you. What is {what}?",
    "help": "What can I do for you?",
    "ask": "What is {what}?",
    "ask_again": "I could not find that. What is {what}?",
    "which": "Which {noun} is it: {choices}?",
    "propose": "I would {deed}: {stated}. Do you confirm (yes/no)?",
    "done": "Done: I have {claim} ({stated}). Anything else?",
    "answer": "{answer} Anything else?",
    "refuse": "Sorry, I cannot {deed} because {reason}. Anything else?",
    "bye": "Goodbye.",
}

MESSAGES: Mapping[str, str] = {
    "identify": "[I can help with that.|Sure, I can help you with that.|I'd be happy to help.|Of course.] [To verify "
    "your identity, please provide {what}.|Could you give me {what}?|First, may I have {what}, please?]",
    "not_identified": "[I'm sorry, I could not find you with that.|I could not locate your record.] [Please provide "
    "{what}.|Could you give me {what}?]",
    "or_else": "{one}, or alternatively {other}",
    "help": "[How can I help you today?|What can I do for you?|What would you like me to do?]",
    "ask": "[Thank you.|Thanks.|All right.|] [Could you tell me {what}?|May I have {what}, please?|Please give me "
    "{what}.]",
    "ask_again": "[I'm sorry, I could not find that.|I could not make that out.] [Could you give me {what} once more, "
    "in full?|Please give me the complete details: {what}.]",
    "which": "[I see more than one {noun} that fits:|There are several that match:] {choices}. [Which {noun} do you "
    "mean?|Which {noun} is it?]",
    "propose": "[Here is what I am going to do:|Let me summarize:|To confirm:|Please check the details:] {deed} "
    "({stated}). [Do you confirm (yes/no)?|Is this correct (yes/no)?|Shall I proceed (yes/no)?|Would you like me to go "
    "ahead? (yes/no)]",
    "done": f"Done: I have {{claim}} ({{stated}}). {_MORE}",
    "answer": f"{{answer}} {_MORE}",
    "refuse": "[I'm sorry, but|Unfortunately,|I'm afraid] I cannot {deed}, because {reason}. " + _MORE,
    "bye": "[Thank you for contacting us. Have a nice day!|Have a great day!|Goodbye, and take care.]",
    # things said within messages
    "the": "the {noun}",
    "the_several": "the {noun}s",
    "the_name": "the name of the {noun}",
    "your": "your {noun}",
    "options": "{what} ({options})",
    "stated": "{noun} {value}",
    "told": "The {noun} is {value}.",
    "no_value": "I have no {noun}",
    "no_agreement": "we do not agree on the details",
    "forbidden": "the system does not allow it: {error}",
    "original": "[the original one|the original {noun}|the one I paid with]",
    "at_home": "[the one in my profile|the address on my account]",
    "mine": "[my|the] {value}",
    "some": "{many} of them",
    "ending": "{name} ending in {tail}",
    "with": "{name} with {options}",
    "given": "[{whose} {noun} is|It is|It's|That would be|That's] {value}.",
    "given_short": "[{value}|It is {value}.|It's {value}.|{value}.]",
    "given_alone": "[{value}, please.|{value}.|I'd like {value}.|It would be {value}.]",
    "my": "My",
    "the_capital": "The",
    "hint": "[It is|It's|That would be] the one with {contents}.",
    # the policy document
    "policy_head": "# Policy\n\n{preamble}\n",
    "policy_wish": "- To {deed}: {rules}",
    "policy_free": "- You may {deed} whenever the customer asks for it.",
    "preamble": "Identify the customer first, by {what}. Look up every record that a request is about. Before anything "
    "is changed, state it in full and ask for a yes. Refuse what the rules forbid, and say why.",
    "owned": "Only the customer's own {noun} may be dealt with.",
    "not_owned": "the {noun} belongs to somebody else",
    # the user's side of a task, for users that are language models
    "know": "Your {noun} is {value}.",
    "want": "[You want to|You would like to|You need to] {deed}{stated}.",
    "unknown": "You do not know the {noun}; it is the one with {contents}.",
    "change": "[When the agent asks you to confirm, you change your mind:|Once asked for confirmation you think again:]"
    " {stated}.",
    "fallback": "[If that is not possible:|Should that not work out:|If you are told no:]",
    "accept": "[If you are told no, you accept it.|You want nothing else in place of it.]",
    "discretion": "[Tell a detail only when you are asked for it.|Do not give everything at once; answer what you are "
    "asked.|You bring up one thing at a time and answer questions as they come.]",
    "colon": " ({stated})",
}

ENGLISH = Locale(
    code="en",
    messages=MESSAGES,
    compact=COMPACT,
    asks=(
        r"\b{noun}s?\b",
        r"\b(?:which|what|specific|particular) (?:\w+ )?{first}s?\b",
        r"\b(?:numbers?|ids?|names?) (?:of|for) (?:the|your|this|that|each) (?:\w+ )?{first}\b",
    ),
    yes=r"\b(?:yes|yeah|yep|correct|confirm|go ahead|sounds good|that works|exactly right)\b",
    no=r"\b(?:no|not|wait|actually|changed|hold on|sorry|instead|before you|second thought)\b|n't\b",
    ignorance=r"\b(?:do(?:n't| not) (?:know|have|remember)|can(?:'t|not) (?:remember|find)|no idea|not sure)\b",
    done=r"\b(?:bye|that(?:'s| is| was)? (?:all|everything)|that will be all|nothing else|all set)\b",
    why=r"\bwh?y\b|\breason\b|\bhow come\b",
    insists=r"\bare you (?:sure|certain|positive)\b|\breally\?|\bagain\?|\bdon't think\b|\bshould be possible\b",
    old=r"(?:\bfrom|\binstead of|\brather than|\bcurrently|\bpreviously|\breplac\w+|\bwas|\bnot|\bno longer)\W{1,3}"
    r"(?:(?:the|a|an|your|my) )?(?:\w+ )?\Z",
)
"""English messages and words."""
