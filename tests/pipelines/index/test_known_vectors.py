"""Vectors of texts that have not changed are found again."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from recsys.pipelines.corpora.works import SCHEMA
from recsys.pipelines.index.changes import Changes, plan
from recsys.pipelines.index.encode import KnownVectors, same_texts
from recsys.store.corpus import Corpus
from tests.stored import store_rows

OLD: list[dict[str, object]] = [
    {"id": "a", "title": "ants", "abstract": "small"},
    {"id": "b", "title": "ants", "abstract": "small", "year": 1999},
    {"id": "c", "title": "cats"},
    {"id": "d", "title": "dogs", "abstract": ""},
    {"id": "e", "title": "ants small"},
]
NEW: list[dict[str, object]] = [
    {"id": "!", "title": "bees"},
    {"id": "b", "title": "ants", "abstract": "small", "year": 2001},
    {"id": "c", "title": "cats", "abstract": "with an abstract"},
    {"id": "d", "title": "dogs"},
    {"id": "f", "title": "cats"},
]


@pytest.fixture
def old(tmp_path: Path) -> Corpus:
    return store_rows(tmp_path / "old", OLD)


def test_texts_are_found_under_their_own_id_first(old: Corpus, tmp_path: Path) -> None:
    corpus = store_rows(tmp_path / "new", [*NEW, OLD[0], OLD[4]])
    # !, a, b, c, d, e, f: the title of f is that of the old c; an empty abstract is one.
    assert same_texts(old, corpus).tolist() == [-1, 0, 1, -1, -1, 4, 2]
    assert same_texts(old, old).tolist() == [0, 1, 2, 3, 4]


def test_known_vectors_are_told_from_both_sides() -> None:
    vectors = np.arange(8, dtype=np.float32).reshape(4, 2)
    known = KnownVectors(vectors, np.array([2, -1, 0, 3], np.int32))
    assert known.missing.tolist() == [False, True, False, False]
    assert known.today.tolist() == [2, -1, 0, 3]
    assert np.concatenate(list(known.pieces())).tolist() == [[4, 5], [0, 0], [0, 1], [6, 7]]
    without = known.without(np.array([True, False, False, False]))
    assert without.rows.tolist() == [2, -1, -1, 3]
    assert known.rows.tolist() == [2, -1, 0, 3]


def test_texts_of_a_corpus_whose_folder_is_gone_are_read(old: Corpus, tmp_path: Path) -> None:
    (tmp_path / "old").rename(tmp_path / "away")
    shutil.rmtree(tmp_path / "away")
    assert same_texts(old, old).tolist() == [0, 1, 2, 3, 4]
    assert plan(old, Changes(pa.Table.from_pylist(OLD[:2], SCHEMA))).counts == (0, 0, 0)
