"""JSON as chat templates write it; what a model wrote is read by :mod:`mua_env.core.json_reader`."""

from __future__ import annotations

import json


def write_json(value: object) -> str:
    """JSON in one line."""
    return json.dumps(value, ensure_ascii=False)
