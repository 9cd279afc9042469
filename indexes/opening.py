"""Open the searchable part of an index directory, memory-mapped."""

from pathlib import Path

from indexes.backends import open_built
from indexes.bm25 import Bm25Index
from indexes.exact import ExactIndex
from recsys.store.arrays import Floats, load_array
from recsys.store.artifacts import load_manifest
from recsys.store.collection import Collection, Space
from recsys.store.corpus import Corpus
from recsys.store.graph import CitationGraph
from recsys.store.layout import (
    CORPUS,
    INDEX_KIND,
    INDEX_SCHEMA,
    TEXT,
    VECTOR_FILE,
    VECTORS,
)
from recsys.store.terms import TermStore


def open_collection(index: Path) -> Collection:
    """Open corpus, graph, terms, vectors and search structures, without the models.

    Raises:
        ArtifactError: the index is missing, unfinished, damaged, or of another schema.
    """
    config = load_manifest(index, INDEX_KIND, INDEX_SCHEMA).config
    terms = TermStore.load(index / TEXT)
    vectors = load_array(index / VECTORS / VECTOR_FILE)
    return Collection(
        corpus=Corpus.load(index / CORPUS),
        graph=CitationGraph.load(index / CORPUS),
        terms=terms,
        vectors=vectors,
        vector_index=open_built(vectors, index / VECTORS, config["ann"]),
        text_index=Bm25Index.load(index / TEXT, terms),
    )


def nnselect_space(vectors: Floats) -> Space:
    """Search (n, d) unit vectors exactly: they change whenever their model learns."""
    return Space(vectors, ExactIndex(vectors))
