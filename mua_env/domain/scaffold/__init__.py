"""A new domain to begin from: a folder with a working description, its tests, and its entry point."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from mua_env.core.paths import write_whole
from mua_env.domain.discovery import domain_entries
from mua_env.errors import ConfigError

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TAKEN = frozenset({"test", "tests", "mua_env", "sqlalchemy", "pytest", "random", "typing"})


def new_domain(name: str, folder: str | Path | None = None) -> list[Path]:
    """Write a working domain.

    Args:
        name: lower case, with underscores between words, as ``"hotel"`` or ``"car_rental"``.
        folder: where it is written; it must not exist, or be empty (default: a folder called like the domain).

    Returns:
        The files that were written.

    Raises:
        ConfigError: the name is none, or taken; or the folder holds something.
    """
    if not _NAME.fullmatch(name) or name in _TAKEN:
        raise ConfigError(f"{name!r} cannot name a domain; write lower case with underscores, as 'car_rental'")
    title = name.replace("_", " ")
    class_name = title.title().replace(" ", "")
    if class_name.lower() in domain_entries():
        raise ConfigError(f"a domain {class_name.lower()!r} is installed already; take another name")
    target = Path(folder or name)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError(f"{target} exists already; name a new or empty folder")
    values = {
        "name": class_name.lower(),
        "module": f"{name}_domain",
        "class_name": class_name,
        "title": title.capitalize(),
    }
    templates = Environment(
        loader=PackageLoader("mua_env.domain", "scaffold"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    files = {
        f"{name}_domain.py": "domain.py.j2",
        f"test_{name}_domain.py": "test_domain.py.j2",
        "pyproject.toml": "pyproject.toml.j2",
    }
    # Everything is rendered before the first file is written, so that nothing is left half made.
    texts = {target / file: templates.get_template(template).render(values) for file, template in files.items()}
    for path, text in texts.items():
        write_whole(path, text)
    return list(texts)
