"""Pairs of clicked and other papers, and their weights, by hand."""

from itertools import compress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import ClickLog, Impression
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.pipelines.studies.clicks.click_features import Pairs, pairs
from recsys.store.arrays import Floats
from tests.rows import each_row

HALVING = Propensities("known", np.array([1.0, 0.5, 0.25, 0.125]))
LOG = ClickLog.of(
    [
        Impression("q", ("b", "a", "c"), ("a",)),
        Impression("r", ("a", "b", "c", "d")),
        Impression("q", ("d", "c"), ("d", "c")),
    ]
)


def numbered(log: ClickLog) -> Floats:
    """Give every shown paper one feature: 10 * list + position."""
    n, m = log.shown.shape
    return (10 * np.arange(n)[:, None] + np.arange(1, m + 1)).astype(np.float32)[..., None]


def listed(found: Pairs) -> list[list[float]]:
    """List the pairs as [feature of the clicked, feature of the other, weight]."""
    values = found.features[:, 0]
    columns = values[found.clicked], values[found.other], found.weight
    rows: list[list[float]] = np.transpose(columns).round(9).tolist()
    return rows


def test_the_published_choice_is_the_first_five_that_were_not_clicked() -> None:
    log = ClickLog.of([Impression("q", tuple("abcdefgh"), ("c", "e"))])
    even = Propensities("known", np.ones(8))
    found = pairs(log, numbered(log), even, negatives="first-5")
    assert [(clicked, other) for clicked, other, _ in listed(found)] == [
        (clicked, other) for clicked in (3, 5) for other in (1, 2, 4, 6, 7)
    ]


@given(st.data())
def test_pairs_are_those_of_a_loop(data: st.DataObject) -> None:
    flags = st.lists(st.booleans(), min_size=1, max_size=4)
    drawn = data.draw(st.lists(flags, min_size=1, max_size=5))
    log = ClickLog.of(
        Impression("q", tuple("dbca"[: len(row)]), tuple(compress("dbca", row))) for row in drawn
    )
    expected = [
        (10 * i + c + 1, 10 * i + o + 1, 2.0**c)
        for i, row in enumerate(drawn)
        for c, clicked in enumerate(row)
        for o in range(len(row))
        if clicked and o != c
    ]
    if not expected:
        with pytest.raises(InputError, match="has a click and another paper"):
            pairs(log, numbered(log), HALVING)
        return
    mean = np.mean([weight for *_, weight in expected])
    scaled = np.array(expected) / [1, 1, mean]
    assert listed(pairs(log, numbered(log), HALVING)) == scaled.round(9).tolist()


@each_row("option", ["weighting", "negatives"])
def test_an_unknown_option_is_named(option: str) -> None:
    with pytest.raises(InputError, match="'al'") as raised:
        pairs(LOG, numbered(LOG), HALVING, **{option: "al"})
    assert "Choose among" in raised.value.hint


@each_row("weighting", ["per-position", "constant"])
def test_a_click_beyond_the_propensities_is_refused(weighting: str) -> None:
    with pytest.raises(InputError, match="Position 2"):
        pairs(LOG, numbered(LOG), Propensities("short", np.ones(1)), weighting=weighting)


@each_row("clicked", [(), ("a",)])
def test_there_must_be_something_to_learn(clicked: tuple[str, ...]) -> None:
    log = ClickLog.of([Impression("q", ("a",), clicked)])
    with pytest.raises(InputError, match="None of the log's 1 lists"):
        pairs(log, numbered(log), HALVING)
