"""What users understand and say in domains that are descriptions."""

from __future__ import annotations

from mua_env.users.agenda.described.language import DescribedLanguage

__all__ = ["DescribedLanguage"]
