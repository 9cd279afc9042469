"""Write LightGBM trees as one ONNX operator, exactly."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recsys.store.arrays import Floats

OPSET_ML = 5
IR_VERSION = 10
_LESS_OR_EQUAL = 0


@dataclass(slots=True)
class _Trees:
    """The attributes of the operator TreeEnsemble (ai.onnx.ml 5), one entry per split or leaf."""

    roots: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    splits: list[float] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=lambda: [[], []])
    is_leaf: list[list[int]] = field(default_factory=lambda: [[], []])
    leaves: list[float] = field(default_factory=list)

    def add_tree(self, root: dict[str, Any]) -> None:
        """Append one tree of `Booster.dump_model()`."""
        if "leaf_value" in root:  # A tree without splits: both ways lead to its only leaf.
            root = {
                "split_feature": 0,
                "threshold": 0.0,
                "left_child": root,
                "right_child": root,
            }
        self.roots.append(self._add_split(root))

    def _add_split(self, node: dict[str, Any]) -> int:
        at = len(self.features)
        self.features.append(node["split_feature"])
        self.splits.append(round_down(node["threshold"]))
        for side in (0, 1):
            self.children[side].append(0)
            self.is_leaf[side].append(0)
        for side, child in enumerate((node["left_child"], node["right_child"])):
            if "leaf_value" in child:
                self.is_leaf[side][at] = 1
                self.children[side][at] = len(self.leaves)
                self.leaves.append(child["leaf_value"])
            else:
                self.children[side][at] = self._add_split(child)
        return at


def round_down(threshold: float) -> float:
    """Return the largest float32 not above a double.

    A float32 feature x satisfies x <= threshold exactly when it is <= the result, so that no
    example changes sides although ONNX keeps thresholds in single precision.
    """
    single = np.float32(threshold)
    if float(single) > threshold:
        single = np.nextafter(single, np.float32(-np.inf))
    return float(single)


def trees_to_onnx(dump: dict[str, Any]) -> bytes:
    """Convert `Booster.dump_model()`: input "features" (n, f), output "scores" (n, 1), float32."""
    from onnx import TensorProto, helper

    trees = _Trees()
    for tree in dump["tree_info"]:
        trees.add_tree(tree["tree_structure"])
    number = len(trees.features)
    node = helper.make_node(
        "TreeEnsemble",
        ["features"],
        ["scores"],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function=1,  # sum
        tree_roots=trees.roots,
        nodes_featureids=trees.features,
        nodes_splits=_tensor("splits", trees.splits),
        nodes_modes=helper.make_tensor(
            "modes", TensorProto.UINT8, (number,), bytes([_LESS_OR_EQUAL]) * number, raw=True
        ),
        nodes_truenodeids=trees.children[0],
        nodes_trueleafs=trees.is_leaf[0],
        nodes_falsenodeids=trees.children[1],
        nodes_falseleafs=trees.is_leaf[1],
        leaf_targetids=[0] * len(trees.leaves),
        leaf_weights=_tensor("leaves", trees.leaves),
    )
    width = dump["max_feature_idx"] + 1
    graph = helper.make_graph(
        [node],
        "ranker",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", width])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 1])],
    )
    opsets = [helper.make_opsetid("ai.onnx.ml", OPSET_ML), helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    return bytes(model.SerializeToString())


def _tensor(name: str, values: list[float]) -> Any:  # noqa: ANN401 - onnx has no types
    from onnx import TensorProto, helper

    raw: Floats = np.array(values, np.float32)
    return helper.make_tensor(name, TensorProto.FLOAT, (len(values),), raw.tobytes(), raw=True)
