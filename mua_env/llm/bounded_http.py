"""A bound on what an endpoint's answer may unpack to: 200 KB of gzip can hold 200 MB.

HTTP clients unpack a body as it comes, all of it. LiteLLM makes its transports in one place; each that it makes gets
a stream that unpacks by itself and stops at ``LONGEST_RESPONSE`` bytes. Here too an answer to a request of ours is
seen before LiteLLM reads it (:mod:`mua_env.llm.answers`).
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from mua_env.core.limits import LONGEST_RESPONSE
from mua_env.llm.answers import heard, repaired

if TYPE_CHECKING:
    import httpx

_MAKERS = ("create_async_transport", "_create_async_transport")
_MARK = "__mua_bounded__"
_PACKED = {"gzip": 47, "x-gzip": 47, "deflate": 47}
"""By encoding: zlib's window, with detection of the header."""


def bound_responses() -> None:
    """Have every transport that LiteLLM makes from now on bounded. May be called again."""
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    for name in _MAKERS:
        make = getattr(AsyncHTTPHandler, name, None)
        if make is None or hasattr(make, _MARK):
            continue

        def bounded(*args: Any, _make: Any = make, **options: Any) -> Any:
            return bound(_make(*args, **options))

        setattr(bounded, _MARK, True)
        setattr(AsyncHTTPHandler, name, staticmethod(bounded))


def bound(transport: Any, limit: int = LONGEST_RESPONSE) -> Any:
    """A transport of httpx whose answers are at most ``limit`` bytes, unpacked; ``None`` is left alone."""
    if transport is None or hasattr(transport, _MARK):
        return transport
    send = transport.handle_async_request

    async def handle(request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "gzip, deflate"
        return await _seen(request, _bounded(await send(request), limit))

    transport.handle_async_request = handle
    setattr(transport, _MARK, True)
    return transport


def _bounded(response: httpx.Response, limit: int) -> httpx.Response:
    import httpx

    headers = response.headers.copy()
    encoding = headers.pop("Content-Encoding", "identity").strip().lower()
    if encoding in _PACKED:
        headers.pop("Content-Length", None)
    return httpx.Response(
        response.status_code,
        headers=headers,
        stream=_stream(response.stream, encoding, limit),
        extensions=response.extensions,
    )


async def _seen(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """The response; a completion for a request of ours as LiteLLM can read it."""
    import httpx

    answer = heard.get()
    if answer is None:
        return response
    if response.status_code != 200:
        return response
    content = await response.aread()
    answer.taken = True
    body = repaired(request.url.path, content, answer)
    await response.aclose()
    headers = response.headers.copy()
    for name in ("Content-Length", "Transfer-Encoding"):
        headers.pop(name, None)
    return httpx.Response(200, headers=headers, content=body, extensions=response.extensions)


def _stream(stream: Any, encoding: str, limit: int) -> httpx.AsyncByteStream:
    import httpx

    class Bounded(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            if encoding not in (*_PACKED, "identity", ""):
                raise httpx.DecodingError(f"the answer is packed as {encoding!r}, which was not asked for")
            unpack = zlib.decompressobj(_PACKED[encoding]) if encoding in _PACKED else None
            left = limit
            async for chunk in stream:
                try:
                    data = chunk if unpack is None else unpack.decompress(chunk, left + 1)
                except zlib.error as error:
                    raise httpx.DecodingError(f"the answer cannot be unpacked: {error}") from None
                left -= len(data)
                if left < 0:
                    raise httpx.DecodingError(f"the answer is longer than {limit} bytes")
                yield data

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()
