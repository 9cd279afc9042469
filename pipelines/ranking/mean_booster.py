"""The mean of several boosters, as one.

A sum of trees is a model of LightGBM whoever grew them: the trees of n boosters, their leaves
divided by n, score what the boosters score on average. So whatever stores, serves or reads one
booster takes a mean of some, too.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import lightgbm

_TREE = re.compile(r"^Tree=\d+$", re.MULTILINE)
_SIZES = re.compile(r"^tree_sizes=.*\n", re.MULTILINE)
_END = "end of trees"
_OUTPUTS = re.compile(r"^(leaf_value|internal_value)=(.*)$", re.MULTILINE)


def mean_booster(boosters: Sequence["lightgbm.Booster"]) -> "lightgbm.Booster":
    """Put the trees of boosters of the same features into one that scores their mean.

    Its importances and parameters are those of the first. One booster is returned as it is.
    """
    if len(boosters) == 1:
        return boosters[0]
    import lightgbm

    texts = [each.model_to_string() for each in boosters]
    head = _SIZES.sub("", texts[0][: _TREE.search(texts[0]).start()])  # type: ignore[union-attr]
    trees = [tree for text in texts for tree in _trees(text)]
    body = [f"Tree={at}{_scaled(tree, 1 / len(boosters))}" for at, tree in enumerate(trees)]
    return lightgbm.Booster(model_str=head + "".join(body) + texts[0][texts[0].index(_END) :])


def _trees(text: str) -> list[str]:
    """Cut the trees out of a model as LightGBM writes it, each without its number."""
    return _TREE.split(text[: text.index(_END)])[1:]


def _scaled(tree: str, by: float) -> str:
    """Multiply what the nodes of a tree put out."""

    def scaled(found: re.Match[str]) -> str:
        values = (repr(float(value) * by) for value in found[2].split())
        return f"{found[1]}={' '.join(values)}"

    return _OUTPUTS.sub(scaled, tree)
