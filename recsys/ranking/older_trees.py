"""Trees that older versions stored as an operator of ONNX: ai.onnx.ml's TreeEnsemble."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactCorrupt
from recsys.ranking.grown_trees import trees_of
from recsys.ranking.stored_trees import OLDER_TREES, StoredTrees


def load_older(folder: Path) -> StoredTrees:
    """Read the trees of a model of an older version.

    Raises:
        ArtifactCorrupt: it is no such file.
    """
    import onnx

    path = folder / OLDER_TREES
    try:
        graph = onnx.load(str(path)).graph
        told = {
            each.name: onnx.helper.get_attribute_value(each) for each in graph.node[0].attribute
        }
        width = graph.input[0].type.tensor_type.shape.dim[1].dim_value
        nodes = _Nodes.of(told)
        return trees_of(map(nodes.tree, told["tree_roots"]), width)
    except Exception as error:  # The library's own errors share no public base.
        reason = str(error).partition("\n")[0]
        raise ArtifactCorrupt(f"{path} cannot be read ({reason}).", "Build it again.") from error


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The attributes of the operator, one entry per split, or per leaf.

    children, is_leaf: where the value is not above the threshold, and where it is.
    """

    features: list[int]
    splits: list[float]
    children: tuple[list[int], list[int]]
    is_leaf: tuple[list[int], list[int]]
    leaves: list[float]

    @classmethod
    def of(cls, told: dict[str, Any]) -> "_Nodes":
        """Take them out of the attributes by name."""
        from onnx.numpy_helper import to_array

        return cls(
            list(told["nodes_featureids"]),
            to_array(told["nodes_splits"]).tolist(),
            (list(told["nodes_truenodeids"]), list(told["nodes_falsenodeids"])),
            (list(told["nodes_trueleafs"]), list(told["nodes_falseleafs"])),
            to_array(told["leaf_weights"]).tolist(),
        )

    def tree(self, at: int) -> dict[str, Any]:
        """Return the tree below a split as `Booster.dump_model()` writes it."""
        below = [
            {"leaf_value": self.leaves[child[at]]} if leaf[at] else self.tree(child[at])
            for child, leaf in zip(self.children, self.is_leaf, strict=True)
        ]
        return {
            "split_feature": self.features[at],
            "threshold": self.splits[at],
            "left_child": below[0],
            "right_child": below[1],
        }
