"""Options by name: a wrong one is named with those that there are, before anything is made."""

from __future__ import annotations

from typing import Any

import pytest

from mua_env.agents.make import AGENTS, agent_factory
from mua_env.core.keywords import call_with
from mua_env.domain.contract import load_domain
from mua_env.errors import ConfigError
from mua_env.inference.models import check_model
from mua_env.scoring.judges import make_judge
from mua_env.users.make import USERS, make_user


@pytest.mark.parametrize("kind", USERS)
def test_an_unknown_option_of_a_user_is_named_with_those_that_there_are(kind: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_user(kind, {"presona_": 1})
    said = str(caught.value)
    assert said.startswith(f"user {kind!r}: unknown option 'presona_'")
    assert "There are: " in said
    assert "__init__" not in said


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_an_unknown_option_of_an_agent_is_named_with_those_that_there_are(kind: str, domain: str) -> None:
    with pytest.raises(ConfigError, match=rf"agent '{kind}': unknown option 'foo'\. There are"):
        agent_factory(kind, load_domain(domain), {"foo": 1})


def test_an_unknown_option_of_a_judge_is_named() -> None:
    with pytest.raises(ConfigError, match=r"judge 'm': unknown option 'modle'\. Did you mean 'model'\?"):
        make_judge("m", {"modle": "x"})


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("agenda", {"presona": "x"}, "Did you mean 'persona'?"),
        ("agenda", {"persona": "plian"}, "Did you mean 'plain'?"),
        ("agenda", {"persona": ["plain"]}, "persona: "),
        ("agenda", {"noise": "abc"}, "noise: Input should be a valid number"),
        ("agenda", {"noise": float("nan")}, "noise: Input should be a finite number"),
        ("agenda", {"noise": -0.1}, "from 0 to 1"),
        ("agenda", {"language": 7}, "language: Input should be a valid string"),
        ("agenda", {"phrasings": "none"}, "'seen'"),
        ("llm", {"api": "x"}, "Did you mean 'api_key'?"),
        ("llm", {"model": 5}, "model: Input should be a valid string"),
        ("llm", {"model": "m", "temperature": "hot"}, "temperature: Input should be a valid number"),
        ("llm", {"model": "m", "temperature": -1}, "temperature: from 0"),
        ("llm", {"model": "m", "top_p": 3}, "top_p: from 0 to 1"),
        ("llm", {"model": "m", "attempts": 0.5}, "attempts: "),
        ("local", {}, "the option 'model' is needed"),
        ("local", {"model": "x", "max_tokens": "many"}, "max_tokens: Input should be a valid integer"),
    ],
)
def test_a_wrong_option_is_a_clear_error(kind: str, options: dict[str, Any], words: str) -> None:
    if kind == "llm":
        pytest.importorskip("litellm")
    with pytest.raises(ConfigError) as caught:
        make_user(kind, options)
    assert words in str(caught.value)


def test_right_options_are_passed_on() -> None:
    def make(first: int, *, second: str = "b", third: object = None) -> tuple[object, ...]:
        return first, second, third

    marker = object()
    assert call_with(make, {"first": 1, "third": marker}, what="it") == (1, "b", marker)
    with pytest.raises(ConfigError, match="it: the option 'first' is needed"):
        call_with(make, {}, what="it")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("./TYPO", "no such folder"),
        ("{tmp}/modle", "Did you mean 'model'?"),
        ("{tmp}", "holds model; name one of them"),
        ("{tmp}/empty", "there is no config.json in it"),
        ("no such thing", "no such folder"),
        ("", "there is no config.json"),
        ("some-org/some-model", "HF_HUB_OFFLINE"),
        ("TYPO", "HF_HUB_OFFLINE"),
    ],
)
def test_a_model_that_is_not_there_is_told_at_once(tmp_path: Any, name: str, words: str) -> None:
    pytest.importorskip("huggingface_hub")
    for folder in ("model", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    check_model(tmp_path / "model")
    with pytest.raises(ConfigError) as caught:
        check_model(name.format(tmp=tmp_path))
    assert words in str(caught.value)
