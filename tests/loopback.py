"""A real OpenAI-compatible server on 127.0.0.1 whose answers and faults are scripted.

Each request takes the next step of the script; when the script is used up, `default` answers.
A step may also be a function of the request's body.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Say:
    """A well-formed completion, unless told otherwise."""

    text: str | None = "ok"
    tool_calls: list[dict[str, Any]] | None = None
    finish_reason: str = "stop"
    role: str = "assistant"
    delay_s: float = 0.0
    prompt_tokens: int = 10
    completion_tokens: int = 5


@dataclass(frozen=True)
class Status:
    """An HTTP error with an OpenAI-style body, or with `body` as it is (JSON, or text)."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "scripted fault"
    body: Any = None


@dataclass(frozen=True)
class Hang:
    """Accepts the request and never answers (until the server closes)."""


@dataclass(frozen=True)
class Drip:
    """Sends headers, then one byte each `every_s`, never finishing: defeats a read timeout."""

    every_s: float = 0.05


@dataclass(frozen=True)
class Cut:
    """Announces a long body, sends a piece of it, and closes the connection."""


@dataclass(frozen=True)
class Raw:
    """Status 200 with a body of any bytes, packed as `encoding` says."""

    body: bytes
    content_type: str = "application/json"
    encoding: str | None = None


Step = Say | Status | Hang | Drip | Cut | Raw
Scripted = Step | Callable[[dict[str, Any]], Step]


def tool_call(name: str, arguments: str, call_id: str = "call_1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Loopback:
    """`with Loopback([Say("hi"), Status(500)]) as server:` then talk to `server.base_url`."""

    def __init__(
        self,
        script: Iterable[Scripted] = (),
        *,
        default: Scripted | None = None,
        models: Iterable[dict[str, Any]] = (),
    ) -> None:
        self.script = list(script)
        self.models = list(models)
        self.default: Scripted = Say() if default is None else default
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.peak = 0
        self._active = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()
        handler = type("Handler", (_Handler,), {"loopback": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def begin(self, body: dict[str, Any]) -> Step:
        with self._lock:
            self._active += 1
            self.peak = max(self.peak, self._active)
            self.requests.append(body)
            self.times.append(time.monotonic())
            scripted = self.script.pop(0) if self.script else self.default
        return scripted(body) if callable(scripted) else scripted

    def end(self) -> None:
        with self._lock:
            self._active -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    loopback: Loopback
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        step = self.loopback.begin(body)
        try:
            self._answer(step, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.loopback.end()

    def do_GET(self) -> None:
        self._send(200, json.dumps({"object": "list", "data": self.loopback.models}).encode())

    def _answer(self, step: Step, body: dict[str, Any]) -> None:
        if isinstance(step, Say):
            self.loopback.closing.wait(step.delay_s)
            self._send(200, json.dumps(_completion(step, body)).encode())
        elif isinstance(step, Status):
            error = step.body or {"error": {"message": step.message, "type": "scripted", "code": str(step.code)}}
            text = error if isinstance(error, str) else json.dumps(error)
            self._send(step.code, text.encode(), headers=step.headers)
        elif isinstance(step, Raw):
            packed = {"Content-Encoding": step.encoding} if step.encoding else {}
            self._send(200, step.body, content_type=step.content_type, headers=packed)
        elif isinstance(step, Cut):
            self._head(200, 10_000)
            self.wfile.write(b'{"id": "x", "choices": [{"mess')
            self.close_connection = True
        elif isinstance(step, Drip):
            self._head(200, 1_000_000)
            while not self.loopback.closing.wait(step.every_s):
                self.wfile.write(b" ")
                self.wfile.flush()
            self.close_connection = True
        else:
            self.loopback.closing.wait()
            self.close_connection = True

    def _head(
        self,
        code: int,
        length: int,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()

    def _send(
        self,
        code: int,
        body: bytes,
        *,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        self._head(code, len(body), content_type, headers)
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are kept in `Loopback.requests`; nothing is printed."""


def _completion(step: Say, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": step.role, "content": step.text}
    if step.tool_calls is not None:
        message["tool_calls"] = step.tool_calls
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "loopback"),
        "choices": [{"index": 0, "message": message, "finish_reason": step.finish_reason}],
        "usage": {
            "prompt_tokens": step.prompt_tokens,
            "completion_tokens": step.completion_tokens,
            "total_tokens": step.prompt_tokens + step.completion_tokens,
        },
    }
