"""Simple graph convolution: SIF vectors, spread along citations (Wu et al. 2019)."""

from dataclasses import replace

import numpy as np

from recsys.models.nnselect import unit_rows
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe
from recsys.pipelines.studies.baselines.sif import fit_sif
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.progress import Progress
from recsys.store.arrays import Floats, Ragged

STEPS = 2


def fit_sgc(material: Material, recipe: Recipe, progress: Progress) -> Fitted:
    """Fit SIF, and mix each paper's vector with those of what it cites.

    A text that is no paper of the material has no citations, nor has a query, whose references are
    hidden: their vectors are SIF's. Without citations all are.
    """
    fitted = fit_sif(material, recipe, progress)
    if material.cites is None:
        return fitted
    return replace(fitted, vectors=unit_rows(propagate(fitted.vectors, material.cites, STEPS)))


def propagate(features: Floats, cites: Ragged, steps: int) -> Floats:
    """Average each row with the rows that it cites, so many times: (n, d) float32.

    S^k X (Wu et al. 2019, section 2.2), where S holds citations and self-loops, its rows divided
    by their sums. The paper's S is symmetric; here nothing flows from a citing paper to a cited
    one, which is the older: a paper's vector depends on nothing that came after it.

    Args:
        features: (n, d) float32, X.
        cites: row -> cited rows.
        steps: k.
    """
    for _ in range(steps):
        groups = (np.append(cites[row], row) for row in range(len(features)))
        features = np.array([features[group].mean(axis=0) for group in groups])
    return features
