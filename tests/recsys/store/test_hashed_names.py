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
from recsys.store.corpus import Corpus, HashedNames
from recsys.store.graph import CitationGraph
from tests.tiny import hashed_names

NAME = st.none() | st.text("aAbBéÉİ/.1", max_size=4)
RECORDS = st.lists(st.fixed_dictionaries({"id": NAME, "doi": NAME, "url": NAME}), max_size=12)


@given(RECORDS)
def test_every_name_in_lower_case_finds_its_papers(records: list[dict[str, Any]]) -> None:
    found = hashed_names(records)
    for row, record in enumerate(records):
        names = [record["url"], record["id"], record["doi"]]
        for name in (name.lower() for name in names[:1] if name):
            assert row in found.find([name])
        for name in (name.lower() for name in names[1:] if name):
            assert row in found.find([name]) or name == record["id"]


def test_names_are_looked_up_together() -> None:
    named = hashed_names(
        [
            {"id": "a", "doi": "10.1/X", "url": None},
            {"id": "B", "doi": None, "url": "https://b.org"},
            {"id": "c", "doi": "10.1/x", "url": "https://c.org"},
        ]
    )
    assert named.find(["10.1/x", "b", "nothing"]).tolist() == [0, 1, 2]
    assert named.find(["https://b.org"]).tolist() == [1]
    assert named.find(["10.1/X", "a", ""]).tolist() == []
    assert named.find([]).dtype == np.int32


def test_names_that_do_not_fit_the_papers_are_refused(tmp_path: Path) -> None:
    rows = [{"id": each, "title": each, "doi": f"10.1/{each}"} for each in "ABC"]
    write_columns(tmp_path, pa.Table.from_pylist(rows, schema=SCHEMA).to_batches())
    corpus, graph = Corpus.load(tmp_path), CitationGraph.load(tmp_path)
    check_corpus(tmp_path, corpus, graph)
    hashes, places = corpus.named.hashes, corpus.named.rows
    for named in (
        HashedNames(hashes[::-1], places),
        HashedNames(hashes[:-1], places),
        HashedNames(hashes.astype(np.int64), places),
        HashedNames(hashes, places + 3),
        HashedNames(hashes, places - 1),
        HashedNames(hashes, places.astype(np.int64)),
    ):
        with pytest.raises(ArtifactCorrupt, match="named"):
            check_corpus(tmp_path, replace(corpus, named=named), graph)
