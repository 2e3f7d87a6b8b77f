"""Natural languages of described domains: message catalogues by dialogue act."""

from __future__ import annotations

from mua_env.domain.description.locales.en import ENGLISH
from mua_env.domain.description.locales.locale import Locale
from mua_env.domain.description.locales.zh import CHINESE
from mua_env.errors import ConfigError, did_you_mean

LOCALES = {locale.code: locale for locale in (ENGLISH, CHINESE)}
"""By code."""


def locale_of(code: str) -> Locale:
    """The locale of a natural language.

    Raises:
        ConfigError: there is none.
    """
    if code not in LOCALES:
        known = ", ".join(map(repr, LOCALES))
        raise ConfigError(f"there is no locale {code!r}; there are {known}.{did_you_mean(code, LOCALES)}")
    return LOCALES[code]


__all__ = ["CHINESE", "ENGLISH", "LOCALES", "Locale", "locale_of"]
