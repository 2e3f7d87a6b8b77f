"""What all HTML pages share: templates in which everything is escaped, and no control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mua_env.core.characters import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def page_environment() -> Environment:
    """The templates of this folder, with everything escaped that is put into them; needs Jinja."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("mua_env.evaluation.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if isinstance(value, str) else value,
    )
