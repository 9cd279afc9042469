"""Search by Milvus: it filters by year and finds near rows, whose cosines are computed afresh.

An index knows the id of each of its rows. What it has written is never changed, only more is added:
who reads the index as it was before an update goes on reading that. On a server, an update adds
a batch of rows to the collection of the index before, and rows that are gone stay until there are
too many of them, or until `recsys update --compact`: then, a new collection is made. Files are
another copy for each generation, from which they are deleted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt
from recsys.indexes.backends import FILES, Former
from recsys.indexes.exact import ExactIndex, compared_in_full, search_allowed
from recsys.indexes.milvus.milvus_collection import (
    MOST_HITS,
    Batch,
    MilvusRows,
    kind_of,
    name_of,
    said,
)
from recsys.indexes.milvus.milvus_files import pack, unpack
from recsys.indexes.milvus.milvus_places import (
    LOCAL,
    Connection,
    Place,
    close_files,
    connect,
    database,
    open_files,
    server,
)
from recsys.indexes.row_conditions import RowConditions, load_years, write_years
from recsys.retrieval.settings import StageOne
from recsys.store.arrays import Floats, Longs, Mask, Rows, load_array
from recsys.store.graph import UNKNOWN_YEAR, Years
from recsys.store.unions import GONE
from recsys.store.vectors.stored_vectors import StoredVectors

IDS_FILE = "milvus.ids.npy"
SPARE = 16
"""Rows that are asked for beside one and a half times those that are wanted."""
FEW = 4
"""Where more than one in so many allowed rows would be asked for, all are compared instead."""
MOST_DEAD, MOST_BATCHES = 0.2, 64
"""Share of the rows in a collection that are gone, and additions, above which another is made."""
_NEW = -1
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class IdsOfRows:
    """The ids of n rows. order: (n,) rows by ascending id. ids: (n,) ascending."""

    order: Rows
    ids: Longs

    @classmethod
    def of(cls, ids: Longs) -> "IdsOfRows":
        """Sort (n,) ids by row."""
        order = np.argsort(ids, kind="stable").astype(np.int32)
        return cls(order, ids[order])

    def rows(self, ids: Longs) -> Rows:
        """Return the rows of some ids, ascending; those of no row are left out."""
        at = np.minimum(np.searchsorted(self.ids, ids), max(len(self.ids) - 1, 0))
        return np.sort(self.order[at[self.ids[at] == ids]])


@dataclass(frozen=True, slots=True)
class MilvusIndex:
    """Cosine search over vectors: (n, d) float32, L2-normalised rows.

    ids: (n,) of the rows. stored: rows that the engine has for this index, those that are gone
    included. expansion: how far a graph is followed; 0: there is none.
    """

    vectors: StoredVectors
    ids: Longs
    conditions: RowConditions
    of_ids: IdsOfRows
    connection: Connection
    batches: tuple[int, ...] | None
    stored: int
    expansion: int

    def search(self, query: Floats, k: int, *, allowed: Mask | None = None) -> tuple[Rows, Floats]:
        """Return up to k (rows, exact cosines), best first."""
        return self.search_many(query[None], k, allowed=allowed)[0]

    def search_many(
        self, queries: Floats, k: int, *, allowed: Mask | None = None
    ) -> list[tuple[Rows, Floats]]:
        """Search for each of (q, d) queries, in one request.

        Where the engine would have to return too large a part of what is allowed, all of that is
        compared; so it is for a query for which it finds too little.
        """
        n = len(self.vectors)
        inside = n if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(k, inside)
        condition = self.conditions.of_mask(allowed)
        share = n / max(inside, 1) if condition is None else 1.0
        count = int((wanted + wanted // 2 + SPARE) * share * self.stored / max(n, 1))
        if wanted <= 0 or not len(queries) or FEW * count >= inside or count > MOST_HITS:
            return search_allowed(self.vectors, queries, k, allowed)
        newest = int(self.conditions.found[-1])
        words = "" if condition is None else said(condition, newest, self.ids)
        rows = [self._allowed(ids, allowed) for ids in self._ask(queries, count, words)]
        found = compared_in_full(self.vectors, queries, rows, wanted)
        for at, (near, _) in enumerate(found):
            if len(near) < wanted:
                found[at] = search_allowed(self.vectors, queries[at : at + 1], k, allowed)[0]
        return found

    def _ask(self, queries: Floats, count: int, words: str) -> list[Longs]:
        known = MilvusRows(self.connection.client(), self.connection.place, self.batches)
        return known.nearest(queries, count, words, self.expansion)

    def _allowed(self, ids: Longs, allowed: Mask | None) -> Rows:
        rows = self.of_ids.rows(ids)
        return rows if allowed is None else rows[allowed[rows]]


def build(
    vectors: Floats, folder: Path, *, years: Years | None = None, lasting: bool = True
) -> dict[str, Any]:
    """Put all vectors into a collection of their own."""
    told = write_years(folder, years, len(vectors))
    uri = server()
    first = Batch.after((), vectors, told)
    np.save(folder / IDS_FILE, first.ids)
    facts: dict[str, Any] = {
        "batches": [first.number],
        "stored": len(vectors),
        "kind": kind_of(len(vectors)),
    }
    if uri is None:
        facts |= Place(None, LOCAL).facts()
        _fill_files(folder, first, facts)
    else:
        place = Place(uri, name_of(vectors, told))
        facts |= place.facts()
        _fill(MilvusRows(connect(place), place), first, facts["kind"])
    return _measured(vectors, folder, facts, lasting=lasting)


def _fill(rows: MilvusRows, batch: Batch, kind: str) -> None:
    rows.create(batch.vectors.shape[1], kind)
    rows.add(batch)


def _fill_files(
    folder: Path,
    batch: Batch,
    facts: Mapping[str, Any],
    *,
    former: Path | None = None,
    gone: Longs = _NONE,
) -> None:
    """Write the files of milvus-lite: those of a former index, a batch added and some ids less."""
    with TemporaryDirectory(dir=folder) as name:
        tree = database(name)
        if former is not None:
            unpack(former, tree)
        client = open_files(tree)
        try:
            rows = MilvusRows(client, Place(None, LOCAL))
            _fill(rows, batch, facts["kind"])
            rows.delete(gone)
        finally:
            close_files(client, tree)
        pack(tree, folder)


def carry(
    vectors: Floats, folder: Path, former: Former, *, years: Years | None = None
) -> dict[str, Any]:
    """Add what is new to what the former has; make another collection where much of it is gone."""
    facts = former.facts
    if (server() is not None and "uri" not in facts) or _is_worn(former, len(vectors)):
        return build(vectors, folder, years=years)
    told = write_years(folder, years, len(vectors))
    ids, gone = _carried(former, told)
    new = np.flatnonzero(ids == _NEW)
    batch = Batch.after(facts["batches"], vectors[new], told[new])
    ids[new] = batch.ids
    np.save(folder / IDS_FILE, ids)
    now = {key: value for key, value in facts.items() if key != "backend"}
    now["batches"] = [*facts["batches"], batch.number][: None if len(new) else -1]
    if "uri" in facts:
        place = Place.of_facts(facts)
        _fill(MilvusRows(connect(place), place), batch, facts["kind"])
        now |= place.facts() | {"stored": facts["stored"] + len(new)}
    else:
        _fill_files(folder, batch, facts, former=former.folder, gone=gone)
        now["stored"] = len(vectors)
    return _measured(vectors, folder, now)


def _is_worn(former: Former, n: int) -> bool:
    """Tell whether a new collection is worth its work."""
    stored = former.facts["stored"] + n - np.count_nonzero(former.rows != GONE)
    small = former.facts["kind"] == "FLAT" and kind_of(n // 2) != "FLAT"
    many = len(former.facts["batches"]) >= MOST_BATCHES
    return bool(stored - n > MOST_DEAD * n or many or small)


def _carried(former: Former, years: Years) -> tuple[Longs, Longs]:
    """Find the ids of today's rows, _NEW where there is none yet, and those that are gone.

    What the engine has is never changed: a paper of another year than before is a new row.
    """
    known = _ids(former.folder, len(former.rows))
    stays = former.rows != GONE
    stays[stays] = load_years(former.folder, len(known))[stays] == years[former.rows[stays]]
    ids = np.full(len(years), _NEW, np.int64)
    ids[former.rows[stays]] = known[stays]
    return ids, known[~stays]


def open_index(vectors: StoredVectors, folder: Path, facts: Mapping[str, Any]) -> MilvusIndex:
    """Open what was built; the engine itself is asked when a search needs it.

    Raises:
        ArtifactCorrupt: what was built does not fit the vectors.
    """
    n = len(vectors)
    ids, years = _ids(folder, n), load_years(folder, n)
    place = Place.of_facts(facts)
    return MilvusIndex(
        vectors=vectors,
        ids=ids,
        conditions=RowConditions.of(years),
        of_ids=IdsOfRows.of(ids),
        connection=Connection(place, folder, facts.get(FILES, {})),
        batches=None if place.uri is None else tuple(facts["batches"]),
        stored=int(facts["stored"]),
        expansion=int(facts["expansion"]),
    )


def _ids(folder: Path, n: int) -> Longs:
    path = folder / IDS_FILE
    ids = load_array(path)
    if ids.dtype != np.int64 or ids.shape != (n,):
        raise ArtifactCorrupt(
            f"{path} does not hold the ids of {n:,} papers.", "Build the index again with --force."
        )
    return ids


def _measured(
    vectors: Floats, folder: Path, facts: dict[str, Any], *, lasting: bool = True
) -> dict[str, Any]:
    """Choose how far a graph is followed: as far as finds nearly all that stage one asks for."""
    k = StageOne().neighbours
    facts = {**facts, "k": k, "expansion": 0, "recall": 1.0}
    if facts["kind"] == "FLAT":
        return facts
    facts["expansion"] = k
    if not lasting:
        return facts
    index, rng = open_index(vectors, folder, facts), np.random.default_rng(0)
    return facts | choose_expansion(index, k=k, allowed=_older(folder, len(vectors)), rng=rng)


def _older(folder: Path, n: int) -> Mask | None:
    """Allow the older half of the papers: the fewer are allowed, the more of a graph is missed."""
    years = load_years(folder, n)
    known = years[years != UNKNOWN_YEAR]
    return years <= int(np.median(known)) if len(known) else None


def choose_expansion(
    index: MilvusIndex,
    *,
    k: int,
    allowed: Mask | None,
    target: float = 0.995,
    sample: int = 100,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Find the first expansion of a ladder whose recall@k reaches the target: it, and the recall.

    Sampled rows are the queries, and the nearest, which may be the row itself, does not count.
    """
    n = len(index.vectors)
    queries = index.vectors[np.sort(rng.choice(n, min(sample, n), replace=False))]
    exact = ExactIndex(index.vectors).search_many(queries, k + 1, allowed=allowed)
    truth = [cosines[1:] for _, cosines in exact]
    expansion = k + k // 2 + SPARE
    while True:
        found = replace(index, expansion=expansion).search_many(queries, k + 1, allowed=allowed)
        shares = [
            np.mean(cosines[1:] >= best[-1] - 1e-6)
            for (_, cosines), best in zip(found, truth, strict=True)
            if len(best)
        ]
        recall = float(np.mean(shares)) if shares else 1.0
        if recall >= target or expansion >= n:
            return {"expansion": expansion, "recall": recall}
        expansion = expansion * 5 // 4 + 1


def summary(facts: Mapping[str, Any], papers: int) -> str:
    """Say how the vectors are searched."""
    where = f"the server at {facts['uri']}" if "uri" in facts else "files (milvus-lite)"
    dead = facts["stored"] - papers
    rest = f", and {dead:,} more that are gone" if dead else ""
    return (
        f"Milvus, {facts['kind']} in {where}, collection {facts['collection']}{rest}: finds "
        f"{facts['recall']:.1%} of the {facts['k']} nearest."
    )
