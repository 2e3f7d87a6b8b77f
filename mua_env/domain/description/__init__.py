"""Domains as descriptions: kinds of values on the arguments of tools, wishes, and rules over records.

Slots, intents, understanding, tasks, gold, instructions, the policy document and a scripted expert follow from them.
Nothing here knows of users or agents; those read a :class:`Description`.
"""

from __future__ import annotations

from mua_env.domain.description import kinds
from mua_env.domain.description.description import Description
from mua_env.domain.description.rules import Rule, obeys, rule
from mua_env.domain.description.scope import Scope
from mua_env.domain.description.toolkit import DescribedToolkit
from mua_env.domain.description.wishes import Question, Wish

__all__ = ["DescribedToolkit", "Description", "Question", "Rule", "Scope", "Wish", "kinds", "obeys", "rule"]
