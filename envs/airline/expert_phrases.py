"""What the airline expert says: the first variant of each act is the short one of the compact style."""

from __future__ import annotations

from random import Random

PHRASES: dict[str, tuple[str, ...]] = {
    "identify": (
        "May I have your user id?",
        "I'd be glad to help. Could you give me your user id, please?",
        "Happy to help with that. What is your user id?",
    ),
    "help": ("What can I do for you?", "How can I help you?", "What would you like me to do?"),
    "bye": ("Goodbye.", "Thank you for flying with us. Goodbye."),
    "ask_reservation": (
        "Which reservation is it? What is the reservation id?",
        "Could you tell me the reservation id?",
        "Please give me the reservation id, or tell me which trip it is.",
    ),
    "ask_reservation_reason": (
        "What is the reservation id, and the reason for the cancellation?",
        "Could you give me the reservation id and the reason why you want to cancel?",
    ),
    "ask_reason": ("What is the reason for the cancellation?", "May I ask for the reason?"),
    "ask_reservation_complaint": (
        "What is the reservation id, and was a flight cancelled or delayed?",
        "I'm sorry to hear that. Could you tell me the reservation id, and was a flight cancelled or delayed?",
    ),
    "ask_complaint": ("Was a flight cancelled or delayed?",),
    "ask_reservation_cabin": (
        "What is the reservation id, which cabin would you like, and which payment method shall I use?",
    ),
    "ask_reservation_flights": (
        "What is the reservation id, what are the dates of departure and, for a round trip, of return, which "
        "flight do you prefer (cheapest, or earliest or latest direct), and which payment method shall I use?",
    ),
    "ask_reservation_bags": (
        "What is the reservation id, how many bags do you want to add, and which payment method shall I use?",
    ),
    "ask_reservation_passengers": (
        "What is the reservation id, which passenger is to be replaced, and what are the full name and date of "
        "birth of the "
        "new passenger?",
    ),
    "ask_booking": (
        "Is it one way or round trip, what are the origin and the destination, what are the dates, which cabin, "
        "which flight "
        "do you prefer, who are the passengers, how many checked bags, do you want travel insurance, and which payment "
        "method shall I use?",
    ),
    "ask_cabin_payment": (
        "Which cabin would you like, and which payment method shall I use?",
        "Which cabin do you want instead, and which payment method should I use for the difference?",
    ),
    "ask_bags_payment": (
        "How many bags do you want to add, and which payment method shall I use?",
        "Could you tell me how many bags to add, and the payment method in case there is a charge?",
    ),
    "ask_passengers_change": (
        "Which passenger is to be replaced, and what are the full name and date of birth of the new passenger?",
        "Could you tell me which passenger to replace, and the new passenger's full name and date of birth?",
    ),
    "ask_new_passenger": ("What are the full name and date of birth of the new passenger?",),
    "ask_flights_one": (
        "What is the new date, which flight do you prefer (cheapest, or earliest or latest direct), and which "
        "payment method "
        "shall I use?",
        "Could you tell me the new date, whether you prefer the cheapest, the earliest or the latest flight, and your "
        "payment method for the difference?",
    ),
    "ask_flights_round": (
        "What are the dates of departure and return, which flight do you prefer (cheapest, or earliest or latest "
        "direct), and "
        "which payment method shall I use?",
        "Could you tell me the dates you want for departure and return, whether you prefer the cheapest, the "
        "earliest or the "
        "latest flight, and your payment method for the difference?",
    ),
    "ask_trip": (
        "Is it one way or round trip, what are the origin and the destination, what are the dates, and which cabin?",
        "Could you tell me whether it is a one way or a round trip, the origin and the destination, the dates, "
        "and the cabin?",
    ),
    "ask_travellers": (
        "Which flight do you prefer (cheapest, or earliest or latest direct), and who are the passengers (full "
        "names and dates "
        "of birth)?",
        "Do you prefer the cheapest, the earliest or the latest flight, and could you give me the full names and "
        "dates of "
        "birth of all passengers?",
    ),
    "ask_extras": (
        "How many checked bags, do you want travel insurance, and which payment method shall I use?",
        "How many checked bags will you take, would you like travel insurance for $30 a passenger, and which "
        "payment method "
        "shall I use?",
    ),
    "ask_cabin": ("Which cabin would you like?",),
    "ask_return": ("What is the return date?",),
    "fix": ("What shall I change?", "What would you like me to change about it?"),
    "propose": (
        "{action} Shall I go ahead? (yes/no)",
        "My proposal: {action} Do you confirm (yes/no)?",
        "To confirm: {action} Shall I proceed? (yes/no)",
    ),
    "done": (
        "{claim} Anything else?",
        "{claim} Is there anything else I can help you with?",
        "All done: {claim} Is there anything else?",
    ),
    "refuse": (
        "Sorry, that is not possible, because {reason}.",
        "I am sorry, but this is not possible, because {reason}.",
        "I'm afraid that I have to decline this, because {reason}.",
    ),
    "answer": ("{claim} Anything else?", "{claim} Is there anything else I can help you with?"),
}


def phrase(act: str, rng: Random, *, compact: bool, **values: str) -> str:
    """A phrasing of an act; the short one where ``compact``."""
    variants = PHRASES[act]
    chosen = variants[0] if compact else variants[int(rng.random() * len(variants))]
    return chosen.format(**values)
