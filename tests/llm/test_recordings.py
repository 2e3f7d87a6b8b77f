"""What lies in a folder of recordings is read as text, whoever put it there."""

from __future__ import annotations

import pickle
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from mua_env.errors import DataError
from mua_env.llm import ChatRequest, LLMClient, LLMError, LLMSettings, ReplyCache
from mua_env.llm.cache import address
from mua_env.llm.recordings import NAME, OLD_NAME

CONTENT = {"model": "m", "messages": [], "n": 1}
_OLD_TABLE = (
    "CREATE TABLE Cache (rowid INTEGER PRIMARY KEY, key BLOB, raw INTEGER, store_time REAL, expire_time REAL, "
    "access_time REAL, access_count INTEGER DEFAULT 0, tag BLOB, size INTEGER DEFAULT 0, mode INTEGER DEFAULT 0, "
    "filename TEXT, value BLOB)"
)


class Payload:
    """Whoever unpickles this makes a file."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._mark,)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "ran"


def old_recording(folder: Path, **row: Any) -> None:
    """A row as diskcache 5.6 lays it down, with some columns as an attacker likes them."""
    folder.mkdir(exist_ok=True)
    values = {"key": address(CONTENT), "raw": 1, "mode": 1, "filename": None, "value": "hello"} | row
    with sqlite3.connect(folder / OLD_NAME) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute(_OLD_TABLE)
        connection.execute(
            f"INSERT INTO Cache ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values())
        )
    connection.close()


@pytest.mark.parametrize("mode", ["replay", "auto", "record"])
@pytest.mark.parametrize("doctored", ["value", "value in a file", "key"])
def test_a_pickled_row_is_refused_and_never_run(tmp_path, mark, mode, doctored):
    pickled = pickle.dumps(Payload(mark))
    folder = tmp_path / "recorded"
    folder.mkdir()
    (folder / "a.val").write_bytes(pickled)
    old_recording(
        folder,
        **{
            "value": {"mode": 4, "value": pickled},
            "value in a file": {"mode": 4, "value": None, "filename": "a.val"},
            "key": {"raw": 0, "key": pickled},
        }[doctored],
    )
    with pytest.raises(DataError, match=r"pickled.*record anew"):
        ReplyCache(folder, mode).get(CONTENT)
    assert not mark.exists()


def test_plain_rows_of_an_old_recording_still_replay(tmp_path):
    folder = tmp_path / "recorded"
    old_recording(folder)
    cache = ReplyCache(folder, "replay")
    assert cache.get(CONTENT) == "hello"
    assert len(cache) == 1
    with pytest.raises(LLMError):
        cache.get({**CONTENT, "n": 2})
    ReplyCache(folder, "record").put(CONTENT, "anew")
    assert cache.get(CONTENT) == "anew"
    assert len(cache) == 1


def test_a_long_text_of_an_old_recording_is_read_from_its_file(tmp_path):
    folder = tmp_path / "recorded"
    old_recording(folder, mode=3, value=None, filename="ab/cd/long.val")
    (folder / "ab" / "cd").mkdir(parents=True)
    (folder / "ab" / "cd" / "long.val").write_text("é" * 40_000, encoding="utf-8")
    assert ReplyCache(folder, "replay").get(CONTENT) == "é" * 40_000


@pytest.mark.parametrize("name", ["../secret.val", "/etc/hostname", "link.val", "gone.val", "sub/../../secret.val"])
def test_a_row_reads_no_file_outside_its_folder(tmp_path, name):
    folder = tmp_path / "recorded"
    old_recording(folder, mode=3, value=None, filename=name)
    (tmp_path / "secret.val").write_text("secret")
    (folder / "link.val").symlink_to(tmp_path / "secret.val")
    with pytest.raises(DataError, match="Record anew"):
        ReplyCache(folder, "replay").get(CONTENT)


@pytest.mark.parametrize("value", [b"\x80\x05.", 7, 1.5, None])
def test_a_value_that_is_no_text_is_an_error(tmp_path, value):
    old_recording(tmp_path, value=value)
    with pytest.raises(DataError, match="no text under"):
        ReplyCache(tmp_path, "replay").get(CONTENT)


def test_bytes_in_the_place_of_a_reply_are_an_error(tmp_path):
    cache = ReplyCache(tmp_path)
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("INSERT INTO replies VALUES (?, ?)", (address(CONTENT), pickle.dumps("hello")))
    connection.close()
    with pytest.raises(DataError, match="no text under"):
        cache.get(CONTENT)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON replies BEGIN DELETE FROM replies; END",
        "CREATE VIEW evil AS SELECT 1",
        "DROP TABLE replies",
        "ALTER TABLE replies ADD COLUMN evil AS (hex(zeroblob(1000)))",
    ],
)
def test_a_file_with_anything_but_the_one_table_is_refused(tmp_path, statement):
    ReplyCache(tmp_path).put(CONTENT, "kept")
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(DataError, match="no recording that mua-env has written"):
        ReplyCache(tmp_path, "replay")


@pytest.mark.parametrize("name", [NAME, OLD_NAME])
@pytest.mark.parametrize("content", [b"no database at all, but long enough to be looked at" * 20, b""])
def test_a_broken_file_is_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=name):
        ReplyCache(tmp_path, "replay")


@pytest.mark.parametrize("stored", ["no JSON", "[" * 100_000, '{"text": 1}'])
def test_a_recorded_reply_that_is_none_is_a_clear_error(tmp_path, stored):
    client = LLMClient(LLMSettings("m"), cache=ReplyCache(tmp_path))
    request = ChatRequest(messages=[])
    client.cache.put(client._address(request), stored)
    with pytest.raises(DataError, match="record anew"):
        client.complete(request, client.wait_limit())


def test_threads_share_a_recording(tmp_path):
    cache = ReplyCache(tmp_path)

    def write(start: int) -> None:
        for number in range(start, start + 20):
            cache.put({**CONTENT, "n": number}, str(number))

    threads = [threading.Thread(target=write, args=(start,)) for start in range(0, 80, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [cache.get({**CONTENT, "n": number}) for number in range(80)] == list(map(str, range(80)))


def test_a_recording_in_a_folder_that_nobody_may_write_to_replays(tmp_path):
    old_recording(tmp_path / "old")
    ReplyCache(tmp_path / "new").put(CONTENT, "hello")
    for folder in ("old", "new"):
        before = sorted((tmp_path / folder).iterdir())
        (tmp_path / folder).chmod(0o500)
        try:
            assert ReplyCache(tmp_path / folder, "replay").get(CONTENT) == "hello"
        finally:
            (tmp_path / folder).chmod(0o700)
        assert sorted((tmp_path / folder).iterdir()) == before
