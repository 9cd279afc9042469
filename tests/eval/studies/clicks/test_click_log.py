"""Impressions in columns and back; what is no impression."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import NOTHING, ClickLog, Impression
from tests.eval.studies.clicks.invented_impressions import BARE, FULL, impressions
from tests.rows import each_row


def test_columns_hold_what_the_impressions_say() -> None:
    log = ClickLog.of([FULL, BARE, replace(FULL, time=None, user=None, ranker="cosine", swapped=1)])
    assert log.queries == ("q1", "q2")
    assert log.papers == ("a", "b", "c")
    assert (log.rankers, log.users) == (("bm25", "cosine"), ("reader",))
    assert log.query.tolist() == [0, 1, 0]
    assert log.shown.tolist() == [[0, 1, 2], [2, NOTHING, NOTHING], [0, 1, 2]]
    assert log.clicked.tolist() == [[True, False, True], [False] * 3, [True, False, True]]
    assert log.ranker.tolist() == [0, NOTHING, 1]
    assert log.user.tolist() == [0, NOTHING, NOTHING]
    assert log.swapped.tolist() == [3, 0, 1]
    assert log.time[0] == np.datetime64("2026-11-21") and np.isnat(log.time[1:]).all()
    assert log.present.tolist() == [[True] * 3, [True, False, False], [True] * 3]


def test_columns_have_the_documented_types_even_without_impressions() -> None:
    for log in (ClickLog.of([FULL]), ClickLog.of([])):
        types = {each.name: getattr(log, each.name).dtype for each in fields(log)[4:]}
        assert types == {
            **dict.fromkeys(("query", "shown", "ranker", "user", "swapped"), np.dtype(np.int32)),
            "clicked": np.dtype(np.bool_),
            "time": np.dtype("datetime64[us]"),
        }
    assert log.shown.shape == log.clicked.shape == (0, 0)
    assert len(log) == 0 and not list(log.impressions())


@given(st.lists(impressions(), max_size=6))
def test_a_log_gives_its_impressions_back(given_: list[Impression]) -> None:
    assert list(ClickLog.of(given_).impressions()) == given_


@given(st.lists(impressions(), min_size=1, max_size=6), st.data())
def test_rows_are_taken_in_the_given_order(given_: list[Impression], data: st.DataObject) -> None:
    log = ClickLog.of(given_)
    rows = data.draw(st.lists(st.integers(0, len(given_) - 1)))
    assert list(log.take(np.array(rows, int)).impressions()) == [given_[row] for row in rows]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(log), max_size=len(log))))
    assert list(log.take(mask).impressions()) == [given_[row] for row in np.flatnonzero(mask)]


def test_clicks_come_back_in_display_order() -> None:
    (back,) = ClickLog.of([FULL]).impressions()
    assert (FULL.clicked, back.clicked) == (("c", "a"), ("a", "c"))


def test_times_are_in_utc() -> None:
    there = datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert replace(BARE, time=there).time == datetime(2025, 12, 31, 23, 30, tzinfo=UTC)
    assert replace(BARE, time=datetime(2026, 1, 1)).time == datetime(2026, 1, 1, tzinfo=UTC)
    assert ClickLog.of([replace(BARE, time=there)]).time[0] == np.datetime64("2025-12-31T23:30")


@each_row(
    ("changes", "what"),
    [
        ({"shown": ()}, "the list of shown papers is empty"),
        ({"shown": ("a", "b", "a")}, "'a' is shown twice"),
        ({"clicked": ("z",)}, "'z' was clicked, but not shown"),
        ({"clicked": ("b", "b")}, "'b' is clicked twice"),
        ({"swapped": 0}, "position 0 was swapped in a list of 3"),
        ({"swapped": 4}, "position 4 was swapped in a list of 3"),
        ({"query": ""}, "'' is no name"),
        ({"query": "a\nb"}, r"'a\\nb' is no name"),
        ({"user": " x"}, "' x' is no name"),
        ({"ranker": ""}, "'' is no name"),
        ({"shown": ("a", "b", "c", "\ud800")}, r"'\\ud800' is no name"),
        (
            {"time": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))},
            r"the time 0001-01-01 00:00:00\+01:00 is out of range",
        ),
    ],
)
def test_what_cannot_have_happened_is_no_impression(changes: dict[str, object], what: str) -> None:
    with pytest.raises(InputError, match=f"Query '.*': {what}"):
        replace(FULL, **changes)  # type: ignore[arg-type]  # One case has one type.
