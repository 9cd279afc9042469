"""What a baseline may learn from, the papers known before the queries, and what it makes of it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from recsys.models.encoder import Text, digests
from recsys.pipelines.corpora.query_years import PARTS
from recsys.pipelines.evaluation.splits import Split
from recsys.progress import Progress
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, Mask, Ragged, Rows
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph

_BATCH = 512


@dataclass(frozen=True, slots=True)
class Material:
    """Papers by row, and what may be read of them.

    texts: (title, abstract or None) of all n papers. known: (n,) the papers that may be learned
    from. cites: row -> cited rows, without the references of queries; None: nothing is known of
    citations. index: where a trained NNSelect lies. asked: part of the split -> digests of its
    queries, by which a model tells whether it has seen them.
    """

    texts: Sequence[Text]
    known: Mask
    cites: Ragged | None = None
    index: Path | None = None
    asked: Mapping[str, frozenset[bytes]] = field(default_factory=dict)

    @property
    def learned(self) -> list[Text]:
        """The texts that may be learned from, by ascending row."""
        return [self.texts[row] for row in np.flatnonzero(self.known).tolist()]

    def fingerprint(self) -> str:
        """Hash texts, what is known, and citations: 16 hex digits."""
        digest = hashlib.sha256()
        for text in self.texts:
            digest.update(json.dumps(text).encode())
        digest.update(np.packbits(self.known).tobytes())
        if self.cites is not None:
            digest.update(np.asarray(self.cites.starts).tobytes())
            digest.update(np.asarray(self.cites.values).tobytes())
        return digest.hexdigest()[:16]


def material_of(collection: Collection, split: Split | None) -> Material:
    """Read an open index; with a split, as its train queries could have read it.

    Learned from are the papers not newer than the newest train query. The references of all
    queries, of every part, are hidden. A citation counts if its paper could know the cited one:
    of known year, and not newer.
    """
    graph, folder = collection.graph, collection.corpus.folder
    parts = {} if split is None else {name: getattr(split, name) for name in PARTS}
    rows = {name: collection.corpus.rows(ids) for name, ids in parts.items()}
    queries = np.concatenate([np.empty(0, np.int32), *rows.values()])
    known = np.ones(len(collection.corpus), bool)
    if split is not None:
        years = np.asarray(graph.years)
        newest = years[collection.corpus.rows(split.part("train"))].max()
        known = (years != UNKNOWN_YEAR) & (years <= newest)
    return Material(
        _texts(collection.corpus),
        known,
        _cites(graph, queries),
        folder.parent,
        {name: frozenset(digests(collection, each)) for name, each in rows.items()},
    )


def material_of_corpus(corpus: Corpus) -> Material:
    """Read all papers of a corpus, and nothing of what they cite."""
    return Material(_texts(corpus), np.ones(len(corpus), bool))


def _texts(corpus: Corpus) -> list[Text]:
    columns = corpus.texts()
    titles, abstracts = (columns.column(name).to_pylist() for name in ("title", "abstract"))
    return list(zip(titles, abstracts, strict=True))


def _cites(graph: CitationGraph, queries: Rows) -> Ragged:
    """Leave out what queries cite, and what a paper could not know."""
    owner, cited = graph.cites.take(np.arange(len(graph.cites), dtype=np.int32))
    years = np.asarray(graph.years)
    kept = (years[cited] != UNKNOWN_YEAR) & (years[cited] <= years[owner])
    kept &= ~np.isin(owner, queries)
    return Ragged.from_pairs(owner[kept], cited[kept], len(graph.cites))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A baseline that has learned.

    encoder: of any text; a text of which it knows nothing becomes zero. vectors: (n, d) float32,
    of the material's papers by row, unit rows or zero. size: bytes of the numbers that it stores.
    """

    encoder: Encoder
    vectors: Floats
    size: int


def encode_all(encoder: Encoder, texts: Sequence[Text], progress: Progress) -> Floats:
    """Encode texts a batch at a time: (n, d) float32."""
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    progress("encode papers", 0, len(texts))
    for begin in range(0, len(texts), _BATCH):
        batch = texts[begin : begin + _BATCH]
        vectors[begin : begin + len(batch)] = encoder.encode(batch)
        progress("encode papers", begin + len(batch), len(texts))
    return vectors
