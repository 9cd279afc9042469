"""Paragraph vectors: the distributed bag of words, PV-DBOW (Le and Mikolov 2014)."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recsys.models.encoder import Text
from recsys.models.nnselect import unit_rows
from recsys.pipelines.studies.baselines.baseline_words import check_words, words
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe, encode_all
from recsys.pipelines.studies.baselines.gensim_extra import need_gensim, shown_epochs
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.progress import Progress
from recsys.store.arrays import Floats

if TYPE_CHECKING:
    from gensim.models import Doc2Vec

LEAST_TIMES, EPOCHS, SAMPLE = 3, 50, 1e-4
"""Of a word in all texts; passes over them; more frequent words are thinned out. The first two are
of SPECTER's appendix A; its 1e-5, for a far larger corpus, leaves little of short texts."""


@dataclass(frozen=True, slots=True)
class ParagraphVectors:
    """Implements `recsys.protocols.Encoder`. The model's source of chance is not thread-safe."""

    model: "Doc2Vec"
    fingerprint: str

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.model.vector_size)

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Infer a vector that predicts each text's words: (n, d) float32, unit rows or zero.

        Chance depends on the text alone: gensim's own inference goes on with what it has drawn for
        earlier texts, and starts from a hash of Python's, which another process does not share.
        """
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for place, text in enumerate(texts):
            if known := self.known(words(text)):
                vectors[place] = self._infer(known)
        return unit_rows(vectors)

    def known(self, found: Sequence[str]) -> list[str]:
        """Keep the words that the model knows."""
        return [word for word in found if word in self.model.wv.key_to_index]

    def _infer(self, known: list[str]) -> Floats:
        from gensim.models.doc2vec import train_document_dbow

        chance = np.random.RandomState(zlib.crc32(" ".join(known).encode()))
        self.model.random = chance
        vector = np.asarray((chance.random_sample((1, self.dim)) - 0.5) / self.dim, np.float32)
        work, free = np.zeros(self.dim, np.float32), np.ones(1, np.float32)
        for rate in np.linspace(self.model.alpha, self.model.min_alpha, self.model.epochs):
            train_document_dbow(
                self.model, known, [0], rate, work, learn_words=False, learn_hidden=False,
                doctag_vectors=vector, doctags_lockf=free,
            )  # fmt: skip
        return np.asarray(vector[0])


def fit_doc2vec(material: Material, recipe: Recipe, progress: Progress) -> Fitted:
    """Learn vectors that predict the words of papers; those of papers not known are inferred.

    Raises:
        MissingExtraError: gensim is not installed.
        InputError: no word is in the papers often enough.
    """
    need_gensim()
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    texts = [words(text) for text in material.learned]
    check_words(texts, LEAST_TIMES)
    model = Doc2Vec(
        [TaggedDocument(each, [number]) for number, each in enumerate(texts)],
        vector_size=recipe.dim, dm=0, epochs=EPOCHS, sample=SAMPLE, min_count=LEAST_TIMES,
        workers=1, seed=recipe.seed, callbacks=[shown_epochs(progress, EPOCHS)],
    )  # fmt: skip
    encoder = ParagraphVectors(model, recipe.fingerprint)
    vectors = np.zeros((len(material.texts), recipe.dim), np.float32)
    told = np.array([bool(encoder.known(each)) for each in texts])
    vectors[material.known] = unit_rows(model.dv.vectors) * told[:, None]
    others = np.flatnonzero(~material.known).tolist()
    vectors[others] = encode_all(encoder, [material.texts[row] for row in others], progress)
    return Fitted(encoder, vectors, model.syn1neg.nbytes)
