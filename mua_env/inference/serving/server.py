"""An OpenAI-compatible chat server for one local model, on the standard library.

``GET /v1/models``, ``GET /health`` and ``POST /v1/chat/completions``: one choice, no tools, no streaming; what is not
offered is refused with status 400 and a text that says so. It has no authentication and listens on 127.0.0.1.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from mua_env.errors import ConfigError
from mua_env.inference.serving.decoding import Sampling
from mua_env.inference.serving.local_model import LocalModel, Reply, TooLong

LONGEST_BODY = 4 * 2**20
"""Bytes of a request; more is refused with status 413."""
_CHATS = "/v1/chat/completions"


class Refused(Exception):
    """A request that gets an error: HTTP status, text, and OpenAI's code for it."""

    def __init__(self, status: int, text: str, code: str | None = None) -> None:
        super().__init__(text)
        self.status, self.code = status, code


class ChatServer:
    """Serves an engine until it is closed.

        with ChatServer(LocalModel("runs/user/model")) as server:
            LLMUser("user", base_url=server.base_url, strategy="brief")

    Args:
        model: the engine; it stays the caller's, who closes it.
        host: where it listens (default 127.0.0.1).
        port: 0 (default) takes a free one, see `base_url`.

    Raises:
        ConfigError: the port cannot be had.
    """

    def __init__(self, model: LocalModel, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.model = model
        handler = type("Handler", (_Handler,), {"model": model})
        try:
            self._server = _Server((host, port), handler)
        except OSError as error:
            raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}") from None
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """What clients take as the address of the interface."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/v1"

    def wait(self) -> None:
        """Serve until an interrupt."""
        self._thread.join()

    def close(self) -> None:
        """Stop listening. May be called again."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    model: LocalModel
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            entry = {"id": self.model.name, "object": "model", "created": 0, "owned_by": "local"}
            self._send(200, {"object": "list", "data": [entry]})
        elif self.path == "/health":
            self._send(200, {"status": "ok"})
        else:
            self._refuse(Refused(404, f"there is no {self.path}"))

    def do_POST(self) -> None:
        try:
            body = self._body()
            messages, sampling = read_request(body, path=self.path)
            reply = _complete(self.model, messages, sampling)
        except Refused as refused:
            self._refuse(refused)
        else:
            self._send(200, completion(reply, body.get("model") or self.model.name))

    def _body(self) -> dict[str, Any]:
        try:
            length = int(self.headers["Content-Length"])
        except (TypeError, ValueError):
            raise Refused(411, "a Content-Length is needed") from None
        if not 0 <= length <= LONGEST_BODY:
            self.close_connection = True
            raise Refused(413, f"the request has {length} bytes, the limit is {LONGEST_BODY}")
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            raise Refused(400, "the request is no JSON") from None
        if not isinstance(body, dict):
            raise Refused(400, "the request is no JSON object")
        return body

    def _refuse(self, refused: Refused) -> None:
        kind = "server_error" if refused.status >= 500 else "invalid_request_error"
        self._send(refused.status, {"error": {"message": str(refused), "type": kind, "code": refused.code}})

    def _send(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value, ensure_ascii=False).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):  # the client did not wait
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def read_request(body: dict[str, Any], *, path: str = _CHATS) -> tuple[list[dict[str, Any]], Sampling]:
    """The chat and the sampling that a request asks for.

    Raises:
        Refused: it is malformed, or asks for what this server does not offer.
    """
    if path != _CHATS:
        raise Refused(404, f"there is no {path}; chats go to {_CHATS}")
    for name in ("tools", "functions", "stream", "logprobs", "stop"):
        if body.get(name):
            raise Refused(400, f"this server does not offer {name!r}")
    if body.get("n", 1) != 1:
        raise Refused(400, f"this server gives one choice, n is {body['n']!r}")
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Refused(400, "'messages' is no list of messages")
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


def _complete(model: LocalModel, messages: list[dict[str, Any]], sampling: Sampling) -> Reply:
    try:
        return model.complete(messages, sampling)
    except TooLong as error:
        raise Refused(400, str(error), "context_length_exceeded") from None
    except ConfigError as error:
        raise Refused(400, str(error)) from None
    except RuntimeError as error:
        raise Refused(500, f"the model failed: {error}") from error


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
