"""What the telecom expert says: one regular form for small models, varied forms otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from mua_env.users.agenda.nlg.grammar import expand

COMPACT: Mapping[str, str] = {
    "identify": "What is your phone number, your full name, and your date of birth?",
    "ask_phone": "I could not find that number. What is your phone number?",
    "mismatch": "That does not match the account. What is your full name, and your date of birth?",
    "stranger": "Sorry, I cannot help with this because only the owner of the account may ask for it. Anything else?",
    "help": "What can I do for you?",
    "look": "{steps}",
    "look_abroad": "{steps} Are you abroad?",
    "repair": "{steps}",
    "explain": "Yes, it is safe and needed. Please do it.",
    "remedy": "Your data are used up: {used} of {limit} GB. More data cost ${rate} per GB, at most 2 GB. Do you want "
    "to add data or change the plan?",
    "ask_gb": "How many GB?",
    "ask_plan": "The plans: {plans}. Which plan would you like?",
    "propose_gb": "I add {gb} GB of data for ${price}. Confirm (yes/no)?",
    "propose_plan": "I change your plan to {plan} for ${price} a month. Confirm (yes/no)?",
    "bought": "Done: {what}. Anything else?",
    "pay": "I sent you a request for bill {bill} of ${amount}. Please check the payment request. "
    "Please make the payment.",
    "paid": "Bill {bill} is paid. Anything else?",
    "not_due": "Sorry, I cannot take this payment because only overdue bills can be paid here. Anything else?",
    "too_much": "Sorry, I cannot add {gb} GB because the limit is 2 GB. Anything else?",
    "watch": "Sorry, I cannot change to {plan} because it is only for watches. Anything else?",
    "unsolved": "What does the phone show now? {steps}",
    "transferred": "You are being transferred to a human agent.",
    "more": "Anything else?",
    "bye": "Goodbye.",
}

PLAIN: Mapping[str, str] = {
    "identify": "[I can help with that.|Sure, I can help you with that.|I'd be happy to help.|Of course.] "
    "[First, please tell me your phone number, your full name and your date of birth."
    "|Could you give me the phone number of the line, your full name and your date of birth?"
    "|To find your account, I need your phone number, full name and date of birth.]",
    "ask_phone": "[I'm sorry, I could not find that number.|I can't find an account with that.] Could you tell me the "
    "whole phone number of the line[|, please]?",
    "mismatch": "[I'm sorry, that does not match what I have on the account.|That is not what the account says.] Could "
    "you tell me your full name and your date of birth once more?",
    "stranger": "[I'm sorry, but|Unfortunately,] I cannot help with this line, because our policy lets me help the "
    "owner of the account only, and what you told me is not what the account says. Is there anything else?",
    "help": "[How can I help you?|What can I do for you?|What would you like me to do?]",
    "look": "[Thank you{first}.|Thanks{first}.|All right.|Let us see.] {steps} [Tell me what you see.|Let me know what "
    "it shows.]",
    "look_abroad": "[Thank you{first}.|Thanks{first}.|All right.|Let us see.] {steps} [Are you abroad at the moment?|"
    "Are you traveling outside your home country right now?]",
    "repair": "[Thank you, that helps.|Thanks, I see what is wrong.|All right, let us put that right.] {steps}",
    "explain": "[Yes, I am sure.|Yes, that is safe.|I understand, but this is needed.] [It will not break anything, "
    "and it is needed to fix the problem.|You can change it back at any time.] Please go ahead.",
    "remedy": "[I see that your data for this month are used up|Your line has used up its data]: {used} of {limit} GB. "
    "[You can add up to 2 GB at ${rate} per GB, or move to another plan.|More data cost ${rate} per GB, at most 2 GB; "
    "another plan is possible too.] Would you like to add data or change your plan?",
    "ask_gb": "[How many GB would you like to add?|How much data would you like, in GB?]",
    "ask_plan": "[These are the plans|We have these plans]: {plans}. [Which plan would you like?|Which one of these "
    "plans do you want? Please tell me the name of the plan.]",
    "propose_gb": "[I would add|I am going to add] {gb} GB of data to your line for ${price}, which goes on your next "
    "bill. [Do you confirm (yes/no)?|Is that correct (yes/no)?|Shall I proceed (yes/no)?]",
    "propose_plan": "[I would change|I am going to change] your plan to {plan}, for ${price} a month. [Do you confirm "
    "(yes/no)?|Is that correct (yes/no)?|Shall I proceed (yes/no)?]",
    "bought": "[That is done|All done]: {what}. [Is there anything else I can help you with?|Anything else?]",
    "pay": "[I have sent you|You now have] a payment request for bill {bill} of ${amount}. Please check the payment "
    "request on your phone. Then please make the payment.",
    "paid": "[Thank you, bill {bill} is paid.|Bill {bill} has been paid.] [Is there anything else I can help you with?|"
    "Anything else?]",
    "not_due": "[I'm sorry, but|Unfortunately,] I cannot take that payment, because only an overdue bill can be paid "
    "here, and you have none. Is there anything else I can do?",
    "too_much": "[I'm sorry, but|Unfortunately,] I cannot add {gb} GB, because our policy allows no more than 2 GB a "
    "month. Is there anything else I can do?",
    "watch": "[I'm sorry, but|Unfortunately,] I cannot change this line to {plan}, because that plan is only for "
    "watches. Is there anything else I can do?",
    "unsolved": "[Let us look once more.|Hmm, let us check again.] {steps}",
    "transferred": "You are being transferred to a human agent. [Please hold the line.|One moment, please.]",
    "more": "[Is there anything else I can help you with?|Anything else?]",
    "bye": "[Thank you for contacting us. Goodbye.|Have a nice day!]",
}


def phrase(act: str, rng: Random, *, compact: bool, **values: str) -> str:
    """A phrasing of an act."""
    return expand((COMPACT if compact else PLAIN)[act], rng, values)
