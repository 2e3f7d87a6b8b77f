"""Record and replay."""

from __future__ import annotations

import subprocess
import sys

import pytest
from loopback import Loopback, Say

from mua_env.errors import ConfigError
from mua_env.llm import ChatRequest, Ledger, LLMClient, LLMError, ReplyCache

ASK = ChatRequest(messages=[{"role": "user", "content": "hello"}], seed=1, prompt_version="v")


def test_records_then_replays_without_a_server(settings_for, tmp_path):
    with Loopback([Say("once", prompt_tokens=7)]) as server:
        settings = settings_for(server)
        client = LLMClient(settings, cache=ReplyCache(tmp_path, "auto"))
        first = client.complete(ASK, client.wait_limit())
        assert client.complete(ASK, client.wait_limit()) == first
        assert len(server.requests) == 1
    ledger = Ledger()
    replay = LLMClient(settings, cache=ReplyCache(tmp_path, "replay"), ledger=ledger)
    assert replay.complete(ASK, replay.wait_limit()).model_dump_json() == first.model_dump_json()
    assert ledger.total.calls == 0


@pytest.mark.parametrize(
    "change",
    [{"seed": 2}, {"index": 1}, {"prompt_version": "w"}, {"messages": [{"role": "user", "content": "bye"}]}],
    ids=lambda change: next(iter(change)),
)
def test_everything_that_decides_a_reply_is_in_its_address(settings_for, tmp_path, change):
    with Loopback([Say("one")]) as server:
        settings = settings_for(server)
        client = LLMClient(settings, cache=ReplyCache(tmp_path))
        client.complete(ASK, client.wait_limit())
    replay = LLMClient(settings, cache=ReplyCache(tmp_path, "replay"))
    with pytest.raises(LLMError) as caught:
        replay.complete(ASK.model_copy(update=change), replay.wait_limit())
    assert caught.value.kind == "replay_miss"


def test_record_calls_again_and_overwrites(settings_for, tmp_path):
    with Loopback([Say("old"), Say("new")]) as server:
        client = LLMClient(settings_for(server), cache=ReplyCache(tmp_path, "record"))
        client.complete(ASK, client.wait_limit())
        assert client.complete(ASK, client.wait_limit()).text == "new"
        client.cache = ReplyCache(tmp_path, "replay")
        assert client.complete(ASK, client.wait_limit()).text == "new"


def test_refuses_an_empty_recording_and_an_unknown_mode(tmp_path):
    with pytest.raises(ConfigError, match="record one first"):
        ReplyCache(tmp_path / "none", "replay")
    with pytest.raises(ConfigError, match="'again'"):
        ReplyCache(tmp_path, "again")  # type: ignore[arg-type]


def test_many_processes_write_one_recording(tmp_path):
    code = (
        "import sys; from mua_env.llm import ReplyCache; c = ReplyCache(sys.argv[1], 'record')\n"
        "for i in range(50): c.put({'messages': [], 'n': i + 50 * int(sys.argv[2])}, str(i))"
    )
    workers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(n)]) for n in range(4)]
    assert [worker.wait(60) for worker in workers] == [0] * 4
    cache = ReplyCache(tmp_path, "replay")
    assert len(cache) == 200
    assert cache.get({"messages": [], "n": 120}) == "20"
