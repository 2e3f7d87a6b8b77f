"""What the retail expert says: one regular form for small models, varied forms otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from mua_env.users.agenda.nlg.grammar import expand

COMPACT: Mapping[str, str] = {
    "identify": "What is your email, or your name and zip code?",
    "ask_email": "What is your email?",
    "ask_name": "What is your name and zip code?",
    "not_identified": "I could not find your account. What is your email, or your name and zip code?",
    "give_up_identity": "I cannot help without finding your account, because the policy requires it.",
    "help": "What can I do for you?",
    "ask_order": "What is the order number?",
    "ask_order_reason": "What is the order number, and the reason?",
    "ask_order_items": "What is the order number, and which items?",
    "ask_options_payment": "Which new options for the {item}, and which payment method?",
    "ask_order_items_payment": "What is the order number, which items, and which payment method?",
    "ask_everything": "What is the order number, which items, which new options, and which payment method?",
    "ask_order_address": "What is the order number, and the new address?",
    "ask_order_payment": "What is the order number, and which payment method?",
    "ask_order_again": "I could not find that order. What is the order number?",
    "which_order": "Which order is it: {choices}?",
    "ask_reason": "What is the reason?",
    "ask_items": "Which items?",
    "which_item": "There are several {item}: {choices}. Which one?",
    "ask_options": "Which new options for the {item}?",
    "ask_payment": "Which payment method?",
    "which_payment": "Which payment method: {choices}?",
    "ask_address": "What is the new address?",
    "ask_product": "Which product?",
    "propose": "{action} Confirm (yes/no)?",
    "fix": "What should be different?",
    "done": "{claim} Anything else?",
    "answer": "{answer} Anything else?",
    "refuse": "Sorry, I cannot do that because {reason}. Anything else?",
    "unavailable": "Sorry, the {item} with {options} is not available.",
    "more": "Anything else?",
    "bye": "Goodbye.",
}

PLAIN: Mapping[str, str] = {
    "identify": "[I can help with that.|Sure, I can help you with that.|I'd be happy to help.|Of course.] "
    "[To verify your identity, please provide your email, or your full name and zip code."
    "|Could you give me your email address, or alternatively your first name, last name and zip code?"
    "|First, may I have the email on your account, or your name and zip code?]",
    "ask_email": "[Could you tell me your email address?|What email address is on your account?|May I have your "
    "email, please?]",
    "ask_name": "[Could you tell me your full name and zip code instead?|Then please give me your first name, last "
    "name and zip code."
    "|May I have your name and zip code, please?]",
    "not_identified": "[I'm sorry, I could not find an account with that.|I could not locate your account.] Please "
    "provide your email, or your "
    "full name and zip code.",
    "give_up_identity": "[I'm sorry, but|Unfortunately,] I cannot help without identifying you first, because our "
    "policy requires it.",
    "help": "[How can I help you today?|What can I do for you?|What would you like me to do?]",
    "ask_order": "[Thank you.|Thanks{first}.|All right.|] [Which order is this about? Please give me the order number."
    "|Could you tell me the order number?|What is the order ID?|May I have the order number, please?]",
    "ask_order_reason": "[Thank you.|Thanks{first}.|All right.|] [Which order is this about, and what is the reason "
    "for the cancellation?"
    "|Could you tell me the order number and the reason for cancelling?|What are the order ID and the reason for "
    "cancelling?]",
    "ask_order_items": "[Thank you.|Thanks{first}.|All right.|] [Which order is this about, and which items?|Could "
    "you tell me the order number"
    " and all the items concerned?|What is the order ID, and which items is it about?]",
    "ask_order_items_payment": "[Thank you.|Thanks{first}.|All right.|] Which order is this about, which items, and "
    "which payment method "
    "[should be used|would you like to use]?",
    "ask_everything": "[Thank you.|Thanks{first}.|All right.|] Which order is this about, which items, which new "
    "options would you like, and which "
    "payment method [should be used|would you like to use]?",
    "ask_order_address": "[Thank you.|Thanks{first}.|All right.|] [Which order is this about, and what is the full "
    "new address?|Could you tell me the "
    "order number and the complete new address?|What are the order ID and the new address?]",
    "ask_order_payment": "[Thank you.|Thanks{first}.|All right.|] [Which order is this about, and which payment "
    "method shall I use?|Could you tell me "
    "the order number and the new payment method?|What is the order ID, and which payment method would you like "
    "instead?]",
    "ask_options_payment": "[Which options would you like for the new {item}|What options should the new {item} "
    "have], and "
    "[which payment method should be used for the price difference?|which payment method would you like to use?]",
    "ask_order_again": "[I'm sorry, I could not find that order.|I can't find an order with that number.] [Could "
    "you check the order number?"
    "|What is the order number?]",
    "which_order": "[I see more than one order that fits:|There are several orders that match:] {choices}. [Which "
    "order do you mean?"
    "|Which order is it?]",
    "ask_reason": "[What is the reason for the cancellation?|May I ask the reason for cancelling?|Could you tell me "
    "the reason: no longer needed, or "
    "ordered by mistake?]",
    "ask_items": "[Which items are you thinking of?|Which items from the order is it about?|Please tell me which "
    "items you mean."
    "|Could you list all the items concerned?]",
    "which_item": "[There is more than one {item} in the order:|I see several {item}:] {choices}. [Which one do you "
    "mean?|Which one is it?]",
    "ask_options": "[Which options would you like for the new {item}?|What options should the new {item} have?"
    "|Please tell me the desired options for the {item}.]",
    "ask_payment": "[Which payment method should be used?|Which payment method would you like to use?|What payment "
    "method shall I use for this?]",
    "which_payment": "[You have several that fit:|I see more than one:] {choices}. Which payment method do you mean?",
    "ask_address": "[What is the new address?|Please give me the full new address, with street, city, state, zip "
    "code and country."
    "|Could you tell me the complete new address?]",
    "ask_product": "[Which product is it about?|Which product do you mean?|What is the name of the product?]",
    "propose": "[Here is what I am going to do:|Let me summarize:|To confirm:|Please check the details:] {action} "
    "[Do you confirm (yes/no)?|Is this correct (yes/no)?|Shall I proceed (yes/no)?|Would you like me to go ahead? "
    "(yes/no)]",
    "fix": "[What should be different?|What would you like to change?|Please tell me what is wrong.]",
    "done": "{claim} [Is there anything else I can help you with?|Can I help you with anything else?|Do you need "
    "anything else?]",
    "answer": "{answer} [Is there anything else I can help you with?|Can I help you with anything else?]",
    "refuse": "[I'm sorry, but|Unfortunately,|I'm afraid] I cannot do that, because {reason}. [Is there anything "
    "else I can help you with?|"
    "Can I help you with anything else?]",
    "unavailable": "[I'm sorry, but|Unfortunately,] the {item} with {options} is not available[.| at the moment.]",
    "more": "[Is there anything else I can help you with?|Can I help you with anything else?]",
    "bye": "[Thank you for contacting us. Have a nice day!|Have a great day!|Goodbye, and take care.]",
}


def phrase(act: str, rng: Random, *, compact: bool, **values: str) -> str:
    """What the expert says for an act."""
    return " ".join(expand((COMPACT if compact else PLAIN)[act], rng, values).split())
