"""Train an index's own ranker on the train queries of a split.

Without a split, one is made by year, and the new ranker is tried on its test queries beside the one
that ships with the package.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recsys.errors import InputError, NothingFound, check_name
from recsys.eval.measures import (
    CANDIDATE_RECALL,
    Interval,
    Judged,
    average,
    draw,
    means,
    per_query,
)
from recsys.eval.significance import expected_calibration_error, pooled_f1_gain
from recsys.indexes.opening import nnselect_space, open_collection
from recsys.models.encoder import SeenQueries, digests
from recsys.models.nnselect import NNSelectModel
from recsys.pipelines.corpora.query_years import FEWEST_TRAIN, FEWEST_TUNED
from recsys.pipelines.evaluation.leakage import (
    DEV,
    TEST,
    TRAIN,
    check_encoder,
    check_ranker,
    learned_by_encoder,
)
from recsys.pipelines.evaluation.splits import SPLIT_FILE, ChosenSplit, Split, given_or_made
from recsys.pipelines.jobs.engines import Engine
from recsys.pipelines.jobs.index_writer import IndexWriter, writing
from recsys.pipelines.ranking.cross_fitting import (
    FOLDS,
    Lesson,
    TrainedRanker,
    learn_on,
    pose_together,
    teach_lessons,
)
from recsys.pipelines.ranking.fit_ranker import (
    CUTOFF,
    FittedRanker,
    KeptTrees,
    calibrate,
    need_trees,
)
from recsys.pipelines.ranking.training_table import (
    Posing,
    TrainingTable,
    collect,
    judge,
)
from recsys.protocols import Progress, silent
from recsys.ranking.features import feature_names
from recsys.ranking.ranker import TreeRanker
from recsys.retrieval.propose import SEARCHES, USUAL, StageOne, check_searches
from recsys.store.arrays import Floats, Rows
from recsys.store.artifacts import NNSELECT, UNTIL, fingerprint, ranker_folder
from recsys.store.collection import Collection
from recsys.store.generations import in_force, root_of
from recsys.store.graph import UNKNOWN_YEAR

F1 = f"F1@{CUTOFF}"
SCRATCH, SHIPPED = STARTS = "scratch", "shipped"


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What was trained and how good it is on dev, without seeds.

    queries: a query that was posed twice counts twice. f1, mrr, calibration_error: with folds, by
    rankers that have not learned from the query, on average less good than their mean. told: of the
    split that was made, of what the encoder has seen, and of the test queries. kept: whether the
    trees are those that come with the package, and only the networks have learned.
    """

    folder: Path
    queries: int
    examples: int
    trees: int
    networks: int
    recall: float
    f1: float
    mrr: float
    calibration_error: float
    kept: bool
    candidates: tuple[str, ...] = USUAL
    told: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        lessons = f"{self.queries} queries, {self.examples:,} examples"
        beside = f" and {self.networks} networks" if self.networks else ""
        learned = f"Trained {self.trees} trees{beside} on {lessons}."
        if self.kept:
            learned = (
                f"Fine-tuned the shipped ranker on {lessons}: its "
                f"{self.networks} networks; its {self.trees} trees are unchanged."
            )
        return [
            learned,
            f"On dev: {F1} {self.f1:.4f}, MRR {self.mrr:.4f}, candidate recall "
            f"{self.recall:.3f}, calibration error of the top {CUTOFF} "
            f"{self.calibration_error:.4f} (cross-fitted).",
            *self.told,
            f"Candidates come from {', '.join(self.candidates)}. "
            f"Saved in {root_of(self.folder.parent)}.",
        ]


def report_on(trained: TrainedRanker, folder: Path) -> TrainReport:
    """Measure a ranker on dev."""
    dev, scores, ranker = trained.dev, trained.on_dev, trained.ranker
    figures = means(judge(scores, dev))
    return TrainReport(
        folder=folder,
        queries=sum(len(each.groups) for each in trained.lessons),
        examples=sum(len(each.features) for each in trained.lessons),
        trees=ranker.booster.num_trees(),
        networks=ranker.networks,
        kept=isinstance(ranker.booster, KeptTrees),
        recall=figures[CANDIDATE_RECALL],
        f1=figures[F1],
        mrr=figures["MRR"],
        calibration_error=cross_fitted_error(scores, dev),
    )


