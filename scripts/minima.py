"""Print the lower bounds that pyproject.toml declares, as pins for pip.

    python scripts/minima.py [EXTRA ...]

A bound that nobody installs is a guess: the tests run once with exactly these versions.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_LOWEST = re.compile(r"(?P<package>[A-Za-z0-9._-]+(?:\[[^]]*\])?)\s*(?:>=|==)\s*(?P<version>[0-9.]+)")


def minima(project: Path, extras: list[str]) -> list[str]:
    """``["gymnasium==1.1", ...]`` of the package itself and of the extras that are named."""
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    lowest: dict[str, str] = {}
    for line in [*declared["dependencies"], *_of_extras(declared, extras)]:
        match = _LOWEST.match(line)
        if match is None:
            raise SystemExit(f"pyproject.toml: {line!r} declares no lower bound")
        package, version = match["package"], match["version"]
        lowest[package] = max(version, lowest.get(package, version), key=lambda text: [*map(int, text.split("."))])
    return [f"{package}=={version}" for package, version in lowest.items()]


def _of_extras(declared: dict[str, Any], extras: Iterable[str]) -> Iterator[str]:
    """What extras ask for; the package's own extras among it by what they ask for."""
    own = re.compile(rf"{re.escape(declared['name'])}\[(.+)\]$")
    for extra in extras:
        for line in declared["optional-dependencies"][extra]:
            if (inner := own.match(line)) is not None:
                yield from _of_extras(declared, inner[1].split(","))
            else:
                yield line


if __name__ == "__main__":
    print("\n".join(minima(Path(__file__).resolve().parents[1] / "pyproject.toml", sys.argv[1:])))
