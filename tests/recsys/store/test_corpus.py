import json
import pickle
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.records import Paper
from recsys.store.corpus import Coded, Corpus, paper_types
from recsys.store.names import name_keys
from tests.rows import few

WORD = st.text("abcXYZéü漢\U0001f600", min_size=1, max_size=5)
PAPERS = st.lists(
    st.builds(
        Paper,
        id=WORD,
        title=WORD,
        abstract=st.none() | WORD,
        year=st.none() | st.integers(1400, 2100),
        authors=st.lists(WORD, max_size=3).map(tuple),
        venue=st.none() | WORD,
        references=st.lists(WORD, max_size=4).map(tuple),
        keyphrases=st.lists(WORD, max_size=2).map(tuple),
        doi=st.none() | WORD,
        url=st.none() | WORD.map("https://example.org/{}".format),
        labels=st.dictionaries(
            WORD | st.just("type"), WORD | st.lists(WORD, max_size=2), max_size=2
        ),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda paper: paper.id,
)


def stored(folder: Path, papers: list[Paper]) -> Corpus:
    source = folder / "papers.jsonl"
    lines = (json.dumps(asdict(paper)) + "\n" for paper in papers)
    source.write_text("".join(lines), encoding="utf-8")
    corpus = folder / "corpus"
    corpus.mkdir()
    ingest(source_files([source]), corpus)
    return Corpus.load(corpus)


@given(PAPERS)
@few(10)
def test_a_paper_read_is_the_paper_written(
    tmp_path_factory: pytest.TempPathFactory, papers: list[Paper]
) -> None:
    corpus = stored(tmp_path_factory.mktemp("corpus"), papers)
    ordered = sorted(papers, key=lambda paper: paper.id.encode())
    assert len(corpus) == len(papers)
    assert corpus.full_papers(range(len(corpus))) == ordered
    shown = corpus.papers(range(len(corpus)))
    assert pickle.loads(pickle.dumps(shown)) == shown == ordered == shown
    assert [replace(paper, title="x").abstract for paper in shown] == [p.abstract for p in ordered]
    assert [corpus.year(row) for row in range(len(corpus))] == [paper.year for paper in ordered]
    types = [paper_types(paper.labels) for paper in ordered]
    assert [corpus.types.values[code] for code in corpus.types.codes] == types
    venues = corpus.venue_names
    assert [venues.values[at] for at in venues.codes] == [paper.venue or "" for paper in ordered]
    for row, paper in enumerate(ordered):
        assert corpus.row(paper.id) == row
        assert corpus.ids[row] == paper.id
        if paper.venue is not None:
            assert corpus.venues[row] == corpus.venue_code(paper.venue)
        names = [corpus.author_names[code] for code in corpus.authors[row].tolist()]
        assert names == name_keys(paper.authors)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    papers = [
        Paper("c", "Three", "Text three.", 2003, ("Ann Lee",), "V", ("a",), ("k",), "10.1/c"),
        Paper("a", "One", "Text one.", 2001, ("Lee, A.",), "W"),
        Paper("b", "Two"),
    ]
    return stored(tmp_path, papers)


def test_shown_papers_come_in_the_order_asked_for(corpus: Corpus) -> None:
    assert [paper.id for paper in corpus.papers([2, 0, 2])] == ["c", "a", "c"]
    assert corpus.papers(np.array([], np.int32)) == []
    assert corpus.papers([]) == []


def test_columns_of_few_values_are_tested_and_changed_by_value() -> None:
    column = Coded(("x", "Y", "X"), np.array([0, 1, 2, 2, 0, 2], np.int32))
    assert column.common() == ["X", "x", "Y"]
    assert column.holds(str.isupper).tolist() == [False, True, True, True, False, True]
    lower = column.map(str.lower)
    assert lower.values == ("x", "y")
    assert lower.codes.tolist() == [0, 1, 0, 0, 0, 0]
    assert lower.common() == ["x", "y"]


def test_a_surname_calls_all_who_bear_it(corpus: Corpus) -> None:
    def called(*names: str) -> list[str]:
        return [corpus.author_names[code] for code in corpus.namesakes(names)]

    assert called("Lee") == called("A. LEE") == ["lee a", "lee ann"]
    assert called("Anton Lee") == ["lee a"]
    assert called("Le") == called("A. Leeds") == called() == []
    assert called("Ann Lee", "Lee, B.") == ["lee a", "lee ann"]


def test_what_is_shown_reads_nothing_long_and_few_papers_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = stored(tmp_path, [Paper(f"p{n}", f"On {n}", f"We {n}.") for n in range(9)])
    read: list[list[int]] = []
    whole = Corpus.full_papers

    def counted(self: Corpus, rows: list[int]) -> list[Paper]:
        read.append(list(rows))
        return whole(self, rows)

    monkeypatch.setattr(Corpus, "full_papers", counted)
    shown = corpus.papers([7, 2, 5])
    assert (shown[0].title, str(shown[0].year), read) == ("On 7", "None", [])
    assert [paper.abstract for paper in shown] == ["We 7.", "We 2.", "We 5."]
    assert (shown[1].labels, read) == ({}, [[2, 5, 7]])
    with pytest.raises(AttributeError, match="no attribute 'abstrakt'"):
        _ = shown[0].abstrakt  # type: ignore[attr-defined]  # As somebody mistypes it.
