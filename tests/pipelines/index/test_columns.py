from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora import partitions
from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index import columns, paper_rows
from recsys.pipelines.index.citation_links import LinkCounts
from recsys.pipelines.index.columns import Cuts, write_columns
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from recsys.store.names import initialled
from tests.rows import few
from tests.stored import store_rows


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def row(paper_id: str, **values: object) -> dict[str, object]:
    return {"id": paper_id, "title": f"Title of {paper_id}", **values}


def test_references_are_resolved_and_counted(tmp_path: Path) -> None:
    counts = write_columns(
        tmp_path,
        table(
            row("c", references=["a", "b", "a", "c", "c", "?"]),
            row("a", references=None),
            row("b", references=["a"]),
        ).to_batches(),
    )
    assert counts == LinkCounts(links=3, outside=1, to_self=2, repeated=1)
    graph = CitationGraph.load(tmp_path)
    assert [graph.cites[number].tolist() for number in range(3)] == [[], [0], [0, 1]]


def test_spellings_of_authors_and_venues_share_a_code(tmp_path: Path) -> None:
    rows = [
        row("a", authors=["Lee, Ann", "Bo Li"], venue="VLDB 2012"),
        row("b", authors=["A. Lee"], venue="vldb"),
        row("c", authors=["Ann Lee", "LEE, ANN"]),
    ]
    corpus = store_rows(tmp_path / "corpus", rows)
    names = ["lee a", "lee a n n", "lee ann", "li bo"]
    assert [corpus.author_names[code] for code in range(4)] == names
    assert corpus.author_blocks.tolist() == [0, 0, 0, 3]
    assert [corpus.papers_of_author[code].tolist() for code in range(4)] == [[1], [2], [0, 2], [0]]
    assert [corpus.authors[number].tolist() for number in range(3)] == [[2, 3], [0], [2, 1]]
    assert corpus.venues.tolist() == [0, 0, -1]
    assert corpus.venue_code("VLDB'13") == 0


IDS = st.text("ab\u00e9\U0001f600", min_size=1, max_size=3)
PAPERS = st.dictionaries(IDS, st.lists(IDS, max_size=6), min_size=1, max_size=25)


@given(PAPERS, st.integers(1, 7), st.integers(1, 7))
def test_any_batches_give_sorted_rows_and_the_right_links(
    tmp_path_factory: pytest.TempPathFactory, papers: dict[str, list[str]], size: int, group: int
) -> None:
    folder = tmp_path_factory.mktemp("columns")
    rows = [row(paper_id, references=names) for paper_id, names in papers.items()]
    batches = [batch for batch in table(*rows).to_batches(max_chunksize=size)]
    with pytest.MonkeyPatch.context() as patch:
        for module in (columns, paper_rows):
            patch.setattr(module, "ROW_GROUP", group)
        counts = write_columns(folder, batches)
    corpus, graph = Corpus.load(folder), CitationGraph.load(folder)
    ids = sorted(papers, key=str.encode)
    written = corpus.full_papers(range(len(ids)))
    assert [paper.id for paper in written] == ids
    for number, paper_id in enumerate(ids):
        inside = {ids.index(name) for name in papers[paper_id] if name in papers} - {number}
        assert graph.cites[number].tolist() == sorted(inside)
        assert written[number].references == tuple(papers[paper_id])
    listed = sum(map(len, papers.values()))
    assert counts.links + counts.outside + counts.to_self + counts.repeated == listed


PEOPLE = ("Lee, Ann", "A. Lee", "Ada Lee", "Lee", "Lee, B.", "Bo Li", "Éva Li", "李, 晓明")
NAMES = st.lists(st.sampled_from(PEOPLE), max_size=3)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {"id": IDS, "title": IDS},
        optional={
            "abstract": st.none() | IDS,
            "year": st.none() | st.integers(1990, 1995),
            "authors": st.none() | NAMES,
            "venue": st.none() | st.sampled_from(["VLDB 2012", "vldb", ""]),
            "references": st.none() | st.lists(IDS | st.just("10.1/A"), max_size=5),
            "doi": st.none() | st.sampled_from(["10.1/a", "10.1/A", "10.1/b"]),
            "aliases": st.none() | st.lists(IDS, max_size=2),
        },
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda paper: str(paper["id"]),
)


@few(8)
@given(RECORDS, st.integers(1, 5), st.integers(1, 3), st.integers(1, 9))
def test_papers_in_many_files_are_the_bytes_of_one_piece(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, Any]],
    group: int,
    groups: int,
    batch: int,
) -> None:
    whole, parts = (tmp_path_factory.mktemp(name) for name in ("whole", "parts"))
    with pytest.MonkeyPatch.context() as patch:
        for module in (columns, paper_rows):
            patch.setattr(module, "ROW_GROUP", group)
        counts = write_columns(whole, table(*records).to_batches())
        patch.setattr(partitions, "RUN_BYTES", 200)
        batches = table(*records).to_batches(max_chunksize=batch)
        cuts = Cuts.of(batches, len(records), groups)
        assert write_columns(parts, batches, cuts=cuts) == counts
    assert contents(parts) == contents(whole)
    corpus = Corpus.load(parts)
    names = [corpus.author_names[code] for code in range(len(corpus.author_names))]
    begins = [*map(initialled, names)]
    assert corpus.author_blocks.tolist() == [*map(begins.index, begins)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_front_matter_is_found_by_title_and_by_type(tmp_path: Path) -> None:
    rows = [
        row("d"),
        row("c", labels='{"type": "paratext"}'),
        row("b", labels='{"type": "article"}'),
        row("a", title="Author Index"),
    ]
    found = store_rows(tmp_path / "corpus", rows).front_matter
    assert found is not None
    assert found.tolist() == [0, 2]
    assert found.dtype == np.int32