def cross_fitted_error(scores: Floats, dev: TrainingTable) -> float:
    """Fit the calibration on every other query, measure its error on the rest, both ways.

    It is the error of the CUTOFF papers of each query that are shown.
    """
    odd = np.repeat(np.arange(len(dev.groups)) % 2 == 1, dev.groups)
    probabilities = np.empty(len(scores))
    for held_out in (odd, ~odd):
        knots = calibrate(scores[~held_out], dev.relevant[~held_out])
        probabilities[held_out] = np.interp(scores[held_out], *knots)
    shown = dev.best(scores, CUTOFF)
    return expected_calibration_error(probabilities[shown], dev.relevant[shown])


@dataclass(frozen=True, slots=True)
class Trial:
    """How good two rankers are on the same queries, with 95 % intervals.

    own, shipped: measure -> figure. difference: of F1, own less shipped, queries drawn in pairs.
    known: how many of the queries the shipped ranker has learned from; it is flattered by these.
    """

    queries: int
    own: dict[str, Interval]
    shipped: dict[str, Interval]
    difference: Interval
    known: int = 0

    def lines(self) -> list[str]:
        """Say it to people."""
        own, shipped = (
            ", ".join(f"{measure} {figure}" for measure, figure in figures.items())
            for figures in (self.own, self.shipped)
        )
        seen = f" It was trained on {self.known:,} of these queries." if self.known else ""
        by, verdict = self.difference, "No clear difference from"
        if by.low > 0 or by.high < 0:
            verdict = "Better than" if by.low > 0 else "Worse than"
        return [
            f"On its {self.queries:,} unseen test queries, with 95 % intervals:",
            f"This ranker: {own}.",
            f"Shipped ranker: {shipped}.{seen}",
            f"{verdict} the shipped ranker: "
            f"{by.value:+.3f} ({by.low:+.3f} to {by.high:+.3f}) of {F1}.",
        ]

    def facts(self) -> dict[str, Any]:
        """Say it to the manifest."""
        return {
            "queries": self.queries,
            "own": {measure: figure.value for measure, figure in self.own.items()},
            "shipped": {measure: figure.value for measure, figure in self.shipped.items()},
            "difference": [self.difference.value, self.difference.low, self.difference.high],
            "known to shipped": self.known,
        }


def try_ranker(
    collection: Collection,
    queries: Rows,
    own: FittedRanker,
    posing: Posing,
    metadata: bool,
    progress: Progress,
) -> Trial:
    """Ask both rankers the query rows, each with the features and candidates that it knows.

    Args:
        collection: holds the queries.
        queries: rows that `own` has not seen.
        own: the new ranker.
        posing: how it is asked.
        metadata: whether it reads authors and venue: the shipped one is then that which does.
        progress: told after every query.
    """
    shipped = shipped_ranker(metadata=metadata)
    plain = Posing(stage_one=StageOne(shipped.searches), engine=posing.engine)
    one = per_query(ask(own, collection, queries, posing, progress))
    other = per_query(ask(shipped, collection, queries, plain, progress))
    drawn = draw(len(queries), rng=np.random.default_rng(0), samples=1000)
    measures = [average(each, drawn) for each in (one, other)]
    figures = [{name: each[name] for name in (F1, "MRR")} for each in measures]
    difference = pooled_f1_gain(one, other, drawn, F1)
    seen = (shipped.folder and SeenQueries.load(shipped.folder)) or SeenQueries()
    known = sum(query in seen.train | seen.dev for query in digests(collection, queries))
    return Trial(len(queries), figures[0], figures[1], difference, known)


def ask(
    ranker: FittedRanker | TreeRanker,
    collection: Collection,
    queries: Rows,
    posing: Posing,
    progress: Progress = silent,
) -> list[Judged]:
    """Judge what a ranker answers to the query rows, by the features that it knows."""
    table = collect(
        collection,
        queries,
        (ranker.first or ranker).feature_names,
        progress=progress,
        stage="computing test features",
        posing=looking_again(ranker.first, posing),
    )
    score = ranker.predict if isinstance(ranker, FittedRanker) else ranker.score
    return judge(table.scored(score), table)


def looking_again(first: FittedRanker | TreeRanker | None, posing: Posing) -> Posing:
    """Pose queries for a ranker that reads the chances of a first one; None: for one that does not.

    The first one must not have learned from the queries.
    """
    if first is None:
        return posing
    return replace(posing, chances=lambda start, features: first.chances(features))


