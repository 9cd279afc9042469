import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt
from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index.columns import write_columns
from recsys.store.collection import check_corpus
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from recsys.store.stored_papers import (
    BLOB,
    FIELDS,
    PACKED,
    STARTS,
    ShownPapers,
    ShownWriter,
    name_of,
)
from tests.rows import each_row, few

TEXT = st.text('ab\n"\\é漢\U0001f600', max_size=6)
TEXTS = st.none() | st.lists(TEXT, max_size=3)
RECORD = st.fixed_dictionaries(
    {
        "title": TEXT,
        "abstract": st.none() | TEXT,
        "year": st.none() | st.integers(1400, 2100),
        "authors": TEXTS,
        "venue": st.none() | TEXT,
        "doi": st.none() | TEXT,
        "url": st.none() | TEXT,
        "aliases": TEXTS,
    }
)
RECORDS = st.lists(RECORD, min_size=1, max_size=3 * PACKED)
NOTHING: dict[str, Any] = dict.fromkeys(FIELDS)


def stored(folder: Path, records: list[dict[str, Any]]) -> Corpus:
    rows = [{"id": f"p{number:03}", **record} for number, record in enumerate(records)]
    write_columns(folder, pa.Table.from_pylist(rows, schema=SCHEMA).to_batches())
    return Corpus.load(folder)


def written(folder: Path, *records: dict[str, Any]) -> ShownPapers:
    with ShownWriter(folder) as writer:
        writer.add({**NOTHING, **record} for record in records)
    return ShownPapers.load(folder)


@given(RECORDS)
@few(10)
def test_papers_are_those_of_the_columns(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]
) -> None:
    corpus = stored(tmp_path_factory.mktemp("shown"), records)
    rows = [*range(len(records)), 0, len(records) - 1]
    by_columns = corpus.full_papers(rows)
    assert corpus.papers(rows) == by_columns
    assert [corpus.title(row) for row in rows] == [paper.title for paper in by_columns]


def test_papers_are_shown_without_arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = stored(tmp_path, [{"title": "Rivers", "year": 1999, "authors": ["Ann Lee"]}])
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    (paper,) = corpus.papers([0])
    assert (paper.id, paper.title, paper.year, paper.authors) == (
        "p000",
        "Rivers",
        1999,
        ("Ann Lee",),
    )


@given(RECORDS, st.integers(1, 5))
def test_papers_taken_in_any_pieces_are_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], size: int
) -> None:
    whole, pieces = (tmp_path_factory.mktemp(name) for name in ("whole", "pieces"))
    written(whole, *records)
    with ShownWriter(pieces) as writer:
        for begin in range(0, len(records), size):
            writer.add(records[begin : begin + size])
    for name in (STARTS, BLOB):
        file = name_of(name, 0)
        assert (whole / file).read_bytes() == (pieces / file).read_bytes()


def test_a_changed_byte_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    shown = written(tmp_path, *({"title": f"On {n} rivers"} for n in range(PACKED)))
    sound = shown.paper(1, "b", 2000)
    for place in range(len(shown.blob)):
        blob = shown.blob.copy()
        blob[place] ^= 0x55
        try:
            assert replace(shown, blob=blob).paper(1, "b", 2000) == sound
        except ArtifactCorrupt as error:
            assert str(tmp_path / name_of(BLOB, 0)) in error.what


@each_row(
    "record",
    [
        "[",
        "1",
        '"title"',
        "{}",
        "[1]",
        '[["title"]]',
        '["title", "Ann Lee"]',
        '["title", {"a": 1}]',
        '["title", [1]]',
        '["title", [], 1]',
        '["title", [], null, null, null, [], null]',
        "[" * 100_000,
        "\ud800",
    ],
)
def test_a_record_of_another_shape_is_refused(record: str, tmp_path: Path) -> None:
    packed = zlib.compress(record.encode("utf-8", "surrogatepass"))
    blob = np.frombuffer(packed, np.uint8)
    shown = ShownPapers(tmp_path / name_of(BLOB, 0), np.array([0, len(blob)]), blob)
    with pytest.raises(ArtifactCorrupt, match="paper 0 cannot be read"):
        shown.paper(0, "a", None)


def test_too_few_records_are_refused(tmp_path: Path) -> None:
    shown = written(tmp_path, {"title": "One"})
    with pytest.raises(ArtifactCorrupt):
        shown.paper(1, "b", None)


def test_packs_that_do_not_fit_the_papers_are_refused(tmp_path: Path) -> None:
    corpus = stored(tmp_path, [{"title": f"Title {n}"} for n in range(2 * PACKED)])
    graph = CitationGraph.load(tmp_path)
    check_corpus(tmp_path, corpus, graph)
    [sound] = corpus.stored.shown
    for shown in (
        replace(sound, starts=sound.starts[:-1]),
        replace(sound, starts=sound.starts[::-1]),
        replace(sound, starts=sound.starts.astype(np.int32)),
        replace(sound, blob=sound.blob[:-1]),
        replace(sound, blob=sound.blob.view(np.int8)),
    ):
        other = replace(corpus, stored=replace(corpus.stored, shown=[shown]))
        with pytest.raises(ArtifactCorrupt, match="shown"):
            check_corpus(tmp_path, other, graph)


def test_threads_may_read_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recsys.pipelines.index.columns.ROW_GROUP", 5)
    corpus = stored(tmp_path, [{"title": f"Title {n}", "abstract": "a " * n} for n in range(200)])
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda row: corpus.full_papers([row])[0], [*range(200)] * 5))
    assert [paper.title for paper in found] == [f"Title {n}" for n in range(200)] * 5
