"""Worlds to simulate clicks in, out of a corpus: relevant is what was cited together afterwards.

The corpus is cut at a year. What was known before that year asks, describes and ranks: queries and
pools are older papers, and a paper's record lists only older papers as citing it. What came since
judges: two papers are related by the number of papers of that year or later that cite both. So no
ranker can read an answer off the records, though past co-citations, which these do show, foretell
later ones to some extent.

With c such papers, the chance that somebody who examines a paper clicks it is

    floor + (1 - floor) * (1 - (1 - click) ** c):

each of the c gives reason enough with the chance `click`; `floor` is that of a click without any.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from pathlib import Path

import numpy as np

from recsys.errors import InputError, near_miss
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog, write_clicks
from recsys.eval.studies.clicks.propensities import METHODS, estimate
from recsys.eval.studies.clicks.recommendation_task import (
    RecommendationTask,
    RelatedPaper,
    write_task,
)
from recsys.eval.studies.clicks.simulation import (
    CLICK_MODELS,
    ClickModel,
    Policy,
    World,
    simulate,
    true_propensities,
)
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.pipelines.jobs.kept_results import check_out
from recsys.store.arrays import Longs, Rows
from recsys.store.artifacts import replacing, write_json
from recsys.store.collection import Collection
from recsys.store.graph import LATE, UNKNOWN_YEAR, CitationGraph

DEPTH = 10
"""Papers that readers are shown."""
PARTS = ("train", "validation", "test")
PRODUCTION = "citations"
"""The ranker that serves readers: the most cited first, a feature that learners see as well."""
RANKERS = (PRODUCTION, "embedding", "links")
"""By citations, by embedding cosine, and by links: shared references and citers, direct citations.

