"""The HTTP server against clients that are slow, greedy, confused, or gone: real connections on 127.0.0.1."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs the [serving] extra")

from starlette.responses import JSONResponse
from starlette.routing import Route

from mua_env.core.http_server import Gate, HttpServer, Limits, Refused, make_app, parse_object, read_body
from mua_env.errors import ConfigError

PATIENCE = 30.0
"""Seconds after which a test gives up; what it waits for comes within one or two."""
HONEST = {"text": "hello"}


class Echo:
    """Gives back what it is sent, after `delay` seconds."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.gate, self.delay, self.ended = limits, Gate(limits.requests), 0.0, 0

    async def echo(self, request: Any) -> Any:
        body = parse_object(await read_body(request, self.limits))
        with self.gate:
            if body.get("fail"):
                raise RuntimeError("a secret detail")
            await asyncio.sleep(self.delay)
            self.ended += 1
        return JSONResponse(body)


@contextmanager
def serving(**limits: Any) -> Iterator[tuple[HttpServer, Echo]]:
    echo = Echo(Limits(**limits))
    with HttpServer(make_app([Route("/echo", echo.echo, methods=["POST"])]), limits=echo.limits) as server:
        yield server, echo


def connect(server: HttpServer) -> socket.socket:
    host, _, port = server.address.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE)


def client(server: HttpServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=PATIENCE)


def post(connection: http.client.HTTPConnection, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    connection.request("POST", "/echo", body, headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def honest(server: HttpServer) -> None:
    connection = client(server)
    assert post(connection, json.dumps(HONEST).encode()) == (200, HONEST)
    connection.close()


def soon_honest(server: HttpServer) -> None:
    """An honest request is answered when the server has noticed that the others are gone."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            return honest(server)
        except (AssertionError, OSError):
            time.sleep(0.1)
    return honest(server)


def everything(connection: socket.socket) -> bytes:
    """What comes until the server closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


HEAD = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def test_three_hundred_slow_connections_hold_nobody_up_and_are_cut() -> None:
    with serving(head_s=1.5, body_s=1.5) as (server, _):
        slow = [connect(server) for _ in range(300)]
        for number, each in enumerate(slow):
            each.sendall([b"", b"POST /ec", HEAD, HEAD + b"Content-Length: 100\r\n\r\n{"][number % 4])
        honest(server)
        said = [everything(each) for each in slow]
        assert all(answer.startswith(b"HTTP/1.1 408 ") for answer in said)
        honest(server)
        for each in slow:
            each.close()


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_request_that_drips_in_is_cut_like_one_that_stands_still(part: str) -> None:
    with serving(head_s=1.0, body_s=1.0) as (server, _), connect(server) as slow:
        if part == "body":
            slow.sendall(HEAD + b"Content-Length: 10000\r\n\r\n")
        deadline = time.monotonic() + PATIENCE
        slow.settimeout(0.1)
        said = b""
        while not said and time.monotonic() < deadline:
            slow.sendall(b"x")
            try:
                said = slow.recv(100)
            except TimeoutError:
                continue
        assert said.startswith(b"HTTP/1.1 408 ")
        honest(server)


def test_a_second_head_on_a_connection_has_its_time_too() -> None:
    with serving(head_s=1.0) as (server, _), connect(server) as slow:
        body = json.dumps(HONEST).encode()
        slow.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert slow.recv(65536).startswith(b"HTTP/1.1 200 ")
        slow.sendall(b"POST /ec")
        assert b"HTTP/1.1 408 " in everything(slow)


def test_an_idle_connection_is_closed() -> None:
    with serving(idle_s=1) as (server, _), connect(server) as idle:
        body = json.dumps(HONEST).encode()
        idle.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert everything(idle).startswith(b"HTTP/1.1 200 ")


def test_connections_beyond_the_cap_are_told_so() -> None:
    with serving(connections=20) as (server, _):
        first = [connect(server) for _ in range(20)]
        beyond = [connect(server) for _ in range(10)]
        for each in beyond:
            said = everything(each)
            assert said.startswith(b"HTTP/1.1 503 ")
            assert b"Retry-After: 1" in said
        for each in first:
            each.close()
        soon_honest(server)


def test_requests_beyond_the_cap_get_503_and_those_in_work_their_answer() -> None:
    with serving(requests=3) as (server, echo):
        echo.delay = 1.0
        found: list[int] = []
        body = json.dumps(HONEST).encode()
        threads = [threading.Thread(target=lambda: found.append(post(client(server), body)[0])) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert sorted(found) == [200] * 3 + [503] * 7
        echo.delay = 0.0
        honest(server)


@pytest.mark.parametrize("times", [1, 3, 12, 40])
@pytest.mark.parametrize("how", ["declared", "chunked", "asks first"])
def test_a_long_body_is_answered_with_413(times: int, how: str) -> None:
    limit = 200_000
    with serving(body_bytes=limit) as (server, _):
        body = b" " * (limit * times + 1)
        if how == "asks first":
            with connect(server) as asking:
                asking.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
                assert asking.recv(65536).startswith(b"HTTP/1.1 413 ")
        elif times <= 12:  # beyond that the server stops listening to it, and its sender may see that first
            connection = client(server)
            chunks = iter([body[i : i + 50_000] for i in range(0, len(body), 50_000)])
            connection.request("POST", "/echo", body if how == "declared" else chunks, encode_chunked=how == "chunked")
            response = connection.getresponse()
            assert response.status == 413
            assert f"the limit of {limit} bytes" in json.loads(response.read())["error"]["message"]
        else:
            with connect(server) as greedy:
                greedy.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
                said = b"HTTP/1.1 413 "
                with suppress(ConnectionError):
                    greedy.sendall(body)
                    said = everything(greedy)
            assert said.startswith(b"HTTP/1.1 413 ")
        honest(server)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b'{"a": ',
        b"[" * 1000,
        b"[" * 150_000,
        b'{"a":' * 1000,
        b"[1, 2]",
        b"17",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"\0" * 10,
        b"9" * 10_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda body: f"{body[:8]!r}...{len(body)}",
)
def test_what_is_no_json_object_gets_400_and_the_connection_goes_on(body: bytes) -> None:
    with serving() as (server, _):
        connection = client(server)
        status, answer = post(connection, body)
        assert status == 400
        assert answer["error"]["type"] == "invalid_request_error"
        assert post(connection, json.dumps(HONEST).encode()) == (200, HONEST)
        connection.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        HEAD + b"Content-Length: -5\r\n\r\n",
        HEAD + b"Content-Length: many\r\n\r\n",
        HEAD + b"A: " + b"x" * 200_000 + b"\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nnot a length\r\n",
        b"GET /echo HTTP/1.1\r\n\r\n",
    ],
    ids=lambda sent: f"{sent[-20:]!r}",
)
def test_what_is_no_http_gets_400_and_harms_nobody(sent: bytes) -> None:
    with serving(head_s=2.0, body_s=2.0) as (server, _):
        with connect(server) as confused:
            confused.sendall(sent)
            assert confused.recv(65536)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 408")
        honest(server)


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("GET", "/echo", 405)])
def test_unknown_paths_and_methods_are_told(method: str, path: str, status: int) -> None:
    with serving() as (server, _):
        connection = client(server)
        connection.request(method, path)
        response = connection.getresponse()
        assert response.status == status
        assert json.loads(response.read())["error"]["message"] == f"there is no {method} {path}"


