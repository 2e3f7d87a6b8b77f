"""All chat templates that TRL ships: each passes the self-test and reads its own calls back, or is refused in words."""

import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl")

from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall, ToolMessage, UserMessage
from mua_env.errors import ConfigError
from mua_env.inference.chat_template import SystemPrompt
from mua_env.inference.chat_tokens import ChatTokens

from .families import local_tokenizer, template_of_trl

SERVED = {
    **dict.fromkeys(["qwen2_5", "qwen3", "qwen3_instruct_2507", "qwen3_vl"], "hermes"),
    **dict.fromkeys(["llama3", "qwen2_5_vl"], "hermes as text"),
    **dict.fromkeys(["llama3_1", "llama3_2"], "llama 3.1"),
    **dict.fromkeys(["qwen3_5_think", "qwen3_5_nothink", "qwen3_6", "qwen3_8"], "xml"),
    **dict.fromkeys([f"nemotron_3_{name}" for name in ("nano", "super", "ultra", "5_lightning")], "xml"),
    "glm4moe": "glm",
    **dict.fromkeys(["lfm2", "lfm2_v2", "lfm2_2_5", "lfm2_2_5_v2", "lfm2_2_5_vl"], "lfm2"),
    **dict.fromkeys(["gemma4", *(f"gemma4_v{n}" for n in range(2, 6)), "diffusion_gemma"], "gemma 4"),
    "gptoss": "harmony",
    "muse_glimmer": "atem",
}
"""What each template's calls are read and written as."""
REFUSED = {
    "cohere": r"Cohere .* the result of a tool does not stand in its text \(TemplateError: .*must alternate",
    "cohere2": r"Cohere .* the result of a tool does not stand in its text \(it is left out\)",
    "deepseek_r1_distill": r"DeepSeek .* renders no call",
    "deepseekv3": r"DeepSeek .* a tool call in a form that is not read here",
    "gemma": r"Gemma .* the result of a tool does not stand in its text \(TemplateError: .*must alternate",
    "gemma3": r"Gemma 3 .* the result of a tool does not stand in its text \(TemplateError: .*must alternate",
    "idefics3": r"Idefics 3 .* the result of a tool",
    "llava_next": r"LLaVA .* the result of a tool",
    "phi3": r"Phi-3 .* the result of a tool does not stand in its text \(it is left out\)",
    "phi3_5": r"Phi-3 .* the result of a tool does not stand in its text \(it is left out\)",
    "smolvlm": r"SmolVLM .* the result of a tool",
}
"""What is said of those that cannot serve."""
EOS = {
    "cohere": "<|END_OF_TURN_TOKEN|>",
    "deepseek": "<\uff5cend\u2581of\u2581sentence\uff5c>",
    "gemma": "<end_of_turn>",
    "gemma4": "<eos>",
    "diffusion_gemma": "<eos>",
    "glm4moe": "<|endoftext|>",
    "gptoss": "<|return|>",
    "idefics3": "<end_of_utterance>",
    "llama3": "<|eot_id|>",
    "llava_next": "</s>",
    "muse_glimmer": "<|eot|>",
    "phi3": "<|end|>",
    "smolvlm": "<end_of_utterance>",
}
"""The tokenizer's eos_token, by the beginning of the template's name."""

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "note",
        "description": "To note something.",
        "parameters": {
            "type": "object",
            "properties": {
                name: {"description": f"The {name}.", **schema}
                for name, schema in {
                    "text": {"type": "string"},
                    "count": {"type": "integer"},
                    "share": {"type": "number"},
                    "flag": {"type": "boolean"},
                    "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                    "item": {"type": "object", "properties": {}},
                    "items": {"type": "array", "items": {"type": "string"}},
                }.items()
            },
            "required": [],
        },
    },
}
TEXTS = [
    "",
    "#W1",
    "ünïcode 中 😀",
    "a \"quote\" and 'another', it's",
    "line\nbreak\n",
    "\n\nbefore",
    "  blanks  ",
    "00123",
    "5",
    "true",
    "null",
    "None",
    "</parameter>",
    "a</parameter>b </function></tool_call>",
    "</arg_value>",
    "</atem:parameter>",
    "<tool_call>",
    '{"a": [1]}',
    '"quoted"',
    "back\\slash \\n",
    "<think>",
    "a) b], c='d'",
    '<|"|>',
]
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"count": 5, "share": 1.5, "flag": True, "maybe": None, "either": 7, "item": {}, "items": []},
    {"flag": False, "share": -2.5e-07},
    {"item": {"deep": {"er": [{"x": None}, [], True]}, "a key": 1}},
    *({"text": text, "maybe": text, "either": text} for text in TEXTS),
    *({"item": {"k": text}, "items": [text, text]} for text in TEXTS),
]


