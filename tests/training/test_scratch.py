"""Tokenizers and models from nothing."""

from __future__ import annotations

import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.inference.chat_template import END_OF_TEXT
from mua_env.training.config.train import ScratchConfig, load_config
from mua_env.training.tiny_model.from_nothing import build_model, build_tokenizer, common_phrases, set_phrases

SYSTEM = "You are a shop's support agent.\nTools:\nget_order(order_id)"
TOOLS = {"get_order": ("order_id",), "change": ("first_name", "zip")}
TEXTS = [
    f'<tool_call>\n{{"name": "get_order", "arguments": {{"order_id": "#W{n}"}}}}\n</tool_call>' for n in range(100, 140)
] + [f"The order #W{n} has been cancelled. Anything else?" for n in range(100, 140)]


def tokens(text: str, phrases: list[str]) -> list[str]:
    tokenizer = build_tokenizer(TEXTS, vocabulary=400, phrases=phrases)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    found = [tokenizer.decode([i], skip_special_tokens=False) for i in ids]
    assert "".join(found) == text
    return found


def test_the_skeleton_of_a_dialogue_is_few_tokens() -> None:
    call = '<tool_call>\n{"name": "change", "arguments": {"first_name": "Ada", "zip": "12"}}\n</tool_call>'
    found = tokens(call, set_phrases(SYSTEM, TOOLS))
    assert found[0] == '<tool_call>\n{"name": "change", "arguments": {"first_name": "'
    assert found[-4:] == ['", "zip": "', "1", "2", '"}}\n</tool_call>']
    lines = tokens("<|im_start|>system\n" + SYSTEM + "<|im_end|>\n<|im_start|>user\nHi", set_phrases(SYSTEM, TOOLS))
    assert lines[:2] == ["<|im_start|>system\n", "You are a shop's support agent.\n"]
    assert "\n<|im_start|>user\n" in lines


def test_phrases_are_what_is_said_again_and_again_without_digits() -> None:
    found = common_phrases(TEXTS)
    assert any("has been cancelled" in phrase for phrase in found)
    assert not any(character.isdigit() for phrase in found for character in phrase)


def test_with_phrases_all_else_is_cut_into_words_and_digits() -> None:
    found = tokens(" order the #W100, ada.stone1@example.com", ["unused phrase"])
    assert " order" in found
    assert not any(len(piece) > 1 and any(c.isdigit() for c in piece) for piece in found)
    assert not any("." in piece and len(piece) > 1 for piece in found)


@pytest.mark.parametrize("phrases", [[], ["unused phrase"]])
@pytest.mark.parametrize("name", ["CA", "Reno", "Quist"])
def test_a_name_has_the_same_tokens_wherever_it_stands(name: str, phrases: list[str]) -> None:
    told = [f"to 9 Pine Street, {name} 12345, USA" for _ in range(50)]
    tokenizer = build_tokenizer([*TEXTS, *told], vocabulary=400, phrases=phrases)
    alone = tokenizer(name, add_special_tokens=False)["input_ids"]
    for text in (f"in Reno, {name} 9", f'"state": "{name}"', f"{name}.", f" {name}"):
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert any(ids[start : start + len(alone)] == alone for start in range(len(ids))), text


@pytest.mark.parametrize("phrases", [[], ["unused phrase"]])
@pytest.mark.parametrize("text", ["PGNGRX", "It is 4V2GUG.", '"reservation_id": "VP95LX"'])
def test_a_code_is_read_character_by_character(text: str, phrases: list[str]) -> None:
    told = [f"Reservation {code} has been cancelled." for code in ("PGNGRX", "4V2GUG", "VP95LX")] * 50
    tokenizer = build_tokenizer([*TEXTS, *told], vocabulary=400, phrases=phrases)
    found = [tokenizer.decode([i]) for i in tokenizer(text, add_special_tokens=False)["input_ids"]]
    code = next(code for code in ("PGNGRX", "4V2GUG", "VP95LX") if code in text)
    assert "\0".join(code) in "\0".join(found)


@pytest.mark.parametrize("code", [4, 6])
def test_codes_may_have_another_length(code: int) -> None:
    told = [f"Locker {n:02}QZ has been opened. Anything else?" for n in range(100)]
    tokenizer = build_tokenizer([*TEXTS, *told], vocabulary=400, code_length=code)
    found = [tokenizer.decode([i]) for i in tokenizer("Locker 07QZ", add_special_tokens=False)["input_ids"]]
    assert (found[-4:] == list("07QZ")) is (code == 4)
    told = [text.replace("QZ", "5Q") for text in told]
    assert any("Q" in phrase for phrase in common_phrases(told, code_length=code)) is (code == 6)


def test_no_phrase_holds_a_part_of_a_code() -> None:
    told = [f"Reservation P{n % 10}TTXB has been cancelled. Anything else?" for n in range(100)]
    found = common_phrases(told)
    assert any("has been cancelled" in phrase for phrase in found)
    assert not any("TTXB" in phrase or phrase.endswith("P") for phrase in found)


def test_heads_that_copy_do_so_before_any_training() -> None:
    shape = ScratchConfig(hidden=128, layers=3, theta=1e6, copying=True)
    tokenizer = build_tokenizer(TEXTS, vocabulary=600)
    assert tokenizer.pad_token == END_OF_TEXT
    generator = torch.Generator().manual_seed(0)
    told = torch.randint(300, len(tokenizer), (8, 40), generator=generator)
    between = torch.randint(300, len(tokenizer), (8, 60), generator=generator)
    ids = torch.cat([told, between, told], 1)

    def right(shape: ScratchConfig) -> float:
        model = build_model(tokenizer, shape, seed=1)
        with torch.no_grad():
            best = model(input_ids=ids).logits[:, 103:-1].argmax(-1)
        return float((best == ids[:, 104:]).float().mean())

    assert right(shape) > 0.6
    assert right(shape.model_copy(update={"copying": False})) < 0.1


def test_the_same_seed_gives_the_same_weights() -> None:
    tokenizer = build_tokenizer(TEXTS, vocabulary=400)
    shape = ScratchConfig(hidden=128, layers=2, theta=1e6, copying=True)
    first, again, other = (build_model(tokenizer, shape, seed=seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["model.embed_tokens.weight"], other["model.embed_tokens.weight"])


def test_a_shape_that_cannot_copy_is_refused() -> None:
    with pytest.raises(ConfigError, match="copying needs"):
        load_config({"model": {"scratch": {"copying": True, "layers": 1}}})
