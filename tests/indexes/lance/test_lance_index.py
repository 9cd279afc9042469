"""Vectors in tables of LanceDB: what the engine is asked, and what an update leaves of a table."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import Former, build_index, carry_index, open_built, summary
from recsys.indexes.exact import ExactIndex
from recsys.indexes.row_conditions import Condition
from recsys.store.arrays import Floats, Rows
from recsys.store.graph import UNKNOWN_YEAR, Years
from tests.indexes.small_indexes import random_vectors
from tests.indexes.test_carried_index import changed

if TYPE_CHECKING:
    from recsys.indexes.lance.lance_index import LanceIndex  # lancedb takes seconds to import.

pytestmark = pytest.mark.area("lance")

NO_ROWS = np.empty(0, np.int32)


def years_of(n: int) -> Years:
    years = np.random.default_rng(3).integers(2000, 2010, n).astype(np.int16)
    years[::50] = UNKNOWN_YEAR
    return years


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recsys.indexes.lance.lance_index.LEAST", 500)
    monkeypatch.setattr("recsys.indexes.lance.lance_index.IN_A_LIST", 50)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be compared but what the engine finds."""
    monkeypatch.setattr("recsys.indexes.lance.lance_index.search_allowed", None)


def opened(folder: Path, vectors: Floats, facts: dict[str, object]) -> "LanceIndex":
    from recsys.indexes.lance.lance_index import LanceIndex

    index = open_built(vectors, folder, facts)
    assert isinstance(index, LanceIndex)
    return index


def build(folder: Path, vectors: Floats, years: Years) -> "LanceIndex":
    folder.mkdir(exist_ok=True)
    return opened(folder, vectors, build_index("lance", vectors, folder, years=years))


def recall(index: "LanceIndex", years: Years, as_of: int, k: int = 20) -> float:
    exact, shares = ExactIndex(index.vectors), []
    for row in range(0, len(years), 40):
        allowed = years <= as_of
        allowed[row] = False
        query = np.asarray(index.vectors[row])
        best, found = (each.search(query, k, allowed=allowed)[0] for each in (exact, index))
        assert allowed[found].all() and len(found) == k
        shares.append(np.isin(best, found).mean())
    return float(np.mean(shares))


@pytest.mark.usefixtures("lists")
def test_lists_find_nearly_what_the_exact_search_finds(tmp_path: Path) -> None:
    vectors, years = random_vectors(1200, dim=24), years_of(1200)
    index = build(tmp_path, vectors, years)
    assert 0 < index.effort.probes <= index.effort.lists == 24
    index = replace(index, effort=replace(index.effort, k=20, probes=8))
    assert 0.6 < recall(index, years, 2008) < 1  # In eight of 24 lists.
    assert recall(index, years, 2003) > 0.6  # More of them, where few papers count.


@pytest.mark.usefixtures("asked")
def test_the_engine_leaves_out_what_is_newer(tmp_path: Path) -> None:
    vectors, years = random_vectors(600), years_of(600)
    index = build(tmp_path, vectors, years)
    assert recall(index, years, 2004) == recall(index, years, 2009) == 1
    alone = np.random.default_rng(1).random(600) < 0.6  # That cannot be told by years.
    best = ExactIndex(vectors).search(vectors[3], 5, allowed=alone)[0]
    assert index.search(vectors[3], 5, allowed=alone)[0].tolist() == best.tolist()


def test_conditions_are_written_in_sql(tmp_path: Path) -> None:
    index = build(tmp_path, random_vectors(600), years_of(600))
    where = [
        index.table.where(Condition(newest, undated, NO_ROWS, NO_ROWS))
        for newest, undated in ((2004, True), (2004, False), (2009, True), (2009, False))
    ]
    assert where[:2] == ["year <= 2004", "year <= 2004 AND year > -1"]
    assert where[2:] == [None, "year <= 2009 AND year > -1"]
    assert index.table.where(None) is None


