"""The benchmark of matching: noise that stays BibTeX, and figures that are what happened."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import matching_quality
from benchmarks.matching_quality import (
    SHARES,
    bibtex,
    draw,
    judge,
    matches,
    without_identifiers,
)
from benchmarks.result_tables import written
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.query.matching import Match
from recsys.records import Paper, Reference
from tests.pipelines.small_index import open_small_collection, write_small_index

PAPERS = [
    Paper("a", 'Growth of "ferns" & Müller\'s multi-dimensional maps: a study', year=2010,
          authors=("Jörg Müller", "Ash, Ada B."), venue="Transactions on Ferns & Maps"),
    Paper("b", "100 % of $x_1$ {curly} #tags ~ here", year=2011, authors=("Plato",)),
    Paper("c", "Naïve ŁØß"),
]  # fmt: skip


@given(st.integers(0, 10_000))
def test_noise_stays_bibtex(seed: int) -> None:
    text = bibtex(PAPERS, ["10.1000/a", None, "10.1000/c"], np.random.default_rng(seed))
    found = parse_bibliography(text, "noisy.bib")
    assert not found.problems
    assert [each.key for each in found.references] == ["ref0", "ref1", "ref2"]
    assert all(each.title for each in found.references)
    assert all(each.doi in (None, "10.1000/a", "10.1000/c") for each in found.references)
    assert text == bibtex(PAPERS, ["10.1000/a", None, "10.1000/c"], np.random.default_rng(seed))


def test_only_what_is_drawn_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    none = dict.fromkeys(SHARES, 0.0)
    monkeypatch.setattr(matching_quality, "SHARES", none)
    paper = replace(PAPERS[0], venue=None)
    text = bibtex([paper] * 20, [None] * 20, np.random.default_rng(0))
    for found in parse_bibliography(text, "noisy.bib").references:
        assert (found.title, found.year, found.doi) == (paper.title, paper.year, None)
        assert "Müller" in found.authors[0]
    monkeypatch.setattr(matching_quality, "SHARES", {**none, "no subtitle": 1.0})
    [found] = parse_bibliography(bibtex([paper], [None], np.random.default_rng(0)), "x").references
    assert found.title == 'Growth of "ferns" & Müller\'s multi-dimensional maps'


def test_papers_held_out_are_not_in_the_corpus(tmp_path: Path) -> None:
    collection = open_small_collection(write_small_index(tmp_path / "small.index"))
    drawn = draw(collection, np.random.default_rng(3), inside=20, outside=15)
    assert len(drawn.references) == len(drawn.rows) == 35
    assert np.sum(drawn.rows >= 0) == 20 and np.sum(~drawn.allowed) == 15
    assert drawn.allowed[drawn.rows[:20]].all()
    found = matches(collection, drawn)
    assert all(each.row is None or drawn.allowed[each.row] for each in found)
    assert judge(found, drawn.rows)["recall"]["value"] > 0.5
    plain = without_identifiers(drawn).references
    assert not any(each.doi or each.url or each.id for each in plain)


def test_precision_and_recall_are_counted() -> None:
    rows = [0, 1, 2, None, 4, None]
    found = [Match(Reference(), row, 1.0) for row in rows]
    figures = judge(found, np.array([0, 1, 5, 3, -1, -1], np.int32))
    assert figures["precision"]["value"] == figures["recall"]["value"] == 2 / 4
    # Wilson: (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n), p 1/2, n 4.
    assert figures["recall"]["low"] == pytest.approx(0.15004, abs=1e-4)
    assert figures["recall"]["high"] == pytest.approx(0.84996, abs=1e-4)
    nothing = judge([Match(Reference(), None, 0.0)], np.array([-1], np.int32))
    assert nothing["precision"] == {"value": 0.0, "low": 0.0, "high": 1.0}
    sizes = {"papers": 9, "inside": 300, "outside": 100}
    both = {"all": figures, "no identifiers": figures}
    text = written("benchmarks", {"matching": {"vis": sizes | both}})
    assert "300 noisy BibTeX entries" in text
    assert "| vis, no identifiers | 0.500 (0.150-0.850) |" in text
