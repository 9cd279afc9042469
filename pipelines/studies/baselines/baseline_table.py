"""The baselines in one literal table, and how one is fit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from recsys.errors import InputError, near_miss
from recsys.pipelines.studies.baselines.doc2vec import fit_doc2vec
from recsys.pipelines.studies.baselines.fasttext_sum import fit_fasttext
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe
from recsys.pipelines.studies.baselines.random_vectors import fit_random
from recsys.pipelines.studies.baselines.sgc import fit_sgc
from recsys.pipelines.studies.baselines.sif import fit_sif
from recsys.pipelines.studies.baselines.tfidf_svd import fit_tfidf_svd
from recsys.pipelines.studies.baselines.trained_nnselect import fit_nnselect
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.progress import Progress, silent
from recsys.store.artifacts import fingerprint

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

Needs: TypeAlias = Literal["text", "citations", "nnselect"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a baseline is, what it needs, and how it learns.

    note: what has to be known where it is compared with others.
    """

    meaning: str
    needs: Needs
    fit: Callable[[Material, Recipe, Progress], Fitted]
    note: str = ""


BASELINES: Mapping[str, Baseline] = {
    "random": Baseline("random vectors, the lower bound", "text", fit_random),
    "tfidf-svd": Baseline("TF-IDF and truncated SVD", "text", fit_tfidf_svd),
    "doc2vec": Baseline("paragraph vectors (PV-DBOW)", "text", fit_doc2vec),
    "fasttext": Baseline("sums of fastText's word vectors", "text", fit_fasttext),
    "sif": Baseline("weighted averages of word vectors, less what all share", "text", fit_sif),
    "sgc": Baseline("SIF, spread along citations", "citations", fit_sgc),
    "nnselect": Baseline(
        "NNSelect, as trained in an index",
        "nnselect",
        fit_nnselect,
        "It has seen the train queries, which rankers learn from: they trust its cosines too much.",
    ),
}


def fit_baseline(
    name: str, material: Material, *, dim: int = 300, seed: int = 0, progress: Progress = silent
) -> Fitted:
    """Fit a baseline and encode the material's papers with it.

    The same name, material, dim and seed give the same vectors in every process.

    Args:
        name: in BASELINES.
        material: what it learns from, and the papers to encode.
        dim: numbers in a vector. It gets fewer where a small corpus does not tell so many;
            NNSelect's has as many as it was trained with.
        seed: of what is drawn.
        progress: told about every stage.

    Raises:
        InputError: there is no such baseline, or the material is not enough for it.
    """
    baseline = BASELINES.get(name)
    if baseline is None:
        raise InputError(
            f"There is no baseline {name!r}.{near_miss(name, BASELINES)}",
            f"The baselines are {', '.join(BASELINES)}.",
        )
    key = fingerprint([_REVISION, name, material.fingerprint(), dim, seed])
    return baseline.fit(material, Recipe(dim, seed, key), progress)


def check_encoder_name(name: str) -> None:
    """Refuse what is nearly the name of a baseline, rather than ask the hub for it.

    Raises:
        InputError: it is no folder and no name of an owner's model, and a baseline is meant.
    """
    if name in BASELINES or "/" in name or Path(name).exists():
        return
    if meant := near_miss(name, BASELINES):
        raise InputError(
            f"There is no encoder {name!r}.{meant}",
            "Write OWNER/NAME for a model of the hub, ./NAME for a folder.",
        )
