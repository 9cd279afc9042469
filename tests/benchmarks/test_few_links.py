"""Few links: the curve is that of the rankers and shares that it names."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmarks.few_links as program
from benchmarks import unseen_corpora
from benchmarks.few_links import FUSION, fuse, main
from benchmarks.few_links_page import BM25, COSINE, FUSED
from benchmarks.unseen_corpora import OTHERS, OWN
from recsys.pipelines.jobs.programs import Bench
from recsys.pipelines.ranking import corpus_lessons
from recsys.pipelines.ranking.corpus_lessons import Lessons, teach_together
from recsys.pipelines.ranking.cross_fitting import Taught
from tests.benches import built_already

if TYPE_CHECKING:
    from tests.built_index import Built

PAGE = "# Few links\n\n<!-- few-links -->\n<!-- /few-links -->\n"


def test_ranks_are_fused_by_hand() -> None:
    fused = fuse(np.array([7, 2, 9], np.int32), np.array([2, 5], np.int32))
    scores = {7: 1 / 61, 2: 1 / 62 + 1 / 61, 9: 1 / 63, 5: 1 / 62}
    assert FUSION == 60
    assert fused.tolist() == sorted(scores, key=lambda row: -scores[row]) == [2, 7, 5, 9]


@given(st.lists(st.integers(0, 50), unique=True), st.lists(st.integers(0, 50), unique=True))
def test_fusing_keeps_every_paper_once_and_what_both_agree_on(
    one: list[int], other: list[int]
) -> None:
    lists = np.array(one, np.int32), np.array(other, np.int32)
    assert sorted(fuse(*lists).tolist()) == sorted({*one, *other})
    assert fuse(*lists).tolist() == fuse(*lists[::-1]).tolist()
    assert fuse(lists[0], lists[0]).tolist() == one


@pytest.fixture
def data(built: "Built", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two corpora of the same papers: one that is asked, and one that is learned from."""
    for name in ("small", "twin"):
        (tmp_path / name).mkdir()
        shutil.copy(built.split, tmp_path / name / "split.json")
        shutil.copytree(built.index, tmp_path / f"{name}.index")
    monkeypatch.setattr(Bench, "built", built_already)
    monkeypatch.setattr(corpus_lessons, "TITLES_TOO", ())
    monkeypatch.setattr(corpus_lessons, "SNOWBALLED", ())
    monkeypatch.setattr(program, "CORPORA", ("small", "twin"))
    monkeypatch.setattr(program, "TRIED_SHARES", (1.0, 0.0))
    (tmp_path / "few-links.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def run(folder: Path) -> int:
    places = ("--data", "--work", "--docs")
    given = [text for place in places for text in (place, str(folder))]
    results = str(folder / "results.json")
    return main([*given, "--results", results, "--only", "small", "--most", "15"])


def test_the_page_has_a_row_for_each_share(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taught = list[set[str]]()

    def watched(lessons: list[Lessons], *, seed: int) -> Taught:
        taught.append({each.corpus for each in lessons})
        return teach_together(lessons, seed=seed)

    monkeypatch.setattr(unseen_corpora, "teach_together", watched)
    assert run(data) == 0
    assert taught == [{"twin"}, {"small"}, {"small"}]
    found = json.loads((data / "results.json").read_text())["small"]
    assert set(found["systems"]) == {BM25, COSINE, FUSED}
    assert found["networks"] is True
    assert [each["share"] for each in found["shares"]] == [1.0, 0.0]
    assert found["shares"][0]["links"] == found["links"] > found["shares"][1]["links"] == 0
    for each in found["shares"]:
        assert set(each["systems"]) == {OTHERS, OWN}
        best = max(found["systems"][name]["F1@20"]["value"] for name in (BM25, COSINE))
        assert each["ratio"] == pytest.approx(each["systems"][OTHERS]["F1@20"]["value"] / best)
    page = (data / "few-links.md").read_text()
    for row in ("rankers of trees and networks.", "| small, 100 % |", "| small, 0 % | 0.00 |"):
        assert row in page
    lines = [line for line in page.splitlines() if line.startswith("|")]
    assert len(lines) == 8
    for rows in (lines[:4], lines[4:]):
        assert len({line.count("|") for line in rows}) == 1


def test_a_page_without_marks_is_refused_before_any_work(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "few-links.md").write_text("nothing", encoding="utf-8")
    assert run(data) == 1
    assert capsys.readouterr().err.startswith("error: ")
    assert not (data / "results.json").exists()
