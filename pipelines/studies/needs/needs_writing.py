"""Write a judge of sentences as `recsys.local.needs.needs_citation` reads it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.local.needs.needs_citation import ANY, KIND, SCHEMA, VECTOR_WEIGHTS, WORD_WEIGHTS
from recsys.local.needs.needs_cues import NAMES
from recsys.pipelines.ranking.fit_ranker import calibrate
from recsys.pipelines.studies.needs.needs_fit import Fitted
from recsys.pipelines.studies.needs.needs_table import Table
from recsys.ranking.grown_trees import trees_of
from recsys.store.arrays import Floats, Mask
from recsys.store.artifacts import replacing, seal


def knots_of(scores: Floats, cites: Mask) -> NDArray[np.float64]:
    """Fit isotonic regression: (2, j) scores and the chances there."""
    return np.array(calibrate(scores, cites.astype(np.int8)))


def thresholds_of(table: Table, rows: Mask, chances: Floats) -> dict[str, float]:
    """Return by field the chance that as many of its sentences exceed as cite, and over all."""
    of_field = {name: rows & (table.source == i) for i, name in enumerate(table.sources)}
    return {
        name: float(np.quantile(chances[inside], 1 - table.cites[inside].mean()))
        for name, inside in {**of_field, ANY: rows}.items()
        if inside.any()
    }


def write_judge(
    out: Path,
    fitted: Fitted,
    knots: NDArray[np.float64],
    encoder: str,
    thresholds: Mapping[str, float],
) -> None:
    """Write the artifact."""
    with replacing(out) as folder:
        dumped = fitted.trees.dump_model()
        roots = (tree["tree_structure"] for tree in dumped["tree_info"])
        trees_of(roots, dumped["max_feature_idx"] + 1).save(folder)
        np.save(folder / VECTOR_WEIGHTS, fitted.by_vector.weights.astype(np.float32))
        np.save(folder / WORD_WEIGHTS, fitted.by_words.weights.astype(np.float16))
        config = {
            "encoder": encoder,
            "cues": list(NAMES),
            "biases": [fitted.by_vector.bias, fitted.by_words.bias],
            "calibration": {"scores": knots[0].tolist(), "probabilities": knots[1].tolist()},
            "thresholds": dict(thresholds),
        }
        seal(folder, KIND, SCHEMA, config)
