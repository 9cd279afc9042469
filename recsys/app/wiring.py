"""Open an index: the one place that knows which classes serve it."""

from importlib import resources
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.artifacts import MANIFEST, fingerprint, load_manifest, sha256
from recsys.collection import Collection
from recsys.corpus import Corpus
from recsys.encoder import OnnxEncoder
from recsys.errors import ArtifactMismatch
from recsys.graph import CitationGraph
from recsys.layout import (
    CORPUS,
    ENCODER,
    FOREST_FILE,
    INDEX_KIND,
    INDEX_SCHEMA,
    TEXT,
    VECTOR_FILE,
    VECTORS,
    ranker_folder,
)
from recsys.progress import Progress, silent
from recsys.ranker import OnnxRanker
from recsys.recommend import Recommender
from recsys.terms import TermStore

STARTER = "starter.jsonl"


def open_index(
    path: Path | None, *, metadata: bool = True, progress: Progress = silent
) -> Recommender:
    """Open an index, memory-mapped; None opens the starter corpus, built once into the cache.

    Raises:
        ArtifactError: the index is missing, unfinished, damaged, or its parts do not fit.
    """
    index = starter_index(progress) if path is None else path
    collection = open_collection(index)
    encoder = OnnxEncoder.load(index / ENCODER, threads=1)
    if encoder.fingerprint != load_manifest(index, INDEX_KIND, INDEX_SCHEMA).config["encoder"]:
        raise ArtifactMismatch(
            f"The vectors of {index} were made by another encoder than the one stored in it.",
            "Build the index again.",
        )
    ranker = OnnxRanker.load(serving_ranker(index, metadata=metadata))
    return Recommender(collection, encoder, ranker, metadata=metadata)


def open_collection(index: Path) -> Collection:
    """Open an index without its models."""
    from indexes.annoy_index import AnnoyIndex
    from indexes.bm25 import Bm25Index

    from recsys.arrays import load_array

    config = load_manifest(index, INDEX_KIND, INDEX_SCHEMA).config
    terms = TermStore.load(index / TEXT)
    vectors = load_array(index / VECTORS / VECTOR_FILE)
    forest = index / VECTORS / FOREST_FILE
    return Collection(
        corpus=Corpus.load(index / CORPUS),
        graph=CitationGraph.load(index / CORPUS),
        terms=terms,
        vectors=vectors,
        vector_index=AnnoyIndex.load(forest, vectors, search_k=config["ann"]["search_k"]),
        text_index=Bm25Index.load(index / TEXT, terms),
    )


def serving_ranker(index: Path, *, metadata: bool) -> Path:
    """Choose the index's own ranker, else the one that ships with the package."""
    own = ranker_folder(index, metadata=metadata)
    return own if own.exists() else ranker_folder(data_folder(), metadata=metadata)


def starter_index(progress: Progress = silent) -> Path:
    """Return the starter corpus's index, building it into the cache on first use."""
    source = data_folder() / STARTER
    index = cache_folder() / f"starter-{fingerprint([sha256(source), INDEX_SCHEMA])}.index"
    if not (index / MANIFEST).is_file():
        from pipelines.build import BuildOptions, build

        index.parent.mkdir(parents=True, exist_ok=True)
        build(source, index, BuildOptions(), cache=cache_folder(), progress=progress)
    return index


def data_folder() -> Path:
    """Return the folder of the files that ship inside the package."""
    return Path(str(resources.files("recsys"))) / "data"
