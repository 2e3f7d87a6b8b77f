"""An HTTP server with limits, in a thread of its own: Starlette's applications on uvicorn.

What a stranger can do to it is bounded: how many connections there are, how long one may take to say what it wants,
how much it may say, how many requests wait. What is refused gets a status and a reason in OpenAI's form.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mua_env.errors import ConfigError, MissingExtra, missing_extra

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

_DISCARDED = 16
"""A body beyond the limit is read and dropped up to so many times the limit, so that its sender gets to the answer."""


@dataclass(frozen=True)
class Limits:
    """What one server takes upon itself.

    Args:
        connections: open at once; further ones are answered with 503 and closed.
        requests: in work or waiting for it at once; further ones get 503.
        body_bytes: of a request; a longer one gets 413.
        head_s: seconds that a request's line and headers may take; then 408.
        body_s: seconds that its body may take; then 408.
        idle_s: seconds that a connection is kept between two requests.
        shutdown_s: seconds that requests in work are waited for when the server closes.
    """

    connections: int = 512
    requests: int = 256
    body_bytes: int = 4 * 2**20
    head_s: float = 10.0
    body_s: float = 30.0
    idle_s: float = 30.0
    shutdown_s: float = 10.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ConfigError(f"{name}: above 0, got {value!r}")


class Refused(Exception):
    """A request that gets an error: HTTP status, text, and OpenAI's code for it."""

    def __init__(self, status: int, text: str, code: str | None = None) -> None:
        super().__init__(text)
        self.status, self.code = status, code


class Gate:
    """`with gate:` around the work on a request, of which only so many are let in.

    Raises:
        Refused: with 503, there are too many.
    """

    def __init__(self, limit: int) -> None:
        self._limit, self._inside = limit, 0

    def __enter__(self) -> None:
        if self._inside >= self._limit:
            raise Refused(503, f"{self._inside} requests are in work or waiting; try again later")
        self._inside += 1

    def __exit__(self, *_: object) -> None:
        self._inside -= 1


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body of a request.

    Raises:
        Refused: it is too long, or takes too long.
    """
    import asyncio

    declared = request.headers.get("content-length", "")
    too_long = Refused(413, f"the request is longer than the limit of {limits.body_bytes} bytes")
    expecting = request.headers.get("expect", "").lower() == "100-continue"
    if expecting and declared.isdigit() and int(declared) > limits.body_bytes:
        raise too_long  # who asks first sends nothing more
    body, length = bytearray(), 0
    try:
        async with asyncio.timeout(limits.body_s):
            async for chunk in request.stream():
                length += len(chunk)
                if length <= limits.body_bytes:
                    body += chunk
                elif length > _DISCARDED * limits.body_bytes:
                    break
    except TimeoutError:
        raise Refused(408, f"the request did not come within {limits.body_s:g} s") from None
    if length > limits.body_bytes:
        raise too_long
    return bytes(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object that a body holds.

    Raises:
        Refused: it is none.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the request is no JSON") from None
    if not isinstance(value, dict):
        raise Refused(400, "the request is no JSON object")
    return value


def make_app(routes: Sequence[BaseRoute]) -> Starlette:
    """An application whose errors are all answered in OpenAI's form.

    Raises:
        MissingExtra: Starlette or uvicorn are not installed.
    """
    try:
        import uvicorn  # noqa: F401
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
    except ImportError as error:
        raise missing() from error

    def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return _error(error.status, str(error), error.code)

    def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _error(error.status_code, f"there is no {request.method} {request.url.path}", None, error.headers)

    def broken(request: Request, error: Exception) -> Response:
        return _error(500, f"the server failed: {type(error).__name__}", None)

    handlers: Any = {Refused: refused, HTTPException: unknown, Exception: broken}
    return Starlette(routes=list(routes), exception_handlers=handlers)


def _error(status: int, text: str, code: str | None, headers: Mapping[str, str] | None = None) -> Response:
    from starlette.responses import JSONResponse

    kind = "server_error" if status >= 500 else "invalid_request_error"
    # Else uvicorn would go on reading a body that nobody wants, however long it is.
    more = {503: {"Retry-After": "1"}, 408: {"Connection": "close"}, 413: {"Connection": "close"}}.get(status, {})
    return JSONResponse(
        {"error": {"message": text, "type": kind, "code": code}}, status, headers={**(headers or {}), **more}
    )


def missing() -> MissingExtra:
    """The error for a server without its libraries."""
    return missing_extra("serving", needed_by="an HTTP server")


class HttpServer:
    """Serves an application until it is closed.

    Args:
        app: see `make_app`.
        host: where it listens (default 127.0.0.1).
        port: 0 (default) takes a free one, see `address`.
        limits: see `Limits`.

    Raises:
        ConfigError: the port cannot be had.
        MissingExtra: uvicorn is not installed.
    """

    def __init__(self, app: Any, *, host: str = "127.0.0.1", port: int = 0, limits: Limits | None = None) -> None:
        try:
            import uvicorn

            from mua_env.core._http_protocol import limited_protocol
        except ImportError as error:
            raise missing() from error
        limits = limits or Limits()
        self._socket = _listen(host, port)
        shown = f"[{host}]" if ":" in host else host
        self._address = f"http://{shown}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            app,
            http=limited_protocol(limits),
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # strangers' mistakes are theirs to read about, in the answers
            access_log=False,
            server_header=False,
            timeout_keep_alive=max(1, round(limits.idle_s)),
            timeout_graceful_shutdown=max(1, round(limits.shutdown_s)),
            h11_max_incomplete_event_size=2**16,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="mua-env-http", daemon=True
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """``http://host:port``."""
        return self._address

    def wait(self) -> None:
        """Serve until an interrupt."""
        self._thread.join()

    def close(self) -> None:
        """Take no more connections, let what is in work end, and stop. May be called again."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"cannot listen on {host}:{port}: {reason}") from None
