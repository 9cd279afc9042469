"""Pairs ranked by score: by hand, against scikit-learn, and within bounded memory."""

import tracemalloc
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.studies.probes.pairs import HELD, Blocks, PairRanking, count_pairs, rank_pairs
from recsys.store.arrays import Mask
from tests.rows import each_row

SCORES = st.one_of(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), st.floats(-1, 1))
PAIRS = st.lists(st.tuples(SCORES, st.booleans()), min_size=2, max_size=60).filter(
    lambda pairs: len({positive for _, positive in pairs}) == 2
)


def blocks(scores: Sequence[float], positive: Sequence[bool], size: int = 7) -> Blocks:
    def generate() -> Iterator[tuple[Doubles, Mask]]:
        for begin in range(0, len(scores), size):
            some = slice(begin, begin + size)
            yield np.array(scores[some], np.float64), np.array(positive[some], bool)

    return generate


def ranked(made: Blocks, held: int = HELD) -> PairRanking:
    return rank_pairs(made, count_pairs(made), held=held)


def test_a_ranking_by_hand() -> None:
    # + - + -: precision 1 at the first, 2/3 at the second; of 4 comparisons 3 are won.
    found = ranked(blocks([0.9, 0.8, 0.7, -0.2], [True, False, True, False]))
    assert found.average_precision == pytest.approx((1 + 2 / 3) / 2)
    assert (found.auc, found.positives, found.negatives) == (3 / 4, 2, 2)
    # Equal scores share the last rank and count half: both of .5 and the negative are at rank 3.
    tied = ranked(blocks([0.5, 0.5, 0.5, 0.1], [True, False, True, False]))
    assert tied.average_precision == pytest.approx(2 / 3)
    assert tied.auc == pytest.approx((2 * 0.5 + 2 * 1) / 4)


@given(PAIRS, st.integers(1, 80), st.integers(1, 80))
def test_figures_are_those_of_scikit_learn_however_few_pairs_are_held(
    pairs: list[tuple[float, bool]], held: int, size: int
) -> None:
    scores, positive = [score for score, _ in pairs], [flag for _, flag in pairs]
    found = ranked(blocks(scores, positive, size), held=held)
    theirs = average_precision_score(positive, scores)
    assert found.average_precision == pytest.approx(theirs, abs=1e-12)
    assert found.auc == pytest.approx(roc_auc_score(positive, scores), abs=1e-12)
    assert (found.positives, found.negatives) == (sum(positive), len(pairs) - sum(positive))


def test_memory_holds_a_few_pairs_at_a_time() -> None:
    passes = 0

    def generate() -> Iterator[tuple[Doubles, Mask]]:
        nonlocal passes
        passes += 1
        rng = np.random.default_rng(5)
        for _ in range(100):
            scores = rng.uniform(-0.2, 0.8, 10_000)
            yield scores, scores + rng.normal(0, 0.3, 10_000) > 0.6

    tracemalloc.start()
    found = ranked(generate, held=100_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.positives + found.negatives == 1_000_000
    assert peak < 6_000_000  # The pairs are 9,000,000 bytes.
    assert 11 <= passes <= 13
    chunks = list(generate())
    scores, positive = (np.concatenate(each) for each in zip(*chunks, strict=True))
    assert found.auc == pytest.approx(roc_auc_score(positive, scores), abs=1e-9)
    theirs = average_precision_score(positive, scores)
    assert found.average_precision == pytest.approx(theirs, abs=1e-9)


@each_row(("positive", "kind"), [(True, "positive"), (False, "negative")])
def test_pairs_of_one_kind_cannot_be_told_apart(positive: bool, kind: str) -> None:
    with pytest.raises(InputError, match=f"All 3 pairs are {kind}"):
        ranked(blocks([0.1, 0.2, 0.3], [positive] * 3))
