"""What every page and every line on a terminal share: templates in which all is escaped, and no control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"}


def visible(text: str) -> str:
    """A text with U+FFFD for each control character: none may stand in HTML, and a terminal would obey it."""
    return text.translate(_CONTROLS)


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
