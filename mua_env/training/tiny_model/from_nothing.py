"""A tokenizer and a small model from nothing, so that training runs offline and in minutes.

What makes such a model able to copy: every digit is a token of its own, and a name or an identifier
has the same tokens wherever it stands. All else may merge freely, across spaces too, so that set phrases, the
system prompt and the skeleton of JSON become few tokens; but never across a newline, so that a message's tokens
do not depend on the header before it. With `phrases` only those texts are whole and all else is cut into words: a
user's sentence that was never heard then has tokens that were. Both are functions of their arguments and seed alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mua_env.errors import ConfigError, missing_extra
from mua_env.inference.chat_template import CHAT_TEMPLATE, END_OF_TEXT, SPECIAL_TOKENS, TURN_END, TURN_START
from mua_env.training.config.train import ScratchConfig

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


_SHORT = 8
"""Lines of the system prompt up to so many characters are left to the merges; they may be words that users say."""

_WORDS = r" ?[A-Za-z']+|[._@]|\d| ?[^A-Za-z\s\d._@]+|\s+"
"""Words with the space before them, and what stands between."""
_NAMES = r"\n|[A-Z][a-z]+|[A-Z]{2,}|[a-z]+(?:[._][a-z]+)+_?"
"""Newlines, words with capitals, and words joined by dots or underscores."""
_SEVERAL = re.compile(r"\w\W+\w|\W{3,}")
_PHRASE_MERGES = 600


def build_tokenizer(
    corpus: Iterable[str], *, vocabulary: int = 1024, phrases: Iterable[str] = (), code_length: int = 6
) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer with single-digit tokens and this package's chat template.

    Without ``phrases`` merges cross spaces; with them all other text is merged within words only.

    Args:
        corpus: texts to learn merges from; rendered dialogues of the training split.
        vocabulary: size, special tokens and the 256 bytes included.
        phrases: texts that become one token each, on top of `vocabulary`; see `set_phrases` and `common_phrases`.
        code_length: characters of a code of capitals and digits, as a reservation's; each is a token of its own.

    Raises:
        ConfigError: the vocabulary cannot hold the bytes and special tokens.
        MissingExtra: the [train] extra is not installed.
    """
    if vocabulary < 256 + len(SPECIAL_TOKENS):
        raise ConfigError(
            f"a vocabulary of {vocabulary} cannot hold 256 bytes and {len(SPECIAL_TOKENS)} special tokens"
        )
    whole = list(dict.fromkeys(phrases))
    raw = _merged(corpus, vocabulary, (_units(code_length), _WORDS) if whole else (_units(code_length),))
    try:
        from tokenizers import AddedToken
        from transformers import PreTrainedTokenizerFast
    except ImportError:
        raise missing_extra("train", needed_by="a tokenizer from nothing") from None
    raw.add_tokens([AddedToken(phrase, normalized=False) for phrase in whole])
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # transformers
        tokenizer_object=raw,
        eos_token=TURN_END,
        pad_token=END_OF_TEXT,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def _units(length: int) -> str:
    """What is cut out before merging: newlines, the characters of a code, words with capitals, and words joined by dots
    or underscores."""
    characters = "|".join(
        rf"(?<=[A-Z\d]{{{before}}})(?<![A-Z\d]{{{before + 1}}})[A-Z\d](?=[A-Z\d]{{{length - 1 - before}}}(?![A-Z\d]))"
        for before in range(length)
    )
    return f"{characters}|{_NAMES}"


def _names(length: int) -> str:
    """What is cut out of phrases: newlines, codes, words with capitals, and words joined as in an identifier or an
    e-mail address."""
    whole = rf"(?<![A-Z\d])[A-Z\d]{{{length}}}(?![A-Z\d])"
    return rf"{whole}|{_NAMES}(?=[\d@])"


def _merged(corpus: Iterable[str], vocabulary: int, units: Sequence[str]) -> Tokenizer:
    try:
        from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    except ImportError:
        raise missing_extra("train", needed_by="a tokenizer from nothing") from None
    cuts = [pre_tokenizers.Split(Regex(unit), "isolated") for unit in units]
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [
            *cuts,
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(corpus, trainer)
    return raw


def common_phrases(texts: Sequence[str], *, share: float = 0.02, code_length: int = 6) -> list[str]:
    """What the texts say again and again: runs of more than a word, free of digits and names.

    Args:
        texts: what the agent says, tool calls included.
        share: a phrase stands at least so often, per text.
        code_length: as of `build_tokenizer`; no phrase holds a part of a code.
    """
    raw = _merged(texts, 256 + len(SPECIAL_TOKENS) + _PHRASE_MERGES, (_names(code_length),))
    counts = Counter(
        text[start:end]
        for text, found in zip(texts, raw.encode_batch(list(texts)), strict=True)
        for start, end in found.offsets
    )
    return [phrase for phrase, count in counts.items() if count >= share * len(texts) and _SEVERAL.search(phrase)]


def set_phrases(system: str, tools: Mapping[str, Sequence[str]]) -> list[str]:
    """What is the same in every dialogue, for tokens of its own: the headers of turns, the skeletons of tool calls,
    and the lines of the system prompt, which a model from nothing has no words to read by.

    Args:
        system: the system prompt.
        tools: names of the tools, and the parameters of each.
    """
    headers = [f"{TURN_START}{role}\n" for role in ("system", "user", "assistant", "tool")]
    headers += [f"\n{header}" for header in headers[1:]]
    calls = []
    for tool, parameters in tools.items():
        start = f'<tool_call>\n{{"name": "{tool}", "arguments": {{'
        calls += [start, *(f'{start}"{name}": "' for name in parameters), *(f'", "{name}": "' for name in parameters)]
    lines = [line for line in system.splitlines(keepends=True) if len(line) > _SHORT]
    return list(dict.fromkeys([*headers, *calls, "}}\n</tool_call>", '"}}\n</tool_call>', *lines]))


def build_model(tokenizer: PreTrainedTokenizerFast, shape: ScratchConfig, *, seed: int) -> PreTrainedModel:
    """A Qwen3 model with random weights, in float32 on the CPU.

    The global torch generator is left as it was found.

    Raises:
        MissingExtra: the [train] extra is not installed.
    """
    try:
        import torch
        from transformers import Qwen3Config, Qwen3ForCausalLM
    except ImportError:
        raise missing_extra("train", needed_by="a model from nothing") from None
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head,
        initializer_range=shape.initializer,
        intermediate_size=shape.hidden * shape.feed_forward,
        max_position_embeddings=shape.positions,
        rope_parameters={"rope_type": "default", "rope_theta": shape.theta},
        tie_word_embeddings=True,
        attention_dropout=0.0,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
    if shape.copying:
        from mua_env.training.tiny_model.induction import write_copying_heads

        write_copying_heads(model, seed=seed)
    return model
