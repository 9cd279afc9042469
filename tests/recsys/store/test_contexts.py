"""Contexts of an index are found by cited paper and year, and read back as they were."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.pipelines.index.contexts import COLUMNS, in_order, write_contexts
from recsys.store.arrays import Floats
from recsys.store.artifacts import seal
from recsys.store.contexts import (
    CITING,
    CODES,
    KIND,
    ROW_GROUP,
    SCHEMA,
    STARTS,
    TEXTS,
    Contexts,
)
from recsys.store.vectors import quantised

YEARS = np.array([2000, 2001, -1, 2003, 2003], np.int16)
FOUND = [(0, 3), (0, 1), (1, 3), (0, 2), (0, 4), (3, 1), (1, 1), (0, 1), (2, 0)]
"""(cited, citing)"""


def table(pairs: list[tuple[int, int]]) -> pa.Table:
    said = [
        {
            "cited": cited,
            "citing": citing,
            "text": f"{citing} on {cited}",
            "section": f"in {citing}",
        }
        for cited, citing in pairs
    ]
    return pa.Table.from_pylist(said, COLUMNS)


def vectors(count: int) -> Floats:
    return np.random.default_rng(0).normal(size=(count, 8)).astype(np.float32)


def write(folder: Path, *, encoded: bool = True) -> Contexts:
    kept = in_order(table(FOUND), YEARS)
    folder.mkdir()
    codes = quantised(vectors(len(kept.order))) if encoded else None
    write_contexts(folder, table(FOUND).take(pa.array(kept.order)), YEARS, codes, {})
    return Contexts.load(folder, len(YEARS))


def test_contexts_stand_by_cited_paper_then_by_year(tmp_path: Path) -> None:
    found = write(tmp_path / "contexts")
    pairs = list(zip(found.cited.tolist(), found.citing.tolist(), strict=True))
    # An unknown year is later than all; paper 1 is older than paper 3, which it cannot cite.
    assert pairs == [(0, 1), (0, 3), (0, 4), (0, 2), (1, 3), (2, 0)]
    assert found.texts(range(6)) == [f"{citing} on {cited}" for cited, citing in pairs]
    assert found.sections([5, 0]) == ["in 0", "in 1"]


def test_what_is_left_out_is_counted() -> None:
    dropped = in_order(table(FOUND), YEARS).dropped
    assert list(dropped.values()) == [1, 1, 1]


@pytest.mark.parametrize("before", [-5, 0, 2001, 2002, 2003, 2004, 40_000])
def test_only_older_sentences_are_found(before: int, tmp_path: Path) -> None:
    found = write(tmp_path / "contexts")
    for row in range(len(YEARS)):
        expected = [
            at
            for at in range(len(found))
            if found.cited[at] == row and 0 < YEARS[found.citing[at]] < before
        ]
        assert found.of(row, before).tolist() == expected
    owner, positions = found.of_all(np.arange(5, dtype=np.int32), before)
    assert found.cited[positions].tolist() == owner.tolist()
    older = np.flatnonzero(found.older(np.arange(len(found)), before))
    assert positions.tolist() == older.tolist()


def test_vectors_come_back_nearly_as_they_were(tmp_path: Path) -> None:
    found, first = write(tmp_path / "contexts"), vectors(6)
    np.testing.assert_allclose(found.vectors(np.arange(6)), first, atol=0.02)
    np.testing.assert_array_equal(found.vectors(slice(2, 4)), found.vectors(np.array([2, 3])))
    bare = write(tmp_path / "bare", encoded=False)
    with pytest.raises(ArtifactMissing, match="no encoder"):
        bare.vectors(slice(None))


def test_many_texts_are_read_from_any_row_group(tmp_path: Path) -> None:
    pairs = [(0, 3)] * (2 * ROW_GROUP + 5)
    said = [
        {"cited": 0, "citing": 3, "text": f"said {n}", "section": ""} for n in range(len(pairs))
    ]
    write_contexts(tmp_path, pa.Table.from_pylist(said, COLUMNS), YEARS, None, {})
    found = Contexts.load(tmp_path, len(YEARS))
    assert found.texts([2 * ROW_GROUP + 4, 0, ROW_GROUP]) == ["said 516", "said 0", "said 256"]


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing, match="no contexts"):
        Contexts.load(tmp_path / "missing", 5)
    write(tmp_path / "contexts")
    with pytest.raises(ArtifactMismatch, match="5 papers"):
        Contexts.load(tmp_path / "contexts", 6)


@pytest.mark.parametrize(
    "name", [CITING, CODES, STARTS, "cited.npy", "key.npy", "scales.npy", "noise", "title", "fewer"]
)
def test_damaged_arrays_and_texts_are_told(name: str, tmp_path: Path) -> None:
    """name: of the array, or what becomes of the texts: noise, another column, fewer rows."""
    folder = tmp_path / "contexts"
    found = write(folder)
    if name == "noise":
        folder.joinpath(TEXTS).write_bytes(b"PAR1" * 100)
    elif not name.endswith(".npy"):
        columns = ("text", "section" if name == "fewer" else name)
        pq.write_table(pa.table({column: ["a"] * 3 for column in columns}), folder / TEXTS)
    elif name == CITING:
        np.save(folder / name, found.citing + np.int32(4))
    else:
        np.save(folder / name, np.load(folder / name)[::-1].copy())
        if name in (CODES, "scales.npy"):
            np.save(folder / name, np.load(folder / name).astype(np.float64))
    seal(folder, KIND, SCHEMA, {})
    with pytest.raises(ArtifactCorrupt, match=None if name.endswith(".npy") else TEXTS):
        Contexts.load(folder, len(YEARS))
