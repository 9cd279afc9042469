"""Train an index's own ranker on the train queries of a split."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from eval.calibration import expected_calibration_error
from eval.measures import CANDIDATE_RECALL, Judged, summarise
from indexes.opening import nnselect_space, open_collection
from pipelines.evaluation.leakage import DEV, TRAIN, SeenQueries, check_ranker
from pipelines.evaluation.splits import Split, read_split
from pipelines.jobs.index_writer import IndexWriter, writing
from pipelines.ranking.fit_ranker import CUTOFF, FittedRanker, calibrate, fit
from pipelines.ranking.training_table import Posing, TrainingTable, collect
from recsys.errors import InputError
from recsys.models.nnselect import NNSelectModel
from recsys.progress import Progress, silent
from recsys.stage_one.settings import USUAL, StageOne
from recsys.stage_one.sources import SEARCHES, check_searches
from recsys.stage_two.features import feature_names
from recsys.store.arrays import Floats, Rows
from recsys.store.artifacts import fingerprint
from recsys.store.collection import Collection
from recsys.store.generations import in_force, root_of
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.layout import NNSELECT, UNTIL, ranker_folder
from recsys.store.top_k import top_k


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """metadata: whether authors and venue may be read.

    candidates: what they come from, see `sources.SEARCHES`; None: all that the index has.
    nnselect_features: whether the features of NNSelect are read. They are not by default, since
    they bring nothing on dev beyond NNSelect's candidates, in whose prior its cosine is already.
    """

    metadata: bool = True
    seed: int = 0
    candidates: tuple[str, ...] | None = None
    nnselect_features: bool = False


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What was trained and how good it is on dev, without seeds.

    queries: a query that was posed twice counts twice.
    """

    folder: Path
    queries: int
    examples: int
    trees: int
    recall: float
    f1: float
    mrr: float
    calibration_error: float
    candidates: tuple[str, ...] = USUAL

    def lines(self) -> list[str]:
        """Say it to people."""
        return [
            f"Trained {self.trees} trees on {self.queries} queries, {self.examples:,} examples.",
            f"On dev: F1@{CUTOFF} {self.f1:.4f}, MRR {self.mrr:.4f}, candidate recall "
            f"{self.recall:.3f}, calibration error {self.calibration_error:.4f} (cross-fitted).",
            f"Candidates come from {', '.join(self.candidates)}. "
            f"Saved in {root_of(self.folder.parent)}.",
        ]


class UnseenViews(Protocol):
    """Shows each train query a collection whose NNSelect has not learned from it.

    How such models are trained is a matter of the study that trains NNSelect; the roof brings both
    together.
    """

    def __call__(
        self, index: Path, collection: Collection, queries: tuple[Rows, Rows], *, progress: Progress
    ) -> Callable[[int], Collection]:
        """Prepare the views of the (train, dev) queries; the answer gives that of a row."""
        ...


def train_ranker(
    index: Path,
    split: Path,
    options: TrainOptions,
    *,
    unseen: UnseenViews | None = None,
    wait: bool = False,
    progress: Progress = silent,
) -> TrainReport:
    """Train on the split's train queries, stop and calibrate on its dev queries, save, report.

    Args:
        index: gets the ranker.
        split: of its queries.
        options: what the ranker reads.
        unseen: needed where NNSelect takes part, which has learned from the train queries.
        wait: for another process that changes the index; else it is refused.
        progress: told about every stage.

    Raises:
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
        LeakageError: the index's NNSelect was trained on queries of dev.
        InputError: candidates cannot come from there, or another process changes the index.
    """
    with writing(index, wait=wait, progress=progress) as writer:
        return _train(writer, split, options, unseen, progress)


def _train(
    writer: IndexWriter,
    split: Path,
    options: TrainOptions,
    unseen: UnseenViews | None,
    progress: Progress,
) -> TrainReport:
    collection = open_collection(writer.index)
    index = collection.folder
    parts = read_split(split, collection)
    school = _School.of(index, collection, parts, options)
    school = school.with_unseen(index, parts, unseen, progress)
    names = feature_names(metadata=options.metadata, nnselect=options.nnselect_features)
    tables = [
        collect(
            school.collection,
            rows,
            names,
            progress=progress,
            stage=f"features of {part}",
            posing=posing,
        )
        for part, rows, posing in zip((TRAIN, DEV), school.queries, school.posings, strict=True)
    ]
    fitted = fit(tables[0], tables[1], names, seed=options.seed, progress=progress)
    folder = ranker_folder(writer.index, metadata=options.metadata)
    searches = school.posings[0].stage_one.searches
    report = replace(report_on(fitted, folder, *tables), candidates=searches)
    facts = {
        "options": {"metadata": options.metadata, "seed": options.seed},
        "candidates": list(searches),
        "nnselect": None if school.nnselect is None else school.nnselect.fingerprint,
        UNTIL: newest_year(collection, *school.queries),
        "train_queries": fingerprint(sorted(parts.train)),
        "dev": {"f1": report.f1, "mrr": report.mrr, "ece": report.calibration_error},
    }
    seen = SeenQueries.of(collection, train=school.queries[0], dev=school.queries[1])
    with writer.member(folder.name) as new:
        fitted.save(new, seen, origin="its own ranker", facts=facts, text=True)
    return replace(report, folder=ranker_folder(in_force(writer.index), metadata=options.metadata))