@pytest.mark.parametrize("when", ["before the head ends", "before the body ends", "before the answer"])
def test_clients_that_vanish_leave_nothing(when: str) -> None:
    with serving(requests=8) as (server, echo):
        echo.delay = 0.05
        body = json.dumps(HONEST).encode()
        whole = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
        ends = {"before the head ends": 20, "before the body ends": len(whole) - 3, "before the answer": len(whole)}
        for number in range(100):
            gone = connect(server)
            gone.sendall(whole[: ends[when]])
            if number % 2:  # with a reset rather than a farewell
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            gone.close()
        soon_honest(server)
        assert echo.gate._inside == 0


def test_a_handler_that_fails_gets_500_without_its_details(capfd: pytest.CaptureFixture[str]) -> None:
    with serving() as (server, echo):
        status, answer = post(client(server), b'{"fail": true}')
        assert status == 500
        assert "secret" not in json.dumps(answer)
        assert echo.gate._inside == 0
        honest(server)
    assert capfd.readouterr().err == ""


def test_closing_answers_what_is_in_work_and_cuts_what_is_not() -> None:
    echo = Echo(Limits(shutdown_s=5))
    server = HttpServer(make_app([Route("/echo", echo.echo, methods=["POST"])]), limits=echo.limits)
    echo.delay = 1.0
    slow = [connect(server) for _ in range(50)]
    for each in slow:
        each.sendall(b"POST /ec")
    found: list[tuple[int, dict[str, Any]]] = []
    worker = threading.Thread(target=lambda: found.append(post(client(server), json.dumps(HONEST).encode())))
    worker.start()
    deadline = time.monotonic() + PATIENCE
    while not echo.gate._inside and time.monotonic() < deadline:
        time.sleep(0.01)
    server.close()
    server.close()
    worker.join(PATIENCE)
    assert found == [(200, HONEST)]
    with pytest.raises(OSError):  # noqa: PT011 (refused, on every system in its own words)
        connect(server)
    for each in slow:
        each.close()


def test_a_port_that_cannot_be_had_is_a_clear_error() -> None:
    with serving() as (server, _):
        port = int(server.address.rpartition(":")[2])
        with pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1:{port}"):
            HttpServer(make_app([]), port=port)
    for host, port in (("256.0.0.1", 0), ("127.0.0.1", 99_999)):
        with pytest.raises(ConfigError, match="cannot listen on"):
            HttpServer(make_app([]), host=host, port=port)


@pytest.mark.parametrize("field", ["connections", "requests", "body_bytes", "head_s", "body_s", "idle_s", "shutdown_s"])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_limits_that_cannot_be_are_refused(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"{field}: above 0"):
        Limits(**{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("library", ["uvicorn", "starlette"])
def test_a_missing_library_is_named_with_its_extra(library: str) -> None:
    program = (
        f"import sys; sys.modules['{library}'] = None\n"
        "from mua_env.core.http_server import HttpServer, make_app\n"
        "try: HttpServer(make_app([]))\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "[serving]" in done.stdout


def test_a_refusal_keeps_its_code() -> None:
    assert (Refused(400, "x", "y").status, Refused(400, "x", "y").code) == (400, "y")
