"""First weights that copy: a model from nothing that starts with induction heads.

What an agent does most is to repeat what it was told: an order number, a name, an address. Transformers do it with
two heads in turn (Elhage et al. 2021, Olsson et al. 2022): one brings each token's predecessors along, one looks for
where the same tokens stood before and copies what followed. Gradient descent finds them, but at this size only after
more tokens than a quick start has (`docs/quickstart.md` has the figures), so both are written into the first two layers
here. They are first weights like any others: all of them are trained, and nothing else of the task is in them.

Width of the residual stream: the token itself, its ``_BACK`` predecessors in an eighth each, and one constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_BACK = 4
"""Predecessors that a token carries along, as many as there are heads."""
_SPREAD = 0.12
"""Of the embeddings, and of all that layers add to the residual stream."""
_NOISE = 0.02
"""Of weights that would be 0."""
_SHARP = 3.0
"""Weight of the query and key norms where heads look at positions; the logits grow with its square."""
_MATCH = 2.0
"""The same where heads look for equal tokens."""
_NEAR = 4
"""Rotary frequencies, the fastest ones, that positions are told apart by."""
_FAR = 400
"""Rotary frequencies with longer periods, in tokens, are slow enough to compare content."""
_COPIED = 2.0
"""How much stronger than the token itself the copied one is."""
_LONG = ((2.0, 1.5, 1.0, 1.0), (1.5, 1.0, 0.7, 0.7))
_SHORT = ((1.0, 0.0), (1.0, 1.0))
"""What each head of a key group weighs the token and its predecessors by."""


@dataclass(frozen=True)
class _Plan:
    """Where things lie in the residual stream and in a head."""

    hidden: int
    head: int
    heads: int
    groups: int
    frequencies: torch.Tensor

    @property
    def part(self) -> int:
        return self.hidden // 8

    @property
    def token(self) -> int:
        return min(self.hidden - _BACK * self.part - 1, self.head)

    def before(self, back: int) -> slice:
        """Where the token that stood ``back`` places before is kept."""
        start = self.token + (back - 1) * self.part
        return slice(start, start + self.part)

    def slow(self) -> list[int]:
        """Dimensions of a head that turn slowly, slowest first."""
        half = self.head // 2
        far = [i for i in range(half) if 2 * math.pi / float(self.frequencies[i]) > _FAR]
        return [place for i in reversed(far) for place in (i, i + half)]


@torch.no_grad()
def write_copying_heads(model: PreTrainedModel, *, seed: int) -> None:
    """Overwrite the embeddings and the attention of the first two layers of a new Qwen3 model.

    Args:
        model: with two layers or more, tied embeddings, four heads or more in two groups or more.
        seed: of the weights.
    """
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    core: Any = model.model
    config: Any = model.config
    theta = float(config.rope_parameters["rope_theta"])
    half = config.head_dim // 2
    plan = _Plan(
        config.hidden_size,
        config.head_dim,
        config.num_attention_heads,
        config.num_key_value_heads,
        theta ** (-torch.arange(half) / half),
    )
    rows = core.embed_tokens.weight
    rows.copy_(draw(*rows.shape) * _NOISE)
    rows[:, : plan.token] = draw(rows.shape[0], plan.token) * _SPREAD
    rows[:, -1] = 3 * _SPREAD
    for layer in core.layers:  # what random layers add shall not drown it
        layer.mlp.down_proj.weight.mul_(0.1)
        layer.self_attn.o_proj.weight.mul_(0.1)
    for layer in core.layers[:2]:
        attention = layer.self_attn
        for name, spread in (("q_proj", 1.0), ("k_proj", 1.0), ("v_proj", 1.0), ("o_proj", 0.1)):
            weight = getattr(attention, name).weight
            weight.copy_(draw(*weight.shape) * _NOISE * spread)
        for group in range(plan.groups):
            start = group * plan.head
            attention.v_proj.weight[start : start + plan.token, : plan.token] += torch.eye(plan.token)
    projection = draw(plan.part, plan.token) / math.sqrt(plan.token)
    _look_back(core.layers[0].self_attn, plan, projection)
    _look_for_the_same(core.layers[1].self_attn, plan, projection)


def _look_back(attention: Any, plan: _Plan, projection: torch.Tensor) -> None:
    """Heads that attend to the token 1, 2, ... places before, by position alone, and keep it."""
    half = plan.head // 2
    for group in range(plan.groups):
        attention.k_proj.weight[group * plan.head : group * plan.head + _NEAR, -1] = 1.0
    for head in range(plan.heads):
        start, back = head * plan.head, head % _BACK + 1
        turn = back * plan.frequencies[:_NEAR]
        attention.q_proj.weight[start : start + _NEAR, -1] = torch.cos(turn)
        attention.q_proj.weight[start + half : start + half + _NEAR, -1] = -torch.sin(turn)
        # The norm before this layer makes the token about 1.5 wide.
        attention.o_proj.weight[plan.before(back), start : start + plan.token] += projection * (_SPREAD / 1.5)
    for norm in (attention.q_norm.weight, attention.k_norm.weight):
        norm.fill_(1.0)
        norm[:_NEAR] = norm[half : half + _NEAR] = _SHARP


def _look_for_the_same(attention: Any, plan: _Plan, projection: torch.Tensor) -> None:
    """Heads that attend to where the same tokens stood just before, and copy what stands there."""
    slow, each_group = plan.slow(), plan.heads // plan.groups
    for group in range(plan.groups):
        weights = _SHORT if group else _LONG
        many = len(weights[0])
        size = min(len(slow) // many, plan.part)
        places = [slow[j * size : (j + 1) * size] for j in range(many)]
        for j, place in enumerate(places):
            rows = [group * plan.head + i for i in place]
            attention.k_proj.weight[rows, plan.before(j + 1).start : plan.before(j + 1).start + size] += torch.eye(size)
        for number in range(each_group):
            start = (group * each_group + number) * plan.head
            weight = weights[number % len(weights)]
            for j, place in enumerate(places):
                rows = [start + i for i in place]
                if j == 0:
                    attention.q_proj.weight[rows, : plan.token] += weight[0] * projection[:size]
                else:
                    first = plan.before(j).start
                    attention.q_proj.weight[rows, first : first + size] += weight[j] * torch.eye(size)
            copied = torch.eye(plan.token) * (_COPIED * _SPREAD)
            attention.o_proj.weight[: plan.token, start : start + plan.token] += copied
    attention.q_norm.weight.fill_(_MATCH)
    attention.k_norm.weight.fill_(_MATCH)
