"""How much memory training a model takes, by a documented estimate.

For one process that holds the whole model; FSDP and DeepSpeed divide weights, gradients and optimiser among theirs.

    weights        parameters x bytes of a number; 4, and 2 for a copy, where float32 weights compute in bfloat16
    gradients      the same, without the copy
    optimiser      AdamW's two averages: twice the same
    reference      the same as the weights, where beta is above 0
    adapters       with LoRA, those of all linear layers in float32 are all that has gradients and an optimiser; the
                   model without them is the reference
    activations    what a decoder layer of Qwen3 keeps of a token for its gradient, with attention that keeps no scores:
                   in float32 24 bytes x hidden + 16 x (query + key-value width) + 16 x feed-forward, in bfloat16 16, 10
                   and 8 (measured, see the tests); with gradient checkpointing hidden x bytes for each layer, and one
                   layer in full
    logits         sequences x tokens x vocabulary x 3 numbers of 4 bytes: logits, their log-softmax, the gradient
    cache          dialogues held at once x tokens x layers x 2 x key-value heads x width of a head x bytes

It is meant for planning: fragmentation, buffers of libraries and padding are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

GIB = 1024.0**3
_KEPT = {4: (24, 16, 16), 2: (16, 10, 8)}
"""Bytes that a layer keeps of a token, by the bytes of a number: for each unit of the residual stream, of the heads'
widths, and of the feed-forward layer."""


@dataclass(frozen=True)
class Shape:
    """What the estimate needs of a decoder.

    Attributes:
        parameters: their number.
        layers: of the decoder.
        hidden: width of the residual stream.
        feed_forward: width of the feed-forward layer.
        heads: query heads.
        kv_heads: key-value heads.
        head: width of a head.
        vocabulary: tokens.
    """

    parameters: int
    layers: int
    hidden: int
    feed_forward: int
    heads: int
    kv_heads: int
    head: int
    vocabulary: int

    def adapters(self, rank: int) -> int:
        """Parameters of LoRA's matrices for all linear layers of the decoder."""
        wide, narrow = self.heads * self.head, self.kv_heads * self.head
        ends = 2 * (self.hidden + wide) + 2 * (self.hidden + narrow) + 3 * (self.hidden + self.feed_forward)
        return self.layers * rank * ends


_QWEN3 = {  # hidden, layers, heads, key-value heads, feed-forward, tied embeddings; head width 128, 151,936 tokens
    "0.6b": (1024, 28, 16, 8, 3072, True),
    "1.7b": (2048, 28, 16, 8, 6144, True),
    "4b": (2560, 36, 32, 8, 9728, True),
    "8b": (4096, 36, 32, 8, 12288, False),
    "14b": (5120, 40, 40, 8, 17408, False),
    "32b": (5120, 64, 64, 8, 25600, False),
}


def shape_of(path: str) -> Shape | None:
    """The shape of a model: from its configuration in a folder or the local cache, from the published shapes of Qwen3
    for its hub ids; None where neither is at hand. Nothing is downloaded."""
    from transformers import AutoConfig

    try:
        config: Any = AutoConfig.from_pretrained(path, local_files_only=True)
    except (OSError, ValueError):
        config = _qwen3(path)
    return None if config is None else shape_of_config(config)


def shape_of_config(config: Any) -> Shape:
    """The shape of a configuration of transformers; its parameters are counted without being made."""
    import torch
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        model: Any = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return Shape(
        parameters=model.num_parameters(),
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        feed_forward=config.intermediate_size,
        heads=config.num_attention_heads,
        kv_heads=getattr(config, "num_key_value_heads", None) or config.num_attention_heads,
        head=head,
        vocabulary=config.vocab_size,
    )


def _qwen3(path: str) -> Any:
    owner, _, name = path.lower().rpartition("/")
    family, _, size = name.partition("-")
    if owner != "qwen" or family != "qwen3" or size not in _QWEN3:
        return None
    from transformers import Qwen3Config

    hidden, layers, heads, kv_heads, feed_forward, tied = _QWEN3[size]
    return Qwen3Config(
        vocab_size=151_936,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=128,
        intermediate_size=feed_forward,
        tie_word_embeddings=tied,
    )


def memory_of(
    shape: Shape,
    *,
    number: int,
    sequences: int,
    tokens: int,
    dialogues: int,
    reference: bool,
    checkpointing: bool,
    adapters: int = 0,
    mixed: bool = False,
) -> dict[str, float]:
    """Bytes by part, for one process.

    Args:
        shape: of the model.
        number: bytes of a number that is computed with: 4 for float32, 2 for bfloat16.
        sequences: of a forward pass.
        tokens: of a sequence.
        dialogues: held at once while sampling.
        reference: whether there is a reference model.
        checkpointing: of gradients.
        adapters: their parameters, which alone are trained; 0 where all weights are.
        mixed: whether the weights are in float32 whatever is computed with.
    """
    weights = float(shape.parameters * (4 if mixed else number))
    trained = 4.0 * adapters if adapters else weights
    hidden, heads, wide = _KEPT[number]
    width = (shape.heads + shape.kv_heads) * shape.head
    layer = sequences * tokens * (hidden * shape.hidden + heads * width + wide * shape.feed_forward)
    kept = sequences * tokens * shape.hidden * number * shape.layers + layer if checkpointing else layer * shape.layers
    return {
        "weights": weights + 4.0 * adapters + (float(shape.parameters * number) if mixed else 0.0),
        "gradients": trained,
        "optimiser": 2 * trained,
        "reference": weights if reference and not adapters else 0.0,
        "activations": float(kept),
        "logits": 12.0 * sequences * tokens * shape.vocabulary,
        "cache": 2.0 * dialogues * tokens * shape.layers * shape.kv_heads * shape.head * number,
    }