All as of the cut. That they disagree is what harvesting interventions lives on.
"""


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """How a corpus becomes a world.

    queries: how many at most. pool: papers that can be shown for each. reach: from how many of the
    best by embedding, by past co-citation and by links a pool is drawn. related: fewest papers of a
    pool that were cited together with the query since. cut: the year; None takes the median year
    of citations. click, floor: see above. shares: of the queries, train and validation.
    """

    queries: int = 2000
    pool: int = 10
    reach: int = 30
    related: int = 2
    cut: int | None = None
    click: float = 0.3
    floor: float = 0.02
    shares: tuple[float, float] = (0.6, 0.15)

    def __post_init__(self) -> None:
        if min(self.queries, self.pool - 1, self.reach, self.related) < 1:
            raise InputError(
                f"A world of {self.queries} queries with pools of {self.pool}, drawn from the best "
                f"{self.reach}, {self.related} of them related, was asked for.",
                "Ask for one of each at least, and two papers in a pool.",
            )
        if not (0 < self.click < 1 and 0 <= self.floor < 1):
            raise InputError(
                f"click is {self.click} and floor {self.floor}.",
                "Both are chances: above 0 or at least 0, and below 1.",
            )
        if min(*self.shares, 1 - sum(self.shares)) <= 0:
            raise InputError(
                f"The shares of train and validation are {self.shares}.",
                "They are above 0, and leave something to test on.",
            )


@dataclass(frozen=True, slots=True)
class CorpusWorld:
    """A corpus as it was known before a year, and what its queries turned out to be related to.

    parts: "train", "validation", "test" -> their world, no query in two of them; all have the same
    `papers`. records, embeddings: of these papers.
    """

    cut: int
    parts: Mapping[str, World]
    records: Mapping[str, RelatedPaper]
    embeddings: Embeddings


def world_of(
    collection: Collection, options: WorldOptions | None = None, *, rng: np.random.Generator
) -> CorpusWorld:
    """Draw queries and their pools from a corpus.

    Raises:
        InputError: too few papers have enough related ones to fill the three parts.
    """
    chosen = options or WorldOptions()
    past = _Past(collection, median_year(collection.graph) if chosen.cut is None else chosen.cut)
    asked = list(islice(_questions(past, chosen, rng), chosen.queries))
    first, second = (round(len(asked) * share) for share in np.cumsum(chosen.shares))
    groups = (asked[:first], asked[first:second], asked[second:])
    if not all(groups):
        raise InputError(
            f"Only {len(asked)} papers older than {past.cut} have {chosen.pool} papers around "
            f"them of which {chosen.related} were cited together with them since.",
            "Take a corpus with more citations, or another year to cut it at.",
        )
    rows = np.unique([row for each in asked for row in (each.row, *each.pool)]).astype(np.int32)
    return CorpusWorld(
        past.cut,
        {
            part: _world(past, group, rows, chosen)
            for part, group in zip(PARTS, groups, strict=True)
        },
        past.records(rows),
        Embeddings(past.ids(rows), np.array(collection.vectors[rows])),
    )


@dataclass(frozen=True, slots=True)
class _Question:
    """A query's row and those of its pool, ascending: (p,).

    since: (p,) int64, co-citations since the cut. scores: (rankers, p) float64.
    """

    row: int
    pool: Rows
    since: Longs
    scores: Doubles


def median_year(graph: CitationGraph) -> int:
    """Return the median year of the papers that cite, one for each citation.

    Raises:
        InputError: no citation has a date.
    """
    years = np.sort(graph.years[graph.cited_by.values])
    dated = years[years != UNKNOWN_YEAR]
    if len(dated) == 0:
        raise InputError(
            "No paper of known year cites another one of the corpus.",
            "Take a corpus with citations: they tell which papers are related.",
        )
    return int(dated[len(dated) // 2])


def co_citations(graph: CitationGraph, row: int, begin: int, end: int) -> Longs:
    """Count for each paper the papers of begin <= year < end that cite both it and `row`: (n,).

    The paper itself counts 0.
    """
    one = np.array([row], np.int32)
    skipped, kept = (int(graph.in_counts(one, year)[0]) for year in (begin, end))
    _, cited = graph.references(graph.cited_by[row][skipped:kept])
    counts = np.bincount(cited, minlength=len(graph.years))
    counts[row] = 0
    return counts


@dataclass(frozen=True, slots=True)
class _Past:
    """A corpus as it was known before a year."""

    collection: Collection
    cut: int

    def rows(self) -> Rows:
        graph = self.collection.graph
        everything = np.arange(len(graph.years), dtype=np.int32)
        return everything[graph.older(everything, self.cut)]

    def ids(self, rows: Rows) -> tuple[str, ...]:
        return tuple(self.collection.corpus.ids[row] for row in rows.tolist())

    def cosines(self, row: int) -> Doubles:
        vectors = self.collection.vectors
        return np.asarray(vectors @ vectors[row], np.float64)

    def co_cited(self, row: int) -> Doubles:
        return co_citations(self.collection.graph, row, 0, self.cut).astype(np.float64)

    def linked(self, row: int) -> Doubles:
        """Count the references shared with each paper, and 1 if either cites the other: (n,)."""
        graph = self.collection.graph
        direct = np.union1d(graph.cites[row], self._citers(row))
        _, sharing = graph.citers(graph.cites[row], self.cut)
        return np.bincount(np.append(direct, sharing), minlength=len(graph.years)).astype(float)

    def records(self, rows: Rows) -> dict[str, RelatedPaper]:
        papers = self.collection.corpus.full_papers(rows)
        return {
            paper.id: RelatedPaper(
                paper.title,
                paper.year,
                frozenset(paper.authors),
                frozenset(self.ids(self.collection.graph.cites[row])),
                frozenset(self.ids(self._citers(row))),
            )
            for row, paper in zip(rows.tolist(), papers, strict=True)
        }

    def _citers(self, row: int) -> Rows:
        return self.collection.graph.citers(np.array([row], np.int32), self.cut)[1]


def _questions(past: _Past, options: WorldOptions, rng: np.random.Generator) -> Iterator[_Question]:
    """Pick queries in an order drawn by chance, as many as have enough related papers."""
    graph, known = past.collection.graph, past.rows()
    for row in rng.permutation(known).tolist():
        others = known[known != row]
        since = co_citations(graph, row, past.cut, LATE)
        if np.count_nonzero(since[others]) < options.related:
            continue
        cosines, co_cited, linked = past.cosines(row), past.co_cited(row), past.linked(row)
        drawn = (
            rng.permutation(_best(scores[others], others, options.reach))
            for scores in (cosines, co_cited, linked)
        )
        in_turn = (each for turn in zip_longest(*drawn) for each in turn if each is not None)
        pool = np.array(sorted(islice(dict.fromkeys(in_turn), options.pool)), np.int32)
        if len(pool) == options.pool and np.count_nonzero(since[pool]) >= options.related:
            scores = graph.in_counts(pool, past.cut), cosines[pool], (co_cited + linked)[pool]
            yield _Question(row, pool, since[pool], np.array(scores))


def _best(scores: Doubles, rows: Rows, count: int) -> Rows:
    """Return the rows with the highest scores above 0, at most `count`; ties by ascending row."""
    order = np.argsort(-scores, kind="stable")[:count]
    return rows[order[scores[order] > 0]]


def _world(past: _Past, asked: Sequence[_Question], rows: Rows, options: WorldOptions) -> World:
    chance = 1 - (1 - options.click) ** np.array([each.since for each in asked])
    # Columns are in ascending order of paper id, so a stable sort breaks ties as everywhere.
    orders = np.argsort([-each.scores for each in asked], axis=2, kind="stable")
    return World(
        queries=past.ids(np.array([each.row for each in asked], np.int32)),
        papers=past.ids(rows),
        pool=np.searchsorted(rows, [each.pool for each in asked]).astype(np.int32),
        relevance=np.asarray(options.floor + (1 - options.floor) * chance, np.float64),
        rankings={name: orders[:, number] for number, name in enumerate(RANKERS)},
    )


# SciDocs' recommendation task simulated: a folder in its layout, out of an index.
#
#     recomm/  paper_metadata_recomm.json    as `eval.studies.clicks.recommendation_task` reads them
#     embeddings.jsonl                       of every paper, as SPECTER writes them
#     clicks.jsonl.gz                        every list that was shown, clicked or not
#     truth.json                             {"scores": [...], "relevance": {query: {paper: ...}}}
#
# The clicks of the task are on lists of the production ranker. `clicks.jsonl.gz` has these, and
# after them two experiments on train queries: lists of the production ranker with swaps, and
# lists of all rankers. The propensities of the task are estimated from the swaps, as SciDocs' own
# were; the true ones are in `truth.json`, with each paper's chance to be clicked by those who
# examine it.

EMBEDDINGS, CLICKS, TRUTH = "embeddings.jsonl", "clicks.jsonl.gz", "truth.json"
_SERVED = Policy((PRODUCTION,), DEPTH)
_EXPERIMENTS = (Policy((PRODUCTION,), DEPTH, swaps=True), Policy(depth=DEPTH))


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """What is simulated.

    readers: how they click, a name of `click_models.CLICK_MODELS`. eta: strength of their position
    bias. impressions: lists of the production ranker, shared among the parts as the queries are;
    the default gives about as many clicks as SciDocs has. trials: lists of each experiment.
    """

    readers: str = "position"
    eta: float = 1.0
    impressions: int = 12_000
    trials: int = 20_000
    world: WorldOptions = field(default_factory=WorldOptions)


def simulate_task(
    collection: Collection,
    folder: Path,
    options: SimulationOptions | None = None,
    *,
    rng: np.random.Generator,
) -> RecommendationTask:
    """Write a simulated task, in place of an earlier one. The same `rng` gives the same files.

    Raises:
        InputError: the folder holds something else, there are no such readers, the corpus has too
            few related papers, or too little is simulated.
    """
    chosen = options or SimulationOptions()
    check_out(folder, TRUTH, "simulated task")
    model = _readers(chosen)
    world = world_of(collection, chosen.world, rng=rng)
    shown = {
        part: simulate(own, model, each, rng=rng, policy=_SERVED)
        for (part, own), each in zip(
            world.parts.items(), _shares(world.parts, chosen.impressions), strict=True
        )
    }
    swaps, rankers = (
        simulate(world.parts["train"], model, chosen.trials, rng=rng, policy=policy)
        for policy in _EXPERIMENTS
    )
    found = estimate(swaps, METHODS["swap"], rng=rng)
    task = RecommendationTask(**shown, papers=world.records, propensities=found)
    truth = {
        "scores": true_propensities(world.parts["train"], model, _SERVED).tolist(),
        "method": "truth",
        "readers": chosen.readers,
        "eta": chosen.eta,
        "cut": world.cut,
        "relevance": _relevance(world.parts),
    }
    with replacing(folder) as new:
        write_task(new, task)
        write_embeddings(new / EMBEDDINGS, world.embeddings)
        write_clicks(new / CLICKS, _together(*shown.values(), swaps, rankers))
        write_json(new / TRUTH, truth)
    return task


def _readers(options: SimulationOptions) -> ClickModel:
    if options.readers not in CLICK_MODELS:
        raise InputError(
            f"There are no readers {options.readers!r}.{near_miss(options.readers, CLICK_MODELS)}",
            f"Take one of {', '.join(CLICK_MODELS)}.",
        )
    return CLICK_MODELS[options.readers](DEPTH, options.eta)


def _shares(parts: Mapping[str, World], impressions: int) -> list[int]:
    """Share out the impressions by the number of queries, at least one to each part."""
    sizes = np.array([len(own.queries) for own in parts.values()])
    ends = np.round(np.cumsum(sizes) / sizes.sum() * impressions).astype(int)
    return [max(1, int(each)) for each in np.diff(ends, prepend=0)]


def _together(*logs: ClickLog) -> ClickLog:
    return ClickLog.of(chain.from_iterable(log.impressions() for log in logs))


def _relevance(parts: Mapping[str, World]) -> dict[str, dict[str, float]]:
    return {
        query: {own.papers[paper]: chance for paper, chance in zip(pool, chances, strict=True)}
        for own in parts.values()
        for query, pool, chances in zip(
            own.queries, own.pool.tolist(), own.relevance.tolist(), strict=True
        )
    }