def carry(
    folder: Path, vectors: Floats, years: Years, former: "tuple[Path, Rows, LanceIndex]"
) -> "LanceIndex":
    folder.mkdir()
    place, rows, index = former
    facts = {"backend": "lance", "trained": len(rows), "lists": index.effort.lists}
    facts = carry_index("lance", vectors, folder, Former(place, facts, rows), years=years)
    assert summary(facts, len(vectors)).endswith(".")
    return opened(folder, vectors, facts)


def data_of(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.glob("papers.lance/data/*")}


@pytest.mark.usefixtures("lists")
def test_an_update_writes_what_is_new_alone(tmp_path: Path) -> None:
    old = random_vectors(1000, dim=24)
    vectors, rows = changed(old, gone=30, new=40)
    years = years_of(len(vectors))
    before = np.full(1000, 2000, np.int16)
    before[rows >= 0] = years[rows[rows >= 0]]
    former = build(tmp_path / "old", old, before)
    files = {path: path.read_bytes() for path in former.table.folder.rglob("*") if path.is_file()}
    index = carry(tmp_path / "new", vectors, years, (former.table.folder, rows, former))
    assert data_of(former.table.folder).items() < data_of(index.table.folder).items()
    assert len(index.table.items.rows) == 1040 and index.table.table.count_rows() == 1010
    assert all(path.read_bytes() == content for path, content in files.items())
    wide = replace(index, effort=replace(index.effort, k=20, probes=16))
    assert recall(wide, years, 2008) > 0.9
    shutil.rmtree(former.table.folder)
    for row in range(0, len(vectors), 100):
        assert index.search(vectors[row], 1)[0].tolist() == [row]


@pytest.mark.usefixtures("asked")
def test_a_paper_of_another_year_is_found_in_that(tmp_path: Path) -> None:
    vectors, years = random_vectors(600), np.full(600, 2000, np.int16)
    former = build(tmp_path / "old", vectors, years)
    now = years.copy()
    now[[5, 9]] = 2008
    index = carry(
        tmp_path / "new",
        vectors,
        now,
        (former.table.folder, np.arange(600, dtype=np.int32), former),
    )
    assert len(index.table.items.rows) == 602
    assert 5 not in index.search(vectors[5], 9, allowed=now <= 2004)[0]
    assert index.search(vectors[5], 1, allowed=now <= 2008)[0].tolist() == [5]


def test_a_table_of_which_much_is_gone_is_written_anew(tmp_path: Path) -> None:
    old = random_vectors(300)
    vectors, rows = changed(old, gone=80, new=2)
    former = build(tmp_path / "old", old, years_of(300))
    index = carry(tmp_path / "new", vectors, years_of(222), (former.table.folder, rows, former))
    assert len(index.table.items.rows) == 222
    assert not data_of(former.table.folder).keys() & data_of(index.table.folder).keys()


@pytest.mark.parametrize("name", ["papers.lance", "papers.items.npy", "engine.years.npy"])
def test_what_is_missing_or_of_others_is_named(tmp_path: Path, name: str) -> None:
    vectors = random_vectors(60)
    facts = build_index("lance", vectors, tmp_path)
    if name.endswith(".npy"):
        np.save(tmp_path / name, np.arange(90, dtype=np.int32))
    else:
        shutil.rmtree(tmp_path / name)
    with pytest.raises(ArtifactCorrupt, match=r"Build the index again"):
        open_built(vectors, tmp_path, facts)


def test_a_table_that_is_cut_short_is_damage_and_no_crash(tmp_path: Path) -> None:
    vectors = random_vectors(400)
    facts = build_index("lance", vectors, tmp_path)
    for path in tmp_path.glob("papers.lance/data/*"):
        path.write_bytes(path.read_bytes()[:100])
    index = open_built(vectors, tmp_path, facts)
    with pytest.raises(ArtifactCorrupt, match="Cannot read the table 'papers'"):
        index.search(vectors[0], 3)
