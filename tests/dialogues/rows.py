"""Rows of recorded dialogues, written here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def tool(name: str, *arguments: str) -> dict[str, Any]:
    properties = {each: {"type": "string"} for each in arguments}
    parameters = {"type": "object", "properties": properties, "required": list(arguments)}
    return {"type": "function", "function": {"name": name, "description": f"{name}.", "parameters": parameters}}


TOOLS = [tool("find", "name"), tool("rent", "flat", "until")]


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": function}]}


def said(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


MESSAGES = [
    said("system", "# Flats\nBe brief."),
    said("assistant", "Hello!"),
    said("user", "I am Ann."),
    call("find", name="Ann"),
    said("tool", '{"flat": "F7"}'),
    said("assistant", "You have F7."),
    said("user", "Until May, please."),
    call("rent", flat="F7", until="May"),
    said("tool", "done"),
    said("assistant", "It is yours."),
]


def row(id: str, messages: Any = MESSAGES, tools: Any = TOOLS) -> dict[str, Any]:
    return {"id": id, "source": "flats", "messages": messages, "tools": tools}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path
