"""Turn trees as LightGBM dumps them into bit vectors of leaves."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.ranking.stored_trees import StoredTrees
from recsys.store.kernels.in_numpy import LEAVES, Trees

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
