"""Take NNSelect over into an updated index: new texts get vectors, and what it learned stays."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.models.nnselect import KIND, SCHEMA, VECTORS, NNSelectModel
from recsys.pipelines.index.known_vectors import KnownVectors
from recsys.pipelines.index.read_texts import texts_of
from recsys.progress import Progress, silent
from recsys.store.arrays import Rows, write_rows
from recsys.store.artifacts import MANIFEST, NNRANK, link_or_copy, load_manifest, seal
from recsys.store.corpus import Corpus

STAGE = "NNSelect"
_AT_ONCE = 512
_BY_ROW = ("nnselect-folds", NNRANK, f"{NNRANK}-no-metadata")


@dataclass(frozen=True, slots=True)
class FormerModel:
    """The model of an index that is updated.

    folder: of the model; never written. papers: how many the older index holds.
    """

    folder: Path
    papers: int


def carry_nnselect(
    former: FormerModel, corpus: Corpus, rows: Rows, folder: Path, *, progress: Progress = silent
) -> None:
    """Write the artifact of NNSelect for an updated corpus into an empty folder.

    Its fingerprint stays, and so does what learned from it; "carried" in its config counts the
    texts that came after its training.

    Args:
        former: of the older index.
        corpus: the papers of today.
        rows: (n,) int32, the old row of each text that has not changed, GONE for the others.
        folder: to fill.
        progress: told about new texts.

    Raises:
        ArtifactError: the old model is damaged, or of other papers than those of the older index.
    """
    model = NNSelectModel.load(former.folder, former.papers)
    known = KnownVectors(model.vectors, rows)
    for file in former.folder.iterdir():
        if file.name not in (MANIFEST, VECTORS):
            link_or_copy(file, folder / file.name)
    write_rows(folder / VECTORS, (len(corpus), model.dim), known.pieces())
    vectors = np.lib.format.open_memmap(folder / VECTORS, "r+")
    total, done = int(known.missing.sum()), 0
    progress(STAGE, 0, total)
    for new, texts in texts_of(corpus, known.missing, _AT_ONCE):
        vectors[new] = model.encode(texts)
        done += len(new)
        progress(STAGE, done, total)
    vectors.flush()
    config = load_manifest(former.folder, KIND, SCHEMA).config
    facts = {"papers": len(corpus), "carried": config.get("carried", 0) + total}
    seal(folder, KIND, SCHEMA, {**config, **facts})


def left_out(index: Path) -> tuple[str, ...]:
    """Name the models of an older index that are of its very rows, and do not fit any other."""
    return tuple(name for name in _BY_ROW if (index / name).is_dir())
