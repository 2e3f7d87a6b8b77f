"""The engine and its OpenAI-compatible server."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mua_env.core.tasks import Task
from mua_env.errors import ConfigError
from mua_env.llm.client import import_litellm
from mua_env.users.llm.user import LLMUser
from mua_env.users.local.user import LocalUser

if TYPE_CHECKING:
    from mua_env.inference.serving.local_model import LocalModel
    from mua_env.inference.serving.server import ChatServer

CHAT = [{"role": "system", "content": "You are Ana Silva."}, {"role": "user", "content": "What is your name?"}]


@pytest.fixture(scope="module")
def server(engine: LocalModel) -> Iterator[ChatServer]:
    from mua_env.inference.serving.server import ChatServer

    with ChatServer(engine) as running:
        yield running


def ask(server: ChatServer, path: str = "/chat/completions", **body: Any) -> tuple[int, dict[str, Any]]:
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(server.base_url + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_batches_give_what_single_chats_give(engine: LocalModel, folder: Path) -> None:
    from mua_env.inference.serving.decoding import Sampling
    from mua_env.inference.serving.local_model import LocalModel

    chats = [[{"role": "user", "content": text}] for text in ("Which order?", "Hi!", "Confirm (yes/no)?", "Zip?")]
    samplings = [Sampling(t, max_tokens=12, seed=i) for i, t in enumerate((0.0, 0.8, 1.2, 0.0))]
    alone = [engine.complete(chat, sampling) for chat, sampling in zip(chats, samplings, strict=True)]
    batched = LocalModel(folder, batch=4)
    blocker = batched.submit(chats[0], Sampling(max_tokens=60))  # the four wait behind it, and so go together
    waiting = [batched.submit(chat, sampling) for chat, sampling in zip(chats, samplings, strict=True)]
    together = [future.result() for future in waiting]
    blocker.result()
    batched.close()
    assert together == alone


def test_a_dialogue_that_goes_on_is_not_read_again_and_says_the_same(engine: LocalModel, folder: Path) -> None:
    from mua_env.inference.serving.decoding import Sampling
    from mua_env.inference.serving.local_model import LocalModel

    forgetful = LocalModel(folder, remembered=0)
    chat, sampling = list(CHAT), Sampling(1.0, max_tokens=16, seed=2)
    said = []
    for turn in range(4):
        replies = [model.complete(chat, sampling) for model in (engine, forgetful)]
        assert replies[0] == replies[1]
        said.append(replies[0].text)
        chat += [{"role": "assistant", "content": f"It is Ana {turn}."}, {"role": "user", "content": f"And {turn}?"}]
    read = [model.work.read for model in (forgetful, engine)]
    forgetful.complete(chat, sampling), engine.complete(chat, sampling)
    cold, warm = (model.work.read - before for model, before in zip((forgetful, engine), read, strict=True))
    forgetful.close()
    assert warm < cold / 2


def test_the_memory_forgets_the_oldest() -> None:
    from mua_env.inference.serving.dialogue_states import Memory

    memory = Memory(2)
    for name in (1, 2, 3):
        memory.keep([[name]], [])
    assert memory.find([[1], [9]]) == (0, None)
    assert memory.find([[2], [9]]) == (1, [])
    memory.keep([[2], [9]], [])
    assert memory.find([[2]]) == (0, None)
    assert memory.find([[3]]) == (1, [])
    with pytest.raises(ConfigError, match="remembered"):
        Memory(-1)


def test_a_small_top_p_is_greedy(engine: LocalModel) -> None:
    from mua_env.inference.serving.decoding import Sampling

    greedy = engine.complete(CHAT, Sampling(max_tokens=12)).text
    assert engine.complete(CHAT, Sampling(1.5, 1e-6, 12, seed=5)).text == greedy
    assert {engine.complete(CHAT, Sampling(1.5, 1.0, 12, seed=s)).text for s in range(5)} != {greedy}


def test_a_cancelled_request_is_never_run(engine: LocalModel) -> None:
    from mua_env.inference.serving.decoding import Sampling

    running = engine.submit(CHAT, Sampling(1.0, max_tokens=40))
    dropped = engine.submit(CHAT)
    assert dropped.cancel()
    assert engine.submit(CHAT).result().text == engine.complete(CHAT).text
    assert running.result().completion_tokens <= 40


def test_a_closed_engine_says_so(folder: Path) -> None:
    from mua_env.inference.serving.local_model import LocalModel

    with pytest.raises(ConfigError, match="batch: at least 1, got 0"):
        LocalModel(folder, batch=0)
    model = LocalModel(folder)
    waiting = model.submit(CHAT)
    model.close()
    model.close()
    assert waiting.result().text
    with pytest.raises(ConfigError, match="closed"):
        model.submit(CHAT)


def test_the_server_answers_as_the_engine_does(server: ChatServer, engine: LocalModel) -> None:
    from mua_env.inference.serving.decoding import Sampling

    status, answer = ask(server, messages=CHAT, temperature=1.0, seed=3, max_tokens=9, model="anything")
    reply = engine.complete(CHAT, Sampling(1.0, seed=3, max_tokens=9))
    assert status == 200
    assert answer["object"] == "chat.completion"
    assert answer["model"] == "anything"
    assert answer["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": reply.finish_reason}
    ]
    assert answer["usage"]["total_tokens"] == reply.prompt_tokens + reply.completion_tokens
    assert ask(server, "/models")[1]["data"][0]["id"] == engine.name


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"messages": "hi"}, 400, "no list of messages"),
        ({"messages": []}, 400, "at least one message"),
        ({"messages": [{"role": "user"}]}, 400, "a role and a text"),
        ({"messages": CHAT, "temperature": -1}, 400, "temperature: from 0 to 10"),
        ({"messages": CHAT, "max_tokens": "many"}, 400, "max_tokens"),
        ({"messages": CHAT, "n": 2}, 400, "one choice"),
        ({"messages": CHAT, "stream": True}, 400, "'stream'"),
        ({"messages": CHAT, "tools": [{"type": "function"}]}, 400, "'tools'"),
        ({"messages": [{"role": "user", "content": "word " * 2000}]}, 400, "1024 positions"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(
    server: ChatServer, body: dict[str, Any], status: int, text: str
) -> None:
    code, answer = ask(server, **body)
    assert code == status
    assert text in answer["error"]["message"]


def test_unknown_paths_and_broken_bodies(server: ChatServer) -> None:
    assert ask(server, "/nothing")[0] == 404
    assert ask(server, "/nothing", messages=CHAT)[0] == 404
    request = urllib.request.Request(server.base_url + "/chat/completions", b"no json")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=10)
    assert error.value.code == 400


def test_a_port_that_is_taken_is_one_clear_error(server: ChatServer, engine: LocalModel) -> None:
    from mua_env.inference.serving.server import ChatServer

    port = int(server.base_url.rpartition(":")[2].partition("/")[0])
    with pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1:{port}"):
        ChatServer(engine, port=port)


def test_the_served_user_says_what_the_local_one_says(server: ChatServer, engine: LocalModel, task: Task) -> None:
    served = LLMUser("user", base_url=server.base_url, strategy="brief", guards=False, max_tokens=128)
    local = LocalUser(engine, guards=False)
    one, other = served.start(task, seed=0), local.start(task, seed=0)
    for heard in (None, "What is your email, or your name and zip code?", "Anything else?"):
        a, b = one.reply(heard), other.reply(heard)
        assert (a.text, a.stop, a.fault) == (b.text, b.stop, b.fault)
        assert a.usage["completion_tokens"] == b.usage["completion_tokens"] > 0


def test_a_busy_server_does_not_outlast_the_deadline(server: ChatServer, engine: LocalModel, task: Task) -> None:
    from mua_env.inference.serving.decoding import Sampling

    import_litellm()
    user = LLMUser("user", base_url=server.base_url, strategy="brief", timeout_s=0.4, deadline_s=0.8)
    blockers = [engine.submit(CHAT, Sampling(5.0, max_tokens=900, seed=s)) for s in range(8)]
    reply = user.start(task, seed=0).reply(None)
    waiting = [blocker for blocker in blockers if not blocker.done()]
    for blocker in blockers:
        blocker.cancel()
    assert str(reply.fault).startswith("timeout:")
    assert waiting, "the user gave up before its turn came"


def test_a_recording_of_the_server_replays_without_it(engine: LocalModel, task: Task, tmp_path: Path) -> None:
    from mua_env.inference.serving.server import ChatServer

    def dialogue(base_url: str, mode: str) -> list[str]:
        user = LLMUser("user", base_url=base_url, strategy="brief", cache=tmp_path, cache_mode=mode)
        one = user.start(task, seed=1)
        return [one.reply(text).model_dump_json() for text in (None, "Which order?")]

    with ChatServer(engine) as running:
        recorded = dialogue(running.base_url, "record")
    assert dialogue("http://127.0.0.1:9/v1", "replay") == recorded


def test_the_command_serves_and_says_where(folder: Path) -> None:
    command = [sys.executable, "-m", "mua_env.inference.serving", str(folder), "--port", "0", "--threads", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = line.split(" at ")[1].strip()
        with urllib.request.urlopen(address + "/models", timeout=30) as response:
            assert json.load(response)["data"][0]["id"] == "model"
    finally:
        process.terminate()
        process.wait(30)
    failed = subprocess.run([*command[:3], "/no/such/folder"], capture_output=True, text=True, timeout=120, check=False)
    assert failed.returncode == 2
    assert "cannot load a model from '/no/such/folder'" in failed.stderr
