"""The command line `mua-env`: options, and what is printed. It leans on everything, and nothing leans on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0 done, 1 a check found something, 2 wrong input, 130 interrupted.

    Wrong input, and a file or disk that cannot be written, is answered by one line on standard error.
    """
    from mua_env.cli.app import command
    from mua_env.errors import MuaError

    try:
        status = command().main(args=arguments, prog_name="mua-env", standalone_mode=False)
    except MuaError as error:
        return _refuse(str(error), 2)
    except BrokenPipeError:
        # The reader has what it wanted (as `| head`); closing the pipe once more must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        named = [str(error.filename)] if error.filename else []
        return _refuse(": ".join([*named, error.strerror or str(error)]), 2)
    except KeyboardInterrupt:
        return _refuse("interrupted", 130)
    except Exception as error:
        # typer >= 0.16 brings its own copy of click, so its exceptions are told by what they can do.
        if type(error).__name__ == "Abort":
            return _refuse("interrupted", 130)
        if not hasattr(error, "format_message"):
            raise
        return _refuse(_usage(error), 2)
    return status if isinstance(status, int) else 0


def _usage(error: Exception) -> str:
    text: str = error.format_message()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    return text if context is None else f"{text.rstrip('.')} (see {context.command_path} --help)"


def _refuse(text: str, status: int) -> int:
    print("mua-env: " + " ".join(text.split()), file=sys.stderr)
    return status
