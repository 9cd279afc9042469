"""Train a local ranker: which paper belongs to which sentence, learned from citing sentences.

Each sentence is a query of its own, posed as its author might have: with nothing but itself, with
the draft's title, or with all else that the draft cites; with names and years in it or without.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.errors import DraftError, InputError, NothingFound, SplitError
from recsys.eval.measures import summarise
from recsys.eval.significance import expected_calibration_error
from recsys.indexes.opening import open_collection, with_contexts
from recsys.local.local_features import LOCAL_FEATURES, compute_local
from recsys.local.local_recommender import BESIDE, LOCAL_RANKER, PassageReader, name_of
from recsys.local.passage import ContextUse
from recsys.machine import one_thread
from recsys.models.encoder import SeenQueries
from recsys.pipelines.evaluation.leakage import learned_by_encoder
from recsys.pipelines.evaluation.splits import read_citing
from recsys.pipelines.jobs.engines import ProcessPool, Stage
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.jobs.kept_results import OpenIndex
from recsys.pipelines.local.local_queries import (
    KNOWN,
    LocalQueries,
    LocalQuery,
    beside,
    local_queries,
    lots,
    pose_query,
    references_of,
)
from recsys.pipelines.ranking.fit_ranker import FittedRanker, calibrate, fit, need_trees
from recsys.pipelines.ranking.training_table import TrainingTable, judge
from recsys.protocols import Progress, silent
from recsys.records import Context, PaperId
from recsys.store.arrays import Floats, top_k
from recsys.store.collection import Collection
from recsys.store.vectors import dot_cache

# Examples for the local ranker: the candidates of many passages, their features, and the gold.

RAW = 0.3
"""So many of the queries keep names and years: they tell most, where there are any."""

READ = 0.5
"""So many of them read contexts, where there are any."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a query is posed: what is known beside the sentence, and whether names are taken out.

    contexts: which citing sentences may be read; in examples never all, see `ContextUse`.
    """

    known: str
    masked: bool
    contexts: ContextUse = ContextUse.HIDDEN

    def __str__(self) -> str:
        """Name it, as in reports."""
        way = f"{self.known}, {'masked' if self.masked else 'as printed'}"
        return way if self.contexts is ContextUse.HIDDEN else f"{way}, with contexts"


@dataclass(frozen=True, slots=True)
class Example:
    """A query's candidates. features: (m, f) float32. relevant: (m,) int8. gold: how many."""

    way: Way
    features: Floats
    relevant: NDArray[np.int8]
    gold: int


def drawn_way(query: LocalQuery, *, seed: int, contexts: bool = False) -> Way:
    """Draw how a query is posed, so that one ranker learns all ways.

    contexts: whether the corpus has any; half of the queries then read them.
    """
    chance = lots(seed, f"{query.citing} {query.text}")
    known, masked = KNOWN[int(chance.integers(len(KNOWN)))], bool(chance.random() >= RAW)
    read = contexts and bool(chance.random() < READ)
    return Way(known, masked, ContextUse.ONLY if read else ContextUse.HIDDEN)


def table_of(examples: Sequence[Example]) -> TrainingTable:
    """Put examples one after the other."""
    return TrainingTable(
        np.concatenate([each.features for each in examples]),
        np.concatenate([each.relevant for each in examples]),
        np.array([len(each.relevant) for each in examples], np.int32),
        np.array([each.gold for each in examples], np.int32),
    )


def _maker(open_index: OpenIndex, index: Path, seed: int) -> Callable[[LocalQuery], Example | None]:
    """Open the index in a worker; return what makes an example there."""
    recommender = open_index(index, metadata=True)
    collection = with_contexts(recommender.collection)
    reader = PassageReader(replace(recommender, collection=collection))
    contexts = collection.contexts is not None
    return lambda query: example(reader, query, drawn_way(query, seed=seed, contexts=contexts))


def example(reader: PassageReader, query: LocalQuery, way: Way) -> Example | None:
    """Pose a query and compute the features of its candidates; None if nothing can be asked.

    What the same sentence cites besides the gold is neither right nor wrong: it is left out.
    """
    collection, works = reader.collection, reader.works
    posed = pose_query(
        collection, works, query, way.known, masked=way.masked, contexts=way.contexts
    )
    try:
        with one_thread(), dot_cache():
            facts = reader.facts(posed.draft, posed.passage)
            features = compute_local(facts, LOCAL_FEATURES)
    except DraftError:  # Nothing is left of a sentence that was all names.
        return None
    relevant = np.isin(facts.rows, query.gold).astype(np.int8)
    others = beside(collection, works, query, references_of(collection, query))
    kept = ~np.isin(facts.rows, collection.corpus.rows(others))
    if not kept.any():
        return None
    return Example(way, features[kept], relevant[kept], len(query.gold))


FEWEST = 100
"""Sentences to train on, and to stop and calibrate on, without which there is nothing to learn."""
SHOWN = 10
"""Papers of each answer whose probabilities are calibrated: those that a person may look at."""
MEASURES = ("R@10", "MRR")


