"""Whether a sentence needs a citation: a chance, and what is never asked of.

A sentence is judged by its vector, by its words, by cues (`needs_cues`) and by what stands around
it. Two linear scores, of the vector and of the words, and the cues go into gradient boosted trees;
isotonic regression makes their score a chance. `benchmarks.needs` trains it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.local.needs.needs_cues import NAMES, cues_of
from recsys.local.needs.needs_rules import may_be_flagged
from recsys.local.needs.needs_words import SIZE, weigh
from recsys.passages import Sentence
from recsys.ranking.ranker import StoredTrees
from recsys.store.arrays import Floats
from recsys.store.artifacts import load_manifest

KIND = "needs-citation"
SCHEMA = 1
VECTOR_WEIGHTS, WORD_WEIGHTS = "vector_weights.npy", "word_weights.npy"
ANY = "any"
"""The name of the threshold for texts of no field in particular."""
_AGAIN = "Train it again with `python -m benchmarks.needs ...` in a checkout."


@dataclass(frozen=True, slots=True)
class NeedsCitation:
    """Judges sentences.

    encoder: fingerprint of the encoder whose vectors it reads. vector_weights: (d,) float32.
    word_weights: (SIZE,) float32. biases: of the two linear scores. knots: (2, j) float64,
    ascending scores of the trees and the chances there. thresholds: by field, the chance that as
    large a share of its sentences exceeds as cites.
    """

    trees: StoredTrees
    encoder: str
    vector_weights: Floats
    word_weights: Floats
    biases: tuple[float, float]
    knots: np.typing.NDArray[np.float64]
    thresholds: Mapping[str, float]

    def probabilities(self, sentences: Sequence[Sentence], vectors: Floats) -> Floats:
        """Return the chance that each sentence needs a citation: (n,) float32.

        Whether a sentence itself cites is not looked at, only whether those around it do.

        Args:
            sentences: of one draft, in its order; of fewer than eight only the words count.
            vectors: (n, d) float32, L2-normalised rows: what the encoder makes of their texts.

        Raises:
            ArtifactMismatch: the vectors are not as wide as those it was trained on.
        """
        if vectors.ndim != 2 or vectors.shape[1] != len(self.vector_weights):
            raise ArtifactMismatch(
                f"The vectors have the shape {vectors.shape}, the judge of sentences needs "
                f"{len(self.vector_weights)} columns.",
                "Encode the sentences with the encoder that it was trained with.",
            )
        if not sentences:
            return np.empty(0, np.float32)
        texts = [sentence.text for sentence in sentences]
        by_vector = vectors @ self.vector_weights + np.float32(self.biases[0])
        by_words = weigh(texts, self.word_weights, self.biases[1])
        table = np.column_stack([cues_of(sentences), by_vector, by_words]).astype(np.float32)
        chances: Floats = np.interp(self.trees.score(table), *self.knots).astype(np.float32)
        return chances

    def threshold(self, sentences: Sequence[Sentence], field: str | None = None) -> float:
        """Return the chance from which on a sentence of a draft is flagged.

        field: one of `thresholds`; drafts of any other field share one.
        """
        return self.thresholds.get(field or ANY, self.thresholds[ANY])

    def may_be_flagged(self, sentence: Sentence) -> bool:
        """Tell whether a citation may be asked for in a sentence, see `needs_rules`."""
        return may_be_flagged(sentence)

    @classmethod
    def load(cls, folder: Path) -> "NeedsCitation":
        """Open a trained judge.

        Raises:
            ArtifactError: the folder is missing, damaged, of another schema, or was trained with
                cues that this version does not have.
        """
        config = load_manifest(folder, KIND, SCHEMA).config
        try:
            judge = _from_config(folder, config)
        except (KeyError, TypeError, ValueError, IndexError, OSError) as error:
            raise ArtifactCorrupt(
                f"The judge of sentences in {folder} cannot be read ({error}).", _AGAIN
            ) from error
        if tuple(config["cues"]) != NAMES:
            raise ArtifactMismatch(
                f"The judge of sentences in {folder} was trained with other cues.", _AGAIN
            )
        if judge.trees.width != len(NAMES) + 2 or judge.word_weights.shape != (SIZE,):
            raise ArtifactCorrupt(f"The parts of {folder} do not fit one another.", _AGAIN)
        return judge


def _from_config(folder: Path, config: Mapping[str, Any]) -> NeedsCitation:
    curve = config["calibration"]
    first, second = config["biases"]
    tuple(config["cues"])
    thresholds = {str(field): float(chance) for field, chance in config["thresholds"].items()}
    thresholds[ANY]
    return NeedsCitation(
        trees=StoredTrees.load(folder),
        encoder=str(config["encoder"]),
        vector_weights=_weights(folder / VECTOR_WEIGHTS),
        word_weights=_weights(folder / WORD_WEIGHTS),
        biases=(float(first), float(second)),
        knots=np.array([curve["scores"], curve["probabilities"]], np.float64),
        thresholds=thresholds,
    )


def _weights(path: Path) -> Floats:
    weights: Floats = np.ravel(np.load(path, allow_pickle=False)).astype(np.float32)
    return weights
