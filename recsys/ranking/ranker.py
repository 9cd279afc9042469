"""Stage two's model at answering time: trees, a network beside them, and a calibration curve."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, InputError
from recsys.ranking.features import BY_NAME
from recsys.ranking.network import NETWORK, Network
from recsys.ranking.second_look import SECOND_NAMES
from recsys.retrieval.sources import USUAL
from recsys.store.arrays import Floats, Rows, load_arrays
from recsys.store.artifacts import load_manifest
from recsys.store.kernels import fastest
from recsys.store.kernels.in_numpy import LEAVES, Trees

# The trees of a model on disk: the arrays of `recsys.store.kernels.in_numpy.Trees` in one file.

TREES = "trees.npz"
_ARRAYS = ("feature", "threshold", "tree", "left", "values", "width")


@dataclass(frozen=True, slots=True)
class StoredTrees:
    """Trees and how many features they read."""

    trees: Trees
    width: int

    def score(self, features: Floats) -> Floats:
        """Score (n, width) float32 features: (n,) float32."""
        return fastest.leaves(self.trees, features)

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
        feature, threshold, tree, left, values, width = load_arrays(path, _ARRAYS)
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
        if not _fit(found):
            raise ArtifactCorrupt(f"The arrays of {path} do not fit.", "Build it again.")
        return found


def _fit(found: StoredTrees) -> bool:
    trees = found.trees
    flat = trees.feature, trees.threshold, trees.tree, trees.left
    if trees.values.shape[1:] != (LEAVES,) or any(each.shape != flat[0].shape for each in flat):
        return False
    inside = _within(trees.feature, found.width) and _within(trees.tree, len(trees.values))
    return flat[0].ndim == 1 and inside and bool(np.all(np.diff(trees.tree) >= 0))


def _within(numbers: Rows, below: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < below)


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
    `recsys.ranking.second_look`; None: it looks once. network: whose scores are added to those of
    the trees; None: there is none.
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
            _check_first(folder, first, names)
        nnselect = config.get("nnselect")
        return cls(trees, names, knots, origin, folder, searches, nnselect, first, network)


def _check_first(folder: Path, first: TreeRanker, names: tuple[str, ...]) -> None:
    if names != (*first.feature_names, *SECOND_NAMES):
        raise ArtifactMismatch(
            f"The ranker {folder} does not read what {folder / FIRST} gives it.", _AGAIN
        )


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


# Turn trees as LightGBM dumps them into bit vectors of leaves.

_EVERY = (1 << LEAVES) - 1


def trees_of(roots: Iterable[dict[str, Any]], width: int) -> StoredTrees:
    """Convert the "tree_structure" of each tree in `Booster.dump_model()`.

    Args:
        roots: of the trees, in their order.
        width: how many features there are.

    Raises:
        InputError: a tree has more than LEAVES leaves.
    """
    grown = _Grown()
    for root in roots:
        grown.add(root)
    return StoredTrees(grown.trees(), width)


def round_down(threshold: float) -> float:
    """Return the largest float32 not above a double.

    A float32 feature x satisfies x <= threshold exactly when it is <= the result, so that no
    example changes sides although thresholds are kept in single precision.
    """
    single = np.float32(threshold)
    if float(single) > threshold:
        single = np.nextafter(single, np.float32(-np.inf))
    return float(single)


@dataclass(slots=True)
class _Grown:
    """The arrays of `Trees`, while they grow."""

    features: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)

    def add(self, root: dict[str, Any]) -> None:
        """Append a tree."""
        self.values.append([])
        self._add(root)
        if (leaves := len(self.values[-1])) > LEAVES:
            raise InputError(
                f"A tree has {leaves} leaves; a ranker's have at most {LEAVES}.",
                "Train it with fewer leaves.",
            )
        self.values[-1] += [0.0] * (LEAVES - leaves)

    def _add(self, node: dict[str, Any]) -> None:
        """Number the leaves below a node from left to right; note what its split rules out."""
        values = self.values[-1]
        if "leaf_value" in node:
            values.append(node["leaf_value"])
            return
        first = len(values)
        self._add(node["left_child"])
        ruled_out = (1 << len(values)) - (1 << first)
        self._add(node["right_child"])
        self.features.append(node["split_feature"])
        self.thresholds.append(round_down(node["threshold"]))
        self.numbers.append(len(self.values) - 1)
        self.left.append(_EVERY & ~ruled_out)

    def trees(self) -> Trees:
        """Return them as arrays."""
        return Trees(
            np.array(self.features, np.int32),
            np.array(self.thresholds, np.float32),
            np.array(self.numbers, np.int32),
            np.array([bits & _EVERY for bits in self.left], np.uint32),
            np.array(self.values, np.float32).reshape(-1, LEAVES),
        )
