"""Figures of a corpus, counted by hand, and the same by the plain way of counting."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora.corpus_worth import CorpusWorth, worth_of
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from tests.rows import few
from tests.stored import store_rows

PAPERS: list[dict[str, Any]] = [
    {"id": "a", "title": "On rivers", "year": 2000, "venue": "Acta", "labels": '{"type": "book"}'},
    {"id": "b", "title": "On lakes", "year": 2001, "venue": "Acta", "references": ["a", "x", "y"]},
    {"id": "c", "title": "Die Seen und die Berge", "abstract": "Der See und das Tal.", "year": 2005,
     "venue": "Zeitschrift", "references": ["a", "b", "c", "b"], "labels": '{"type": "article"}'},
    {"id": "d", "title": "Of no year", "references": []},
]  # fmt: skip


def counted(folder: Path, papers: list[dict[str, Any]]) -> tuple[CorpusWorth, Corpus]:
    corpus = store_rows(folder, papers)
    return worth_of(corpus, CitationGraph.load(folder)), corpus


def test_the_figures_are_those_counted_by_hand(tmp_path: Path) -> None:
    worth, _ = counted(tmp_path / "corpus", PAPERS)
    assert worth == CorpusWorth(
        papers=4, abstracts=1, dated=3, years=(2000, 2001, 2005), references=7, links=3, citing=2,
        median_links=1.5, uncited=2, train=0, dev=0, test=0,
    )  # fmt: skip


def test_a_caller_may_know_of_more_references_than_are_stored(tmp_path: Path) -> None:
    _, corpus = counted(tmp_path / "corpus", PAPERS)
    graph = CitationGraph.load(tmp_path / "corpus")
    assert worth_of(corpus, graph, references=50).references == 50


ids = st.integers(0, 7).map(lambda number: f"p{number}")
papers = st.lists(
    st.fixed_dictionaries(
        {
            "id": ids,
            "title": st.just("On it"),
            "abstract": st.sampled_from([None, "Some words."]),
            "year": st.sampled_from([None, 1999, 2004]),
            "references": st.none() | st.lists(ids, max_size=5),
        }
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda paper: str(paper["id"]),
)


@given(some=papers)
@few(8)
def test_counting_paper_by_paper_gives_the_same(
    some: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    worth, _ = counted(tmp_path_factory.mktemp("worth") / "corpus", some)
    held = {paper["id"] for paper in some}
    links = {
        (paper["id"], cited)
        for paper in some
        for cited in paper["references"] or ()
        if cited in held and cited != paper["id"]
    }
    assert worth.papers == len(some)
    assert worth.abstracts == sum(paper["abstract"] is not None for paper in some)
    assert worth.dated == sum(paper["year"] is not None for paper in some)
    assert worth.references == sum(len(paper["references"] or ()) for paper in some)
    assert worth.links == len(links)
    assert worth.citing == len({citing for citing, _ in links})
    assert worth.uncited == len(held - {cited for _, cited in links})