@dataclass(frozen=True, slots=True)
class LocalParts:
    """Sentences to train on, and those of other papers to stop and calibrate on.

    told: how they were chosen, and what was left out.
    """

    train: tuple[LocalQuery, ...]
    dev: tuple[LocalQuery, ...]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalTraining:
    """How a local ranker is trained. per_paper: sentences of each citing paper at most."""

    per_paper: int = 2
    seed: int = 0
    wait: bool = False


@dataclass(frozen=True, slots=True)
class LocalTrainReport:
    """What was trained, and how good it is on dev.

    figures: way of asking -> measures. error: expected calibration error of the ten papers that are
    shown, calibrated on the other half of dev.
    """

    sentences: int
    trees: int
    figures: Mapping[str, str]
    error: float
    told: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it to people."""
        return [
            f"Trained {self.trees} trees on {self.sentences:,} sentences.",
            *(f"On dev, {way}: {figure}." for way, figure in self.figures.items()),
            f"Calibration error of the {SHOWN} papers shown: {self.error:.4f} (cross-fitted).",
            *self.told,
        ]


@dataclass(frozen=True, slots=True)
class LocalSchool:
    """Examples of an index to learn from, and what a ranker will have seen of it.

    beside: the name of the ranker of drafts whose scores are in the examples.
    """

    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    seen: SeenQueries
    beside: str | None

    def fit(
        self, *, seed: int, progress: Progress = silent
    ) -> tuple[FittedRanker, LocalTrainReport]:
        """Train on the train examples, stop and calibrate on those of dev."""
        train, dev = table_of(self.train), table_of(self.dev)
        fitted = fit(train, dev, LOCAL_FEATURES, seed=seed, progress=progress)
        # Of the papers that are shown: the many others would drown them.
        scores, chances_of = calibrate(*_shown(fitted, self.dev))
        fitted = replace(fitted, scores=scores, probabilities=chances_of)
        figures = {}
        for way in sorted({str(each.way) for each in self.dev}):
            own = [each for each in self.dev if str(each.way) == way]
            table = table_of(own)
            judged = judge(table.scored(fitted.predict), table)
            found = summarise(judged, rng=np.random.default_rng(0), samples=1)
            measured = ", ".join(f"{name} {found[name].value:.3f}" for name in MEASURES)
            figures[way] = f"{measured} ({len(own):,} sentences)"
        # Calibrate on every other example, measure the error on the rest, both ways.
        halves = [_shown(fitted, self.dev[side::2]) for side in (0, 1)]
        chances = [
            np.interp(mine[0], *calibrate(*other))
            for mine, other in zip(halves, halves[::-1], strict=True)
        ]
        relevant = np.concatenate([half[1] for half in halves])
        error = expected_calibration_error(np.concatenate(chances), relevant)
        trees = fitted.booster.num_trees()
        return fitted, LocalTrainReport(len(self.train), trees, figures, error)


def school_of(
    open_index: OpenIndex,
    index: Path,
    collection: Collection,
    parts: LocalParts,
    options: LocalTraining,
    progress: Progress,
) -> LocalSchool:
    """Pose each sentence of an index in a way drawn for it, in parallel, in their order.

    Raises:
        NothingFound: there are too few.
    """
    drawn = {
        part: LocalQueries(queries).at_most(options.per_paper, seed=options.seed).queries
        for part, queries in (("train", parts.train), ("dev", parts.dev))
    }
    if min(map(len, drawn.values())) < FEWEST:
        raise NothingFound(
            f"There are {len(drawn['train']):,} sentences to train on, {len(drawn['dev']):,} for "
            f"dev; with fewer than {FEWEST} of either, nothing is trained.",
            "Give more sentences or other years; until then, the shipped ranker answers.",
        )
    rows = {
        part: np.unique(np.array([each.citing for each in queries], np.int32))
        for part, queries in drawn.items()
    }
    examples = []
    for part, queries in drawn.items():
        stage, made = f"computing {part} features", dict[int, Example | None]()
        work = Stage(stage, partial(_maker, open_index, index, options.seed))
        progress(stage, 0, len(queries))
        for at, one in ProcessPool().map(work, queries):
            made[at] = one
            progress(stage, len(made), len(queries))
        in_order = (made[at] for at in range(len(queries)))
        examples.append(tuple(each for each in in_order if each is not None))
    seen = SeenQueries.of(collection, **rows)
    train, dev = examples
    return LocalSchool(train, dev, seen, name_of(open_index(index).ranker))


def train_local(
    index: Path,
    divide: Callable[[Collection], LocalParts],
    options: LocalTraining,
    *,
    open_index: OpenIndex,
    progress: Progress = silent,
) -> LocalTrainReport:
    """Train an index's own local ranker.

    divide: chooses the sentences of the index, once nobody else can change it any more.

    Raises:
        NothingFound: there are too few sentences.
        InputError: none is of the papers of the index.
        ArtifactError: the index cannot be opened.
        InputError: another process changes the index.
        MissingExtraError: LightGBM is not installed.
    """
    need_trees()
    with writing(index, wait=options.wait, progress=progress) as writer:
        collection = open_collection(writer.index)
        parts = divide(collection)
        school = school_of(open_index, writer.index, collection, parts, options, progress)
        fitted, report = school.fit(seed=options.seed, progress=progress)
        with writer.member(LOCAL_RANKER) as new:
            save_local(fitted, new, school, report, origin="its own ranker", text=True)
    citing = np.unique([each.citing for each in (*parts.train, *parts.dev)])
    trusting = learned_by_encoder(collection, [collection.corpus.ids[row] for row in citing])
    told = (*parts.told, *filter(None, [trusting]), f"Saved in {index}.")
    return replace(report, told=told)


def save_local(
    fitted: FittedRanker,
    folder: Path,
    school: LocalSchool,
    report: LocalTrainReport,
    *,
    origin: str,
    text: bool,
) -> None:
    """Write a local ranker's folder."""
    facts = {"dev": {**report.figures, "ece": report.error}, BESIDE: school.beside}
    fitted.save(folder, school.seen, origin=origin, facts=facts, text=text, kind=LOCAL_RANKER)


