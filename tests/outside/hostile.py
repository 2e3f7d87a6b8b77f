"""Text that models, people and endpoints write when something has gone wrong, by kind."""

from __future__ import annotations

import itertools
import json

_PIECES = ("[", '{"a":', '[{"a":', '{"a":[', '[[{"a":', '{"[":')

DEEP: dict[str, str] = {
    **{f"{piece} x {count}": piece * count for piece, count in itertools.product(_PIECES, (100, 1000, 20_000))},
    "closed lists": "[" * 3000 + "]" * 3000,
    "closed objects": '{"a":' * 3000 + "1" + "}" * 3000,
    "deep in a field": '{"order_id": ' + "[" * 2000 + "]" * 2000 + "}",
    "deep behind a string": '{"a": "' + "[" * 50 + '", "b": ' + '{"c":' * 500 + "1" + "}" * 501,
}
"""JSON that is nested too deeply, whole or cut, in all mixes of brackets."""

NUMBERS = ("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e308", "9" * 400, "-" + "9" * 400, "9" * 5000, "1e19")
"""No numbers, or none that a database's column and the next sum can hold."""

NO_TEXT = ("\\ud800", "\\udfff", "a\\ud800b", "\\ude00\\ud83d", "\ud800", "x\udc00")
"""Halves of surrogate pairs, as JSON spells them and as they are."""

OUTSIDE = {
    "half a pair": "\ud800",
    "half a pair amid text": "a\udfffb\ud83d",
    "control characters": "\x00\x07\x1b[31m\x9f",
    "right to left": "\u202egnp.exe",
    "long": "x" * 3_000_000,
    "long pairs": "\U0001f600" * 400_000,
    "lines": "a\n" * 100_000,
    "json": json.dumps({"a": "[" * 1000}),
}
"""Text of any kind for ids, names, thoughts, causes and messages."""
