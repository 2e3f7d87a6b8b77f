"""How hard the generated tasks of a described domain are.

| level | requests | twists | noise |
| --- | --- | --- | --- |
| 1 | one that can be had | none | none |
| 2 | one | perhaps one: code unknown, change of mind, forbidden, forbidden with a second choice | none |
| 3 | two | perhaps one | 5 % |
| 4 | two or three | two | 10 % |
| 5 | three or four | three | 20 % |

How much must be looked up before a write is an axis of its own: ``reads=3`` in a task source keeps the tasks whose gold
has three calls that read, or more.
"""

from __future__ import annotations

from typing import Final

from mua_env.domain.description.twists import TWISTS
from mua_env.domain.generator import Level

_KINDS: Final = tuple(TWISTS)
LEVELS: Final = {
    1: Level((1,), (), personas=("plain", "polite")),
    2: Level((1,), (), twists=1, kinds=_KINDS, maybe=True),
    3: Level((2,), (), twists=1, kinds=_KINDS, maybe=True, noise=0.05),
    4: Level((2, 3), (), twists=2, kinds=_KINDS, noise=0.1),
    5: Level((3, 4), (), twists=3, kinds=_KINDS, noise=0.2),
}
