import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.indexes.exact import ExactIndex
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.query.matching import match
from recsys.records import Paper, Reference
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus, HashedNames
from recsys.store.graph import CitationGraph
from recsys.store.terms import TermStore
from tests.indexes.small_indexes import bm25_of
from tests.rows import each_row

PAPERS = (
    Paper("10.1109/visual.1991.175821", "Seeing beetles in volumes", year=1991),
    Paper("A83-1003", "Parsing the songs of birds", year=1983, authors=("Ada Ash",)),
    Paper("archive", "Maps", year=2001, authors=("Cy Cedar",)),
    Paper(
        "books:1",
        "Nests of beetles: an enquiry",
        year=2010,
        authors=("Jörg Müller", "Bo Birch"),
        doi="10.1000/ABC",
    ),
    Paper("books:2", "Nests of beetles: a reply", year=2011, authors=("Dee Date",)),
    Paper("hep-th/9110012", "Strings on black holes in two dimensions", year=1991),
    Paper("pmid:17", "Feathers in the winter of the far north", year=2005),
    Paper("preface:1", "Preface", year=2015, authors=("Ada Ash",)),
    Paper("preface:2", "Preface", year=2016, authors=("Ada Ash",)),
    Paper("preface:3", "Preface", year=2016, authors=("Ada Ash",)),
    Paper("web:1", "Clouds as seen by fern", year=2020, url="http://arxiv.org/abs/2004.07180v2"),
    Paper("web:2", "Honey as seen by fern", year=2020, url="https://aclanthology.org/P18-1001/"),
    Paper("web:3", "Gravel as seen by fern", year=2020, url="https://doi.org/10.1000/Gravel"),
    Paper("web:4", "Engines as seen by fern", year=2020, doi="10.48550/arXiv.2101.00001"),
)


def collect(papers: Sequence[Paper], folder: Path) -> Collection:
    source = folder / "papers.jsonl"
    lines = (json.dumps(asdict(paper)) + "\n" for paper in papers)
    source.write_text("".join(lines), encoding="utf-8")
    (folder / "corpus").mkdir()
    ingest(source_files([source]), folder / "corpus")
    corpus = Corpus.load(folder / "corpus")
    terms = TermStore.build(
        (each["title"], each["abstract"]) for each in corpus.texts().to_pylist()
    )
    vectors = np.zeros((len(papers), 2), np.float32)
    graph = CitationGraph.load(folder / "corpus")
    return Collection(corpus, graph, terms, vectors, ExactIndex(vectors), bm25_of(terms))


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return collect(PAPERS, tmp_path_factory.mktemp("matching"))


def matched(collection: Collection, *references: Reference) -> list[str | None]:
    found = match(collection, references)
    assert tuple(each.reference for each in found) == references
    assert all(0 <= each.score <= 1 for each in found)
    return [None if each.row is None else collection.corpus.ids[each.row] for each in found]


@each_row(
    ("reference", "expected"),
    [
        # An identifier is enough.
        (Reference(id="A83-1003"), "A83-1003"),
        (Reference(id="books:2"), "books:2"),
        (Reference(id="10.1109/VISUAL.1991.175821"), "10.1109/visual.1991.175821"),
        (Reference(doi="10.1109/visual.1991.175821"), "10.1109/visual.1991.175821"),
        (Reference(doi="10.1000/abc"), "books:1"),
        (Reference(url="https://doi.org/10.1000/ABC"), "books:1"),
        (Reference(id="https://doi.org/10.1000/abc"), "books:1"),
        (Reference(acl="A83-1003"), "A83-1003"),
        (Reference(url="https://aclanthology.org/A83-1003.pdf"), "A83-1003"),
        (Reference(arxiv="hep-th/9110012"), "hep-th/9110012"),
        (Reference(doi="10.48550/arxiv.hep-th/9110012"), "hep-th/9110012"),
        (Reference(arxiv="2004.07180"), "web:1"),
        (Reference(url="https://arxiv.org/pdf/2004.07180v3"), "web:1"),
        (Reference(doi="10.18653/v1/p18-1001"), "web:2"),
        (Reference(doi="10.1000/gravel"), "web:3"),
        (Reference(arxiv="2101.00001"), "web:4"),
        (Reference(pmid="17"), "pmid:17"),
        (Reference(pmid="18"), None),
        (Reference(id="books:3"), None),
        (Reference(id="BOOKS:2"), None),
        (Reference(doi="10.1000/ab"), None),
        (Reference(arxiv="2004.07181"), None),
        (Reference(), None),
        # A title matches with what else is known.
        (Reference(title="NESTS OF BEETLES: AN ENQUIRY", year=2009), "books:1"),
        (Reference(title="Nests of Beetles", authors=("Mueller, J.",), year=2010), "books:1"),
        (Reference(title="Nests of Beetles", authors=("D. Date",), year=2011), "books:2"),
        (Reference(title="Nests of beetels: an enquiri", authors=("Muller, J",)), "books:1"),
        (Reference(title="Nests of beetles: a rebuttal", year=2011), None),
        (Reference(title="Nests of beetles: an enquiry, part II", year=2011), None),
        (Reference(title="Preface", authors=("Ada Ash",), year=2015), "preface:1"),
        (Reference(title="Preface", authors=("Ada Ash",), year=2016), "preface:2"),
        (Reference(title="Preface", authors=("Eve Elm",), year=2016), None),
        (Reference(title="Preface"), None),
        # One error in a title of four letters may be another word.
        (Reference(title="Mapps", authors=("C. Cedar",), year=2001), None),
        (
            Reference(title="Seeing beatles in volumes", id="elsewhere"),
            "10.1109/visual.1991.175821",
        ),
        (Reference(title="?!", year=2016), None),
        # A wrong identifier yields to the title, and of an unknown work it matches nothing.
        (Reference(title="Parsing the songs of birds", doi="10.1000/abc", year=1983), "A83-1003"),
        (Reference(title="Numerical models of glaciers", doi="10.1000/abc", year=2010), None),
        # A renamed work keeps its identifier, where author and year agree.
        (
            Reference(title="Insect homes", authors=("J. Müller",), doi="10.1000/abc", year=2009),
            "books:1",
        ),
        (
            Reference(title="Insect homes", authors=("J. Müller",), doi="10.1000/abc", year=2000),
            None,
        ),
    ],
)
def test_a_reference_means_the_paper_that_fits(
    collection: Collection, reference: Reference, expected: str | None
) -> None:
    assert matched(collection, reference) == [expected]


