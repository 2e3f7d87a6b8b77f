"""A tokenizer and a small model from nothing, so that training runs offline and in minutes.

What makes such a model able to copy: every digit is a token of its own, and a name or an identifier
has the same tokens wherever it stands. All else may merge freely, across spaces too, so that set phrases, the
system prompt and the skeleton of JSON become few tokens; but never across a newline, so that a message's tokens
do not depend on the header before it. Both are functions of their arguments and seed alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mua_env.errors import ConfigError, missing_extra
from mua_env.training.config import ScratchConfig
from mua_env.training.template import CHAT_TEMPLATE, END_OF_TEXT, SPECIAL_TOKENS, TURN_END

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


_UNITS = r"\n|[A-Z][a-z]+|[a-z]+(?:[._][a-z]+)+_?"
"""What is cut out before merging: newlines, capitalised words, and words joined by dots or underscores."""


def build_tokenizer(corpus: Iterable[str], *, vocabulary: int = 1024) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer with single-digit tokens and this package's chat template.

    Args:
        corpus: texts to learn merges from; rendered dialogues of the training split.
        vocabulary: size, special tokens and the 256 bytes included.

    Raises:
        ConfigError: the vocabulary cannot hold the bytes and special tokens.
        MissingExtra: the [train] extra is not installed.
    """
    if vocabulary < 256 + len(SPECIAL_TOKENS):
        raise ConfigError(
            f"a vocabulary of {vocabulary} cannot hold 256 bytes and {len(SPECIAL_TOKENS)} special tokens"
        )
    try:
        from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
        from transformers import PreTrainedTokenizerFast
    except ImportError:
        raise missing_extra("train", needed_by="a tokenizer from nothing") from None
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_UNITS), "isolated"),
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
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # transformers
        tokenizer_object=raw,
        eos_token=TURN_END,
        pad_token=END_OF_TEXT,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


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
        tie_word_embeddings=True,
        attention_dropout=0.0,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Qwen3ForCausalLM(config)