def shipped_ranker(*, metadata: bool) -> TreeRanker:
    """Open the ranker that comes with the package."""
    data = Path(str(resources.files("recsys"))) / "data"
    return TreeRanker.load(ranker_folder(data, metadata=metadata))


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """metadata: whether authors and venue may be read.

    candidates: what they come from, see `sources.SEARCHES`; None: all that the index has.
    nnselect_features: whether the features of NNSelect are read. They are not by default, since
    they bring nothing on dev beyond NNSelect's candidates, in whose prior its cosine is already.
    engine: computes features, where NNSelect takes no part; None: this process.
    start: what the ranker begins with. SCRATCH: nothing. SHIPPED: the ranker that comes with the
    package, whose networks learn on, see `learn_on`; it brings its candidates and its two looks.
    None: SCRATCH where a split is given or has FEWEST_TRAIN train queries, else SHIPPED.
    folds: of the train and dev queries; the mean of rankers answers, each of which learns from all
    folds but one. 1: one ranker learns from the train queries, and dev only stops and calibrates
    it, so that it can be tried there. None: as many as the passes need.
    passes: 1, or 2: a second ranker looks at what a first one puts on top. It takes folds.
    """

    metadata: bool = True
    seed: int = 0
    candidates: tuple[str, ...] | None = None
    nnselect_features: bool = False
    engine: Engine | None = None
    folds: int | None = None
    passes: int = 1
    start: str | None = None

    def __post_init__(self) -> None:
        if self.start is not None:
            check_name(self.start, STARTS, "start")
        if self.start == SHIPPED and self.from_nothing:
            raise InputError(
                f"The shipped ranker takes no {self.from_nothing[0]}.",
                f"Leave that out, or start from {SCRATCH}.",
            )
        if self.passes not in (1, 2):
            raise InputError(f"A ranker does not look {self.passes} times.", "Give 1 or 2 passes.")
        if self.folds is not None and self.folds < 1:
            raise InputError(f"There are no {self.folds} folds.", "Give 1 or more.")
        if self.passes > 1 and self.folds == 1:
            raise InputError(
                "A second look learns from rankers that have not seen a query; with one fold there "
                "are none.",
                "Give 2 folds or more, or 1 pass.",
            )

    @property
    def from_nothing(self) -> tuple[str, ...]:
        """Name what is asked for that only a ranker from scratch can have."""
        asked = {
            "candidates": self.candidates is not None,
            "NNSelect's features": self.nnselect_features,
            "folds": self.folds is not None,
            "passes": self.passes > 1,
        }
        return tuple(name for name, given in asked.items() if given)

    @property
    def parts(self) -> int:
        """How many folds there are."""
        alone = self.passes == 1 and self.start != SHIPPED
        return self.folds or (1 if alone else FOLDS)


def started(options: TrainOptions, chosen: ChosenSplit, *, made: bool) -> TrainOptions:
    """Choose what the ranker starts from. made: whether the split was, of all queries there are.

    Raises:
        NothingFound: there are too few queries to learn anything from.
        InputError: something is asked for that too few queries cannot teach.
    """
    if options.start is not None or not made or len(chosen.split.train) >= FEWEST_TRAIN:
        return replace(options, start=options.start or SCRATCH)
    if len(chosen.split.train) < FEWEST_TUNED:
        raise NothingFound(
            f"There are too few queries to train on: {chosen.sizes()}, by year. With fewer than "
            f"{FEWEST_TUNED}, the shipped ranker is not even fine-tuned: it answers as it is.",
            "Add papers that cite each other (`recsys update`), or train anyway with --start.",
        )
    if options.from_nothing:
        raise InputError(
            f"There are {len(chosen.split.train)} queries to train on; with fewer than "
            f"{FEWEST_TRAIN}, the shipped ranker is fine-tuned, which takes no "
            f"{options.from_nothing[0]}.",
            f"Leave that out, or insist by --start {SCRATCH}.",
        )
    return replace(options, start=SHIPPED)


