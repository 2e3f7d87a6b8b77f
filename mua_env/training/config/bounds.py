"""Types of settings that are bounded: a number that cannot be is refused where it is read, not where it is used."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from mua_env.core.paths import is_reserved

MOST = 10**9
"""No count of anything here, and no size, comes near it."""
_RUN_NAME = re.compile(r"\w(?:[\w .+=@,-]{0,98}[\w+=@-])?")


def _no_truth_value(value: Any) -> Any:
    # Pydantic reads `true` as 1, and YAML reads `on` and `yes` as true.
    if isinstance(value, bool):
        raise ValueError("a number is needed, not a truth value")
    return value


def _run_name(text: str) -> str:
    if not _RUN_NAME.fullmatch(text):
        raise ValueError(
            "a run's name is that of one folder: up to 100 letters, digits, spaces and . _ - + = @ , beginning with a "
            "letter or digit and not ending with a dot or space"
        )
    if is_reserved(text):
        raise ValueError(f"{text!r} is the name of a device on Windows; take another for the run's folder")
    return text


def _printable(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("a text is needed, of one line and without control characters")
    return text


def _finite(value: Any) -> Any:
    """Numbers within free-form settings, at any depth."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"every number in it must be finite, got {value}")
    for part in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        _finite(part)
    return value


_number = BeforeValidator(_no_truth_value)

Count = Annotated[int, Field(ge=1, le=MOST), _number]
"""How many, at least one."""
CountOrNone = Annotated[int, Field(ge=0, le=MOST), _number]
"""How many, maybe none."""
Seed = Annotated[int, Field(ge=0, lt=2**32), _number]
"""What NumPy takes as one."""
Share = Annotated[float, Field(ge=0, le=1), _number]
ShareBelowOne = Annotated[float, Field(ge=0, lt=1), _number]
Amount = Annotated[float, Field(gt=0, le=MOST), _number]
"""More than nothing."""
AmountOrNone = Annotated[float, Field(ge=0, le=MOST), _number]
Part = Annotated[float, Field(gt=0, le=1), _number]
"""More than nothing, at most all."""
LearningRate = Annotated[float, Field(gt=0, le=3.4e38), _number]
"""Up to the largest number of float32; a run that it breaks says so."""
Text = Annotated[str, Field(max_length=4096), AfterValidator(_printable)]
"""One line: a name, a path, a task source."""
RunName = Annotated[str, Field(max_length=100), AfterValidator(_run_name)]
Url = Annotated[str, Field(max_length=4096, pattern=r"^https?://[^\s/]+[^\s]*$")]
Options = Annotated[dict[str, Any], AfterValidator(_finite)]
"""Arguments that are passed on; who gets them knows their names."""
