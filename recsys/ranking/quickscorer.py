"""Turn trees as LightGBM dumps them into bit vectors of leaves (Lucchese et al. 2015)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.ranking.ranker import StoredTrees
from recsys.store.kernels.dispatch import LEAVES, Trees

_EVERY = (1 << LEAVES) - 1


def trees_of(roots: Iterable[dict[str, Any]], width: int) -> StoredTrees:
    """Convert the "tree_structure" of each tree in `Booster.dump_model()`.

    Args:
        roots: of the trees, in their order.
        width: how many features there are.

    Raises:
        InputError: a tree has more than LEAVES leaves.
    """
    splits: list[tuple[int, float, int, int]] = []
    values: list[list[float]] = []
    for tree, root in enumerate(roots):
        leaves: list[float] = []
        _number_leaves(root, tree, leaves, splits)
        values.append(leaves + [0.0] * (LEAVES - len(leaves)))
    feature, threshold, number, left = zip(*splits, strict=True) if splits else ((), (), (), ())
    trees = Trees(
        np.array(feature, np.int32),
        np.array(threshold, np.float32),
        np.array(number, np.int32),
        np.array(left, np.uint32),
        np.array(values, np.float32).reshape(-1, LEAVES),
    )
    return StoredTrees(trees, width)


def _number_leaves(
    node: dict[str, Any],
    tree: int,
    leaves: list[float],
    splits: list[tuple[int, float, int, int]],
    depth: int = 0,
) -> None:
    """Number the leaves below a node from left to right; note what its split rules out.

    splits: feature, threshold, tree, and the leaves that remain for values above the threshold.
    depth: of the node.

    Raises:
        InputError: the tree has more than LEAVES leaves.
    """
    # Asked before going on: nodes that share their children would be walked 2^depth times.
    if len(leaves) == LEAVES or depth == LEAVES:
        what = f"A tree has {LEAVES + 1} leaves or more; a ranker's have at most {LEAVES}."
        raise InputError(what, "Train it with fewer leaves.")
    if "leaf_value" in node:
        leaves.append(node["leaf_value"])
        return
    first = len(leaves)
    _number_leaves(node["left_child"], tree, leaves, splits, depth + 1)
    ruled_out = (1 << len(leaves)) - (1 << first)
    _number_leaves(node["right_child"], tree, leaves, splits, depth + 1)
    remaining = _EVERY & ~ruled_out
    splits.append((node["split_feature"], round_down(node["threshold"]), tree, remaining))


def round_down(threshold: float) -> float:
    """Return the largest float32 not above a double.

    A float32 feature x satisfies x <= threshold exactly when it is <= the result, so that no
    example changes sides although thresholds are kept in single precision.
    """
    single = np.float32(threshold)
    if float(single) > threshold:
        single = np.nextafter(single, np.float32(-np.inf))
    return float(single)
