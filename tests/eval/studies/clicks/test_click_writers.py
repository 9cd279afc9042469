"""Click logs written: they read back, byte for byte the same every time, or stay as they were."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.eval.studies.clicks.click_log import (
    ClickLog,
    Impression,
    read_clicks,
    write_clicks,
    write_scidocs_clicks,
)
from tests.eval.studies.clicks.invented_impressions import BARE, FULL, impressions

LOG = ClickLog.of([FULL, BARE])


@given(st.lists(impressions(), min_size=1, max_size=5), st.sampled_from(["l.jsonl", "l.jsonl.gz"]))
def test_json_lines_read_back(
    tmp_path_factory: pytest.TempPathFactory, given_: list[Impression], name: str
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    write_clicks(path, ClickLog.of(given_))
    assert list(read_clicks(path).impressions()) == given_


@given(st.lists(impressions(), min_size=1, max_size=5))
def test_scidocs_lines_read_back_as_one_impression_a_click(
    tmp_path_factory: pytest.TempPathFactory, given_: list[Impression]
) -> None:
    path = tmp_path_factory.getbasetemp() / "l.csv"
    expected = [
        Impression(each.query, each.shown, (paper,)) for each in given_ for paper in each.clicked
    ]
    if not expected or any("," in paper for each in given_ for paper in each.shown):
        with pytest.raises(InputError, match=r"has no click to write|has a comma"):
            write_scidocs_clicks(path, ClickLog.of(given_))
        return
    write_scidocs_clicks(path, ClickLog.of(given_))
    assert list(read_clicks(path).impressions()) == expected


def test_a_query_that_opens_a_brace_stays_on_its_line(tmp_path: Path) -> None:
    clicks = [Impression(query, ("0",), ("0",)) for query in ("{", "0")]
    write_scidocs_clicks(tmp_path / "l.csv", ClickLog.of(clicks))
    assert list(read_clicks(tmp_path / "l.csv").impressions()) == clicks


def test_the_formats_look_as_documented(tmp_path: Path) -> None:
    write_clicks(tmp_path / "l.jsonl", LOG)
    assert (tmp_path / "l.jsonl").read_text().splitlines() == [
        '{"query": "q1", "shown": ["a", "b", "c"], "clicked": ["a", "c"], '
        '"time": "2026-11-21T00:00:00+00:00", "user": "reader", "ranker": "bm25", "swapped": 3}',
        '{"query": "q2", "shown": ["c"], "clicked": []}',
    ]
    write_scidocs_clicks(tmp_path / "l.csv", LOG)
    assert (tmp_path / "l.csv").read_text().splitlines() == [
        "query_id,clicked_id,shown_ids",
        'q1,a,"a,b,c"',
        'q1,c,"a,b,c"',
    ]


@pytest.mark.parametrize("write", [write_clicks, write_scidocs_clicks])
def test_packed_bytes_depend_on_nothing_but_the_log(
    tmp_path: Path, write: Callable[[Path, ClickLog], None]
) -> None:
    for name in ("one", "one.gz", "other.gz"):
        write(tmp_path / name, LOG)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "other.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == (tmp_path / "one").read_bytes()


def test_what_cannot_be_read_back_is_not_written_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    write_scidocs_clicks(path, LOG)
    old = path.read_bytes()
    comma = ClickLog.of([FULL, replace(FULL, shown=("a,b",), clicked=("a,b",), swapped=1)])
    with pytest.raises(InputError, match="The id 'a,b' has a comma"):
        write_scidocs_clicks(path, comma)
    with pytest.raises(InputError, match="'a ' is no name"):
        write_clicks(path, replace(LOG, papers=("a ", *LOG.papers[1:])))
    with pytest.raises(InputError, match="has no click to write"):
        write_scidocs_clicks(path, ClickLog.of([BARE]))
    with pytest.raises(InputError, match="has no impression to write"):
        write_clicks(path, ClickLog.of([]))
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]
