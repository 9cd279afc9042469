"""The trees of a model on disk: the arrays of `recsys.store.kernels.in_numpy.Trees` in one file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Floats, Rows, load_arrays
from recsys.store.kernels import fastest
from recsys.store.kernels.in_numpy import LEAVES, Trees

TREES = "trees.npz"
OLDER_TREES = "model.onnx"
"""Where older versions put them: see `recsys.ranking.older_trees`."""
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
