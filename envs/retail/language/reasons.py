"""What a refusal must name in retail, by the rule that is in the way."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from mua_env.users.agenda.reasons import Reasons

_STATUS = r"\b(?:pending|processed|processing|delivered|shipped|in transit|(?:already|been|is|was) cancell?ed|status)\b"

REASONS: Final = Reasons(
    rules={
        "own-orders-only": r"\b(?:another|a different|some other) (?:customer|user|account|person|profile)\b|"
        r"\bsome(?:one|body) else|\bbelong|\b(?:not|isn't|n't) (?:yours|your own|(?:on|in|under|part of|linked to|associated with) (?:your|this))",
        "state": _STATUS,
        "cancel-reason": r"\breasons?\b|\bno longer needed\b|\bmistake\b",
        "one-change-per-order": r"\bonce\b|\balready (?:been )?(?:exchanged|returned|modified|changed)\b|\b(?:exchange|return) "
        r"(?:was |has been |is )?(?:already )?requested\b|\b(?:second|another) time\b|\bone time\b",
        "same-product-available": r"\b(?:not|n't|isn't|no longer) (?:\w+ )?(?:available|in stock)\b|\bunavailable\b|\bout of stock\b|"
        r"\bsold out\b|\b(?:same|different|another) (?:product|type|kind|item)|\bno (?:such )?(?:variants?|options?|items?|versions?)\b|"
        r"\b(?:not|n't|doesn't) (?:have|carry|stock|exist|offer)\b|\bnone\b",
        "payment-in-profile": r"\bon file\b|\bprofile\b|\bsame (?:payment|method|card)|\balready (?:paid|using|charged)|"
        r"\bdifferent (?:from|than|payment)",
        "gift-card-balance": r"\bbalance\b|\benough\b|\bsufficient\b|\binsufficient\b|\bcover|\bfunds\b",
        "refund-original-or-gift-card": r"\boriginal(?:ly)?\b|\bgift card\b",
        "scope": r"\b(?:scope|not something|human|policy|polic\w+)\b",
    },
    of_intent={
        "cancel_order": ("state", "cancel-reason", "own-orders-only"),
        "return_items": ("state", "one-change-per-order", "refund-original-or-gift-card", "own-orders-only"),
        "exchange_items": (
            "state", "one-change-per-order", "same-product-available", "gift-card-balance", "own-orders-only",
        ),
        "modify_items": (
            "state", "one-change-per-order", "same-product-available", "gift-card-balance", "own-orders-only",
        ),
        "modify_order_address": ("state", "own-orders-only"),
        "modify_order_payment": ("state", "payment-in-profile", "gift-card-balance", "own-orders-only"),
        "modify_user_address": ("own-orders-only", "payment-in-profile"),
    },
    states=r"\b(pending|processed|delivered|shipped|(?:been|was|already) cancell?ed)\b",
)  # fmt: skip
