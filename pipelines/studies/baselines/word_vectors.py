"""Word vectors learned on the corpus's own texts: fastText (Bojanowski et al. 2017)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.models.encoder import Text
from recsys.pipelines.studies.baselines.baseline_words import check_words, words
from recsys.pipelines.studies.baselines.fitted_baseline import Recipe
from recsys.pipelines.studies.baselines.gensim_extra import need_gensim, shown_epochs
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.progress import Progress
from recsys.store.arrays import Floats

if TYPE_CHECKING:
    from gensim.models.fasttext import FastTextKeyedVectors

LEAST_TIMES, EPOCHS, RATE, SAMPLE = 3, 10, 0.1, 1e-4
"""Of a word in all texts; passes over them; learning rate; more frequent words are thinned out."""
LETTERS, BUCKETS = 4, 100_000
"""Length of the n-grams, and how many vectors they share. On papers of visualization, n-grams of 3
to 6 letters find no more and cost 1.7 times the time; gensim's two million vectors are 2.4 GB."""

Shares: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of words, and of n-grams of letters that make up those of unknown words.

    shares: how much of the texts each known word makes up.
    """

    keyed: "FastTextKeyedVectors"
    shares: Shares

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.keyed.vector_size)

    @property
    def size(self) -> int:
        """Bytes of the numbers."""
        keyed = self.keyed
        return int(keyed.vectors.nbytes + keyed.vectors_ngrams.nbytes + self.shares.nbytes)

    def of(self, texts: Sequence[Text]) -> Iterator[tuple[Floats, Shares]]:
        """Look up the words of each text: (m, d) float32 vectors, (m,) float64 shares.

        The share of an unknown word is 0.
        """
        place = self.keyed.key_to_index
        for text in texts:
            found = words(text)
            vectors = np.zeros((len(found), self.dim), np.float32)
            shares = np.zeros(len(found))
            for number, word in enumerate(found):
                vectors[number] = self.keyed.get_vector(word)
                if word in place:
                    shares[number] = self.shares[place[word]]
            yield vectors, shares


def learned_words(material: Material, recipe: Recipe, progress: Progress) -> WordVectors:
    """Learn word vectors by the texts that may be learned from.

    The last two are remembered: several baselines are made of the same, of two corpora in turns.

    Raises:
        MissingExtraError: gensim is not installed.
        InputError: no word is in the papers often enough.
    """
    need_gensim()
    return _learned(_Task(material.fingerprint(), recipe.dim, recipe.seed, material, progress))


@dataclass(frozen=True, slots=True)
class _Task:
    """Equal to another if it learns the same."""

    fingerprint: str
    dim: int
    seed: int
    material: Material = field(compare=False)
    progress: Progress = field(compare=False)


@lru_cache(maxsize=2)
def _learned(task: _Task) -> WordVectors:
    from gensim.models import FastText

    texts = [words(text) for text in task.material.learned]
    check_words(texts, LEAST_TIMES)
    model = FastText(
        texts, sg=1, vector_size=task.dim, epochs=EPOCHS, alpha=RATE, sample=SAMPLE,
        min_count=LEAST_TIMES, min_n=LETTERS, max_n=LETTERS, bucket=BUCKETS, workers=1,
        seed=task.seed, callbacks=[shown_epochs(task.progress, EPOCHS)],
    )  # fmt: skip
    counts = [model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key]
    return WordVectors(model.wv, np.array(counts) / sum(map(len, texts)))
