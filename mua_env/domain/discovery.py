"""Which domains are installed, from entry-point metadata alone: nothing of a domain is imported here."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

GROUP = "mua_env.domains"
_ENTRY = re.compile(r"(?P<name>[A-Z]\w*)-v(?P<version>\d+)")


SHORT_NAMES = {"bfcl": "bfclmultiturn", "acebench": "acebenchagent"}
"""What people call a benchmark whose environment has a longer name."""


@lru_cache(maxsize=1)
def domain_entries() -> dict[str, EntryPoint]:
    """The installed domains by lower-case name.

    An entry point whose name is not of the form ``Retail-v1`` is left out with a warning: a broken package of
    somebody else's must not keep the others from working.
    """
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        match = _ENTRY.fullmatch(entry.name)
        if match is None:
            warnings.warn(
                f"entry point {entry.name!r} of {GROUP} is not of the form 'Retail-v1' ({entry.value}); left out",
                stacklevel=2,
            )
            continue
        found[match["name"].lower()] = entry
    return found


def environment_ids() -> dict[str, str]:
    """The Gymnasium id of each installed domain, by lower-case name."""
    return {name: f"MUA/{entry.name}" for name, entry in domain_entries().items()}
