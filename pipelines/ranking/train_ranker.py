"""Train an index's own ranker on the train queries of a split."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from recsys.errors import InputError
from recsys.indexes.opening import nnselect_space, open_collection
from recsys.models.nnselect import NNSelectModel
from recsys.models.seen_queries import SeenQueries
from recsys.pipelines.evaluation.leakage import (
    DEV,
    TEST,
    TRAIN,
    check_encoder,
    check_ranker,
    learned_by_encoder,
)
from recsys.pipelines.evaluation.splits import Split
from recsys.pipelines.evaluation.year_split import SPLIT_FILE, given_or_made
from recsys.pipelines.jobs.index_writer import IndexWriter, writing
from recsys.pipelines.ranking.cross_fitting import Recipe, Taught, teach
from recsys.pipelines.ranking.fit_ranker import FittedRanker
from recsys.pipelines.ranking.learn_on import learn_on
from recsys.pipelines.ranking.ranker_trial import Trial, looking_again, shipped_ranker, try_ranker
from recsys.pipelines.ranking.train_options import SCRATCH, SHIPPED, TrainOptions, started
from recsys.pipelines.ranking.train_report import TrainReport, report_on
from recsys.pipelines.ranking.training_table import (
    Posing,
    TrainingTable,
    collect,
    concatenate,
    told_before,
)
from recsys.progress import Progress, silent
from recsys.ranking.features import feature_names
from recsys.ranking.second_look import SECOND_NAMES
from recsys.retrieval.settings import USUAL, StageOne
from recsys.retrieval.sources import SEARCHES, check_searches
from recsys.store.arrays import Rows
from recsys.store.artifacts import fingerprint
from recsys.store.collection import Collection
from recsys.store.generations import in_force
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.layout import NNSELECT, UNTIL, ranker_folder


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
    split: Path | None,
    options: TrainOptions,
    *,
    unseen: UnseenViews | None = None,
    wait: bool = False,
    progress: Progress = silent,
) -> TrainReport:
    """Train on the split's train queries, stop and calibrate on its dev queries, save, report.

    The split is kept beside the ranker, in its folder.

    Args:
        index: gets the ranker.
        split: of its queries; None: one is made by year, and the ranker is tried on its test
            queries, beside the one that ships with the package.
        options: what the ranker reads.
        unseen: needed where NNSelect takes part, which has learned from the train queries.
        wait: for another process that changes the index; else it is refused.
        progress: told about every stage.

    Raises:
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or its parts overlap.
        LeakageError: the index's NNSelect was trained on queries of dev, or it or the encoder on
            those of a test to be made.
        NothingFound: there are too few queries to make a split of.
        InputError: candidates cannot come from there, or another process changes the index.
    """
    with writing(index, wait=wait, progress=progress) as writer:
        return _train(writer, split, options, unseen, progress)


def _train(
    writer: IndexWriter,
    split: Path | None,
    options: TrainOptions,
    unseen: UnseenViews | None,
    progress: Progress,
) -> TrainReport:
    collection = open_collection(writer.index)
    chosen = given_or_made(split, collection)
    options = started(options, chosen, made=split is None)
    school = _School.of(collection.folder, collection, chosen.split, options)
    school = school.with_unseen(collection.folder, chosen.split, unseen, progress)
    if split is None:
        school.check_test(chosen.split)
    taught = school.taught(options, progress)
    fitted, searches = taught.ranker, school.posings[0].stage_one.searches
    folder = ranker_folder(writer.index, metadata=options.metadata)
    trusting = learned_by_encoder(collection, [*chosen.split.train, *chosen.split.dev])
    told = (*chosen.told, *filter(None, [trusting]))
    report = replace(report_on(taught, folder), candidates=searches, told=told)
    facts = {
        "options": {
            "metadata": options.metadata,
            "seed": options.seed,
            **({"start": SHIPPED} if options.start == SHIPPED else {}),
            **({"folds": options.parts} if options.parts > 1 else {}),
            **({"passes": options.passes} if options.passes > 1 else {}),
        },
        "candidates": list(searches),
        "nnselect": None if school.nnselect is None else school.nnselect.fingerprint,
        UNTIL: newest_year(collection, *school.queries),
        "train_queries": fingerprint(sorted(chosen.split.train)),
        "dev": {"f1": report.f1, "mrr": report.mrr, "ece": report.calibration_error},
    }
    if split is None:
        trial = school.trial(chosen.split, fitted, options, progress)
        report = replace(report, told=(*report.told, *trial.lines()))
        facts["test"] = trial.facts()
    with writer.member(folder.name) as new:
        chosen.save(new / SPLIT_FILE)
        fitted.save(new, school.seen(options), origin="its own ranker", facts=facts, text=True)
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
        searches = USUAL if options.start == SHIPPED else searches
        posings = tuple(
            Posing(seeded, StageOne(searches), engine=options.engine) for seeded in (True, False)
        )
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

    def table(self, names: tuple[str, ...], progress: Progress) -> tuple[TrainingTable, int]:
        """Compute the named features for train and then dev, and what a second look adds.

        Returns: the candidates, and how many of the queries are of train.
        """
        train, dev = (
            collect(
                self.collection,
                rows,
                names,
                progress=progress,
                stage=f"features of {part}",
                posing=posing,
            )
            for part, rows, posing in zip((TRAIN, DEV), self.queries, self.posings, strict=True)
        )
        return concatenate([train, dev]), len(train.groups)

    def taught(self, options: TrainOptions, progress: Progress) -> "Taught":
        """Train, once or for a second look, too."""
        if options.start == SHIPPED:
            return self._learning_on(options, progress)
        names = feature_names(metadata=options.metadata, nnselect=options.nnselect_features)
        lesson = partial(teach, recipe=Recipe(options.seed, options.parts), progress=progress)
        first = lesson(*self.table(names, progress), names)
        if options.passes == 1:
            return first
        again = self._looking_again(first).table(names, progress)
        second = lesson(*again, (*names, *SECOND_NAMES))
        return replace(second, ranker=replace(second.ranker, first=first.ranker))

    def _learning_on(self, options: TrainOptions, progress: Progress) -> "Taught":
        shipped = shipped_ranker(metadata=options.metadata)
        train, dev = (looking_again(shipped.first, posing) for posing in self.posings)
        names = (shipped.first or shipped).feature_names
        table = replace(self, posings=(train, dev)).table(names, progress)
        recipe = Recipe(options.seed)
        return learn_on(FittedRanker.of(shipped), *table, recipe, progress=progress)

    def _looking_again(self, first: "Taught") -> "_School":
        """Pose the queries for a second ranker, with chances by what has not learned from them."""
        scores = np.split(first.scores, [len(first.train.features)])
        posings = [
            replace(posing, chances=told_before(first.ranker.calibrated(held_out)))
            for posing, held_out in zip(self.posings, scores, strict=True)
        ]
        return replace(self, posings=(posings[0], posings[1]))

    def seen(self, options: TrainOptions) -> SeenQueries:
        """Digest what a ranker has learned from, and what only stopped and calibrated it."""
        train, dev = self.queries
        if options.parts > 1:
            train, dev = np.concatenate([train, dev]), dev[:0]
        seen = SeenQueries.of(self.collection, train=train, dev=dev)
        if options.start == SCRATCH:
            return seen
        before = shipped_ranker(metadata=options.metadata).folder
        return seen | ((before and SeenQueries.load(before)) or SeenQueries())

    def check_test(self, parts: Split) -> None:
        """Refuse, before hours of work, to try the ranker on what other models have seen."""
        check_encoder(self.collection, TEST, parts.part(TEST))
        if self.nnselect is not None:
            folder = self.collection.folder / NNSELECT
            check_ranker(folder, self.collection, TEST, parts.part(TEST), what=NNSELECT)

    def trial(
        self, parts: Split, fitted: FittedRanker, options: TrainOptions, progress: Progress
    ) -> Trial:
        """Ask the test queries, as dev queries are asked."""
        rows = self.collection.corpus.rows(parts.part(TEST))
        posing, metadata = self.posings[1], options.metadata
        return try_ranker(self.collection, rows, fitted, posing, metadata, progress)


def newest_year(collection: Collection, *queries: Rows) -> int | None:
    """Return the year of the newest of some papers, None where none is known."""
    years = [int(collection.graph.years[rows].max()) for rows in queries if len(rows)]
    newest = max(years, default=UNKNOWN_YEAR)
    return None if newest == UNKNOWN_YEAR else newest
