"""Pictures: valid SVG, the same every time, fit for light and dark pages."""

import re
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsys.errors import MissingExtraError
from recsys.eval.judge_runs import assess
from recsys.eval.report.evaluation_pictures import (
    DRAWINGS,
    INK,
    draw,
    spread,
    wilson,
    write_pictures,
)
from recsys.eval.run_figures import Assessment
from tests.eval.small_evaluation import GOOD, write_evaluation, write_runs
from tests.rows import each_row

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def assessment(tmp_path_factory: pytest.TempPathFactory) -> Assessment:
    return assess(write_evaluation(tmp_path_factory.mktemp("hub")), samples=30)


@pytest.fixture(scope="module")
def drawn(assessment: Assessment) -> dict[str, str]:
    return draw(assessment)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_picture_is_drawn_when_its_figures_are_there(drawn: dict[str, str]) -> None:
    assert list(drawn) == list(DRAWINGS)


@each_row("name", DRAWINGS)
def test_a_picture_takes_the_colour_of_its_page(name: str, drawn: dict[str, str]) -> None:
    svg = drawn[name]
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg" and root.attrib["role"] == "img"
    title = root.find(f"{SVG}title")
    assert title is not None and title.text == root.attrib["aria-label"]
    assert "currentColor" in svg and "prefers-color-scheme:dark" in svg
    assert INK not in svg
    # Black would vanish on a dark page, white on a light one.
    assert not re.search(r"(fill|stroke): (#000000|#ffffff|black|white)", svg)
    assert not re.search(r'(href|src)="(?!#)', svg)


@each_row("name", ["precision-recall", "recall-by-k", "recall-by-candidates"])
def test_every_system_is_named(name: str, drawn: dict[str, str]) -> None:
    assert {"good", "fair", "poor"} <= set(texts(drawn[name]))


def test_studies_name_both_of_their_arms(drawn: dict[str, str]) -> None:
    assert {"candidates, with citations", "candidates, without citations"} <= set(
        texts(drawn["k-study"])
    )
    assert {"mean, with metadata", "first, without metadata"} <= set(texts(drawn["self-citation"]))


def test_pictures_do_not_change_from_one_time_to_the_next(
    assessment: Assessment, drawn: dict[str, str], tmp_path: Path
) -> None:
    paths = write_pictures(tmp_path, assessment)
    assert [path.stem for path in paths] == list(drawn)
    assert {path.stem: path.read_text(encoding="utf-8").rstrip() for path in paths} == {
        name: svg.rstrip() for name, svg in drawn.items()
    }
    assert not any(re.search(r"20\d\d-\d\d-\d\d", svg) for svg in drawn.values())


def test_pictures_without_figures_are_left_out(tmp_path: Path) -> None:
    names = {"<&>": GOOD, "a$b$": GOOD, "_hidden": GOOD}
    shown = draw(assess(write_runs(tmp_path, names), samples=5))
    assert set(shown) == set(DRAWINGS) - {"reliability", "k-study", "self-citation"}
    assert set(names) <= set(texts(shown["precision-recall"]))


def test_more_systems_than_colours_can_be_drawn(tmp_path: Path) -> None:
    many = {f"system-{number}": GOOD for number in range(12)}
    assert set(many) <= set(
        texts(draw(assess(write_runs(tmp_path, many), samples=5))["recall-by-k"])
    )


def test_without_matplotlib_the_missing_extra_is_named(
    assessment: Assessment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"recsys\[report\]"):
        draw(assessment)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_labels_do_not_touch_and_keep_their_order(heights: list[float]) -> None:
    moved = spread(heights, 0.1)
    order = sorted(range(len(heights)), key=lambda place: -heights[place])
    assert all(moved[above] - moved[below] >= 0.1 - 1e-9 for above, below in pairwise(order))
    assert min(moved) >= 0
    if all(heights[above] - heights[below] >= 0.1 for above, below in pairwise(order)):
        assert moved == pytest.approx(heights, abs=1e-12)


@given(st.integers(1, 500), st.data())
def test_the_interval_of_a_share_is_that_of_scipy(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    theirs = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert wilson(hits / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
