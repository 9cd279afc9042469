"""Do two embeddings differ by more than chance? Linear evaluation of the same papers and folds."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from recsys.eval.measures import Interval, draw, interval
from recsys.eval.significance import holm, sign_flip_tests
from recsys.eval.studies.encoders.macro_f1 import drawn_macro_f1
from recsys.eval.studies.probes.linear import Linear
from recsys.store.arrays import Longs


@dataclass(frozen=True, slots=True)
class Contrast:
    """One embedding minus another.

    accuracy, macro_f1: differences with 95 % bootstrap intervals over papers; macro F1 of all
    papers at once, not of each fold. p: of the difference in accuracy, a paired randomisation test
    over papers, Holm-corrected for all pairs of embeddings.
    """

    one: str
    other: str
    accuracy: Interval
    macro_f1: Interval
    p: float


def contrasts(
    found: Mapping[str, Linear], labels: Longs, *, rng: np.random.Generator, samples: int = 1000
) -> tuple[Contrast, ...]:
    """Compare every pair of embeddings; a paper is one observation, however many runs there are.

    Args:
        found: what each embedding gave with the same folds.
        labels: (n,) int64.
        rng: draws papers and coin tosses.
        samples: of the bootstrap.
    """
    pairs = list(combinations(found, 2))
    if not pairs:
        return ()
    drawn = draw(len(labels), rng=rng, samples=samples)
    correct = {name: each.correct(labels) for name, each in found.items()}
    accuracy = {name: drawn @ each / len(labels) for name, each in correct.items()}
    macro_f1 = {name: drawn_macro_f1(each.told, labels, drawn) for name, each in found.items()}
    gaps = np.stack([correct[one] - correct[other] for one, other in pairs], axis=1)
    return tuple(
        Contrast(
            one,
            other,
            accuracy=interval(accuracy[one] - accuracy[other]),
            macro_f1=interval(macro_f1[one] - macro_f1[other]),
            p=float(p),
        )
        for (one, other), p in zip(pairs, holm(sign_flip_tests(gaps, rng=rng)), strict=True)
    )
