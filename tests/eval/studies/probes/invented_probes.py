"""What probes of two embeddings might find out, without the work."""

import numpy as np

from recsys.eval.measures import Interval
from recsys.eval.studies.probes.linear import FOLDS, Linear, contrasts
from recsys.eval.studies.probes.maps import Dense, Layout
from recsys.eval.studies.probes.pairs import Estimate, PairRanking, Retrieved
from recsys.eval.studies.probes.probe_results import ALL, Group, GroupResult, ProbeResult

NAMES = ("Beetles", "Clouds", "Ferns")


def invented_group(name: str = ALL, embeddings: tuple[str, ...] = ("good", "poor")) -> GroupResult:
    """24 papers of three classes; each embedding tells 6 papers fewer than the one before."""
    labels = np.arange(24) % 3
    group = Group(name, tuple(f"p{row:02}" for row in range(24)), labels, NAMES)
    linear = {}
    for place, each in enumerate(embeddings):
        told = np.where(np.arange(24) < 6 * place, (labels + 1) % 3, labels)
        accuracy = tuple(1 - 0.25 * place - 0.01 * fold for fold in range(FOLDS))
        linear[each] = Linear(accuracy, accuracy, (0.1,) * FOLDS, told[None])
    points = np.random.default_rng(0).normal(size=(12, 2))
    return GroupResult(
        group,
        linear,
        contrasts(linear, labels, rng=np.random.default_rng(0), samples=50),
        purity={each: {10: estimated(0.9 - 0.1 * place)} for place, each in enumerate(embeddings)},
        dense={each: Dense(0.5, 0.625, 4, 0.125, 1.5, 12) for each in embeddings},
        pairs={
            each: Retrieved(PairRanking(0.75, 0.8, 84, 192), estimated(0.75), estimated(0.8))
            for each in embeddings
        },
        layouts={each: Layout(np.arange(0, 24, 2), points) for each in embeddings},
    )


def estimated(value: float) -> Estimate:
    """Make an interval of a tenth to either side."""
    return Estimate(Interval(value, value - 0.1, value + 0.1), np.full(24, value))


def invented_result(*groups: GroupResult, label: str = "venue") -> ProbeResult:
    """Put groups into a result; by default, one of all papers."""
    found = groups or (invented_group(),)
    notes = ("poor has no vector of 1 of 25 papers.",)
    return ProbeResult(label, "papers.jsonl", tuple(found[0].linear), found, notes)