def _eos(name: str) -> str:
    found = [key for key in EOS if name.startswith(key)]
    return EOS[max(found, key=len)] if found else "<|im_end|>"


def _chat(name: str, **options: Any) -> ChatTokens:
    """A tokenizer with the special tokens that stand in the template."""
    template = template_of_trl(name)
    marks = re.findall(r"<\|[\w\"]+\|?>|<\w+\|>|<\uff5c[^<>]+\uff5c>|<(?:start|end)_of_\w+>|</s>", template)
    special = dict.fromkeys(["<bos>", *marks, "<tool_call>", "</tool_call>", "<think>", "</think>", "<|tool_response>"])
    return ChatTokens(local_tokenizer(template, special, _eos(name)), options)


_served = cache(_chat)


def _call(arguments: dict[str, Any]) -> AssistantMessage:
    function = FunctionCall(name="note", arguments=json.dumps(arguments, ensure_ascii=False))
    return AssistantMessage(tool_calls=(ToolCall(id="callabcde", function=function),))


def _calls(message: AssistantMessage) -> list[tuple[str, Any]]:
    return [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls]


def test_every_template_is_known() -> None:
    spec = importlib.util.find_spec("trl")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    files = Path(spec.submodule_search_locations[0], "chat_templates").glob("*.jinja")
    stock = {file.stem for file in files if not file.stem.endswith("_training")}
    assert len(stock) >= 41
    assert stock == {*SERVED, *REFUSED}


def test_the_table_in_the_docs_says_which() -> None:
    text = (Path(__file__).parents[2] / "docs" / "backends.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    for name, dialect in SERVED.items():
        assert [row for row in rows if f"`{name}`" in row and f"| `{dialect}` |" in row], name
    for name in REFUSED:
        (row,) = [row for row in rows if f"`{name}`" in row]
        assert row.count("|") == 3
    for dialect in set(SERVED.values()) - {"hermes as text"}:
        assert [row for row in rows if row.startswith(f"| `{dialect}` | ")], dialect


@pytest.mark.parametrize("name", REFUSED)
def test_a_template_that_cannot_serve_is_refused_by_the_name_of_its_family(name: str) -> None:
    with pytest.raises(ConfigError, match=f"the chat template of .*{REFUSED[name]}"):
        _chat(name)


@pytest.mark.parametrize("name", SERVED)
def test_calls_are_written_and_read_back_as_they_were(name: str) -> None:
    chat = _served(name)
    assert chat.dialect.name == SERVED[name]
    prompt, _ = chat.prompt(SystemPrompt("Be kind.", [TOOL], [TOOL]), [UserMessage(content="hi")])
    result, _ = chat.suffix([ToolMessage(tool_call_id="callabcde", name="note", content="noted")])
    for arguments in ARGUMENTS:
        for before in (prompt, result):
            ids = chat.agent_turn(_call(arguments), before=before, tools=[TOOL])
            read = chat.read_turn(ids, before=before, tools=[TOOL])
            assert (_calls(read), read.content) == ([("note", arguments)], None)


@pytest.mark.parametrize("name", [name for name in SERVED if SERVED[name] != "hermes as text" and name != "lfm2"])
def test_calls_as_the_template_itself_writes_them_are_read(name: str) -> None:
    chat = _served(name)
    # These two revisions write strings without escapes, so that a quote ends them.
    plain = name in ("lfm2_2_5", "lfm2_2_5_v2")
    for arguments in ARGUMENTS:
        if plain and re.search(r"['\\]", json.dumps(arguments)):
            continue
        if chat.dialect.name == "gemma 4" and '<|"|>' in json.dumps(arguments).replace("\\", ""):
            continue  # the template quotes the mark by itself
        if chat.dialect.name in ("xml", "glm", "atem") and arguments.get("either") in (
            "5",
            "true",
            "null",
            "None",
            '"quoted"',
        ):
            continue  # as text the same as a number
        before, ids = _rendered(chat, arguments)
        assert _calls(chat.read_turn(ids, before=before, tools=[TOOL])) == [("note", arguments)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3_6", "a</parameter>\n<parameter=count>\n5"),
        ("nemotron_3_nano", "a\n</parameter>\n</function>"),
        ("glm4moe", "a</arg_value>\n<arg_key>count</arg_key>"),
        ("muse_glimmer", 'a</atem:parameter>\n<atem:parameter name="count">'),
    ],
)
def test_a_value_that_a_form_cannot_hold_is_not_written(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match="the value of 'text' would end amid its text"):
        _served(name).agent_turn(_call({"text": text}), tools=[TOOL])


