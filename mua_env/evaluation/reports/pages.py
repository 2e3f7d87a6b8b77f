"""What all HTML pages share: templates in which everything is escaped, and no control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mua_env.core.characters import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def page_environment(package: str) -> Environment:
    """The templates of a package, with everything escaped that is put into them; needs Jinja.

    Args:
        package: dotted name of the package in whose folder the templates lie.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if isinstance(value, str) else value,
    )
