"""Stage two's model at answering time: trees, a network beside them, and a calibration curve."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.ranking.features import BY_NAME
from recsys.ranking.two_pass import SECOND_NAMES
from recsys.retrieval.sources import USUAL
from recsys.store.arrays import Floats, Rows, load_arrays
from recsys.store.artifacts import load_manifest
from recsys.store.kernels.dispatch import LEAVES, Trees, score_trees

# The trees of a model on disk: the arrays of `recsys.store.kernels.dispatch.Trees` in one file.

TREES = "trees.npz"
_TREE_ARRAYS = ("feature", "threshold", "tree", "left", "values", "width")


@dataclass(frozen=True, slots=True)
class StoredTrees:
    """Trees and how many features they read."""

    trees: Trees
    width: int

    def score(self, features: Floats) -> Floats:
        """Score (n, width) float32 features: (n,) float32."""
        return score_trees(self.trees, features)

    def save(self, folder: Path) -> None:
        """Write them into a folder."""
        np.savez(
            folder / TREES,
            allow_pickle=False,
            width=np.array(self.width),
            feature=self.trees.feature,
            threshold=self.trees.threshold,
            tree=self.trees.tree,
            left=self.trees.left,
            values=self.trees.values,
        )

    @classmethod
    def load(cls, folder: Path) -> "StoredTrees":
        """Read what `save` wrote.

        Raises:
            ArtifactCorrupt: it is no such file, or its arrays do not fit each other.
        """
        path = folder / TREES
        feature, threshold, tree, left, values, width = load_arrays(path, _TREE_ARRAYS)
        try:
            trees = Trees(
                np.ascontiguousarray(feature, np.int32),
                np.ascontiguousarray(threshold, np.float32),
                np.ascontiguousarray(tree, np.int32),
                np.ascontiguousarray(left, np.uint32),
                np.ascontiguousarray(values, np.float32),
            )
            found = cls(trees, int(width))
        except (ValueError, TypeError) as error:
            raise ArtifactCorrupt(f"{path} cannot be read ({error}).", "Build it again.") from error
        flat = trees.feature, trees.threshold, trees.tree, trees.left
        if not (
            trees.feature.ndim == 1
            and trees.values.shape[1:] == (LEAVES,)
            and all(column.shape == trees.feature.shape for column in flat)
            and _within(trees.feature, found.width)
            and _within(trees.tree, len(trees.values))
            and np.all(np.diff(trees.tree) >= 0)
        ):
            raise ArtifactCorrupt(f"The arrays of {path} do not fit.", "Build it again.")
        return found


def _within(numbers: Rows, below: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < below)


# A neural network that answers beside the trees of a ranker.
#
# Trees cut each feature into steps. A network draws smooth lines through them, and reads where a
# candidate stands among the others of its query: what it learns from a few queries holds for more
# of the others. Both say more together than either does.

NETWORK = "network.npz"
FARTHEST = np.float32(6)
"""Standard deviations from the mean of the candidates; beyond them, all is the same."""
_LEAST_SPREAD = np.float32(1e-6)
_SHORT = ("first", "first_bias", "second", "second_bias")
"""Arrays that are stored in 16 bits."""
_NETWORK_ARRAYS = ("knots", "quantiles", *_SHORT, "last", "bias")


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
        quantiles = np.empty(features.shape, np.float32, order="F")
        for column, line in enumerate(zip(self.knots, self.quantiles, strict=True)):
            quantiles[:, column] = np.interp(features[:, column], *line)
        return quantiles


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
        arrays = {name: getattr(self, name) for name in _NETWORK_ARRAYS[2:]}
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
        stored = load_arrays(path, _NETWORK_ARRAYS)
        arrays = [each.astype(np.float32) if each.dtype == np.float16 else each for each in stored]
        found = cls(Scale(*arrays[:2]), *arrays[2:])
        facts = [(each.dtype.str, each.ndim) for each in arrays]
        if facts != [("<f4", 2)] * 2 + [("<f4", 3)] * 6 or not _fits(found):
            raise ArtifactCorrupt(f"The arrays of {path} do not fit.", "Build it again.")
        return found


def mean_and_spread(features: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each of (n, f) features, n >= 1: (f,) float32 each.

    In float32, the mean of equal numbers is seldom that number, and all would stand beside it.
    """
    mean, spread = (of(axis=0, dtype=np.float64) for of in (features.mean, features.std))
    return mean.astype(np.float32), np.maximum(spread.astype(np.float32), _LEAST_SPREAD)


def standing(features: Floats, mean: Floats, spread: Floats) -> Floats:
    """Say how far (n, f) features are from means, in standard deviations: (n, f) float32."""
    told: Floats = np.clip((features - mean) / spread, -FARTHEST, FARTHEST)
    return told


