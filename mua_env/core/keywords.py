"""Options by name, as they come from a command line or a file, given to what takes them as arguments."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

from mua_env.errors import ConfigError, did_you_mean

T = TypeVar("T")

_PLAIN = (bool, int, float, str, list, dict)
"""What a command line or a file can hold; everything else was made in Python, and is passed on as it is."""
_OURS = {"ledger"}
"""Known, but nothing that a command line or a file can hold."""
_CHECKED = ConfigDict(arbitrary_types_allowed=True, allow_inf_nan=False)


def call_with(make: Callable[..., T], options: Mapping[str, Any], *, what: str, further: tuple[Any, ...] = ()) -> T:
    """Call with options, after their names and the types of their values have been looked at.

    Args:
        make: takes the options as keyword arguments.
        options: the options.
        what: names what is made, for messages, as ``"user 'agenda'"``.
        further: who takes what goes to ``**options`` of ``make``, as callables too.

    Raises:
        ConfigError: an option is not known, is missing, or has a value of a wrong type; the text lists those that
            there are. Also what ``make`` raises.
    """
    known: dict[str, Callable[..., Any]] = {}
    for owner in (make, *further):
        for name in _names(owner):
            known.setdefault(name, owner)
    for name, value in options.items():
        if name not in known:
            there = f"There are: {', '.join(sorted(known.keys() - _OURS))}" if known else "There are none"
            raise ConfigError(f"{what}: unknown option {name!r}.{did_you_mean(name, known)} {there}")
        _check(known[name], name, value, what)
    for name in _names(make):
        parameter = _parameters(make)[name]
        if parameter.default is parameter.empty and name not in options:
            raise ConfigError(f"{what}: the option {name!r} is needed, as {name}=...")
    return make(**options)


def _parameters(owner: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    if not _has_own(owner):
        return {}
    try:
        return dict(inspect.signature(owner).parameters)
    except ValueError:  # some of Python's own types do not say
        return {}


def _has_own(owner: Callable[..., Any]) -> bool:
    """Whether it has a signature of its own: that of ``object`` would take anything."""
    return not inspect.isclass(owner) or owner.__init__ is not object.__init__


def _names(owner: Callable[..., Any]) -> list[str]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [name for name, parameter in _parameters(owner).items() if parameter.kind in named]


def _check(owner: Callable[..., Any], name: str, value: Any, what: str) -> None:
    if not isinstance(value, _PLAIN):
        return
    try:
        adapter = TypeAdapter(_hint(owner, name), config=_CHECKED)
        adapter.validate_python(value, strict=not isinstance(value, list | dict))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]["msg"]
        raise ConfigError(f"{what}: {name}: {fault} (got {value!r:.120})") from None
    except (NameError, PydanticUserError):
        return  # a type that is only known where types are checked; its owner looks at the value


def _hint(owner: Callable[..., Any], name: str) -> Any:
    annotation = _parameters(owner)[name].annotation
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    home = inspect.unwrap(owner.__init__ if inspect.isclass(owner) else owner)
    names = getattr(home, "__globals__", None) or vars(sys.modules[owner.__module__])
    return eval(annotation, dict(names))  # the annotation of a parameter, not a value
