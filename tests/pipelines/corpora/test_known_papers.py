"""Files read beside an index: what they tell of its papers is added, and nothing is lost."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora.collect import AS_TOLD, collect
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.changes import Changes, plan
from recsys.pipelines.index.columns import merge_columns
from recsys.pipelines.index.ingest import ingest
from recsys.records import Paper
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from tests.pipelines.corpora.corpus_files import BIB, RIS, RIVERS, SAND, WOS, json_lines, write
from tests.recsys.formats.source_examples import TEXTS
from tests.rows import few


@dataclass(frozen=True, slots=True)
class Index:
    """The part of an index that papers are in. counts: added, replaced, removed to make it."""

    folder: Path
    counts: tuple[int, int, int] = (0, 0, 0)

    @classmethod
    def of(cls, folder: Path, *sources: Path) -> "Index":
        """Build it."""
        folder.mkdir()
        ingest(source_files(sources), folder)
        return cls(folder)

    def updated(self, *sources: Path) -> "Index":
        """Update it by some files."""
        folder = self.folder.with_name(f"{self.folder.name}-more")
        folder.mkdir()
        base = Corpus.load(self.folder)
        work = folder.with_name("work")
        papers, _ = collect(
            source_files(sources), work, AS_TOLD, cache=work / "pdfs", known=KnownPapers(base)
        )
        found = plan(base, Changes(papers.table()))
        merge_columns(folder, found.papers, base, CitationGraph.load(self.folder), found.merged)
        return Index(folder, found.counts)

    @property
    def papers(self) -> dict[str, Paper]:
        """All papers by id."""
        corpus = Corpus.load(self.folder)
        return {paper.id: paper for paper in corpus.full_papers(range(len(corpus)))}

    @property
    def links(self) -> set[tuple[str, str]]:
        """All pairs of citing and cited ids."""
        corpus, cites = Corpus.load(self.folder), CitationGraph.load(self.folder).cites
        return {
            (corpus.ids[row], corpus.ids[other])
            for row in range(len(corpus))
            for other in cites[row].tolist()
        }


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"bib": BIB, "ris": RIS, "wos": WOS}
    return {name: write(tmp_path / f"refs.{name}", text) for name, text in texts.items()}


def glaciers(index: Index) -> str:
    return next(name for name in index.papers if name.startswith("oak1999"))


def test_a_reference_becomes_a_link_when_the_paper_comes_later(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    index = Index.of(tmp_path / "index", files["wos"])
    assert index.links == {(SAND, RIVERS)}
    assert set(index.papers[RIVERS].references) == {
        "cite:oak o|1999|3|7",
        "10.5555/lost",
        "cite:nobody n|1981|2|3",
    }
    lost = write(
        tmp_path / "lost.bib",
        "@article{a, title={A lost one is found}, author={Nobody, Nick}, year=1980, volume=1, "
        "pages={2}, doi={10.5555/LOST}}\n@article{b, title={Another lost one}, volume={2}, "
        "author={Nobody, Nick}, year=1981, pages={3-9}}",
    )
    more = index.updated(files["bib"], lost)
    oak = glaciers(more)
    other = next(name for name in more.papers if name.startswith("nobody1981"))
    assert more.links == {
        (SAND, RIVERS),
        (SAND, oak),
        (RIVERS, oak),
        (RIVERS, "10.5555/lost"),
        (RIVERS, other),
    }


def test_what_files_tell_of_a_known_paper_is_merged_with_it(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    index = Index.of(tmp_path / "index", files["bib"])
    before, after = index.papers[RIVERS], index.updated(files["ris"])
    rivers = after.papers[RIVERS]
    assert rivers.title == before.title and rivers.authors == before.authors
    assert rivers.abstract is not None and rivers.abstract.startswith("We followed")
    assert after.counts == (1, 1, 0)


def test_less_than_is_known_changes_nothing(tmp_path: Path, files: dict[str, Path]) -> None:
    index = Index.of(tmp_path / "index", *files.values())
    for source in files.values():
        after = index.updated(source)
        assert after.counts[0] == after.counts[2] == 0
        assert after.papers.keys() == index.papers.keys()
        assert after.links == index.links
        for path in after.folder.iterdir():
            path.unlink()
        after.folder.rmdir()


def test_files_one_after_the_other_have_the_papers_and_links_of_all_at_once(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    at_once = Index.of(tmp_path / "all", *files.values())
    for place, (first, *rest) in enumerate(
        (("bib", "ris", "wos"), ("wos", "bib", "ris"), ("ris", "wos", "bib"))
    ):
        index = Index.of(tmp_path / f"index{place}", files[first])
        for name in rest:
            index = index.updated(files[name])
        titles = {paper.title.lower() for paper in index.papers.values()}
        assert titles == {paper.title.lower() for paper in at_once.papers.values()}
        named = {name: paper.title.lower() for name, paper in index.papers.items()}
        own = {name: paper.title.lower() for name, paper in at_once.papers.items()}
        assert {(named[a], named[b]) for a, b in index.links} == {
            (own[a], own[b]) for a, b in at_once.links
        }


def test_an_update_knows_which_identifiers_name_several_works(tmp_path: Path) -> None:
    """Chapters that all have the DOI of their book, one of which comes later."""
    chapters = [
        f"@incollection{{c{at}, title={{{title} of the oak}}, author={{Ash, Ada}}, year=2001, "
        "doi={10.5555/book}}\n"
        for at, title in enumerate(("Bark", "Leaves", "Roots"))
    ]
    one, other = (
        write(tmp_path / f"{name}.bib", "".join(some))
        for name, some in (("one", chapters[:2]), ("other", chapters[2:]))
    )
    at_once = Index.of(tmp_path / "all", one, other)
    assert Index.of(tmp_path / "index", one).updated(other).papers == at_once.papers
    assert len(at_once.papers) == 3


def test_a_paper_of_a_file_of_ours_replaces_the_one_of_its_id(tmp_path: Path) -> None:
    old = {"id": "a", "title": "Old words", "abstract": "Gone.", "references": ["b"]}
    index = Index.of(tmp_path / "index", json_lines(tmp_path / "old.jsonl", [old]))
    new = json_lines(tmp_path / "new.jsonl", [{"id": "a", "title": "New words"}])
    after = index.updated(new)
    assert after.papers["a"] == Paper("a", "New words")
    assert after.counts == (0, 1, 0)


def test_a_citation_may_mean_a_paper_of_the_index_by_its_title(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    index = Index.of(tmp_path / "index", files["bib"])
    crossref = {
        "DOI": "10.5555/new",
        "prefix": "10.5555",
        "title": ["Valleys of the world"],
        "issued": {"date-parts": [[2010]]},
        "reference": [
            {
                "key": "1",
                "article-title": "How glaciers carve a wide valley",
                "author": "Oak",
                "year": "1999",
            }
        ],
    }
    after = index.updated(json_lines(tmp_path / "crossref.jsonl", [crossref]))
    assert ("10.5555/new", glaciers(index)) in after.links


@given(
    first=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True),
    then=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True),
)
@few(8)
def test_no_paper_link_or_field_is_lost_by_an_update(
    tmp_path_factory: pytest.TempPathFactory,
    first: Sequence[tuple[str, str]],
    then: Sequence[tuple[str, str]],
) -> None:
    """But of what a file of ours replaces, of which there is one among the texts."""
    folder = tmp_path_factory.mktemp("update")
    own = json.dumps({"id": "own", "title": "A paper of our own", "year": 2000}) + "\n"
    old = [write(folder / f"old{n}", text) for n, (_, text) in enumerate(first)]
    new = [write(folder / f"new{n}", text) for n, (_, text) in enumerate(then)]
    one, other = (write(folder / f"{name}.jsonl", own) for name in ("one", "other"))
    index = Index.of(folder / "index", *old, one)
    after = index.updated(*new, other)
    papers: dict[str, Any] = after.papers
    for name, paper in index.papers.items():
        assert set(paper.references) <= set(papers[name].references) | {
            alias for each in papers.values() for alias in (each.id, *each.aliases, each.doi)
        }
        told = ("abstract", "year", "venue", "doi", "url")
        assert all(getattr(papers[name], each) for each in told if getattr(paper, each)), name
    assert index.links <= after.links
