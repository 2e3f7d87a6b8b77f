from __future__ import annotations

import json
from typing import Any


def call(name: str, arguments: Any = None, *, text: str | None = None, **keywords: Any) -> dict[str, Any]:
    """An agent's turn with one tool call."""
    return turn((name, keywords if arguments is None else arguments), text=text)


def turn(*calls: tuple[str, Any], text: str | None = None) -> dict[str, Any]:
    """An agent's turn with several tool calls."""
    made = [
        {
            "id": f"c{i}",
            "type": "function",
            "function": {"name": name, "arguments": a if isinstance(a, str) else json.dumps(a)},
        }
        for i, (name, a) in enumerate(calls)
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def cancel(number: int) -> dict[str, Any]:
    """The gold call of task ``train-<number>``."""
    return call("cancel_order", order_id=f"#{number}", reason="ordered by mistake")
