"""How tau2-bench shows its tools: schemas from signatures and docstrings, the words of its errors, the order of keys.

A domain's tools are the methods marked ``@is_tool`` of a class in ``tau2/domains/<domain>/tools.py`` (the user's in
``user_tools.py``), its records pydantic models. All of it is read from the syntax tree of the user's own copy.
Source: https://github.com/sierra-research/tau2-bench (MIT).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from docstring_parser import parse as parse_docstring
from pydantic import Field, PydanticUserError, create_model

from mua_env.domain.public import wording
from mua_env.domain.public.presentation import BenchmarkPresentation
from mua_env.domain.public.tau2_types import Types, field_orders
from mua_env.domain.public.wording import Template, Wordings
from mua_env.errors import DataError

_MODULES: Final = ("tools", "user_tools")
_RECORDS: Final = ("data_model", "user_data_model")


def read(folder: Path, domain: str, kinds: Wordings) -> BenchmarkPresentation | None:
    """What the tools of a domain look like there, the agent's and the user's.

    Args:
        folder: the domain's data, as ``data/tau2/domains/retail`` of a checkout or an installed package.
        domain: its name.
        kinds: the kinds of each function's refusals.

    Returns:
        ``None`` where the copy has no code (the data files alone).

    Raises:
        DataError: the code is not of the expected form; the text says where.
    """
    root = package_folder(folder, domain)
    if root is None:
        return None
    types = Types(root)
    schemas, signatures, words, ours = {}, {}, {}, []
    calls: dict[str, set[str]] = {}
    for module in _there(root, domain, _MODULES):
        for owner, function in _methods(types.tree(module)):
            if _is_tool(function):
                schemas[function.name] = _schema(types, module, function)
                signatures[function.name] = f"{owner}.{function.name}"
            templates = wording.refusals(function, wording.raised)
            found = wording.by_kind(kinds.get(function.name, ""), templates)
            words[function.name] = found or {}
            calls[function.name] = _called(function)
            # A function of which nothing is known can be one that sets scenes up: no tool's words are lost.
            ours += [function.name] if found is None and (function.name in kinds or _is_tool(function)) else []
    orders = (order for module in _there(root, domain, _RECORDS) for order in field_orders(types, module))
    return BenchmarkPresentation(
        schemas=schemas,
        signatures=signatures,
        wordings={name: _with_called(name, words, calls) for name in schemas},
        unknown=_unknown(root),
        orders={frozenset(order): order for order in orders},
        ours=tuple(ours),
    )


def tool_schemas(root: Path, module: str, owner: str) -> dict[str, dict[str, Any]]:
    """Function schemas of the tools of one class, by name, in their order.

    Args:
        root: folder of the package ``tau2``.
        module: dotted name of the module.
        owner: name of the class.

    Raises:
        DataError: the code cannot be read, or is not of the expected form.
    """
    types = Types(root)
    found = (function for name, function in _methods(types.tree(module)) if name == owner and _is_tool(function))
    return {function.name: _schema(types, module, function) for function in found}


def wrapped_schema(
    types: Types, module: str, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str
) -> dict[str, Any]:
    """The function schema of a function that is no method, under a name of its own."""
    method = ast.FunctionDef(
        name=name,
        args=ast.arguments(**{**vars(function.args), "args": [ast.arg(arg="self"), *function.args.args]}),
        body=function.body,
        decorator_list=[],
    )
    return _schema(types, module, method)


def package_folder(folder: Path, domain: str) -> Path | None:
    """The folder of the package ``tau2`` that goes with a folder of data."""
    above = folder.resolve().parents
    roots = [above[3] / "src" / "tau2", above[3]] if len(above) > 3 else []
    return next((root for root in roots if (root / "domains" / domain / "tools.py").is_file()), None)


def _there(root: Path, domain: str, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if (root / "domains" / domain / f"{name}.py").is_file():
            yield f"tau2.domains.{domain}.{name}"


def _methods(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from ((node.name, item) for item in node.body if isinstance(item, ast.FunctionDef))


def _called(function: ast.FunctionDef) -> set[str]:
    """The methods of its own class that a method calls."""
    called = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {
        func.attr
        for func in called
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self"
    }


def _with_called(
    name: str, words: Mapping[str, Mapping[str, Template]], calls: Mapping[str, set[str]]
) -> dict[str, Template]:
    """The texts of a function and of those that it calls, directly or not; its own go first."""
    found: dict[str, Template] = {}
    waiting, seen = [name], set[str]()
    while waiting:
        function = waiting.pop(0)
        if function in words and function not in seen:
            seen.add(function)
            found = {**words[function], **found}
            waiting += sorted(calls[function])
    return found


def _is_tool(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Call) and ast.unparse(mark.func) == "is_tool" for mark in function.decorator_list)


def _schema(types: Types, module: str, function: ast.FunctionDef) -> dict[str, Any]:
    """The function schema as tau2 makes it: a pydantic model of the signature, described by the docstring."""
    doc = parse_docstring(ast.get_docstring(function, clean=False) or "")
    described = {parameter.arg_name: parameter.description for parameter in doc.params}
    arguments = function.args.args[1:]
    defaults = [None] * (len(arguments) - len(function.args.defaults)) + list(function.args.defaults)
    fields: dict[str, Any] = {}
    for argument, default in zip(arguments, defaults, strict=True):
        kind = Any if argument.annotation is None else types.annotation(module, argument.annotation)
        value = ... if default is None else types.value(module, default)
        described_by = described.get(argument.arg)
        known = argument.arg in described
        fields[argument.arg] = (kind, Field(value, description=described_by) if known else value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of an argument that is called as a method of models is
            parameters = create_model("parameters", **fields).model_json_schema()
    except (PydanticUserError, TypeError, NameError) as error:
        raise DataError(f"{module}.{function.name}: no schema can be made of its signature ({error})") from None
    short, long = doc.short_description or "", doc.long_description or ""
    description = f"{short}\n\n{long}" if short and long else short or function.name
    return {
        "type": "function",
        "function": {"name": function.name, "description": description, "parameters": parameters},
    }


def _unknown(root: Path) -> Template | None:
    """The answer to a call of a tool that is not there."""
    path = root / "environment" / "toolkit.py"
    if not path.is_file():
        return None
    for function in wording.functions(wording.parse(path)):
        if function.name == "use_tool":
            texts = [text for text in wording.refusals(function, wording.raised) if len(text.names) == 1]
            return None if not texts else Template(("Error: ", *texts[0].parts), texts[0].names)
    return None
