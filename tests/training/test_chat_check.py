"""A chat template that loses something is refused before anything is trained with it."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl")

from transformers import AutoTokenizer

from mua_env.agents.local import LocalAgent
from mua_env.core.messages import UserMessage
from mua_env.errors import ConfigError
from mua_env.inference.chat_formats.families import PROBE_TOOL
from mua_env.inference.chat_template import CHAT_TEMPLATE, SystemPrompt
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.serving.local_model import LocalModel
from mua_env.training.config.train import ModelConfig
from mua_env.training.run.pipeline import train

from .conftest import Toy
from .families import CHATML, local_tokenizer, template_of_trl
from .small_run import small_config

MESSAGE = "'<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n'"
LOSSES = {
    "results are left out": (
        "{%- elif m.role != 'system' -%}",
        "{%- elif m.role == 'user' -%}",
        "the result of a tool does not stand in its text",
    ),
    "results are cut": (MESSAGE, MESSAGE.replace("m.content", "m.content[:9]"), "the result of a tool"),
    "replies are changed": (
        MESSAGE,
        MESSAGE.replace("m.content", "(m.content | upper if m.role == 'user' else m.content)"),
        "the user's opening does not stand in the tokens",
    ),
    "the policy is left out": (
        "(messages[0].content if lead else '')",
        "'You are kind.'",
        "the system prompt does not stand in the tokens",
    ),
    "calls lose their arguments": (
        "f.arguments if f.arguments is string else f.arguments | tojson",
        "'{}'",
        "it writes a tool call in a form that is not read here",
    ),
    "calls are of another form": (
        '\'<tool_call>\\n{"name": "\'',
        '\'<call>\\n{"tool": "\'',
        "it writes a tool call in a form that is not read here",
    ),
    "turns do not end": (
        "{{- '<|im_end|>' -}}",
        "{{- '' -}}",
        "does not end a turn|the result of a tool does not stand in the tokens",
    ),
    "it raises for two users in a row": (
        "{%- for m in messages -%}",
        "{%- for m in messages -%}{%- if m.role == 'tool' -%}{{ raise_exception('Roles must alternate') }}"
        "{%- endif -%}",
        "TemplateError: Roles must alternate",
    ),
}


def _tokenizer(template: str) -> Any:
    return local_tokenizer(template, CHATML, "<|im_end|>")


def test_the_whole_template_passes() -> None:
    assert ChatTokens(_tokenizer(CHAT_TEMPLATE)).dialect.name == "hermes"


@pytest.mark.parametrize("name", LOSSES)
def test_what_is_lost_is_named(name: str) -> None:
    old, new, said = LOSSES[name]
    assert old in CHAT_TEMPLATE
    with pytest.raises(ConfigError, match=said) as caught:
        ChatTokens(_tokenizer(CHAT_TEMPLATE.replace(old, new)))
    assert "the chat template of ChatML" in str(caught.value)


def test_schemas_that_a_template_leaves_out_stand_in_the_system_prompt() -> None:
    template = CHAT_TEMPLATE.replace("{{- '\\n' + (tool | tojson) -}}", "{{- '\\n' + tool.function.name -}}")
    assert template != CHAT_TEMPLATE
    chat = ChatTokens(_tokenizer(template))
    prompt, sources = chat.prompt(SystemPrompt("Be kind.", [PROBE_TOOL]), [UserMessage(content="hi")])
    told = chat.decode([token for token, source in zip(prompt, sources, strict=True) if source == "system"])
    assert "Be kind." in told
    assert "probe_key" in told


def test_a_template_without_tools_serves_a_model_that_plays_the_user() -> None:
    template = template_of_trl("gemma3")
    marks = ("<bos>", "<start_of_turn>", "<end_of_turn>")
    chat = ChatTokens(local_tokenizer(template, marks, "<end_of_turn>"), tools=False)
    assert chat.end_token == "<end_of_turn>"
    with pytest.raises(ConfigError, match="Gemma 3"):
        ChatTokens(local_tokenizer(template, marks, "<end_of_turn>"))


def test_an_end_of_turn_that_is_no_token_is_refused() -> None:
    marks = ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>")
    with pytest.raises(ConfigError, match=r"gpt-oss .*end with '<\|call\|>', which the tokenizer does not have"):
        ChatTokens(local_tokenizer(template_of_trl("gptoss"), marks, "<|return|>"))


@pytest.fixture
def losing(toy: Toy, tmp_path: Path) -> Path:
    """The toy's model with a template that leaves results out."""
    old, new, _ = LOSSES["results are left out"]
    toy.model().save_pretrained(tmp_path / "model")
    tokenizer: Any = AutoTokenizer.from_pretrained(toy.folder)
    tokenizer.chat_template = CHAT_TEMPLATE.replace(old, new)
    tokenizer.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def test_a_local_agent_begins_with_it(losing: Path) -> None:
    with pytest.raises(ConfigError, match="the result of a tool does not stand in its text"):
        LocalAgent(losing)


def test_a_local_user_has_no_tools_to_lose(losing: Path) -> None:
    LocalModel(losing).close()


def test_training_begins_with_it(losing: Path, tmp_path: Path) -> None:
    config = small_config(model=ModelConfig(path=str(losing)))
    with pytest.raises(ConfigError, match="the result of a tool does not stand in its text"):
        train(config, folder=tmp_path / "run")
