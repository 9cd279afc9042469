import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.store.arrays import top_k
from recsys.store.graph import dots
from tests.rows import each_row

SCORES = st.lists(st.integers(-3, 3), max_size=30)


@given(SCORES, st.integers(-1, 40))
def test_best_is_the_head_of_a_full_sort_with_ties_by_position(scores: list[int], k: int) -> None:
    expected = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[: max(k, 0)]
    found = top_k(np.array(scores, np.float32), k)
    assert found.dtype == np.int32
    assert found.tolist() == expected


@each_row("share", [0.0, 0.1, 0.25, 0.6, 1.0])
def test_dots_are_those_of_the_rows_however_many_there_are(share: float) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((50, 6)).astype(np.float32)
    query = rng.standard_normal(6).astype(np.float32)
    rows = np.flatnonzero(rng.random(50) < share).astype(np.int32)
    np.testing.assert_allclose(
        dots(vectors, rows, query), [vectors[row] @ query for row in rows], rtol=1e-5
    )