def rectified(values: Floats, bias: Floats) -> Floats:
    """Add a bias and put zeros in the place of what is negative; the values themselves change."""
    values += bias
    positive: Floats = np.maximum(values, 0, out=values)
    return positive


def _fits(found: Network) -> bool:
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
        and all(np.isfinite(getattr(found, name)).all() for name in _NETWORK_ARRAYS[2:])
    )


# Both together, calibrated.

KIND = "ranker"
FIRST = "first"
"""The folder inside a ranker's of the one whose chances it reads."""
SCHEMA = 3
_AGAIN = "Train it again with `recsys train ranker`."


@dataclass(frozen=True, slots=True)
class TreeRanker:
    """Scores candidates; trained by `recsys.pipelines.ranking.train_ranker`.

    knots: (2, j) float64: ascending scores and the probabilities there (isotonic regression on the
    dev queries); in between, probabilities are interpolated. folder: where it was loaded from.
    searches: those whose candidates it was trained on. nnselect: fingerprint of the NNSelect that
    it was trained with, if it was. first: the ranker whose chances this one reads, see
    `recsys.ranking.two_pass`; None: it ranks in one pass. network: whose scores are added to those
    of the trees; None: there is none.
    """

    trees: StoredTrees
    feature_names: tuple[str, ...]
    knots: np.typing.NDArray[np.float64]
    origin: str
    folder: Path | None = None
    searches: tuple[str, ...] = USUAL
    nnselect: str | None = None
    first: "TreeRanker | None" = None
    network: Network | None = None

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features of one query: (n,) float32, higher is better."""
        scores = self.trees.score(features)
        return scores if self.network is None else scores + self.network.score(features)

    def probability(self, scores: Floats) -> Floats:
        """Calibrate (n,) scores into chances of being cited, in [0, 1]."""
        chances: Floats = np.interp(scores, *self.knots).astype(np.float32)
        return chances

    def chances(self, features: Floats) -> Floats:
        """Give (n, f) float32 features of one query chances of being cited: (n,) float32."""
        return self.probability(self.score(features))

    @classmethod
    def load(
        cls, folder: Path, *, kind: str = KIND, known: Collection[str] = BY_NAME
    ) -> "TreeRanker":
        """Open a ranker folder.

        Args:
            folder: where it lies.
            kind: of the artifact.
            known: names of the features that can be computed for it.

        Raises:
            ArtifactError: the folder is missing, damaged, of another kind or schema, or was
                trained with features that this version does not have.
        """
        manifest = load_manifest(folder, kind, SCHEMA)
        config = manifest.config
        try:
            names = tuple(config["feature_names"])
            curve, origin = config["calibration"], config["origin"]
            knots = centred(np.array([curve["scores"], curve["probabilities"]]))
            searches = tuple(config.get("candidates", USUAL))
        except (KeyError, TypeError) as error:
            raise ArtifactCorrupt(
                f"The manifest of the ranker in {folder} lacks {error}.", _AGAIN
            ) from error
        second = SECOND_NAMES if (folder / FIRST).is_dir() else ()
        if unknown := [name for name in names if name not in known and name not in second]:
            raise ArtifactMismatch(
                f"The ranker {folder} needs the feature {unknown[0]!r}, which this version does "
                "not have.",
                _AGAIN,
            )
        trees = StoredTrees.load(folder)
        if trees.width != len(names):
            raise ArtifactCorrupt(
                f"{folder / TREES} reads {trees.width} features, its manifest names {len(names)}.",
                _AGAIN,
            )
        network = Network.load(folder) if NETWORK in manifest.files else None
        if network is not None and network.width != len(names):
            raise ArtifactCorrupt(
                f"{folder / NETWORK} reads {network.width} features, its manifest names "
                f"{len(names)}.",
                _AGAIN,
            )
        first = None
        if (folder / FIRST).is_dir():
            first = cls.load(folder / FIRST, kind=kind, known=known)
            if names != (*first.feature_names, *SECOND_NAMES):
                raise ArtifactMismatch(
                    f"The ranker {folder} does not read what {folder / FIRST} gives it.", _AGAIN
                )
        nnselect = config.get("nnselect")
        return cls(trees, names, knots, origin, folder, searches, nnselect, first, network)


def centred(knots: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
    """Draw an isotonic curve through the middles of its steps: another score, another chance.

    Centred isotonic regression (Oron & Flournoy 2017); ends as far as its first and last step do.

    Args:
        knots: (2, j) float64, ascending scores and probabilities; a step is a run of equal ones.

    Returns:
        (2, i) float64 with i <= j.
    """
    scores, chances = knots
    begins = np.flatnonzero(np.diff(chances, prepend=-1.0))
    ends = np.append(begins[1:], len(chances)) - 1
    return np.stack([(scores[begins] + scores[ends]) / 2, chances[begins]])
