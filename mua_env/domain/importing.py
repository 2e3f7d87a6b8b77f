"""A domain that is not installed yet: from a module or a file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from mua_env.domain.contract import Domain, load_domain
from mua_env.domain.discovery import domain_entries
from mua_env.errors import DomainError


def import_domain(target: str) -> Domain:
    """A domain by name, module or file.

    Args:
        target: an installed domain (``"retail"``), a module with a ``domain`` in it (``"hotel_domain"``), another name
            in a module (``"package.module:name"``), or a file (``"hotel/hotel_domain.py"``).

    Raises:
        DomainError: it cannot be imported, or holds no domain.
    """
    if target.lower() in domain_entries():
        return load_domain(target)
    place, _, name = target.partition(":")
    found = getattr(_module(place), name or "domain", None)
    if not isinstance(found, Domain):
        held = "nothing" if found is None else f"a {type(found).__name__}"
        raise DomainError(f"{place} has {held} under {name or 'domain'!r}, no mua_env.Domain; name it as {place}:NAME")
    return found


def _module(place: str) -> ModuleType:
    path = Path(place)
    try:
        return _of_file(path) if path.suffix == ".py" else importlib.import_module(place)
    except Exception as error:
        # Whatever goes wrong in somebody's module: that is what is to be told.
        raise DomainError(f"{place} cannot be imported: {type(error).__name__}: {error}") from error


def _of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Annotations of tools are resolved in their module, which must be found by its name.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
