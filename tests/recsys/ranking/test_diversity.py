import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.recommend import check_diversity, diversify
from recsys.store.arrays import Floats
from tests.rows import each_row

ARC = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], np.float32)
"""Four papers; cosines with the first: 1, .8, .6, 0; of the second and third: .96."""
CHANCES = np.array([0.9, 0.8, 0.6, 0.1], np.float32)
EIGHTHS = st.integers(0, 8).map(lambda i: i / 8)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Draw chances and one-hot vectors: all sums are exact, and ties are frequent."""
    chances = sorted(draw(st.lists(EIGHTHS, max_size=12)), reverse=True)
    topics = draw(st.lists(st.integers(0, 3), min_size=len(chances), max_size=len(chances)))
    return np.array(chances, np.float32), np.eye(4, dtype=np.float32)[topics].reshape(-1, 4)


def slowly(chances: Floats, vectors: Floats, k: int, diversity: float) -> list[int]:
    """Read the formula out, paper by paper."""
    taken: list[int] = []
    left = list(range(len(chances)))
    while left and len(taken) < k:

        def margin(at: int) -> tuple[float, int]:
            closest = max((float(vectors[at] @ vectors[other]) for other in taken), default=0)
            return (1 - diversity) * float(chances[at]) - diversity * closest, -at

        at = max(left, key=margin)
        taken.append(at)
        left.remove(at)
    return taken


@each_row(
    ("diversity", "order"),
    [
        # After the first: .48 - .32, .36 - .24, .06 - 0; then .36 - .384, .06 - .24.
        (0.4, [0, 1, 2, 3]),
        # After the first: .32 - .48, .24 - .36, .04 - 0; then .32 - .48, .24 - .48.
        (0.6, [0, 3, 1, 2]),
        (1.0, [0, 3, 1, 2]),
    ],
)
def test_a_paper_pays_for_likeness_to_those_above_it(diversity: float, order: list[int]) -> None:
    assert diversify(CHANCES, ARC, 4, diversity).tolist() == order
    assert diversify(CHANCES, ARC, 2, diversity).tolist() == order[:2]


@given(rankings(), st.integers(1, 15), EIGHTHS)
def test_the_order_is_that_of_the_formula(
    ranking: tuple[Floats, Floats], k: int, diversity: float
) -> None:
    assert diversify(*ranking, k, diversity).tolist() == slowly(*ranking, k, diversity)


@given(rankings(), st.integers(1, 15), st.floats(0, 1))
def test_k_different_papers_are_chosen(
    ranking: tuple[Floats, Floats], k: int, diversity: float
) -> None:
    chosen = diversify(*ranking, k, diversity).tolist()
    assert len(chosen) == len(set(chosen)) == min(k, len(ranking[0]))
    assert set(chosen) <= set(range(len(ranking[0])))
    assert chosen[:1] == [0][: len(chosen)]


@each_row("diversity", [-0.1, 1.1, float("nan")])
def test_a_diversity_outside_0_to_1_is_refused(diversity: float) -> None:
    with pytest.raises(InputError, match=f"The diversity is {diversity}.* --mmr"):
        check_diversity(diversity)