@dataclass(frozen=True, slots=True)
class _School:
    """What a ranker learns from: queries of train and dev, and how each are posed.

    nnselect: the model whose vectors take part, if it does.
    """

    collection: Collection
    queries: tuple[Rows, Rows]
    posings: tuple[Posing, Posing]
    nnselect: NNSelectModel | None = None

    @classmethod
    def of(
        cls, index: Path, collection: Collection, parts: Split, options: TrainOptions
    ) -> "_School":
        """Pose the queries; open NNSelect if it takes part."""
        train, dev = (collection.corpus.rows(parts.part(part)) for part in (TRAIN, DEV))
        there = tuple(each for each in SEARCHES if each in USUAL or (index / NNSELECT).exists())
        searches = there if options.candidates is None else check_searches(options.candidates)
        posings = tuple(Posing(seeded, StageOne(searches)) for seeded in (True, False))
        takes_part = NNSELECT in searches or options.nnselect_features
        model = NNSelectModel.load(index / NNSELECT, len(collection.corpus)) if takes_part else None
        return cls(collection, (train, dev), (posings[0], posings[1]), model)

    def with_unseen(
        self, index: Path, parts: Split, unseen: UnseenViews | None, progress: Progress
    ) -> "_School":
        """Let train queries meet models that have not learned from them, all others NNSelect."""
        if self.nnselect is None:
            return self
        if unseen is None:
            raise InputError(
                f"NNSelect in {index} has learned from the train queries.",
                "Give `unseen`, which trains others for them, or name candidates without nnselect.",
            )
        check_ranker(index / NNSELECT, self.collection, DEV, parts.dev, what=NNSELECT)
        view = unseen(index, self.collection, self.queries, progress=progress)
        whole = replace(self.collection, nnselect=nnselect_space(self.nnselect.vectors))
        train, dev = self.posings
        return replace(self, collection=whole, posings=(replace(train, view=view), dev))


def newest_year(collection: Collection, *queries: Rows) -> int | None:
    """Return the year of the newest of some papers, None where none is known."""
    years = [int(collection.graph.years[rows].max()) for rows in queries if len(rows)]
    newest = max(years, default=UNKNOWN_YEAR)
    return None if newest == UNKNOWN_YEAR else newest


def report_on(
    fitted: FittedRanker, folder: Path, train: TrainingTable, dev: TrainingTable
) -> TrainReport:
    """Measure a ranker on dev."""
    scores = fitted.predict(dev.features)
    figures = summarise(judge(scores, dev), rng=np.random.default_rng(0), samples=1)
    return TrainReport(
        folder=folder,
        queries=len(train.groups),
        examples=len(train.features),
        trees=fitted.booster.num_trees(),
        recall=figures[CANDIDATE_RECALL].value,
        f1=figures[f"F1@{CUTOFF}"].value,
        mrr=figures["MRR"].value,
        calibration_error=cross_fitted_error(scores, dev),
    )


def cross_fitted_error(scores: Floats, dev: TrainingTable) -> float:
    """Fit the calibration on every other query, measure its error on the rest, both ways."""
    odd = np.repeat(np.arange(len(dev.groups)) % 2 == 1, dev.groups)
    probabilities = np.empty(len(scores))
    for held_out in (odd, ~odd):
        knots = calibrate(scores[~held_out], dev.relevant[~held_out])
        probabilities[held_out] = np.interp(scores[held_out], *knots)
    return expected_calibration_error(probabilities, dev.relevant)


def judge(scores: Floats, table: TrainingTable) -> list[Judged]:
    """Order each query's candidates by (n,) scores and compare them with its gold papers."""
    ends = np.cumsum(table.groups)
    judged = []
    for start, end, gold in zip(ends - table.groups, ends, table.gold, strict=True):
        relevant = table.relevant[start:end].astype(bool)
        flags = relevant[top_k(scores[start:end], end - start)]
        judged.append(Judged(flags, int(gold), end - start, int(relevant.sum())))
    return judged
