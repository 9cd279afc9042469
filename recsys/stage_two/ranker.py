"""Stage two's model at answering time: trees in ONNX Runtime and a calibration curve."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.models.encoder import load_session
from recsys.stage_one.settings import USUAL
from recsys.stage_two.features import BY_NAME
from recsys.store.arrays import Floats
from recsys.store.artifacts import load_manifest

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

KIND = "ranker"
SCHEMA = 1
MODEL = "model.onnx"
_AGAIN = "Train it again with `recsys train ranker`."


@dataclass(frozen=True, slots=True)
class OnnxRanker:
    """Scores candidates; trained by `pipelines.ranking.train_ranker`.

    knots: (2, j) float64: ascending scores and the probabilities there (isotonic regression on the
    dev queries); in between, probabilities are interpolated. folder: where it was loaded from.
    searches: those whose candidates it was trained on. nnselect: fingerprint of the NNSelect that
    it was trained with, if it was.
    """

    session: "InferenceSession"
    feature_names: tuple[str, ...]
    knots: np.typing.NDArray[np.float64]
    origin: str
    folder: Path | None = None
    searches: tuple[str, ...] = USUAL
    nnselect: str | None = None

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features: (n,) float32, higher is better."""
        if len(features) == 0:
            return np.empty(0, np.float32)
        scores: Floats = self.session.run(None, {"features": np.ascontiguousarray(features)})[0]
        return np.ravel(scores)

    def probability(self, scores: Floats) -> Floats:
        """Calibrate (n,) scores into chances of being cited, in [0, 1]."""
        chances: Floats = np.interp(scores, *self.knots).astype(np.float32)
        return chances

    @classmethod
    def load(
        cls, folder: Path, *, kind: str = KIND, known: Collection[str] = BY_NAME
    ) -> "OnnxRanker":
        """Open a ranker folder.

        Args:
            folder: where it lies.
            kind: of the artifact.
            known: names of the features that can be computed for it.

        Raises:
            ArtifactError: the folder is missing, damaged, of another kind or schema, or was
                trained with features that this version does not have.
        """
        config = load_manifest(folder, kind, SCHEMA).config
        try:
            names = tuple(config["feature_names"])
            curve, origin = config["calibration"], config["origin"]
            knots = np.array([curve["scores"], curve["probabilities"]])
            searches = tuple(config.get("candidates", USUAL))
        except (KeyError, TypeError) as error:
            raise ArtifactCorrupt(
                f"The manifest of the ranker in {folder} lacks {error}.", _AGAIN
            ) from error
        if unknown := [name for name in names if name not in known]:
            raise ArtifactMismatch(
                f"The ranker {folder} needs the feature {unknown[0]!r}, which this version does "
                "not have.",
                _AGAIN,
            )
        session = load_session(folder / MODEL)
        if (width := session.get_inputs()[0].shape[-1]) != len(names):
            raise ArtifactCorrupt(
                f"{folder / MODEL} reads {width} features, its manifest names {len(names)}.", _AGAIN
            )
        return cls(session, names, knots, origin, folder, searches, config.get("nnselect"))
