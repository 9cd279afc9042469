"""Places: within the frame, by year, and not on top of each other."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.mapping.placing import RADIUS, lay_out
from recsys.store.graph import UNKNOWN_YEAR


def test_later_papers_stand_further_right_and_unknown_years_at_the_left() -> None:
    years = np.array([1980, 2001, 2005, 2010, UNKNOWN_YEAR] + [2000] * 40, np.int16)
    found = lay_out(np.arange(45.0), years, np.zeros(45, np.int64), 2012)
    assert found.x[4] < found.x[0] < found.x[1] < found.x[2] < found.x[3] < found.draft_x
    assert [tick.label for tick in found.ticks][:2] == ["no year", "<2000"]
    assert found.ticks[-1].label == "2012"


def test_a_long_time_names_some_years_only() -> None:
    years = np.arange(1900, 2021).astype(np.int16)
    found = lay_out(np.zeros(121), years, np.zeros(121, np.int64), 2020)
    at = [tick.x for tick in found.ticks]
    assert all(right - left >= 40 for left, right in pairwise(at))


@given(
    st.lists(
        st.tuples(st.integers(1990, 2020) | st.just(UNKNOWN_YEAR), st.integers(0, 6)),
        min_size=1,
        max_size=150,
    )
)
def test_any_papers_lie_in_the_bands_of_their_groups(papers: list[tuple[int, int]]) -> None:
    years = np.array([year for year, _ in papers], np.int16)
    groups = np.unique([group for _, group in papers], return_inverse=True)[1]
    found = lay_out(np.arange(len(papers), dtype=float), years, groups, 2020)
    assert ((found.x > 0) & (found.x < found.draft_x)).all()
    assert (found.y > found.tops[groups]).all() and (found.y < found.bottoms[groups]).all()
    assert found.bottoms.max() < found.height


def test_papers_of_a_full_map_do_not_cover_each_other() -> None:
    rng = np.random.default_rng(3)
    years = rng.integers(1995, 2021, 150).astype(np.int16)
    found = lay_out(rng.random(150), years, np.arange(150) % 7, 2020)
    apart = np.hypot(found.x[:, None] - found.x, found.y[:, None] - found.y)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 1.5 * RADIUS
