"""The exceptions of this package.

MuaError
 +- ConfigError      an option or a combination of options that cannot be
 |   +- MissingExtra an optional dependency is not installed
 +- DomainError      a domain that is unknown, or breaks its contract
 +- DataError        a file or a record that cannot be read
 |   +- TaskError    a task that is unknown, malformed, or whose gold actions fail
 |   +- NewerVersion a file that a newer version has written
 +- WriteError       something could not be written, as on a full disk
 +- EpisodeError     a call out of order: a step before reset, a step after the end
 +- ToolError        a tool refuses; its text is what the agent reads
 +- UserFault        the user simulator failed; the episode ends truncated and is not scored
 +- RunStopped       a training run cannot go on; what it did is kept
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError


_LONGEST_NAME = 200


class MuaError(Exception):
    """Base of every exception that this package raises on purpose."""


class ConfigError(MuaError, ValueError):
    """An option has a value that cannot be, or two options exclude each other."""


class MissingExtra(ConfigError, ImportError):
    """An optional dependency is not installed; the message holds the command that installs it."""


class DomainError(MuaError, LookupError):
    """A domain is unknown, cannot be imported, or breaks the domain contract."""


class DataError(MuaError, ValueError):
    """A file or a record cannot be read; the message names it and says what is wrong with it."""


class TaskError(DataError):
    """A task is unknown or malformed, or its gold actions cannot be run."""


class NewerVersion(DataError):
    """A file holds what a newer version of this package has written."""


class WriteError(MuaError, OSError):
    """Something could not be written, as on a full disk; the message says what, where, and how to go on."""


class EpisodeError(MuaError, RuntimeError):
    """The episode was driven out of order, as by a step before ``reset`` or after the end."""


class ToolError(MuaError):
    """A tool refuses to act. The agent reads the text as ``Error: <text>`` and nothing is changed.

    Attributes:
        kind: which of a tool's refusals it is, where the same tool of a public benchmark has words of its own for it.
        values: what stands in those words, by name.
    """

    def __init__(self, text: str = "", /, *, kind: str = "", **values: Any) -> None:
        super().__init__(text)
        self.kind = kind
        self.values = values


class UserFault(MuaError):
    """The user simulator failed (time-out, unusable reply). Never the agent's failure, never a reward of 0."""


class RunStopped(MuaError, RuntimeError):
    """A run cannot go on. What it did until then is kept, and `resume` goes on when the cause is gone."""


def missing_extra(extra: str, *, needed_by: str | None = None) -> MissingExtra:
    """The error for a missing optional dependency.

    Args:
        extra: name of the extra, as ``"llm"`` or ``"train"``.
        needed_by: what asked for it, for the message.
    """
    from mua_env.installed import install_command

    subject = f"{needed_by} needs" if needed_by else "This needs"
    return MissingExtra(f"{subject} the optional dependencies of [{extra}]: {install_command(extra)}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``" Did you mean 'x'?"`` for the closest known name, else an empty string (also for a name that is none)."""
    close = difflib.get_close_matches(name, list(known), n=1) if len(name) <= _LONGEST_NAME else []
    return f" Did you mean {close[0]!r}?" if close else ""


def first_fault(error: ValidationError, *, of: str = "", whole: str = "value") -> str:
    """What Pydantic found wrong first, as ``"field.part: what is wrong"``.

    Args:
        error: what it raised.
        of: what the fields are part of, named before them.
        whole: stands for the fields where the fault is in none of them, and nothing is named before.
    """
    detail = error.errors(include_url=False)[0]
    where = ".".join(filter(None, [of, *map(str, detail["loc"])])) or whole
    return f"{where}: {detail['msg'].removeprefix('Value error, ')}"


def single(errors: ExceptionGroup[Exception], *kinds: type[Exception]) -> Exception:
    """The first error of a task group whose errors are all of some kinds; else its only one, or the group itself.

    ``except*`` would not do: before Python 3.11.4 it wraps what its block raises in a group again.
    """
    found, others = errors.split(kinds)
    if found is not None and others is not None:
        return errors
    if found is None and (len(errors.exceptions) > 1 or isinstance(errors.exceptions[0], ExceptionGroup)):
        return errors
    error: Exception = errors if found is None else found
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
