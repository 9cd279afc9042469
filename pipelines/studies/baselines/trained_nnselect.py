"""NNSelect's vectors: Citeomatic's first stage, as `recsys train nnselect` left it in an index."""

from pathlib import Path

from recsys.errors import InputError, LeakageError
from recsys.models.nnselect import COMMAND, NNSelectModel
from recsys.models.seen_queries import SeenQueries
from recsys.pipelines.corpora.query_years import PARTS
from recsys.pipelines.studies.baselines.fitted_baseline import Fitted, Recipe, encode_all
from recsys.pipelines.studies.baselines.training_material import Material
from recsys.progress import Progress
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.layout import CORPUS, NNSELECT

_, DEV, TEST = PARTS


def fit_nnselect(material: Material, recipe: Recipe, progress: Progress) -> Fitted:
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
    _check_unseen(folder, material)
    vectors = encode_all(model, material.texts, progress)
    return Fitted(model, vectors, model.table.nbytes + model.scales.nbytes)


def _check_unseen(folder: Path, material: Material) -> None:
    """Refuse a model that was trained on dev or test queries, or stopped on test queries."""
    seen = SeenQueries.load(folder) or SeenQueries()
    for part, digests in ((DEV, seen.train), (TEST, seen.train | seen.dev)):
        if found := len(material.asked.get(part, frozenset()) & digests):
            raise LeakageError(
                f"The NNSelect in {folder} has seen {found} of the {part} queries.",
                f"Train it on this split: `{COMMAND}`.",
            )
