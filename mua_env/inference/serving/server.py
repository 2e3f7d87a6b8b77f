"""An OpenAI-compatible chat server for one local model.

``GET /v1/models``, ``GET /health`` and ``POST /v1/chat/completions``: one choice, no tools, no streaming; what is not
offered is refused with status 400 and a text that says so. It has no authentication and listens on 127.0.0.1.
"""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mua_env.core.http_server import Gate, HttpServer, Limits, Refused, make_app, missing, parse_object, read_body
from mua_env.errors import ConfigError
from mua_env.inference.serving.decoding import Sampling
from mua_env.inference.serving.local_model import LocalModel, Reply, TooLong

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_LONGEST_NAME = 200
"""Characters of a model's name that are given back."""


class ChatServer:
    """Serves an engine until it is closed.

        with ChatServer(LocalModel("runs/user/model")) as server:
            LLMUser("user", base_url=server.base_url, strategy="brief")

    Args:
        model: the engine; it stays the caller's, who closes it.
        host: where it listens (default 127.0.0.1).
        port: 0 (default) takes a free one, see `base_url`.
        limits: on connections, requests and their time.

    Raises:
        ConfigError: the port cannot be had.
        MissingExtra: Starlette or uvicorn are not installed.
    """

    def __init__(
        self, model: LocalModel, *, host: str = "127.0.0.1", port: int = 0, limits: Limits | None = None
    ) -> None:
        self.model = model
        limits = limits or Limits()
        self._server = HttpServer(_Chats(model, limits).app(), host=host, port=port, limits=limits)

    @property
    def base_url(self) -> str:
        """What clients take as the address of the interface."""
        return f"{self._server.address}/v1"

    def wait(self) -> None:
        """Serve until an interrupt."""
        self._server.wait()

    def close(self) -> None:
        """Stop listening, when the requests in work have ended. May be called again."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Chats:
    def __init__(self, model: LocalModel, limits: Limits) -> None:
        self._model, self._limits, self._gate = model, limits, Gate(limits.requests)

    def app(self) -> Any:
        try:
            from starlette.routing import Route
        except ImportError as error:
            raise missing() from error
        return make_app(
            [
                Route("/v1/models", self.models),
                Route("/health", self.health),
                Route("/v1/chat/completions", self.chat, methods=["POST"]),
            ]
        )

    async def models(self, request: Request) -> Response:
        entry = {"id": self._model.name, "object": "model", "created": 0, "owned_by": "local"}
        return _json({"object": "list", "data": [entry]})

    async def health(self, request: Request) -> Response:
        return _json({"status": "ok"})

    async def chat(self, request: Request) -> Response:
        body = parse_object(await read_body(request, self._limits))
        messages, sampling = read_request(body)
        given = body.get("model")
        known = isinstance(given, str) and given and _can_be_written(given)
        name = str(given)[:_LONGEST_NAME] if known else self._model.name
        with self._gate:
            reply = await self._complete(request, messages, sampling)
        return _json(completion(reply, name))

    async def _complete(self, request: Request, messages: list[dict[str, Any]], sampling: Sampling) -> Reply:
        try:
            # Counting its tokens takes time too, and waits for others' to be counted.
            job = await asyncio.to_thread(self._model.submit, messages, sampling)
        except TooLong as error:
            raise Refused(400, str(error), "context_length_exceeded") from None
        except ConfigError as error:
            raise Refused(400, str(error)) from None
        reply, gone = asyncio.wrap_future(job), asyncio.ensure_future(_gone(request))
        try:
            either: set[asyncio.Future[Any]] = {reply, gone}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not reply.done():
                raise Refused(499, "the client has gone")
            return reply.result()
        except RuntimeError as error:
            raise Refused(500, f"the model failed: {error}") from error
        finally:
            gone.cancel()
            reply.cancel()  # nobody waits for it: it costs nothing if its turn has not come


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(value: dict[str, Any]) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(value)


def read_request(body: dict[str, Any]) -> tuple[list[dict[str, Any]], Sampling]:
    """The chat and the sampling that a request asks for.

    Raises:
        Refused: it is malformed, or asks for what this server does not offer.
    """
    for name in ("tools", "functions", "stream", "logprobs", "stop"):
        if body.get(name):
            raise Refused(400, f"this server does not offer {name!r}")
    if body.get("n", 1) != 1:
        raise Refused(400, f"this server gives one choice, n is {body['n']!r}")
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Refused(400, "'messages' is no list of messages")
    if not all(_can_be_written(message.get(part)) for message in messages for part in ("role", "content")):
        raise Refused(400, "a message holds half of a surrogate pair, which is no character")
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    wanted = {
        "temperature": body.get("temperature"),
        "top_p": body.get("top_p"),
        "max_tokens": limit,
        "seed": body.get("seed"),
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    for name, value in given.items():
        whole = name in ("max_tokens", "seed")
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise Refused(400, f"{name} is no number that can be: {value!r}")
    try:
        return messages, Sampling(**given)
    except ConfigError as error:
        raise Refused(400, str(error)) from None


def completion(reply: Reply, model: str) -> dict[str, Any]:
    """A reply in OpenAI's form."""
    used = reply.prompt_tokens + reply.completion_tokens
    return {
        "id": f"chatcmpl-{time.time_ns():x}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": reply.finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": used,
        },
    }


def _can_be_written(text: Any) -> bool:
    try:
        str(text).encode()
    except UnicodeEncodeError:
        return False
    return True
