"""Few labels: how well the nearest mean of some papers of each class tells the others.

Where labels are few, what counts is that papers of a class lie together; a linear model of many
labels finds directions that part them wherever they lie. Classes are told by the cosine with the
mean of the examples, as prototypical networks do (Snell, Swersky and Zemel 2017).
"""

import numpy as np

from recsys.eval.measures import Doubles
from recsys.store.arrays import Floats, Longs


def few_label_probe(
    vectors: Floats, labels: Longs, examples: int, *, runs: int, rng: np.random.Generator
) -> Doubles:
    """Tell papers by examples that are drawn anew in each run.

    Args:
        vectors: (n, d) float32.
        labels: (n,) int64 from 0, at least two papers of each class.
        examples: of each class; of a smaller one, half of its papers.
        runs: how often examples are drawn.
        rng: draws them.

    Returns:
        (n,) float64, share of the runs in which each paper was told rightly, of those in which it
        was no example; 0 for one that always was.
    """
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    right, asked = np.zeros(len(labels)), np.zeros(len(labels))
    for _ in range(runs):
        chosen = _examples(labels, examples, rng)
        means = np.stack([unit[each].mean(axis=0) for each in chosen])
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        others = np.ones(len(labels), bool)
        others[np.concatenate(chosen)] = False
        right[others] += (unit[others] @ means.T).argmax(axis=1) == labels[others]
        asked += others
    return np.asarray(right / np.maximum(asked, 1))


def _examples(labels: Longs, count: int, rng: np.random.Generator) -> list[Longs]:
    """Draw examples of each class."""
    classes = (np.flatnonzero(labels == label) for label in range(labels.max() + 1))
    return [rng.permutation(rows)[: min(count, len(rows) // 2)] for rows in classes]
