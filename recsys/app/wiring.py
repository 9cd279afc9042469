"""Open an index: the one place that knows which classes serve it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.app.remote_indexes import read_here
from recsys.errors import ArtifactMismatch
from recsys.indexes.opening import nnselect_space, open_collection
from recsys.models.encoder import OnnxEncoder
from recsys.protocols import Encoder, Progress, silent
from recsys.ranking.features import read_nnselect
from recsys.ranking.ranker import TreeRanker
from recsys.recommend import Recommender
from recsys.retrieval.propose import StageOne, check_searches
from recsys.store.arrays import Rows
from recsys.store.artifacts import (
    BY_WORDS,
    DROPPED,
    ENCODER,
    INDEX_SCHEMA,
    NNSELECT,
    fingerprint,
    ranker_folder,
    sha256,
)
from recsys.store.collection import Collection
from recsys.store.generations import is_index, pin

STARTER = "starter.jsonl"


def open_index(
    path: Path | None,
    *,
    metadata: bool = True,
    candidates: Sequence[str] | None = None,
    progress: Progress = silent,
) -> Recommender:
    """Open an index, memory-mapped; None opens the starter corpus, built once into the cache.

    Args:
        path: the index, or its address on an object store.
        metadata: whether authors and venues may count.
        candidates: what candidates come from, see `sources.SEARCHES`; None: what the ranker
            was trained with.
        progress: told while the starter corpus is built.

    Raises:
        ArtifactError: the index is missing, unfinished, damaged, or its parts do not fit.
        InputError: candidates cannot come from there.
    """
    index = starter_index(progress) if path is None else read_here(path, progress)
    collection = open_collection(index)
    encoder = _encoder(collection)
    ranker = TreeRanker.load(serving_ranker(collection.folder, metadata=metadata))
    searches = ranker.searches if candidates is None else check_searches(candidates)
    if NNSELECT not in searches and not read_nnselect((ranker.first or ranker).feature_names):
        return Recommender(collection, encoder, ranker, StageOne(searches), metadata)
    from recsys.models.nnselect import NNSelectModel

    model = NNSelectModel.load(collection.folder / NNSELECT, len(collection.corpus))
    if ranker.nnselect not in (None, model.fingerprint):
        raise ArtifactMismatch(
            f"The ranker in {ranker.folder} learned from another NNSelect than that of {index}.",
            "Train the ranker again with `recsys train ranker`.",
        )
    collection = replace(collection, nnselect=nnselect_space(model.vectors))
    return Recommender(collection, encoder, ranker, StageOne(searches), metadata, model)


def _encoder(collection: Collection) -> Encoder:
    """Open the encoder that made the vectors; vectors from elsewhere may have none."""
    folder = collection.folder
    maker = str(pin(folder).manifest().config["encoder"])
    if maker.startswith(BY_WORDS):
        from recsys.models.encoder import NeighbourEncoder

        texts = collection.terms, collection.text_index
        return NeighbourEncoder(*texts, collection.vectors, maker)
    encoder = OnnxEncoder.load(folder / ENCODER, threads=1)
    if encoder.fingerprint != maker:
        raise ArtifactMismatch(
            f"The vectors of {folder} were made by another encoder than the one stored in it.",
            "Build the index again.",
        )
    return encoder


def unseen_views(
    index: Path, collection: Collection, queries: tuple[Rows, Rows], *, progress: Progress
) -> Callable[[int], Collection]:
    """Train other NNSelects for a ranker's train queries: see `cross_fit.unseen_views`."""
    from recsys.pipelines.studies.citeomatic import cross_fit

    return cross_fit.unseen_views(index, collection, queries, progress=progress)


def serving_ranker(index: Path, *, metadata: bool) -> Path:
    """Choose the index's own ranker, else the one that ships with the package."""
    return serving_model(index, ranker_folder(index, metadata=metadata).name)


def serving_model(index: Path, name: str) -> Path:
    """Choose an index's own model of a name, else the one that ships with the package."""
    # One that is gone though the manifest names it is missed, and not replaced in silence.
    return index / name if pin(index).has(name) else data_folder() / name


def lost_ranker(recommender: Recommender) -> str | None:
    """Say that an index had a ranker of its own once, if another answers instead."""
    generation, ranker = recommender.collection.generation, recommender.ranker
    if generation is None or not isinstance(ranker, TreeRanker) or ranker.folder is None:
        return None
    dropped = generation.manifest().config.get(DROPPED, ())
    if ranker.folder.parent == generation.folder or ranker.folder.name not in dropped:
        return None
    return (
        "The ranker of this index went when it was built again: the one that comes with recsys "
        "answers. `recsys train ranker` trains another."
    )


def starter_index(progress: Progress = silent) -> Path:
    """Return the starter corpus's index, building it into the cache on first use."""
    source = data_folder() / STARTER
    index = cache_folder() / f"starter-{fingerprint([sha256(source), INDEX_SCHEMA])}.index"
    if not is_index(index):
        from recsys.pipelines.index.build import BuildOptions, build

        index.parent.mkdir(parents=True, exist_ok=True)
        options = BuildOptions(wait=True)  # Two first questions may be asked at once.
        build([source], index, options, cache=cache_folder(), progress=progress)
    return index


def data_folder() -> Path:
    """Return the folder of the files that ship inside the package."""
    return Path(__file__).parents[1] / "data"