def _shown(
    fitted: FittedRanker, examples: Sequence[Example]
) -> tuple[Floats, np.typing.NDArray[np.int8]]:
    """Return the scores of the papers that are shown, and whether they are right."""
    scores, relevant = [], []
    for each in examples:
        given = fitted.predict(each.features)
        best = top_k(given, SHOWN)
        scores.append(given[best])
        relevant.append(each.relevant[best])
    return np.concatenate(scores), np.concatenate(relevant)


# Choose by which sentences a local ranker learns, and on which it is measured.

TEST, DEV = 0.2, 0.1
"""Shares of the sentences that are left for test, and that a ranker stops and is calibrated on."""


@dataclass(frozen=True, slots=True)
class Division:
    """How contexts are divided, whatever index they belong to.

    split: its train and dev papers are the citing ones. until: the last year of the citing papers
    to train on, and of dev. Without either, `usual_years` chooses the years.
    """

    contexts: tuple[Context, ...] = field(repr=False)
    split: Path | None = None
    until: tuple[int, int] | None = None

    def parts(self, collection: Collection) -> LocalParts:
        """Divide the contexts between papers of a corpus.

        Raises:
            InputError: none is, or there are too few years to choose among.
            SplitError: the split is unreadable, or of another corpus.
        """
        found = local_queries(collection, self.contexts)
        if self.split is not None:
            ids, how = read_citing(self.split, collection), f"By {self.split.name}"
            train, dev = (of_papers(found, collection, ids[part]) for part in ("train", "dev"))
        else:
            last, of_dev = self.until or usual_years(collection, found)
            how = f"Train until {last}, dev until {of_dev}"
            train = found.of_years(collection, 0, last).queries
            dev = found.of_years(collection, last + 1, of_dev).queries
        sizes = f"{len(train):,} sentences to train on, {len(dev):,} for dev"
        left = len(found.queries) - len(train) - len(dev)
        told = (f"{how}: {sizes}, {left:,} left for test.", *found.lines())
        return LocalParts(train, dev, told)


def of_papers(
    found: LocalQueries, collection: Collection, ids: Sequence[PaperId]
) -> tuple[LocalQuery, ...]:
    """Return the sentences by some papers."""
    rows = set(collection.corpus.rows(ids).tolist())
    return tuple(each for each in found.queries if each.citing in rows)


def usual_years(collection: Collection, found: LocalQueries) -> tuple[int, int]:
    """Choose the last years of train and dev so that the newest sentences are left for test.

    Raises:
        InputError: the citing papers are of fewer than three years.
    """
    counts = Counter(int(collection.corpus.years[each.citing]) for each in found.queries)
    years = sorted(counts)
    if len(years) < 3:
        raise InputError(
            f"The citing papers are of {len(years)} {'year' if len(years) == 1 else 'years'}: too "
            "few to divide them by.",
            "Divide them by papers: --split FILE.",
        )
    total = sum(counts.values())
    shares = np.cumsum([counts[year] for year in reversed(years)]) / total
    newest = [*reversed(years)]
    test = int(np.argmin(np.abs(shares[:-2] - TEST)))
    dev = test + 1 + int(np.argmin(np.abs(shares[test + 1 : -1] - shares[test] - DEV)))
    return newest[dev + 1], newest[test + 1]


def of_part(found: LocalQueries, collection: Collection, split: Path, part: str) -> LocalQueries:
    """Keep the sentences of a split's papers.

    Raises:
        SplitError: the split is unreadable or of another corpus, or no sentence is of its papers.
    """
    ids = read_citing(split, collection)[part]
    queries = of_papers(found, collection, ids)
    if not queries:
        raise SplitError(
            f"No sentence is by one of the {len(ids):,} {part} papers of {split}.",
            "Give contexts of these papers, or another part.",
        )
    return replace(found, queries=queries)
