"""Open the searchable part of an index directory, memory-mapped."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactMismatch, MissingExtraError
from recsys.indexes.backends import FILES, backend, open_built, open_words
from recsys.indexes.bm25 import Bm25Index
from recsys.indexes.exact import ExactIndex
from recsys.protocols import TextIndex
from recsys.store.arrays import Floats
from recsys.store.artifacts import (
    CONTEXTS,
    CORPUS,
    KEYPHRASES,
    TEXT,
    VECTORS,
    WORD_SEARCH,
    load_manifest,
)
from recsys.store.collection import (
    Collection,
    ContextSpace,
    Space,
    check_corpus,
    check_postings,
    check_terms,
    check_vectors,
)
from recsys.store.corpus import Corpus
from recsys.store.generations import pin, root_of
from recsys.store.graph import CitationGraph
from recsys.store.terms import TermStore
from recsys.store.vectors import load_vectors


def open_collection(index: Path, *, whole: bool = False) -> Collection:
    """Open corpus, graph, terms, vectors and search structures, without the models.

    They stay those of the generation that is in force now, whatever becomes of the index. Whether
    their numbers fit each other is checked, of a large index by samples; whole: by every number.

    Raises:
        ArtifactError: the index is missing, unfinished, damaged, or of another schema.
    """
    generation = pin(index)
    manifest, folder = generation.manifest(), generation.folder
    corpus, graph = Corpus.load(folder / CORPUS), CitationGraph.load(folder / CORPUS)
    check_corpus(folder / CORPUS, corpus, graph, whole=whole)
    facts = manifest.config.get(WORD_SEARCH, {})
    terms, text_index = _open_words(folder / TEXT, len(corpus), facts, whole=whole)
    vectors = load_vectors(folder / VECTORS)
    check_vectors(folder / VECTORS, vectors, len(corpus), whole=whole)
    # What the manifest says of the search of vectors, with the checksums of its files.
    inside = f"{VECTORS}/"
    hashes = {
        name.removeprefix(inside): file["sha256"]
        for name, file in manifest.files.items()
        if name.startswith(inside)
    }
    search = {**manifest.config["ann"], FILES: hashes}
    try:
        vector_index = open_built(vectors, folder / VECTORS, search)
    except MissingExtraError:  # What was to search them is not installed.
        vector_index = ExactIndex(vectors)
    return Collection(
        generation=generation,
        corpus=corpus,
        graph=graph,
        terms=terms,
        vectors=vectors,
        vector_index=vector_index,
        text_index=text_index,
        keyphrases=bool(manifest.config["options"].get("reading", {}).get(KEYPHRASES)),
    )


def lost_search(collection: Collection) -> str | None:
    """Say that all vectors are scanned for want of the package that was to search them."""
    if not isinstance(collection.vector_index, ExactIndex):
        return None
    try:
        backend(str(pin(collection.folder).manifest().config["ann"]["backend"]))
    except MissingExtraError as error:
        return f"{error.what} All vectors are scanned instead. {error.hint} searches by it."
    return None


def nnselect_space(vectors: Floats) -> Space:
    """Search (n, d) unit vectors exactly: they change whenever their model learns."""
    return Space(vectors, ExactIndex(vectors))


def with_contexts(collection: Collection) -> Collection:
    """Open the citing sentences that were added to an index, too; without any, change nothing.

    Raises:
        ArtifactError: they are damaged, of other papers, or their vectors by another encoder.
    """
    folder = collection.folder / CONTEXTS
    if not folder.is_dir():
        return collection
    from recsys.store.contexts import KIND, SCHEMA, WORDS, Contexts

    contexts = Contexts.load(folder, len(collection.corpus))
    if contexts.codes is not None:
        theirs = load_manifest(folder, KIND, SCHEMA).config.get("encoder")
        own = pin(collection.folder).manifest().config["encoder"]
        if theirs != own or contexts.codes.shape[1] != collection.vectors.shape[1]:
            raise ArtifactMismatch(
                f"The contexts of {root_of(collection.folder)} have vectors by another encoder "
                "than its papers.",
                "Add the same files again: `recsys add-contexts INDEX FILE`.",
            )
    terms, text_index = _open_words(folder / WORDS, len(contexts), {})
    return replace(collection, contexts=ContextSpace(contexts, terms, text_index))


def _open_words(
    folder: Path, n: int, facts: Mapping[str, Any], *, whole: bool = False
) -> tuple[TermStore, TextIndex]:
    """Open the terms of n texts and what searches them. facts: of that, as the manifest says."""
    terms = TermStore.load(folder)
    check_terms(folder, terms, n, whole=whole)
    index = open_words(terms, folder, facts)
    if whole and isinstance(index, Bm25Index):
        check_postings(folder, index.postings, terms, whole=True)
    return terms, index
