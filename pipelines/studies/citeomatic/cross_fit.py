"""NNSelect vectors for queries that it has not learned from: what a ranker should learn from.

NNSelect ranks the references of the very queries that it was trained on far better than those of
any other: on visualization research, F1@20 is 0.61 there and 0.22 on dev. A ranker trained on such
cosines trusts them too much. So the train queries are dealt out to folds, and each fold gets the
vectors of an NNSelect trained in the same way on the other folds alone. The paper does not do this;
its code, by a mistake, compared all but the last query of a batch with the wrong one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactError
from recsys.indexes.opening import nnselect_space
from recsys.models import nnselect
from recsys.models.pairs import cosines
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.jobs.tensor_file import TensorFile
from recsys.pipelines.studies.citeomatic.network_training import LoopOptions, device_of, train
from recsys.pipelines.studies.citeomatic.nnselect import (
    SelectOptions,
    SelectTask,
    TokenBags,
    embed,
    known_by,
    read_bags,
)
from recsys.protocols import Progress, silent
from recsys.store.arrays import Floats, Rows, load_array
from recsys.store.artifacts import MANIFEST, NNSELECT, fingerprint, load_manifest, seal, sha256
from recsys.store.collection import Collection
from recsys.store.generations import in_force, root_of

KIND, SCHEMA = "nnselect-folds", 1
FOLDER = "nnselect-folds"
_VECTORS, _FOLDS = "vectors.npy", "folds.npy"
NO_QUERY = -1


@dataclass(frozen=True, slots=True)
class FoldVectors:
    """For each train query, the vectors of a model that has not seen it.

    vectors: (f, n, d) float32, unit rows: those of the whole corpus, once for each fold. folds:
    (n,) int32, the fold of each train query; NO_QUERY for other rows.
    """

    vectors: Floats
    folds: Rows

    def cosines(self, queries: Rows, candidates: Rows) -> Floats:
        """Multiply train queries and candidates pair by pair: (p,) float32."""
        folds, n, dim = self.vectors.shape
        begin = self.folds[queries].astype(np.int64) * n
        together = self.vectors.reshape(folds * n, dim)
        return cosines(together, together, begin + queries, begin + candidates)


def fold_vectors(
    index: Path,
    collection: Collection,
    bags: TokenBags,
    queries: tuple[Rows, Rows],
    *,
    folds: int = 2,
    progress: Progress = silent,
) -> FoldVectors:
    """Train the folds of an index's NNSelect that are not there yet, and keep them in the index.

    A killed training continues.

    Args:
        index: holds NNSelect.
        collection: of the index.
        bags: of its papers.
        queries: rows of train and dev.
        folds: how many.
        progress: told about the training.

    Raises:
        ArtifactError: the index has no NNSelect, or it is damaged.
    """
    folder = collection.folder / NNSELECT
    config = load_manifest(folder, nnselect.KIND, nnselect.SCHEMA).config
    ids = [collection.corpus.ids[row] for row in queries[0].tolist()]
    key = fingerprint([sha256(folder / MANIFEST), ids, folds])
    stored = in_force(root_of(index)) / FOLDER
    try:
        if load_manifest(stored, KIND, SCHEMA).config["key"] == key:
            return FoldVectors(load_array(stored / _VECTORS), load_array(stored / _FOLDS))
    except ArtifactError:  # Not there, or damaged.
        pass
    # The queries are dealt out at random, always in the same way.
    fold_of = np.full(len(bags), NO_QUERY, np.int32)
    fold_of[np.random.default_rng(0).permutation(queries[0])] = np.arange(len(queries[0])) % folds
    loop, options = LoopOptions(**config["loop"]), SelectOptions.read(config["options"])
    with writing(index, again=True, progress=progress) as writer:
        files, parts = [], []
        for fold in range(folds):
            others = queries[0][fold_of[queries[0]] != fold]
            task = SelectTask.build(collection, bags, (others, queries[1]), options, loop.seed)
            task.network.to(device_of(loop.device))
            place = writer.unfinished / f"{FOLDER}.{fold}.partial.safetensors"
            files.append(TensorFile(place, fingerprint([key, fold])))

            def told(stage: str, done: int, total: int, number: int = fold + 1) -> None:
                progress(f"fold {number} of NNSelect, {stage}", done, total)

            train(task, loop, files[-1], progress=told)
            parts.append(embed(task.network, bags))
        with writer.member(FOLDER) as new:
            np.save(new / _VECTORS, np.stack(parts))
            np.save(new / _FOLDS, fold_of)
            seal(new, KIND, SCHEMA, {"key": key, "folds": folds})
        for file in files:
            file.path.unlink()
    return FoldVectors(np.stack(parts), fold_of)


def unseen_views(
    index: Path, collection: Collection, queries: tuple[Rows, Rows], *, progress: Progress = silent
) -> Callable[[int], Collection]:
    """Show each train query the collection through an NNSelect that has not learned from it.

    What is not a train query sees the collection as it is.

    Args:
        index: holds NNSelect; its folds are trained unless they are there.
        collection: of the index.
        queries: rows of train and dev.
        progress: told about the training.

    Raises:
        ArtifactError: the index has no NNSelect, or it is damaged.
    """
    _, bags = read_bags(collection, known_by(collection, queries[0]))
    trained = fold_vectors(index, collection, bags, queries, progress=progress)
    spaces = [replace(collection, nnselect=nnselect_space(vectors)) for vectors in trained.vectors]
    folds = trained.folds
    return lambda row: collection if folds[row] == NO_QUERY else spaces[int(folds[row])]
