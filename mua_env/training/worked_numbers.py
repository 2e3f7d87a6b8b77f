"""The numbers of the paper worked by hand: the objective that the trainer optimises, for one token (§3.3.1, Eq. 3).

The trainer does not call this; it computes the same on tensors. A test holds the two against each other, and whoever
wants to show what a token's advantage, ratio and divergence come to has it here without torch.
"""

from __future__ import annotations

import math


def k3(ratio: float) -> float:
    """The estimator ``x - 1 - ln x`` of a Kullback-Leibler divergence, from one probability ratio."""
    return ratio - 1.0 - math.log(ratio)


def clipped_objective(
    advantage: float, ratio: float, *, epsilon: float, beta: float, kl_ratio: float | None = None
) -> float:
    """The objective of one token, to be maximised (Eq. 3).

    ``min(ratio * A, clip(ratio, 1 - epsilon, 1 + epsilon) * A) - beta * k3(kl_ratio)``

    Args:
        advantage: the advantage of the token's rollout.
        ratio: probability under the model in training over that under the model that sampled.
        epsilon: clip range.
        beta: weight of the divergence from the reference model.
        kl_ratio: the ratio that the divergence is estimated from; ``ratio`` if None. The trainer uses
            reference over current probability, the unbiased form for samples of the current model.
    """
    clipped = min(max(ratio, 1.0 - epsilon), 1.0 + epsilon)
    divergence = k3(ratio if kl_ratio is None else kl_ratio)
    return min(ratio * advantage, clipped * advantage) - beta * divergence
