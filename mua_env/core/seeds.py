"""Seeds for the parts of a run, derived from one."""

from __future__ import annotations

import hashlib


def derive_seed(*parts: int | str) -> int:
    """A seed of 31 bits from any parts, the same on every machine and in every process.

    The first part is the run's seed, the others say what it is for: ``derive_seed(0, "user", step, task)``.
    """
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
