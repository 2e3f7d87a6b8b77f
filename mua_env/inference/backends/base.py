"""The protocol between the rollout driver and whatever samples turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mua_env.errors import ConfigError

if TYPE_CHECKING:
    import torch

    from mua_env.inference.sampling import DecoderStats, SampledTurn


class Backend(Protocol):
    """Samples turns for many dialogues, token in and token out.

    A dialogue is a *row*, any number that stays its own until it is dropped. A backend remembers what a row has
    read and said: each turn brings only the tokens that are new since the last one.

    """

    @property
    def stats(self) -> DecoderStats:
        """Tokens read and sampled since `begin`."""

    def begin(self, *, temperature: float, seeds: Sequence[int]) -> None:
        """Forget all rows and start a batch of dialogues.

        Args:
            temperature: of sampling; 0 is greedy, with the log-probabilities of temperature 1.
            seeds: one for each row, from row 0. A row's draws depend on its seed and what it reads, on no other row.
        """

    async def sample(self, row: int, ids: Sequence[int], budget: int) -> SampledTurn:
        """Read new tokens of a row and sample its next turn.

        Args:
            row: the dialogue.
            ids: the prompt at first; then what follows the row's last turn. At least one.
            budget: most tokens to sample, at least one.

        Returns:
            The sampled ids with their log-probabilities under the sampling distribution; the last id is the
            end-of-turn token unless the budget ran out.
        """

    def drop(self, row: int) -> None:
        """Forget a row whose dialogue has ended. Unknown rows are ignored."""

    async def aclose(self) -> None:
        """Release connections and memory. May be called again."""


class RemoteBackend(Backend, Protocol):
    """A backend with weights of its own, which must be told when the model has changed.

    Attributes:
        shared: whether all processes sample from the same weights; then only the first one hands them over.
    """

    shared: bool

    def load(self, model: torch.nn.Module) -> None:
        """Take over the weights of a model. Called between batches."""


@dataclass(frozen=True)
class TurnRequest:
    """One turn that is asked for; fields as the arguments of `Backend.sample`.

    Raises:
        ConfigError: nothing to read or to sample.
    """

    row: int
    ids: Sequence[int]
    budget: int

    def __post_init__(self) -> None:
        if not self.ids or self.budget < 1:
            raise ConfigError(
                f"row {self.row} needs at least one new token and a budget of at least one, "
                f"got {len(self.ids)} and {self.budget}"
            )
