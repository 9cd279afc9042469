"""Worlds to simulate clicks in, out of a corpus: relevant is what was cited together afterwards.

The corpus is cut at a year. What was known before that year asks, describes and ranks: queries and
pools are older papers, and a paper's record lists only older papers as citing it. What came since
judges: two papers are related by the number of papers of that year or later that cite both. So no
ranker can read an answer off the records, though past co-citations, which these do show, foretell
later ones to some extent.

With c such papers, the chance that somebody who examines a paper clicks it is

    FLOOR + (1 - FLOOR) * (1 - (1 - CLICK) ** c):

each of the c gives reason enough with the chance CLICK; FLOOR is that of a click without any.

SciDocs' recommendation task is simulated in such a world, as a folder in its layout:

    recomm/  paper_metadata_recomm.json    as `eval.studies.clicks.recommendation_task` reads them
    embeddings.jsonl                       of every paper, as SPECTER writes them
    clicks.jsonl.gz                        every list that was shown, clicked or not
    truth.json                             {"scores": [...], "relevance": {query: {paper: ...}}}

The clicks of the task are on lists of the production ranker. `clicks.jsonl.gz` has these, and after
them two experiments on train queries: lists of the production ranker with swaps, and lists of all
rankers. The propensities of the task are estimated from the swaps, as SciDocs' own were; the true
ones are in `truth.json`, with each paper's chance to be clicked by those who examine it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from pathlib import Path

import numpy as np

from recsys.errors import InputError, check_name
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
SHARES = (0.6, 0.15)
"""Of the queries, train and validation; the rest is to test on."""
CLICK, FLOOR = 0.3, 0.02
"""Chances of a click: see above."""
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
    of citations.
    """

    queries: int = 2000
    pool: int = 10
    reach: int = 30
    related: int = 2
    cut: int | None = None


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
    collection: Collection, options: WorldOptions, *, rng: np.random.Generator
) -> CorpusWorld:
    """Draw queries and their pools from a corpus.

    Raises:
        InputError: too few papers have enough related ones to fill the three parts.
    """
    corpus, graph = collection.corpus, collection.graph
    cut = median_year(graph) if options.cut is None else options.cut
    asked = list(islice(_questions(collection, cut, options, rng), options.queries))
    first, second = (round(len(asked) * share) for share in np.cumsum(SHARES))
    groups = (asked[:first], asked[first:second], asked[second:])
    if not all(groups):
        raise InputError(
            f"Only {len(asked)} papers older than {cut} have {options.pool} papers around "
            f"them of which {options.related} were cited together with them since.",
            "Take a corpus with more citations, or another year to cut it at.",
        )
    rows = np.unique([row for each in asked for row in (each.row, *each.pool)]).astype(np.int32)

    def ids(rows: Rows) -> tuple[str, ...]:
        return tuple(corpus.ids[row] for row in rows.tolist())

    parts = {}
    for part, group in zip(PARTS, groups, strict=True):
        chance = 1 - (1 - CLICK) ** np.array([each.since for each in group])
        # Columns are in ascending order of paper id, so a stable sort breaks ties as everywhere.
        orders = np.argsort([-each.scores for each in group], axis=2, kind="stable")
        parts[part] = World(
            queries=ids(np.array([each.row for each in group], np.int32)),
            papers=ids(rows),
            pool=np.searchsorted(rows, [each.pool for each in group]).astype(np.int32),
            relevance=np.asarray(FLOOR + (1 - FLOOR) * chance, np.float64),
            rankings={name: orders[:, number] for number, name in enumerate(RANKERS)},
        )
    records = {
        paper.id: RelatedPaper(
            paper.title,
            paper.year,
            frozenset(paper.authors),
            frozenset(ids(graph.cites[row])),
            frozenset(ids(_citers(graph, row, cut))),
        )
        for row, paper in zip(rows.tolist(), corpus.full_papers(rows), strict=True)
    }
    return CorpusWorld(
        cut, parts, records, Embeddings(ids(rows), np.array(collection.vectors[rows]))
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


def _citers(graph: CitationGraph, row: int, before: int) -> Rows:
    return graph.citers(np.array([row], np.int32), before)[1]


def _questions(
    collection: Collection, cut: int, options: WorldOptions, rng: np.random.Generator
) -> Iterator[_Question]:
    """Pick queries in an order drawn by chance, as many as have enough related papers."""
    graph, vectors = collection.graph, collection.vectors
    everything = np.arange(len(graph.years), dtype=np.int32)
    known = everything[graph.older(everything, cut)]
    for row in rng.permutation(known).tolist():
        others = known[known != row]
        since = co_citations(graph, row, cut, LATE)
        if np.count_nonzero(since[others]) < options.related:
            continue
        cosines = np.asarray(vectors @ vectors[row], np.float64)
        co_cited = co_citations(graph, row, 0, cut).astype(np.float64)
        # References shared with each paper, and 1 if either cites the other.
        direct = np.union1d(graph.cites[row], _citers(graph, row, cut))
        _, sharing = graph.citers(graph.cites[row], cut)
        linked = np.bincount(np.append(direct, sharing), minlength=len(graph.years)).astype(float)
        drawn = []
        for scores in (cosines, co_cited, linked):  # Those above 0, ties by ascending row.
            best = np.argsort(-scores[others], kind="stable")[: options.reach]
            drawn.append(rng.permutation(others[best[scores[others[best]] > 0]]))
        in_turn = (each for turn in zip_longest(*drawn) for each in turn if each is not None)
        pool = np.array(sorted(islice(dict.fromkeys(in_turn), options.pool)), np.int32)
        if len(pool) == options.pool and np.count_nonzero(since[pool]) >= options.related:
            scored = graph.in_counts(pool, cut), cosines[pool], (co_cited + linked)[pool]
            yield _Question(row, pool, since[pool], np.array(scored))


EMBEDDINGS, CLICKS, TRUTH = "embeddings.jsonl", "clicks.jsonl.gz", "truth.json"
_SERVED = Policy((PRODUCTION,), DEPTH)
_EXPERIMENTS = (Policy((PRODUCTION,), DEPTH, swaps=True), Policy(depth=DEPTH))


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """What is simulated.

    readers: how they click, a name of `simulation.CLICK_MODELS`. eta: strength of their position
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
    options: SimulationOptions,
    *,
    rng: np.random.Generator,
) -> RecommendationTask:
    """Write a simulated task, in place of an earlier one. The same `rng` gives the same files.

    Raises:
        InputError: the folder holds something else, there are no such readers, the corpus has too
            few related papers, or too little is simulated.
    """
    check_out(folder, TRUTH, "simulated task")
    check_name(options.readers, CLICK_MODELS, "kind of readers")
    model = CLICK_MODELS[options.readers](DEPTH, options.eta)
    world = world_of(collection, options.world, rng=rng)
    train = world.parts["train"]
    # Impressions are shared out by the number of queries, at least one to each part.
    sizes = np.array([len(own.queries) for own in world.parts.values()])
    ends = np.round(np.cumsum(sizes) / sizes.sum() * options.impressions).astype(int)
    shares = [max(1, int(share)) for share in np.diff(ends, prepend=0)]
    shown = {
        part: simulate(own, model, share, rng=rng, policy=_SERVED)
        for (part, own), share in zip(world.parts.items(), shares, strict=True)
    }
    swaps, rankers = (
        simulate(train, model, options.trials, rng=rng, policy=policy) for policy in _EXPERIMENTS
    )
    estimated = estimate(swaps, METHODS["swap"], rng=rng)
    task = RecommendationTask(**shown, papers=world.records, propensities=estimated)
    relevance = {
        query: {own.papers[paper]: chance for paper, chance in zip(pool, chances, strict=True)}
        for own in world.parts.values()
        for query, pool, chances in zip(
            own.queries, own.pool.tolist(), own.relevance.tolist(), strict=True
        )
    }
    truth = {
        "scores": true_propensities(train, model, _SERVED).tolist(),
        "method": "truth",
        "readers": options.readers,
        "eta": options.eta,
        "cut": world.cut,
        "relevance": relevance,
    }
    logs = (*shown.values(), swaps, rankers)
    with replacing(folder) as new:
        write_task(new, task)
        write_embeddings(new / EMBEDDINGS, world.embeddings)
        every = chain.from_iterable(log.impressions() for log in logs)
        write_clicks(new / CLICKS, ClickLog.of(every))
        write_json(new / TRUTH, truth)
    return task
