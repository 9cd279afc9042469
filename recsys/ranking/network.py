"""A neural network that answers beside the trees of a ranker.

Trees cut each feature into steps. A network draws smooth lines through them, and reads where a
candidate stands among the others of its query: what it learns from a few queries holds for more of
the others. Both say more together than either does.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Floats, load_arrays
from recsys.store.kernels import fastest

NETWORK = "network.npz"
FARTHEST = np.float32(6)
"""Standard deviations from the mean of the candidates; beyond them, all is the same."""
_LEAST = np.float32(1e-6)
_SHORT = ("first", "first_bias", "second", "second_bias")
"""Arrays that are stored in 16 bits."""
_ARRAYS = ("knots", "quantiles", *_SHORT, "last", "bias")


@dataclass(frozen=True, slots=True)
class Scale:
    """Which values of features are common: they are read as normal quantiles.

    knots: (f, k) float32, values of each feature, ascending; the last one may come again.
    quantiles: (f, k) float32, those of the standard normal distribution there.
    """

    knots: Floats
    quantiles: Floats

    def read(self, features: Floats) -> Floats:
        """Place (n, f) features on the scale, with lines between knots: (n, f) float32."""
        return fastest.interpolated(features, self.knots, self.quantiles)


@dataclass(frozen=True, slots=True)
class Network:
    """Perceptrons with two hidden layers of rectified units, p of them, whose mean answers.

    scale: of f features. first: (p, 2 * f, g), first_bias: (p, 1, g). second: (p, g, h),
    second_bias: (p, 1, h). last: (p, h, 1), bias: (p, 1, 1). All float32.
    """

    scale: Scale
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    last: Floats
    bias: Floats

    @property
    def width(self) -> int:
        """How many features it reads."""
        return len(self.scale.knots)

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features of all candidates of one query: (n,) float32."""
        if not len(features):
            return np.empty(0, np.float32)
        features = np.asfortranarray(features)  # Sums are the same to the last bit.
        mean, spread = mean_and_spread(features)
        read = self.scale.read(features), standing(features, mean, spread)
        inputs, members = np.concatenate(read, axis=1), len(self.first)
        scores = np.zeros(len(features), np.float32)
        for at in range(members):  # One by one: what they make stays in the cache.
            hidden = rectified(inputs @ self.first[at], self.first_bias[at])
            hidden = rectified(hidden @ self.second[at], self.second_bias[at])
            scores += (hidden @ self.last[at] + self.bias[at])[:, 0]
        return scores / np.float32(members)

    def rounded(self) -> "Network":
        """Round weights to what a file keeps: 11 binary digits of those below the last layer."""
        short = {name: getattr(self, name).astype(np.float16) for name in _SHORT}
        return replace(self, **{name: each.astype(np.float32) for name, each in short.items()})

    def save(self, folder: Path) -> None:
        """Write it into a folder, with rounded weights."""
        arrays = {name: getattr(self, name) for name in _ARRAYS[2:]}
        arrays |= {name: arrays[name].astype(np.float16) for name in _SHORT}
        scale = {"knots": self.scale.knots, "quantiles": self.scale.quantiles}
        np.savez(folder / NETWORK, allow_pickle=False, **scale, **arrays)

    @classmethod
    def load(cls, folder: Path) -> "Network":
        """Read what `save` wrote.

        Raises:
            ArtifactCorrupt: it is no such file, or its arrays do not fit each other.
        """
        path = folder / NETWORK
        stored = load_arrays(path, _ARRAYS)
        arrays = [each.astype(np.float32) if each.dtype == np.float16 else each for each in stored]
        found = cls(Scale(*arrays[:2]), *arrays[2:])
        facts = [(each.dtype.str, each.ndim) for each in arrays]
        if facts != [("<f4", 2)] * 2 + [("<f4", 3)] * 6 or not _fit(found):
            raise ArtifactCorrupt(f"The arrays of {path} do not fit.", "Build it again.")
        return found


def mean_and_spread(features: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each of (n, f) features, n >= 1: (f,) float32 each.

    In float32, the mean of equal numbers is seldom that number, and all would stand beside it.
    """
    mean, spread = (of(axis=0, dtype=np.float64) for of in (features.mean, features.std))
    return mean.astype(np.float32), np.maximum(spread.astype(np.float32), _LEAST)


def standing(features: Floats, mean: Floats, spread: Floats) -> Floats:
    """Say how far (n, f) features are from means, in standard deviations: (n, f) float32."""
    told: Floats = np.clip((features - mean) / spread, -FARTHEST, FARTHEST)
    return told


def rectified(values: Floats, bias: Floats) -> Floats:
    """Add a bias and put zeros in the place of what is negative; the values themselves change."""
    values += bias
    positive: Floats = np.maximum(values, 0, out=values)
    return positive


def _fit(found: Network) -> bool:
    f, (p, _, g), h = found.width, found.first.shape, found.second.shape[2]
    return (
        found.scale.knots.shape == found.scale.quantiles.shape
        and found.scale.knots.size > 0
        and found.first.shape == (p, 2 * f, g)
        and found.first_bias.shape == (p, 1, g)
        and found.second.shape == (p, g, h)
        and found.second_bias.shape == (p, 1, h)
        and found.last.shape == (p, h, 1)
        and found.bias.shape == (p, 1, 1)
        and p > 0
        and all(np.isfinite(getattr(found, name)).all() for name in _ARRAYS[2:])
    )
