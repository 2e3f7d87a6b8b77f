"""What a refusal must name in retail, by the rule that is in the way."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path
from typing import Final

from mua_env.users.agenda.reasons import Reasons

_STATUS = r"\b(?:pending|processed|processing|delivered|shipped|in transit|(?:already|been|is|was) cancell?ed|status)\b"
_STATUS += r"|待处理|已处理|送达|发货|已取消|状态|运输中"

_OF_STATE: Final = (
    "cancel-pending-only",
    "modify-pending-only",
    "return-delivered-only",
    "exchange-delivered-only",
    "processed-transfer",
)

REASONS: Final = Reasons(
    rules={
        "own-orders-only": r"\b(?:another|a different|some other) (?:customer|user|account|person|profile)\b|"
        r"\bsome(?:one|body) else|\bbelong|不属于|别人|其他客户|\b(?:not|isn't|n't) (?:yours|your own|(?:on|in|under|part of|linked to|associated with) (?:your|this))",
        **dict.fromkeys(_OF_STATE, _STATUS),
        "cancel-reason": r"\breasons?\b|\bno longer needed\b|\bmistake\b|不再需要|误下单|原因",
        "one-change-per-order": r"\bonce\b|\balready (?:been )?(?:exchanged|returned|modified|changed)\b|\b(?:exchange|return) "
        r"(?:was |has been |is )?(?:already )?requested\b|\b(?:second|another) time\b|\bone time\b|一次",
        "same-product-available": r"\b(?:not|n't|isn't|no longer) (?:\w+ )?(?:available|in stock)\b|\bunavailable\b|\bout of stock\b|"
        r"\bsold out\b|\b(?:same|different|another) (?:product|type|kind|item)|\bno (?:such )?(?:variants?|options?|items?|versions?)\b|"
        r"\b(?:not|n't|doesn't) (?:have|carry|stock|exist|offer)\b|\bnone\b|缺货|没有?货|无货|售罄|库存",
        "payment-in-profile": r"\bon file\b|\bprofile\b|\bsame (?:payment|method|card)|\balready (?:paid|using|charged)|"
        r"\bdifferent (?:from|than|payment)",
        "gift-card-balance": r"\bbalance\b|\benough\b|\bsufficient\b|\binsufficient\b|\bcover|\bfunds\b|余额|不足|不够",
        "refund-original-or-gift-card": r"\boriginal(?:ly)?\b|\bor (?:to )?(?:a|an|your|any) (?:existing )?gift card\b|原支付|原来的|礼品卡",
        "scope": r"\b(?:scope|not something|human|policy|polic\w+)\b",
    },
    of_intent={
        "cancel_order": ("cancel-pending-only", "cancel-reason", "own-orders-only"),
        "return_items": ("return-delivered-only", "one-change-per-order", "refund-original-or-gift-card", "own-orders-only"),
        "exchange_items": (
            "exchange-delivered-only", "one-change-per-order", "same-product-available", "gift-card-balance", "own-orders-only",
        ),
        "modify_items": (
            "modify-pending-only", "one-change-per-order", "same-product-available", "gift-card-balance", "own-orders-only",
        ),
        "modify_order_address": ("modify-pending-only", "own-orders-only"),
        "modify_order_payment": ("modify-pending-only", "payment-in-profile", "gift-card-balance", "own-orders-only"),
        "modify_user_address": ("own-orders-only", "payment-in-profile"),
    },
    states=r"\b(pending|processed|delivered|shipped|(?:been|was|already) cancell?ed)\b",
    alike=(frozenset({*_OF_STATE, "one-change-per-order"}),),
    weights=Path(__file__).with_suffix(".npz"),
)  # fmt: skip