def _rendered(chat: ChatTokens, arguments: dict[str, Any]) -> tuple[list[int], list[int]]:
    """A dialogue by the template alone, cut where its call ends; the tokens before the agent's turn and of it."""
    asked: dict[str, Any] = {"role": "user", "content": "hi"}
    call = {"id": "callabcde", "type": "function", "function": {"name": "note", "arguments": arguments}}
    made = {"role": "assistant", "content": "", "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "callabcde", "name": "note", "content": "noted"}
    before = chat.render([asked], [TOOL], True)
    whole = chat.render([asked, made, result], [TOOL])
    shared = next(n for n, (a, b) in enumerate(zip(before + "\0", whole, strict=False)) if a != b)
    end = chat.frame.call_end
    body = whole[shared : whole.rindex(end, 0, whole.rindex("noted")) + len(end)]
    tokens = [chat.tokenizer(text, add_special_tokens=False)["input_ids"] for text in (before, body)]
    return tokens[0], tokens[1]


PLAIN: list[dict[str, Any]] = [
    {},
    {"text": "#W1"},
    {"text": "ünïcode 中", "count": 5, "share": 1.5},
    {"text": "00123", "flag": True, "items": ["a", "b"]},
    {"item": {"deep": {"er": 1}}, "flag": False},
]


@pytest.mark.parametrize("name", [name for name in SERVED if name not in ("llama3", "qwen2_5_vl", "lfm2")])
def test_another_reader_says_the_same(name: str) -> None:
    """That of transformers, by the templates for it that TRL has. It is no reader for us: it strips values, types what
    is typed already, and raises where a call is cut."""
    response = pytest.importorskip("trl.chat_template_utils")
    chat = _chat(name)
    if not hasattr(chat.tokenizer, "parse_response"):
        pytest.skip("this version of transformers reads no responses")
    try:
        response.add_response_schema(chat.tokenizer)
    except ValueError:
        assert name in ("diffusion_gemma", "muse_glimmer")  # TRL has none for these
        return
    for arguments in PLAIN:
        if chat.dialect.name == "lfm2" and not {"flag", "items"}.isdisjoint(arguments):
            continue  # it reads Python's constants and lists as text
        before, ids = _rendered(chat, arguments)
        theirs = chat.tokenizer.parse_response(ids, prefix=before, tools=[TOOL])
        found = [(call["function"]["name"], call["function"]["arguments"]) for call in theirs["tool_calls"]]
        assert found == _calls(chat.read_turn(ids, before=before, tools=[TOOL])) == [("note", arguments)]


def _bombs() -> list[str]:
    """Texts that are deep, long, or begin much and end nothing."""
    pieces = ["<tool_call>", '{"name": "a", "arguments": {', "[", '{"a":', "<function=f><parameter=k>", "<arg_value>"]
    pieces += [
        "<|tool_call_start|>[f(",
        "a-b.",
        "'\\",
        '"\\',
        "<|tool_call>call:f{",
        '<|"|>',
        "{a ",
        "<think>",
        "</think>",
    ]
    pieces += [" to=functions.f<|message|>", '<atem:function_calls><atem:invoke name="f"><atem:parameter name="k">']
    heads = ["", '<tool_call>{"name": "note", "arguments": ', "<tool_call>\n<function=note>\n<parameter=item>\n"]
    heads += [
        "<|tool_call_start|>[note(item=",
        "<|tool_call>call:note{item:",
        "<tool_call>note\n<arg_key>item</arg_key>",
    ]
    return [head + piece * (20_000 // len(piece)) for head in heads for piece in pieces]


@pytest.mark.parametrize(
    "name", ["qwen3", "llama3_1", "qwen3_6", "glm4moe", "lfm2_v2", "gemma4", "gptoss", "muse_glimmer"]
)
def test_no_text_breaks_a_reader(name: str) -> None:
    """Whatever was sampled is a message that can be written down, and nothing of it is run that is not whole."""
    chat = _served(name)
    for text in _bombs():
        for opened in (False, True):
            message = chat.dialect.parse(text, 0, tools=[TOOL], opened=opened)
            assert json.loads(message.model_dump_json())
            for call in message.tool_calls:
                if call.function.name == "note":
                    with pytest.raises((ValueError, RecursionError)):
                        json.loads(call.function.arguments)
