"""Runs calls in tau-bench's own tools, from a checkout: ``tau1_driver.py CHECKOUT DOMAIN``.

Reads cases from standard input, a JSON list of ``[name, arguments]`` a line, each on fresh data; writes the schemas of
the tools first, then a JSON list of answers for each case.
"""

from __future__ import annotations

import copy
import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any


def load(checkout: Path, domain: str) -> tuple[list[Any], dict[str, Any]]:
    """The tool classes and the data; without the packages' ``__init__`` files, which want a model's client."""
    for name in ("tau_bench", "tau_bench.envs", f"tau_bench.envs.{domain}"):
        package = types.ModuleType(name)
        package.__path__ = [str(checkout.joinpath(*name.split(".")))]
        sys.modules[name] = package
    tools = importlib.import_module(f"tau_bench.envs.{domain}.tools").ALL_TOOLS
    folder = checkout / "tau_bench" / "envs" / domain / "data"
    return tools, {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


def answer(tools: dict[str, Any], data: dict[str, Any], name: str, arguments: dict[str, Any]) -> str:
    """What the environment's step gives for a call."""
    if name not in tools:
        return f"Unknown action {name}"
    try:
        return str(tools[name].invoke(data=data, **arguments))
    except Exception as error:
        return f"Error: {error}"


def main() -> None:
    """Answer every case of standard input."""
    classes, data = load(Path(sys.argv[1]), sys.argv[2])
    tools = {tool.get_info()["function"]["name"]: tool for tool in classes}
    print(json.dumps([tool.get_info() for tool in classes]))
    for line in sys.stdin:
        fresh = copy.deepcopy(data)
        print(json.dumps([answer(tools, fresh, name, arguments) for name, arguments in json.loads(line)]), flush=True)


if __name__ == "__main__":
    main()
