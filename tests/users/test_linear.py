"""A linear model over hashed features: it learns, it is the same from its file, and bad files are told."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from mua_env.errors import ConfigError
from mua_env.inference.linear import LinearModel, text_features

VERBS = ("cancel", "return", "change", "book", "move")
ASKS = ("Shall I {verb} it?", "Do you want me to {verb} this?", "May I {verb} the order now?", "要我{verb}它吗？")  # noqa: RUF001
CLAIMS = ("I have {verb}ed it.", "It has been {verb}ed now.", "The order was {verb}ed.", "已经{verb}了。")


def examples() -> list[tuple[list[str], set[str]]]:
    asks = [(list(text_features(text.format(verb=verb))), {"asks"}) for text in ASKS for verb in VERBS[:-1]]
    claims = [(list(text_features(text.format(verb=verb))), {"claims"}) for text in CLAIMS for verb in VERBS[:-1]]
    return asks + claims


@pytest.fixture(scope="module")
def model() -> LinearModel:
    return LinearModel.fit(examples(), ("asks", "claims"), buckets=4096)


@pytest.mark.parametrize("text", ASKS)
def test_what_was_not_seen_is_told_apart_by_what_was(model: LinearModel, text: str) -> None:
    scores = model.scores(text_features(text.format(verb=VERBS[-1])))
    assert scores["asks"] > 0.5 > scores["claims"]


@pytest.mark.parametrize("text", CLAIMS)
def test_labels_are_scored_each_for_itself(model: LinearModel, text: str) -> None:
    scores = model.scores(text_features(text.format(verb=VERBS[-1])))
    assert scores["claims"] > 0.5 > scores["asks"]


def test_a_model_is_the_same_from_its_file_and_its_file_from_the_same_examples(model: LinearModel) -> None:
    files = [io.BytesIO(), io.BytesIO()]
    for file in files:
        LinearModel.fit(examples(), ("asks", "claims"), buckets=4096).save(file)
    assert files[0].getvalue() == files[1].getvalue()
    files[0].seek(0)
    read = LinearModel.load(files[0])
    assert read.labels == model.labels
    for features, _ in examples():
        assert read.scores(features) == pytest.approx(model.scores(features), abs=0.03)


def test_a_text_without_features_is_scored_by_what_is_usual(model: LinearModel) -> None:
    assert set(model.scores([])) == {"asks", "claims"}


def test_the_same_number_of_another_size_is_the_same_feature() -> None:
    assert list(text_features("order #W12")) == list(text_features("order #W3456789"))


@pytest.mark.parametrize("made", [b"", b"no model", "npz"])
def test_a_file_that_holds_no_model_is_told(tmp_path: Path, made: bytes | str) -> None:
    path = tmp_path / "weights.npz"
    if isinstance(made, bytes):
        path.write_bytes(made)
    else:
        np.savez(path, other=np.zeros(3))
    with pytest.raises(ConfigError, match="holds no linear model"):
        LinearModel.load(path)
    with pytest.raises(ConfigError, match="holds no linear model"):
        LinearModel.load(tmp_path / "none.npz")


def test_examples_are_needed_and_their_labels_known() -> None:
    with pytest.raises(ConfigError, match="at least one example"):
        LinearModel.fit([], ("asks",))
    with pytest.raises(ConfigError, match="'other'"):
        LinearModel.fit([(["a"], {"other"})], ("asks",))
