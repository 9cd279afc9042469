"""Open the searchable part of an index directory, memory-mapped."""

from pathlib import Path
from typing import Any

from indexes.backends import FILES, open_built
from indexes.bm25 import Bm25Index
from indexes.exact import ExactIndex
from recsys.store.arrays import Floats, Ragged, load_array
from recsys.store.artifacts import Manifest
from recsys.store.collection import Collection, Space
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.graph import CitationGraph
from recsys.store.layout import (
    CORPUS,
    TEXT,
    VECTOR_FILE,
    VECTORS,
)
from recsys.store.soundness import check_corpus, check_postings, check_terms, check_vectors
from recsys.store.terms import TermStore


def open_collection(index: Path) -> Collection:
    """Open corpus, graph, terms, vectors and search structures, without the models.

    They stay those of the generation that is in force now, whatever becomes of the index.

    Raises:
        ArtifactError: the index is missing, unfinished, damaged, or of another schema.
    """
    generation = pin(index)
    manifest, folder = generation.manifest(), generation.folder
    corpus, graph = Corpus.load(folder / CORPUS), CitationGraph.load(folder / CORPUS)
    check_corpus(folder / CORPUS, corpus, graph)
    terms = TermStore.load(folder / TEXT)
    check_terms(folder / TEXT, terms, len(corpus))
    vectors = load_array(folder / VECTORS / VECTOR_FILE)
    check_vectors(folder / VECTORS / VECTOR_FILE, vectors, len(corpus))
    text_index = Bm25Index.load(folder / TEXT, terms)
    postings = Ragged(text_index.starts, text_index.rows)
    check_postings(folder / TEXT, postings, text_index.impacts, terms)
    return Collection(
        generation=generation,
        corpus=corpus,
        graph=graph,
        terms=terms,
        vectors=vectors,
        vector_index=open_built(vectors, folder / VECTORS, _search_facts(manifest)),
        text_index=text_index,
    )


def _search_facts(manifest: Manifest) -> dict[str, Any]:
    """Return what the manifest says of the search of vectors, with the checksums of its files."""
    inside = f"{VECTORS}/"
    hashes = {
        name.removeprefix(inside): facts["sha256"]
        for name, facts in manifest.files.items()
        if name.startswith(inside)
    }
    return {**manifest.config["ann"], FILES: hashes}


def nnselect_space(vectors: Floats) -> Space:
    """Search (n, d) unit vectors exactly: they change whenever their model learns."""
    return Space(vectors, ExactIndex(vectors))
