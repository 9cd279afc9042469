"""What is done to a collection of Milvus: rows come and go, and the nearest are found.

A row is {id, batch, year, vector}. Rows of a batch come together, and are told from all others by
their ids, the first half of which is the batch.
"""

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from pymilvus import DataType, MilvusClient, MilvusException

from recsys.indexes.milvus.milvus_places import PATIENCE, Place
from recsys.indexes.row_blocks import blocks
from recsys.indexes.row_conditions import Condition
from recsys.store.arrays import Floats, Longs
from recsys.store.graph import UNKNOWN_YEAR, Years

MOST_HITS = 16_384
"""Hits that Milvus returns at most."""
AT_ONCE = 8 << 20
"""Bytes of vectors in a request: a server refuses what is much larger."""
_HALF = 32
"""Bits of an id that tell its place in its batch."""
_FLAT_BELOW = 20_000
"""Vectors that are quicker compared than followed from neighbour to neighbour."""
_LINKS = {"M": 16, "efConstruction": 200}
_LATER = 0.5
"""Seconds until a server is asked again whether it has linked what it was given."""
_NOT_LOADED = 101
"""What Milvus answers where a collection is not in its memory."""
_NAMED = 500
"""Ids in a request to delete."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that come together. vectors: (m, d). years: (m,) int16."""

    vectors: Floats
    years: Years
    number: int

    @property
    def ids(self) -> Longs:
        """Number the rows: (m,)."""
        return (np.int64(self.number) << _HALF) + np.arange(len(self.vectors), dtype=np.int64)

    @classmethod
    def after(cls, before: Sequence[int], vectors: Floats, years: Years) -> "Batch":
        """Number a batch by its content, and by those before it.

        Who is killed and begins anew writes the same rows; two copies of an index that change in
        different ways write different ones into the collection that they share.
        """
        return cls(vectors, years, int(_hash(before, vectors, years)[:7], 16))


def name_of(vectors: Floats, years: Years) -> str:
    """Name the collection that begins with some rows."""
    return f"recsys_{_hash((), vectors, years)[:24]}"


def _hash(before: Sequence[int], vectors: Floats, years: Years) -> str:
    told = hashlib.sha256(f"{list(before)} {vectors.shape}".encode())
    for _, block in blocks(vectors):
        told.update(np.ascontiguousarray(block, np.float32).data)
    told.update(np.ascontiguousarray(years, np.int16).data)
    return told.hexdigest()


@dataclass(frozen=True, slots=True)
class MilvusRows:
    """The rows of a collection that an index knows.

    batches: those which it reads; None: all, the collection is its own.
    """

    client: MilvusClient
    place: Place
    batches: Sequence[int] | None = None

    def create(self, dim: int, kind: str) -> None:
        """Make an empty collection, unless there is one of that name: then it is of this index."""
        name = self.place.collection
        with self.place.asked():
            if self.client.has_collection(name, timeout=PATIENCE):
                self.client.load_collection(name)
                return
            schema = self.client.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("id", DataType.INT64, is_primary=True)
            schema.add_field("batch", DataType.INT64)
            schema.add_field("year", DataType.INT16)
            schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dim)
            found = self.client.prepare_index_params()
            links = _LINKS if kind == "HNSW" else {}
            found.add_index("vector", index_type=kind, metric_type="IP", params=links)
            self.client.create_collection(name, schema=schema, consistency_level="Strong")
            self.client.create_index(name, found, sync=False)
            self.client.load_collection(name)

    def add(self, batch: Batch) -> None:
        """Add rows, those left out that somebody has added before: a batch never changes."""
        name, known = self.place.collection, self.count([batch.number])
        if known == len(batch.vectors):
            return
        put = self.client.upsert if known else self.client.insert
        with self.place.asked():
            for rows in _requests(batch):
                put(name, rows, timeout=None)
            self.client.flush(name, timeout=None)
            while self._pending(name):
                time.sleep(_LATER)

    def _pending(self, name: str) -> int:
        """Count the rows that the server has not linked yet."""
        told = self.client.describe_index(name, "vector", timeout=PATIENCE) or {}
        return int(told.get("pending_index_rows", 0))

    def delete(self, ids: Longs) -> None:
        """Remove rows of a collection that nobody else reads."""
        with self.place.asked():
            for begin in range(0, len(ids), _NAMED):
                named = ids[begin : begin + _NAMED].tolist()
                self.client.delete(self.place.collection, ids=named, timeout=None)
            if len(ids):
                self.client.flush(self.place.collection, timeout=None)

    def count(self, batches: Sequence[int]) -> int:
        """Count the rows of some batches."""
        with self.place.asked():
            told = self.client.query(
                self.place.collection,
                filter=f"batch in {list(batches)}",
                output_fields=["count(*)"],
                consistency_level="Strong",
                timeout=None,
            )
            return int(told[0]["count(*)"])

    def nearest(self, queries: Floats, count: int, condition: str, expansion: int) -> list[Longs]:
        """Find up to so many ids for each of (q, d) queries, among those that meet a condition."""
        name = self.place.collection
        wide = {"ef": max(expansion, count)} if expansion else {}
        asked = partial(
            self.client.search,
            name,
            list(queries),
            limit=count,
            filter=self._of_batches(condition),
            search_params={"metric_type": "IP", "params": wide},
            output_fields=["id"],
            timeout=PATIENCE,
        )
        with self.place.asked():
            try:
                found = asked()
            except MilvusException as error:
                if error.code != _NOT_LOADED:
                    raise
                self.client.load_collection(name)  # It was short of memory.
                found = asked()
        return [np.array([hit["id"] for hit in hits], np.int64) for hits in found]

    def _of_batches(self, condition: str) -> str:
        if self.batches is None:
            return condition
        own = f"batch in {list(self.batches)}"
        return f"{own} and ({condition})" if condition else own


def kind_of(n: int) -> str:
    """Choose how Milvus searches n vectors."""
    return "FLAT" if n < _FLAT_BELOW else "HNSW"


def said(condition: Condition, newest: int, ids: Longs) -> str:
    """Say a condition on rows in the words of Milvus; an empty one is met by all.

    newest: year of all papers. ids: (n,) of the rows.
    """
    years = [] if condition.newest >= newest else [f"year <= {condition.newest}"]
    if not condition.undated:
        years.append(f"year > {UNKNOWN_YEAR}")
    elif condition.newest == UNKNOWN_YEAR:
        years = [f"year <= {UNKNOWN_YEAR}"]
    parts = " and ".join(years)
    if len(condition.excluded):
        none = f"id not in {ids[condition.excluded].tolist()}"
        parts = f"({parts}) and {none}" if parts else none
    if len(condition.included):
        parts = f"({parts}) or id in {ids[condition.included].tolist()}" if parts else ""
    return parts


def _requests(batch: Batch) -> Iterator[list[dict[str, Any]]]:
    """Divide rows into what is sent at once."""
    ids, step = batch.ids.tolist(), max(AT_ONCE // max(batch.vectors[:1].nbytes, 1), 1)
    years = batch.years.tolist()
    for begin in range(0, len(ids), step):
        vectors = np.array(batch.vectors[begin : begin + step], np.float32)
        yield [
            {"id": ids[at], "batch": batch.number, "year": years[at], "vector": vector}
            for at, vector in enumerate(vectors, begin)
        ]
