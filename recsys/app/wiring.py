"""Open an index: the one place that knows which classes serve it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.app.cache import cache_folder, read_here
from recsys.errors import ArtifactError, ArtifactMismatch
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

if TYPE_CHECKING:
    from recsys.local.local_recommender import LocalRecommender, PassageRanker

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
        stage_one, transfer = StageOne(searches), ranker.transfer
        return Recommender(collection, encoder, ranker, stage_one, metadata, transfer=transfer)
    from recsys.models.nnselect import NNSelectModel

    model = NNSelectModel.load(collection.folder / NNSELECT, len(collection.corpus))
    if ranker.nnselect not in (None, model.fingerprint):
        what = f"The ranker in {ranker.folder} was trained with another NNSelect than {index}'s."
        raise ArtifactMismatch(what, "Train the ranker again with `recsys train ranker`.")
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
        what = f"The vectors of {folder} were made by another encoder than the one stored in it."
        raise ArtifactMismatch(what, "Build the index again.")
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


def lost_parts(recommender: Recommender) -> list[str]:
    """Say what something else answers for: the search that an index was built for, its ranker."""
    from recsys.indexes.opening import lost_search

    return list(filter(None, (lost_search(recommender.collection), lost_ranker(recommender))))


def lost_ranker(recommender: Recommender) -> str | None:
    """Say that an index had a ranker of its own once, if another answers instead."""
    generation, ranker = recommender.collection.generation, recommender.ranker
    if generation is None or not isinstance(ranker, TreeRanker) or ranker.folder is None:
        return None
    dropped = generation.manifest().config.get(DROPPED, ())
    if ranker.folder.parent == generation.folder or ranker.folder.name not in dropped:
        return None
    return (
        "This index lost its own ranker when it was rebuilt, so the shipped ranker "
        "answers. Train a new one with `recsys train ranker`."
    )


def starter_index(progress: Progress = silent) -> Path:
    """Return the starter corpus's index, building it into the cache on first use."""
    source = data_folder() / STARTER
    key = fingerprint([sha256(source), INDEX_SCHEMA])
    index = cache_folder() / f"starter-{key}" / "starter corpus.index"
    if not is_index(index):
        index.parent.mkdir(parents=True, exist_ok=True)
        build_index([source], index, wait=True, progress=progress)  # Two may ask first, at once.
    return index


def build_index(
    files: Sequence[Path],
    out: Path,
    *,
    encoder: str = "minilm",
    force: bool = False,
    wait: bool = False,
    progress: Progress = silent,
) -> None:
    """Build an index with the usual settings; see `recsys.pipelines.index.build.build`."""
    from recsys.pipelines.index.build import BuildOptions, build

    options = BuildOptions(encoder=encoder, force=force, wait=wait)
    build(files, out, options, cache=cache_folder(), progress=progress)


def data_folder() -> Path:
    """Return the folder of the files that ship inside the package."""
    return Path(__file__).parents[1] / "data"


# Passages: papers for the places of a draft.


def open_local(
    path: Path | None, *, needs: Path | None = None, progress: Progress = silent
) -> "LocalRecommender":
    """Open an index for passages, with its own local ranker or the one that ships.

    needs: a judge of sentences, see `needs_citation`.

    Raises:
        ArtifactError: the index, the ranker or the judge is missing, unfinished or damaged.
    """
    from recsys.local.citation_worthiness import CitationWorthiness

    found = local_of(open_index(path, progress=progress))
    if needs is None:
        return found
    return replace(found, needs=CitationWorthiness.load(needs))


def local_of(recommender: Recommender) -> "LocalRecommender":
    """Let an open index answer passages, too, by how papers were cited if it knows that."""
    from recsys.indexes.opening import with_contexts
    from recsys.local import local_recommender as local

    ranker = local.load_local_ranker(
        serving_model(recommender.collection.folder, local.LOCAL_RANKER)
    )
    whole = replace(recommender, collection=with_contexts(recommender.collection))
    reader = local.PassageReader(whole)
    return local.LocalRecommender(local.PassageRanker(reader, ranker))


def said_of_index(recommender: Recommender) -> list[str]:
    """Say what is amiss with what answers drafts and their passages.

    A local ranker that cannot be read is no error here: drafts are answered without it.
    """
    from recsys.local.local_recommender import LOCAL_RANKER, learned_beside, name_of

    index, said = recommender.collection.folder, lost_parts(recommender)
    try:
        own = serving_model(index, LOCAL_RANKER)
        # Nobody here can train that of the package.
        if own.parent == index and learned_beside(own) not in (None, name_of(recommender.ranker)):
            said.append(
                "The local ranker of this index was trained with another ranker for drafts than "
                "the current one, and works less well with this one: train it again with "
                "`recsys train local`."
            )
    except ArtifactError as error:
        said.append(str(error))
    return said


def open_passages(path: Path) -> "PassageRanker":
    """Open what ranks papers for passages, for those who measure it; workers call this by name."""
    return open_local(path).ranker
