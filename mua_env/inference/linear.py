"""A linear model over hashed features of text: small enough to ship as a file, fast enough for every sentence.

One logistic regression a label over features that are strings, hashed into a table of fixed size (Weinberger et al.,
"Feature Hashing for Large Scale Multitask Learning", ICML 2009), fitted by AdaGrad (Duchi et al., JMLR 2011). It needs
NumPy alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mua_env.errors import ConfigError

_WORD = re.compile(r"[a-z']+|\d+|[\u4e00-\u9fff]|[^\sa-z\d\u4e00-\u9fff]")


def text_features(text: str, *, longest: int = 3) -> Iterator[str]:
    """Runs of up to ``longest`` words of a text, with marks of where it begins and ends.

    A Han character and a punctuation mark are words, and every number is the same one: what a text does rarely hangs on
    which.
    """
    words = ["<", *("0" if word[0].isdigit() else word for word in _WORD.findall(text.lower())), ">"]
    for length in range(1, longest + 1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


class LinearModel:
    """Scores of labels, each for itself: several of them may hold of one text, or none.

    Args:
        labels: their names, in the order of the columns of ``weights``.
        weights: float32, features by labels; a feature's row is its hash.
        bias: float32, one a label.
    """

    def __init__(self, labels: Sequence[str], weights: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
        self.labels = tuple(labels)
        self.weights = weights
        self.bias = bias

    @classmethod
    def fit(
        cls,
        examples: Iterable[tuple[Iterable[str], Collection[str]]],
        labels: Sequence[str],
        *,
        buckets: int = 2**14,
        epochs: int = 12,
        rate: float = 0.3,
        decay: float = 1e-5,
        seed: int = 0,
    ) -> LinearModel:
        """A model fitted to examples.

        Args:
            examples: features of a text, and the labels that hold of it.
            labels: all there are.
            buckets: rows of the table; features whose hashes collide share one.
            epochs: passes over the examples, each in an order of its own.
            rate: step size of AdaGrad.
            decay: L2 penalty, on the features of the example at hand.
            seed: of the orders.

        Raises:
            ConfigError: there is no example, or one has a label that is not among ``labels``.
        """
        places = {label: at for at, label in enumerate(labels)}
        rows: list[NDArray[np.int64]] = []
        targets: list[NDArray[np.float32]] = []
        for features, given in examples:
            unknown = set(given) - set(places)
            if unknown:
                raise ConfigError(f"an example has the labels {sorted(unknown)}; known are {list(labels)}")
            rows.append(_hashed(features, buckets))
            targets.append(np.array([label in given for label in labels], np.float32))
        if not rows:
            raise ConfigError("a linear model needs at least one example")
        model = cls(labels, np.zeros((buckets, len(places)), np.float32), np.zeros(len(places), np.float32))
        squares, bias_squares = np.full_like(model.weights, 1e-8), np.full_like(model.bias, 1e-8)
        rng = np.random.default_rng(seed)
        for _ in range(epochs):
            for at in rng.permutation(len(rows)):
                row = rows[at]
                error = model._probabilities(row) - targets[at]
                step = error * _share(row) + decay * model.weights[row]
                squares[row] += step * step
                model.weights[row] -= rate * step / np.sqrt(squares[row])
                bias_squares += error * error
                model.bias -= rate * error / np.sqrt(bias_squares)
        return model

    def scores(self, features: Iterable[str]) -> dict[str, float]:
        """The probability of each label, 0 to 1, of a text with these features."""
        return self.scores_of(self.rows(features))

    def rows(self, features: Iterable[str]) -> frozenset[int]:
        """The rows of features, to be kept where several texts share them."""
        buckets = len(self.weights)
        return frozenset([crc32(feature.encode()) % buckets for feature in features])

    def scores_of(self, rows: frozenset[int]) -> dict[str, float]:
        """As :meth:`scores`, of rows that are known."""
        found = self._probabilities(np.fromiter(rows, np.int64, len(rows)))
        return dict(zip(self.labels, found.tolist(), strict=True))

    def _probabilities(self, row: NDArray[np.int64]) -> NDArray[np.float32]:
        total = self.weights[row].sum(axis=0) * _share(row) + self.bias
        return np.asarray(1 / (1 + np.exp(-np.clip(total, -30, 30))), np.float32)

    def save(self, file: str | PathLike[str] | BinaryIO) -> None:
        """Write the model: 8 bits a weight, compressed, the same bytes for the same model."""
        scale = np.maximum(np.abs(self.weights).max(axis=0), 1e-8) / 127
        np.savez_compressed(
            Path(file) if isinstance(file, (str, PathLike)) else file,
            labels=np.array(self.labels),
            bias=self.bias,
            scale=scale.astype(np.float32),
            weights=np.rint(self.weights / scale).astype(np.int8),
        )

    @classmethod
    def load(cls, file: str | PathLike[str] | BinaryIO) -> LinearModel:
        """Read what :meth:`save` wrote.

        Raises:
            ConfigError: the file is not there, or holds something else.
        """
        try:
            with np.load(file, allow_pickle=False) as held:
                weights = held["weights"].astype(np.float32) * held["scale"]
                return cls([str(label) for label in held["labels"]], weights, held["bias"])
        except (OSError, EOFError, ValueError, KeyError) as error:
            raise ConfigError(f"{file} holds no linear model: {error}") from error


def _hashed(features: Iterable[str], buckets: int) -> NDArray[np.int64]:
    """The rows of features, each once: what is said twice says no more."""
    return np.array(sorted({crc32(feature.encode()) % buckets for feature in features}), np.int64)


def _share(row: NDArray[np.int64]) -> float:
    """What a feature counts for, so that a long text has no larger scores than a short one."""
    return 1 / float(np.sqrt(max(len(row), 1)))
