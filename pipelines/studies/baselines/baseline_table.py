"""The baselines in one literal table, and how one is fit; those that gensim learns lie beside.

- random vectors: what every measure says of an encoder that knows nothing;
- TF-IDF and truncated SVD: latent semantic analysis (Deerwester et al. 1990);
- NNSelect: Citeomatic's first stage, as `recsys train nnselect` left it in an index.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from recsys.errors import InputError, LeakageError, check_name, near_miss
from recsys.extras import need
from recsys.models.encoder import SeenQueries, Text
from recsys.models.nnselect import COMMAND, NNSelectModel, unit_rows
from recsys.pipelines.corpora.query_years import PARTS
from recsys.pipelines.studies.baselines.material import Fitted, Material, encode_all
from recsys.pipelines.studies.baselines.word_baselines import (
    fit_doc2vec,
    fit_fasttext,
    fit_sgc,
    fit_sif,
    too_few_words,
    words,
)
from recsys.progress import Progress, silent
from recsys.store.arrays import Floats
from recsys.store.artifacts import CORPUS, NNSELECT, fingerprint
from recsys.store.corpus import Corpus
from recsys.store.generations import pin

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""
LEAST_PAPERS = 2
"""Papers that a word of TF-IDF must be in."""

Needs: TypeAlias = Literal["text", "citations", "nnselect"]


@dataclass(frozen=True, slots=True)
class RandomVectors:
    """Implements `recsys.protocols.Encoder`: a text has the same vector wherever it is encoded."""

    dim: int
    seed: int
    fingerprint: str

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Draw a direction by the hash of each text: (n, d) float32, unit rows or zero."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for place, text in enumerate(texts):
            if any(text):
                digest = hashlib.sha256(json.dumps([self.seed, *text]).encode()).digest()
                rng = np.random.default_rng(int.from_bytes(digest, "big"))
                vectors[place] = rng.standard_normal(self.dim)
        return unit_rows(vectors)


def fit_random(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Learn nothing."""
    encoder = RandomVectors(dim, seed, fingerprint)
    return Fitted(encoder, encode_all(encoder, material.texts, progress), 0)


@dataclass(frozen=True, slots=True)
class TfidfSvd:
    """Implements `recsys.protocols.Encoder`. axes: (d, v) float32, of words that weigh by idf."""

    weigh: "TfidfVectorizer"
    axes: Floats
    fingerprint: str

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return len(self.axes)

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Project the words of each text on the axes: (n, d) float32, unit rows or zero."""
        if not texts:  # scikit-learn refuses none.
            return np.zeros((0, self.dim), np.float32)
        return unit_rows(self.weigh.transform(texts) @ self.axes.T)


def fit_tfidf_svd(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Weigh words by sublinear tf times idf, and keep the axes of largest variance.

    Raises:
        InputError: no word is in two of the papers.
    """
    need("sklearn", "The baseline tfidf-svd")
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    learned = material.learned
    weigh = TfidfVectorizer(
        analyzer=words, min_df=LEAST_PAPERS, sublinear_tf=True, dtype=np.float32
    )
    progress("learn words", 0, 2)
    try:
        weights = weigh.fit_transform(learned)
    except ValueError as error:  # "empty vocabulary", or none is left of it.
        raise too_few_words(len(learned)) from error
    progress("learn words", 1, 2)
    svd = TruncatedSVD(min(dim, *weights.shape), random_state=seed).fit(weights)
    progress("learn words", 2, 2)
    encoder = TfidfSvd(weigh, svd.components_.astype(np.float32), fingerprint)
    size = encoder.axes.nbytes + weigh.idf_.nbytes
    return Fitted(encoder, encode_all(encoder, material.texts, progress), size)


def fit_nnselect(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Open the model that was trained, and encode the papers; dim and seed are those of training.

    Raises:
        InputError: no index is named.
        ArtifactError: the index has no such model, or it does not belong to it.
        LeakageError: it was trained on queries that are to be evaluated on.
    """
    if material.index is None:
        raise InputError(
            "No index is named whose NNSelect encodes the papers.",
            f"Give --nnselect INDEX; `{COMMAND}` trains one.",
        )
    with pin(material.index) as index:
        folder = index / NNSELECT
        model = NNSelectModel.load(folder, len(Corpus.load(index / CORPUS)))
    seen = SeenQueries.load(folder) or SeenQueries()
    _, dev, test = PARTS
    for part, digests in ((dev, seen.train), (test, seen.train | seen.dev)):
        if found := len(material.asked.get(part, frozenset()) & digests):
            raise LeakageError(
                f"The NNSelect in {folder} has seen {found} of the {part} queries.",
                f"Train it on this split: `{COMMAND}`.",
            )
    vectors = encode_all(model, material.texts, progress)
    return Fitted(model, vectors, model.table.nbytes + model.scales.nbytes)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a baseline is, what it needs, and how it learns.

    fit: takes the material, the length of vectors, a seed and the fingerprint of all of it. note:
    what has to be known where it is compared with others.
    """

    meaning: str
    needs: Needs
    fit: Callable[[Material, int, int, str, Progress], Fitted]
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
    check_name(name, BASELINES, "baseline")
    key = fingerprint([_REVISION, name, material.fingerprint(), dim, seed])
    return BASELINES[name].fit(material, dim, seed, key, progress)


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
