"""A mask is said as years and a few rows, and means the same rows."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt
from recsys.indexes.row_conditions import (
    MOST_EXCEPTIONS,
    Condition,
    RowConditions,
    load_years,
    write_years,
)
from recsys.store.arrays import Mask
from recsys.store.graph import UNKNOWN_YEAR, Years

YEARS = st.lists(st.sampled_from([UNKNOWN_YEAR, 1999, 2003, 2004, 2011]), max_size=12)


def meant(condition: Condition, years: Years) -> Mask:
    """Tell which rows meet a condition, word by word."""
    dated = (years != UNKNOWN_YEAR) & (years <= condition.newest)
    mask: Mask = dated | ((years == UNKNOWN_YEAR) & condition.undated)
    mask[condition.excluded] = False
    mask[condition.included] = True
    return mask


def said(years: Years, allowed: Mask | None) -> Condition:
    condition = RowConditions.of(years).of_mask(allowed)
    assert condition is not None
    return condition


@given(YEARS, st.data())
def test_a_condition_means_the_rows_of_its_mask(found: list[int], data: st.DataObject) -> None:
    years = np.array(found, np.int16)
    bits = st.lists(st.booleans(), min_size=len(years), max_size=len(years))
    allowed = np.array(data.draw(bits), bool)
    condition = said(years, allowed)
    assert meant(condition, years).tolist() == allowed.tolist()
    assert not np.intersect1d(condition.excluded, condition.included).size


@given(YEARS, st.integers(1990, 2020), st.booleans())
def test_the_time_rule_needs_no_exceptions(found: list[int], as_of: int, undated: bool) -> None:
    years = np.array(found, np.int16)
    allowed = (years <= as_of) & (undated | (years != UNKNOWN_YEAR))
    condition = said(years, allowed)
    assert len(condition.excluded) == len(condition.included) == 0
    assert meant(condition, years).tolist() == allowed.tolist()


def test_a_mask_of_another_kind_cannot_be_said() -> None:
    years = np.full(500, 2000, np.int16)
    allowed = np.random.default_rng(0).random(500) < 0.5
    assert RowConditions.of(years).of_mask(allowed) is None
    allowed[:] = True
    allowed[: MOST_EXCEPTIONS + 1] = False
    assert RowConditions.of(years).of_mask(allowed) is None
    allowed[0] = True
    assert said(years, allowed).excluded.tolist() == [*range(1, MOST_EXCEPTIONS + 1)]


def test_years_are_stored_as_told(tmp_path: Path) -> None:
    years = np.array([2001, UNKNOWN_YEAR], np.int16)
    assert write_years(tmp_path, years, 2).tolist() == load_years(tmp_path, 2).tolist()
    assert write_years(tmp_path, None, 3).tolist() == [UNKNOWN_YEAR] * 3
    with pytest.raises(ArtifactCorrupt, match="years of 2 papers"):
        load_years(tmp_path, 2)
