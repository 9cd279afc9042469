"""Stage two's model at answering time: trees, a network beside them, and a calibration curve."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch
from recsys.ranking.features import BY_NAME
from recsys.ranking.network import NETWORK, Network
from recsys.ranking.second_look import SECOND_NAMES
from recsys.ranking.stored_trees import OLDER_TREES, TREES, StoredTrees
from recsys.retrieval.settings import USUAL
from recsys.store.arrays import Floats
from recsys.store.artifacts import load_manifest

KIND = "ranker"
FIRST = "first"
"""The folder inside a ranker's of the one whose chances it reads."""
SCHEMA, OLDER_SCHEMAS = 3, (1, 2)
_AGAIN = "Train it again with `recsys train ranker`."


@dataclass(frozen=True, slots=True)
class TreeRanker:
    """Scores candidates; trained by `recsys.pipelines.ranking.train_ranker`.

    knots: (2, j) float64: ascending scores and the probabilities there (isotonic regression on the
    dev queries); in between, probabilities are interpolated. folder: where it was loaded from.
    searches: those whose candidates it was trained on. nnselect: fingerprint of the NNSelect that
    it was trained with, if it was. first: the ranker whose chances this one reads, see
    `recsys.ranking.second_look`; None: it looks once. network: whose scores are added to those of
    the trees; None: there is none, as in rankers of older versions.
    """

    trees: StoredTrees
    feature_names: tuple[str, ...]
    knots: np.typing.NDArray[np.float64]
    origin: str
    folder: Path | None = None
    searches: tuple[str, ...] = USUAL
    nnselect: str | None = None
    first: "TreeRanker | None" = None
    network: Network | None = None

    def score(self, features: Floats) -> Floats:
        """Score (n, f) float32 features of one query: (n,) float32, higher is better."""
        scores = self.trees.score(features)
        return scores if self.network is None else scores + self.network.score(features)

    def probability(self, scores: Floats) -> Floats:
        """Calibrate (n,) scores into chances of being cited, in [0, 1]."""
        chances: Floats = np.interp(scores, *self.knots).astype(np.float32)
        return chances

    def chances(self, features: Floats) -> Floats:
        """Give (n, f) float32 features of one query chances of being cited: (n,) float32."""
        return self.probability(self.score(features))

    @classmethod
    def load(
        cls, folder: Path, *, kind: str = KIND, known: Collection[str] = BY_NAME
    ) -> "TreeRanker":
        """Open a ranker folder.

        Args:
            folder: where it lies.
            kind: of the artifact.
            known: names of the features that can be computed for it.

        Raises:
            ArtifactError: the folder is missing, damaged, of another kind or schema, or was
                trained with features that this version does not have.
        """
        manifest = load_manifest(folder, kind, *OLDER_SCHEMAS, SCHEMA)
        config = manifest.config
        try:
            names = tuple(config["feature_names"])
            curve, origin = config["calibration"], config["origin"]
            knots = centred(np.array([curve["scores"], curve["probabilities"]]))
            searches = tuple(config.get("candidates", USUAL))
        except (KeyError, TypeError) as error:
            raise ArtifactCorrupt(
                f"The manifest of the ranker in {folder} lacks {error}.", _AGAIN
            ) from error
        second = SECOND_NAMES if (folder / FIRST).is_dir() else ()
        if unknown := [name for name in names if name not in known and name not in second]:
            raise ArtifactMismatch(
                f"The ranker {folder} needs the feature {unknown[0]!r}, which this version does "
                "not have.",
                _AGAIN,
            )
        older = TREES not in manifest.files
        trees = _older_trees(folder) if older else StoredTrees.load(folder)
        if trees.width != len(names):
            raise ArtifactCorrupt(
                f"{folder / (OLDER_TREES if older else TREES)} reads {trees.width} features, its "
                f"manifest names {len(names)}.",
                _AGAIN,
            )
        network = Network.load(folder) if NETWORK in manifest.files else None
        if network is not None and network.width != len(names):
            raise ArtifactCorrupt(
                f"{folder / NETWORK} reads {network.width} features, its manifest names "
                f"{len(names)}.",
                _AGAIN,
            )
        first = None
        if (folder / FIRST).is_dir():
            first = cls.load(folder / FIRST, kind=kind, known=known)
            _check_first(folder, first, names)
        nnselect = config.get("nnselect")
        return cls(trees, names, knots, origin, folder, searches, nnselect, first, network)


def _older_trees(folder: Path) -> StoredTrees:
    from recsys.ranking.older_trees import load_older

    return load_older(folder)


def _check_first(folder: Path, first: TreeRanker, names: tuple[str, ...]) -> None:
    if names != (*first.feature_names, *SECOND_NAMES):
        raise ArtifactMismatch(
            f"The ranker {folder} does not read what {folder / FIRST} gives it.", _AGAIN
        )


def centred(knots: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
    """Draw an isotonic curve through the middles of its steps: another score, another chance.

    Centred isotonic regression (Oron & Flournoy 2017); ends as far as its first and last step do.

    Args:
        knots: (2, j) float64, ascending scores and probabilities; a step is a run of equal ones.

    Returns:
        (2, i) float64 with i <= j.
    """
    scores, chances = knots
    begins = np.flatnonzero(np.diff(chances, prepend=-1.0))
    ends = np.append(begins[1:], len(chances)) - 1
    return np.stack([(scores[begins] + scores[ends]) / 2, chances[begins]])