UnseenViews: TypeAlias = Callable[..., Callable[[int], Collection]]
"""Shows each train query a collection whose NNSelect has not learned from it.

Called with the index, its collection, the (train, dev) rows and `progress=`; gives the view of a
row. How such models are trained is a matter of the study that trains NNSelect; the roof brings both
together.
"""


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
        MissingExtraError: LightGBM is not installed.
    """
    need_trees()
    with writing(index, wait=wait, progress=progress) as writer:
        # What it opened is closed when it returns: then the former generation can go.
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
    lesson = _Lesson.of(collection, chosen.split, options, unseen, progress)
    if split is None:
        lesson.check_test(chosen.split)
    trained = lesson.train(options, progress)
    folder = ranker_folder(writer.index, metadata=options.metadata)
    report = report_on(trained, folder)
    searches = lesson.posings[0].stage_one.searches
    facts = {
        "options": {
            "metadata": options.metadata,
            "seed": options.seed,
            **({"start": SHIPPED} if options.start == SHIPPED else {}),
            **({"folds": options.parts} if options.parts > 1 else {}),
            **({"passes": options.passes} if options.passes > 1 else {}),
        },
        "candidates": list(searches),
        "nnselect": None if lesson.nnselect is None else lesson.nnselect.fingerprint,
        UNTIL: newest_year(collection, *lesson.queries),
        "train_queries": fingerprint(sorted(chosen.split.train)),
        "dev": {"f1": report.f1, "mrr": report.mrr, "ece": report.calibration_error},
    }
    trusting = learned_by_encoder(collection, [*chosen.split.train, *chosen.split.dev])
    told = [*chosen.told, *filter(None, [trusting])]
    if split is None:  # The test queries are asked as those of dev are.
        rows, metadata = collection.corpus.rows(chosen.split.part(TEST)), options.metadata
        posing, ranker = lesson.posings[1], trained.ranker
        trial = try_ranker(lesson.collection, rows, ranker, posing, metadata, progress)
        told += trial.lines()
        facts["test"] = trial.facts()
    with writer.member(folder.name) as new:
        chosen.save(new / SPLIT_FILE)
        seen = lesson.seen(options)
        trained.ranker.save(new, seen, origin="its own ranker", facts=facts, text=True)
    saved = ranker_folder(in_force(writer.index), metadata=options.metadata)
    return replace(report, folder=saved, candidates=searches, told=tuple(told))


@dataclass(frozen=True, slots=True)
class _Lesson(Lesson):
    """nnselect: the model whose vectors take part, if it does."""

    nnselect: NNSelectModel | None = None

    @classmethod
    def of(
        cls,
        collection: Collection,
        split: Split,
        options: TrainOptions,
        unseen: UnseenViews | None,
        progress: Progress,
    ) -> "_Lesson":
        """Pose the queries; train queries meet an NNSelect that has not learned from them."""
        train, dev = (collection.corpus.rows(split.part(part)) for part in (TRAIN, DEV))
        folder = collection.folder / NNSELECT
        searches = tuple(name for name in SEARCHES if name in USUAL or folder.exists())
        if options.candidates is not None:
            searches = check_searches(options.candidates)
        if options.start == SHIPPED:
            searches = USUAL
        seeded = Posing(seeded=True, stage_one=StageOne(searches), engine=options.engine)
        posings = seeded, replace(seeded, seeded=False)
        if NNSELECT not in searches and not options.nnselect_features:
            return cls(collection, (train, dev), posings)
        model = NNSelectModel.load(folder, len(collection.corpus))
        if unseen is None:
            raise InputError(
                f"NNSelect in {collection.folder} has learned from the train queries.",
                "Give `unseen`, which trains others for them, or name candidates without nnselect.",
            )
        check_ranker(folder, collection, DEV, split.dev, what=NNSELECT)
        view = unseen(collection.folder, collection, (train, dev), progress=progress)
        whole = replace(collection, nnselect=nnselect_space(model.vectors))
        return cls(whole, (train, dev), (replace(posings[0], view=view), posings[1]), model)

    def check_test(self, split: Split) -> None:
        """Refuse, before hours of work, to try the ranker on what other models have seen."""
        check_encoder(self.collection, TEST, split.part(TEST))
        if self.nnselect is not None:
            folder = self.collection.folder / NNSELECT
            check_ranker(folder, self.collection, TEST, split.part(TEST), what=NNSELECT)

    def train(self, options: TrainOptions, progress: Progress) -> TrainedRanker:
        """Train from scratch, once or for a second look, too; or let the shipped one learn on."""
        if options.start == SHIPPED:
            shipped = shipped_ranker(metadata=options.metadata)
            train, dev = (looking_again(shipped.first, posing) for posing in self.posings)
            names = (shipped.first or shipped).feature_names
            lesson = replace(self, posings=(train, dev))
            table, trained, _ = pose_together([lesson], names, progress)
            ranker, seed = FittedRanker.of(shipped), options.seed
            return learn_on(ranker, table, trained, seed=seed, progress=progress)
        return teach_lessons(
            [self],
            feature_names(metadata=options.metadata, nnselect=options.nnselect_features),
            passes=options.passes,
            seed=options.seed,
            folds=options.parts,
            progress=progress,
        )

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


def newest_year(collection: Collection, *queries: Rows) -> int | None:
    """Return the year of the newest of some papers, None where none is known."""
    years = [int(collection.graph.years[rows].max()) for rows in queries if len(rows)]
    newest = max(years, default=UNKNOWN_YEAR)
    return None if newest == UNKNOWN_YEAR else newest