def test_a_first_author_proposes_what_the_words_of_a_title_do_not(tmp_path: Path) -> None:
    papers = [Paper("p", "Beetlenests", year=2010, authors=("Ada Ash",))]
    reference = Reference(title="Beetle nests", authors=("A. Ash",), year=2011)
    assert matched(collect(papers, tmp_path), reference) == ["p"]


def test_order_is_kept_and_two_references_may_mean_one_paper(collection: Collection) -> None:
    one, other = Reference(doi="10.1000/abc"), Reference(title="Nests of beetles: an enquiry")
    assert matched(collection, one, Reference(), other) == ["books:1", None, "books:1"]
    assert matched(collection) == []


def test_more_references_than_are_held_at_once(collection: Collection) -> None:
    references = [Reference(title=paper.title, year=paper.year) for paper in PAPERS[:6]] * 80
    assert matched(collection, *references) == [paper.id for paper in PAPERS[:6]] * 80


def test_only_allowed_papers_match(collection: Collection) -> None:
    allowed = np.ones(len(PAPERS), bool)
    allowed[collection.corpus.rows(["books:1", "preface:2"])] = False
    references = [
        Reference(id="books:1"),
        Reference(doi="10.1000/abc"),
        Reference(title="Nests of beetles: an enquiry", authors=("Müller, J.",), year=2010),
        Reference(title="Preface", authors=("Ada Ash",), year=2016),
    ]
    found = [each.row for each in match(collection, references, allowed=allowed)]
    assert found == [None, None, None, collection.corpus.row("preface:3")]


@given(
    st.sampled_from([paper for paper in PAPERS if not paper.id.startswith("preface")]), st.data()
)
def test_every_paper_is_found_by_any_of_its_facts(
    collection: Collection, paper: Paper, data: st.DataObject
) -> None:
    kept = data.draw(st.sets(st.sampled_from(["id", "title"]), min_size=1))
    reference = Reference(
        id=paper.id if "id" in kept else None,
        title=data.draw(st.sampled_from([paper.title, paper.title.upper()])),
        year=paper.year,
        authors=data.draw(st.sampled_from([(), paper.authors])),
    )
    assert matched(collection, reference) == [paper.id]


@given(st.lists(st.builds(Reference, id=st.text(), title=st.text(), doi=st.text(), url=st.text())))
def test_any_text_matches_or_does_not(collection: Collection, references: list[Reference]) -> None:
    matched(collection, *references)


IDENTIFIERS = st.sampled_from(
    [
        *(paper.id for paper in PAPERS),
        *(paper.doi or paper.url or "10.9/nothing" for paper in PAPERS),
        *("10.1000/gravel", "2004.07180", "2101.00001", "P18-1001", "W05-0001"),
    ]
)


@given(st.lists(st.tuples(IDENTIFIERS, st.booleans()), min_size=1, max_size=6))
def test_hashes_find_what_a_look_at_every_paper_finds(
    collection: Collection, names: list[tuple[str, bool]]
) -> None:
    references = [Reference(doi=name.swapcase() if other else name) for name, other in names]
    found = match(collection, references)
    with pytest.MonkeyPatch.context() as patch:
        every = np.arange(len(collection.corpus), dtype=np.int32)
        patch.setattr(HashedNames, "find", lambda named, names: every)  # So all are looked at.
        assert match(collection, references) == found


def test_references_are_matched_without_arrow(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyarrow", "pyarrow.compute", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    given = [Reference(doi="10.1000/gravel"), Reference(title="Maps", authors=("Cy Cedar",))]
    (gravel, maps) = match(collection, given)
    assert gravel.row is not None
    assert collection.corpus.ids[gravel.row] == "web:3"
    assert maps.row is not None
