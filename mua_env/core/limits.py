"""How large anything from outside may be: every bound on text, JSON and numbers, in one place.

What is larger is cut with a mark that says how long it was, or refused with a text that names the bound; the bounds
leave room for anything that a person or a model means to say.
"""

from __future__ import annotations

from typing import Final

LONGEST_TEXT: Final = 200_000
"""Characters of a message or a thought that are kept."""
LONGEST_HEARD: Final = 16_000
"""Characters of one message that reach the other side: the user, a judge, whoever listens for a refusal."""
LONGEST_NAME: Final = 200
"""Characters of a tool's name or a call's id."""
LONGEST_LINE: Final = 2_000
"""Characters of a cause or an error."""
LONGEST_ARGUMENTS: Final = 100_000
"""Characters of a call's arguments."""
MOST_CALLS: Final = 128
"""Calls in one turn that are run."""

LONGEST_JSON: Final = 1_000_000
"""Characters of a JSON text that a model wrote, where nothing smaller is said."""
DEEPEST_JSON: Final = 64
"""Arrays and objects within each other."""
MOST_VALUES: Final = 20_000
"""Values in one JSON text, keys not counted."""
LARGEST_NUMBER: Final = 2**63
"""No number is as large, by its absolute value: what is smaller fits a database's whole number, and its sums and
products stay finite."""

LONGEST_RESPONSE: Final = 16 * 2**20
"""Bytes of an endpoint's answer, unpacked."""
LONGEST_REQUEST: Final = 4 * 2**20
"""Bytes of a request to a server of ours."""
