"""uvicorn's HTTP protocol with two limits that it lacks: on all connections, and on the time of a request's head."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from mua_env.core.http_server import Limits


def limited_protocol(limits: Limits) -> type[asyncio.Protocol]:
    """The protocol class of a server with some limits."""
    return type("LimitedProtocol", (_Limited,), {"limits": limits})


class _Limited(H11Protocol):
    limits: Limits
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(b"503 Service Unavailable", b"too many connections; try again later", b"Retry-After: 1\r\n")
            return
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        # A connection that is used again has its time anew, from the first byte of each head.
        if self._in_request:
            self._expect_nothing()
        elif self._late is None and not self.transport.is_closing() and self.timeout_keep_alive_task is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        super().connection_lost(exc)

    @property
    def _in_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_head(self) -> None:
        self._late = self.loop.call_later(self.limits.head_s, self._head_is_late)

    def _expect_nothing(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _head_is_late(self) -> None:
        self._late = None
        if not self._in_request:
            self._refuse(b"408 Request Timeout", b"the head of a request took too long")

    def _refuse(self, status: bytes, text: bytes, headers: bytes = b"") -> None:
        if not self.transport.is_closing():
            body = b'{"error": {"message": "%s", "type": "invalid_request_error", "code": null}}' % text
            head = b"HTTP/1.1 %s\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
            self.transport.write(head % (status, headers, len(body)) + body)
            self.transport.close()
