"""Open an index: the one place that knows which classes serve it."""

from importlib import resources
from pathlib import Path

from indexes.opening import open_collection
from recsys.app.cache import cache_folder
from recsys.artifacts import MANIFEST, fingerprint, load_manifest, sha256
from recsys.encoder import OnnxEncoder
from recsys.errors import ArtifactMismatch
from recsys.layout import ENCODER, INDEX_KIND, INDEX_SCHEMA, ranker_folder
from recsys.progress import Progress, silent
from recsys.ranker import OnnxRanker
from recsys.recommend import Recommender

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
