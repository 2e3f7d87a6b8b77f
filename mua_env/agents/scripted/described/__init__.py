"""The scripted expert that follows from a description."""

from __future__ import annotations

from mua_env.agents.scripted.described.expert import DescribedExpert

__all__ = ["DescribedExpert"]
