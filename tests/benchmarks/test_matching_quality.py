"""The benchmark of matching: noise that stays BibTeX, and figures that are what happened."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import matching_quality as noise
from benchmarks.matching_quality import (
    SHARES,
    bibtex,
    draw,
    judge,
    matches,
    timed,
    without_identifiers,
)
from benchmarks.result_tables import written
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.query.matching import Match
from recsys.records import Paper, Reference
from recsys.store.collection import Collection
from tests.pipelines.small_index import open_small_collection, write_small_index

PAPERS = [
    Paper("a", 'Growth of "ferns" & Müller\'s multi-dimensional maps: a study', year=2010,
          authors=("Jörg Müller", "Ash, Ada B."), venue="Transactions on Ferns & Maps"),
    Paper("b", "100 % of $x_1$ {curly} #tags ~ here", year=2011, authors=("Plato",)),
    Paper("c", "Naïve ŁØß"),
]  # fmt: skip


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder: Path = tmp_path_factory.mktemp("benchmark") / "small.index"
    return open_small_collection(write_small_index(folder))


@given(st.integers(0, 10_000))
def test_noise_stays_bibtex(seed: int) -> None:
    text = bibtex(PAPERS, ["10.1000/a", None, "10.1000/c"], np.random.default_rng(seed))
    found = parse_bibliography(text, "noisy.bib")
    assert not found.problems
    assert [each.key for each in found.references] == ["ref0", "ref1", "ref2"]
    assert all(each.title for each in found.references)
    assert all(each.doi in (None, "10.1000/a", "10.1000/c") for each in found.references)
    assert text == bibtex(PAPERS, ["10.1000/a", None, "10.1000/c"], np.random.default_rng(seed))


def test_without_noise_entries_are_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "SHARES", dict.fromkeys(SHARES, 0.0))
    paper = replace(PAPERS[0], venue=None)
    text = bibtex([paper] * 20, [None] * 20, np.random.default_rng(0))
    for found in parse_bibliography(text, "noisy.bib").references:
        assert found.title == paper.title
        assert found.year == paper.year
        assert found.doi is None
        assert "Müller" in found.authors[0]


def test_each_noise_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "SHARES", {**dict.fromkeys(SHARES, 0.0), "no subtitle": 1.0})
    found = parse_bibliography(bibtex(PAPERS[:1], [None], np.random.default_rng(0)), "x.bib")
    assert found.references[0].title == 'Growth of "ferns" & Müller\'s multi-dimensional maps'


def test_papers_held_out_are_not_in_the_corpus(collection: Collection) -> None:
    drawn = draw(collection, np.random.default_rng(3), inside=20, outside=15)
    assert len(drawn.references) == len(drawn.rows) == 35
    assert np.sum(drawn.rows >= 0) == 20
    assert np.sum(~drawn.allowed) == 15
    assert drawn.allowed[drawn.rows[:20]].all()
    found = matches(collection, drawn)
    assert all(each.row is None or drawn.allowed[each.row] for each in found)
    figures = judge(found, drawn.rows)
    assert figures["recall"]["value"] > 0.5
    plain = without_identifiers(drawn).references
    assert not any(each.doi or each.url or each.id for each in plain)
    assert 0 < timed(collection, drawn) < 60_000


def test_precision_and_recall_are_counted() -> None:
    rows = [0, 1, 2, None, 4, None]
    found = [Match(Reference(), row, 1.0) for row in rows]
    figures = judge(found, np.array([0, 1, 5, 3, -1, -1], np.int32))
    assert figures["precision"]["value"] == 2 / 4
    assert figures["recall"]["value"] == 2 / 4
    # Wilson: (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n), p 1/2, n 4.
    assert figures["recall"]["low"] == pytest.approx(0.15004, abs=1e-4)
    assert figures["recall"]["high"] == pytest.approx(0.84996, abs=1e-4)


def test_nothing_matched_is_no_division_by_zero() -> None:
    figures = judge([Match(Reference(), None, 0.0)], np.array([-1], np.int32))
    assert figures["precision"] == {"value": 0.0, "low": 0.0, "high": 1.0}


def test_the_section_is_written_with_its_figures() -> None:
    share = {"value": 0.99, "low": 0.971, "high": 0.9966}
    figures = {"precision": share, "recall": share}
    found = {"papers": 9, "inside": 300, "outside": 100, "milliseconds": 61.3}
    text = written(
        "benchmarks", {"matching": {"vis": {**found, "all": figures, "no identifiers": figures}}}
    )
    assert "300 BibTeX entries of its papers and 100 of papers held out of it" in text
    assert "31 references take 61 ms (vis)." in text
    assert "| vis, no identifiers | 0.990 (0.971-0.997) | 0.990 (0.971-0.997) |" in text
