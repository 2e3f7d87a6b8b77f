from __future__ import annotations

import pytest

from mua_env.core.call_text import read_calls, write_calls
from mua_env.core.tasks import Action
from mua_env.errors import DataError

MOVE = {"move": ("source", "destination")}


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("ls()", [("ls", {})]),
        ("[ls(a=True), cd(folder='docs')]", [("ls", {"a": True}), ("cd", {"folder": "docs"})]),
        ("move('a', 'b')", [("move", {"source": "a", "destination": "b"})]),
        ("move('a', destination='b')", [("move", {"source": "a", "destination": "b"})]),
        ("post(tags=['#a'], at={'x': -1.5}, none=None)", [("post", {"tags": ["#a"], "at": {"x": -1.5}, "none": None})]),
        ('say(text="it\'s [f()] (really)")', [("say", {"text": "it's [f()] (really)"})]),
        ("[]", []),
    ],
)
def test_calls_are_read(text: str, calls: list[tuple[str, dict[str, object]]]) -> None:
    read = read_calls(text, MOVE)
    assert [(call.name, call.arguments) for call in read] == calls


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that.",
        "cd",
        "f(x=g())",
        "f(x=open('/etc/passwd').read())",
        "__import__('os').system('true')",
        "f(x=[y for y in z])",
        "f(**{'a': 1})",
        "unknown('positional')",
        "move('a', 'b', 'c')",
        "f(x=1" + "+1" * 3000 + ")",
        "[" * 5000,
        "f(x=" + "-" * 8000 + "1)",
        "f(x='" + "a" * 30_000 + "')",
        "f(\ud800)",
        "f(x=1)\0",
    ],
)
def test_what_is_no_literal_call_is_refused_and_never_run(text: str) -> None:
    with pytest.raises(DataError):
        read_calls(text, MOVE)


def test_calls_are_written_as_they_are_read() -> None:
    calls = [Action(name="f", arguments={"a": "it's", "b": [1, {"c": None}]}), Action(name="g")]
    assert read_calls(write_calls(calls)) == calls
