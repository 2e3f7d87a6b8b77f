"""How this package was installed, and so what command adds an optional dependency to it.

The package is on no index that the name ``mua-env`` alone would be found on: the command names the checkout or file
that it came from (PEP 610 records it), or else the packages that the extra asks for.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

NAME = "mua-env"


def install_command(extra: str) -> str:
    """The command that installs the optional dependencies of an extra beside the package as it is installed.

    Args:
        extra: as ``"llm"``.
    """
    # The code itself says best whether it runs from a checkout: metadata of another may lie on the path.
    here = _of_checkout(Path(__file__).resolve().parents[1], extra, editable=True)
    if here is not None:
        return here
    try:
        installed = distribution(NAME)
    except PackageNotFoundError:
        return _pip(f"{NAME}[{extra}]")
    return _of_origin(_origin(installed), extra) or _pip(*_requirements(installed, extra))


def _origin(installed: Distribution) -> dict[str, Any]:
    """What PEP 610 says of where it came from; nothing for what an index gave."""
    try:
        found = json.loads(installed.read_text("direct_url.json") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("url"), str) else {}


def _of_origin(origin: dict[str, Any], extra: str) -> str | None:
    if not origin:
        return None
    url, named = origin["url"], f"{NAME}[{extra}]"
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        return _pip(f"{named} @ {vcs.get('vcs', 'git')}+{url}@{vcs.get('commit_id', 'HEAD')}")
    parts = urlsplit(url)
    if parts.scheme != "file":
        return _pip(f"{named} @ {url}")
    path = Path(url2pathname(unquote(parts.path)) if os.name == "nt" else unquote(parts.path))
    if "dir_info" in origin:
        return _of_checkout(path, extra, editable=bool(origin["dir_info"].get("editable")))
    return _pip(f"{named} @ {path.as_uri()}") if path.is_file() else None


def _of_checkout(path: Path, extra: str, *, editable: bool) -> str | None:
    if not (path / "pyproject.toml").is_file():
        return None
    return _pip(*(["-e"] if editable else []), f"{path}[{extra}]")


def _requirements(installed: Distribution, extra: str) -> list[str]:
    """What the extra asks for, without the markers."""
    wanted = (f'extra == "{extra}"', f"extra == '{extra}'")
    found = [line.partition(";") for line in installed.requires or ()]
    return [need.strip() for need, _, marker in found if any(word in marker for word in wanted)] or [f"{NAME}[{extra}]"]


def _pip(*arguments: str) -> str:
    words = ["pip", "install", *arguments]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
