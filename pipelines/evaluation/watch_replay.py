"""Replay watches: would the papers of a draft's own year have been told that it came to cite?

Of each query dated Y, all that it cites of earlier years is known; then the papers of Y come, with
their reference lists. It is asked as of the end of Y, of a corpus that has never held the draft:
its own citations are taken out of the graph, and so those of Y can count without showing any of
them. Everything else keeps the rule of `query.make_query`, by which nothing of Y counts.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from recsys.errors import NothingFound
from recsys.eval.measures import Doubles, Interval, draw, interval, shares
from recsys.eval.report.tables import Table, cells, interval_cell, writers
from recsys.machine import one_thread
from recsys.pipelines.evaluation.leakage import check_encoder, check_ranker, folder_of
from recsys.pipelines.evaluation.splits import gold, read_split
from recsys.pipelines.jobs.kept_results import OpenIndex
from recsys.protocols import Progress, silent
from recsys.query.query import Query, draft_of, make_query
from recsys.recommend import Recommender
from recsys.records import PaperId
from recsys.store.arrays import Floats, Mask, Rows, top_k
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph
from recsys.store.vectors import dot_cache, dots

SCHEMA = "recsys.watch-evaluation/1"
DEPTH = 10
"""Papers that are judged of each ranking, and told at most at once."""
CUTOFFS = (5, 10)
OURS, PERFECT = "recsys watch", "best possible"
SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Watched:
    """A query of the replay. text: what its text alone asks. query: with what it cites already.

    collection: without its citations. new: (n,) bool, the papers that come. right: the rows of
    those that it came to cite.
    """

    collection: Collection
    text: Query
    query: Query
    new: Mask
    right: Rows


def pose_watched(collection: Collection, row: int) -> Watched:
    """Pose a paper as the draft that it was when the papers of its year had come."""
    corpus, years = collection.corpus, collection.graph.years
    year, cited = int(years[row]), gold(collection, row)
    citing, targets = collection.graph.edges()
    others = citing != row
    graph = CitationGraph.build(citing[others], targets[others], years)
    world, vector = replace(collection, graph=graph), collection.vectors[row]
    draft = draft_of(corpus.full_papers([row])[0])
    known = tuple(corpus.ids[each] for each in cited[years[cited] < year].tolist())

    def posed(references: tuple[PaperId, ...]) -> Query:
        asked, second = replace(draft, references=references), world.nnselect_vector(row)
        query = make_query(world, asked, vector, nnselect=second)
        return replace(query, before=year + 1)

    return Watched(world, posed(()), posed(known), years == year, cited[years[cited] == year])


def by_bm25(watched: Watched, wanted: Mask) -> tuple[Rows, Floats]:
    """Rank what is new by the words of the draft."""
    return watched.collection.text_index.search(watched.text.text, DEPTH, allowed=wanted)


def by_embedding(watched: Watched, wanted: Mask) -> tuple[Rows, Floats]:
    """Rank what is new by its cosine with the draft's text."""
    return _nearest(watched.collection, watched.text.vector, wanted)


def by_similarity(watched: Watched, wanted: Mask) -> tuple[Rows, Floats]:
    """Rank what is new by its cosine with the draft's text and what it cites, taken together."""
    return _nearest(watched.collection, watched.query.vector, wanted)


def _nearest(collection: Collection, vector: Floats, wanted: Mask) -> tuple[Rows, Floats]:
    rows = np.flatnonzero(wanted).astype(np.int32)
    cosines = dots(collection.vectors, rows, vector)
    best = top_k(cosines, DEPTH)
    return rows[best], cosines[best]


BASELINES: Mapping[str, Callable[[Watched, Mask], tuple[Rows, Floats]]] = {
    "bm25": by_bm25,
    "embedding": by_embedding,
    "most similar new": by_similarity,
}


@dataclass(frozen=True, slots=True)
class Told:
    """What a system told of all drafts: (drafts, DEPTH) arrays, padded.

    flags: whether the draft came to cite the paper. scores: -inf where nothing was told.
    """

    flags: Mask
    scores: Floats

    def precision(self, k: int) -> Doubles:
        """Divide the right ones of the first k by k, for each draft: (drafts,)."""
        return np.asarray(self.flags[:, :k].sum(1) / k, np.float64)

    def shown(self, least: float) -> tuple[Doubles, Doubles]:
        """Count, for each draft, the papers told from a score on, and the right ones of them."""
        shown = self.scores >= least
        return shown.sum(1).astype(np.float64), (shown & self.flags).sum(1).astype(np.float64)

    def score_of(self, count: int) -> float:
        """Return the score from which on so many papers are told, of all drafts together."""
        return float(np.sort(self.scores, axis=None)[-count]) if count else float("inf")


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay. drafts, citing: how many were watched, and how many of them cite something new.

    right: how many new papers were cited. precisions: of the drafts that cite something new, by
    system, and of a perfect one, for each of CUTOFFS. ratios: our precision in times the best of
    the others. shown: of all drafts, papers told at the threshold, as many for each system,
    precision, recall. expected: the mean probability of what was shown. warnings: for people.
    """

    corpus: str
    part: str
    since: int
    least: float
    drafts: int
    citing: int
    right: int
    precisions: Mapping[str, tuple[Interval, ...]]
    ratios: tuple[Interval, ...]
    shown: Mapping[str, tuple[int, Interval, Interval]]
    shown_ratio: Interval
    expected: float
    warnings: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say what the tables do not."""
        best, shown = self.ratios[0], self.shown_ratio
        return [
            f"P@{CUTOFFS[0]} is {best.value:.2f} times the best of the others "
            f"({best.low:.2f} to {best.high:.2f}).",
            f"From {self.least:.0%} on, precision is {shown.value:.2f} times the best of the "
            f"others ({shown.low:.2f} to {shown.high:.2f}); {self.expected:.2f} was predicted.",
            *self.warnings,
        ]


def replay(
    index: Path,
    split: Path,
    *,
    since: int,
    part: str = "test",
    least: float = 0.2,
    seed: int = 0,
    open_index: OpenIndex,
    progress: Progress = silent,
) -> Replay:
    """Watch each query of a split dated `since` or later while the papers of its year come.

    Raises:
        SplitError: the split does not fit the index.
        LeakageError: a model has seen the queries.
        NothingFound: no query is so new, or none cites a paper of its year.
        ArtifactError: the index cannot be opened.
    """
    recommender = open_index(index, metadata=True)
    collection = recommender.collection
    every = read_split(split, collection).part(part)
    rows = collection.corpus.rows(every)
    rows = rows[collection.graph.years[rows] >= since]
    if not len(rows):
        raise NothingFound(
            f"No {part} query is dated {since} or later.", "Give an earlier --since."
        )
    queries = [collection.corpus.ids[row] for row in rows.tolist()]
    checks = (
        check_ranker(folder_of(recommender.ranker), collection, part, queries),
        check_encoder(collection, part, queries),
    )
    told, right = _ask(recommender, rows, progress)
    if not right.any():
        raise NothingFound(
            f"None of the {len(rows):,} queries cites a paper of its own year.",
            "Watches cannot be replayed on this corpus.",
        )
    citing, rng = right > 0, np.random.default_rng(seed)
    precisions, ratios = _precisions(told, right[citing], citing, rng)
    shown, ratio = _shown(told, right, least, rng)
    ours = told[OURS].scores
    return Replay(
        collection.name,
        part,
        since,
        least,
        len(rows),
        int(citing.sum()),
        int(right.sum()),
        precisions,
        ratios,
        shown,
        ratio,
        float(ours[ours >= least].mean()) if (ours >= least).any() else 0.0,
        tuple(filter(None, checks)),
    )


def _ask(
    recommender: Recommender, rows: Rows, progress: Progress
) -> tuple[dict[str, Told], Doubles]:
    """Let every system tell of what is new for each draft; count what is right for each."""
    shape = len(rows), DEPTH
    told = {
        name: Told(np.zeros(shape, bool), np.full(shape, -np.inf, np.float32))
        for name in (*BASELINES, OURS)
    }
    right = np.zeros(len(rows))
    for at, row in enumerate(rows.tolist()):
        watched = pose_watched(recommender.collection, row)
        right[at] = len(watched.right)
        wanted = watched.query.wanted & watched.new
        with one_thread(), dot_cache():
            found = {name: rank(watched, wanted) for name, rank in BASELINES.items()}
            here = replace(recommender, collection=watched.collection)
            ranking = here.rank_new(watched.query, watched.new)
        found[OURS] = ranking.rows[:DEPTH], ranking.probabilities[:DEPTH]
        for name, (papers, scores) in found.items():
            told[name].flags[at, : len(papers)] = np.isin(papers, watched.right)
            told[name].scores[at, : len(papers)] = scores
        progress("watching drafts", at + 1, len(rows))
    return told, right


def _precisions(
    told: Mapping[str, Told], right: Doubles, citing: Mask, rng: np.random.Generator
) -> tuple[dict[str, tuple[Interval, ...]], tuple[Interval, ...]]:
    """Average precision over the drafts that cite something new; compare with the best other."""
    drawn = draw(int(citing.sum()), rng=rng, samples=SAMPLES)
    means = {
        name: [drawn @ each.precision(k)[citing] / drawn.shape[1] for k in CUTOFFS]
        for name, each in told.items()
    }
    ratios = tuple(
        _ratio({name: each[at] for name, each in means.items()}) for at in range(len(CUTOFFS))
    )
    means[PERFECT] = [drawn @ np.minimum(right, k) / k / drawn.shape[1] for k in CUTOFFS]
    return {name: tuple(map(interval, each)) for name, each in means.items()}, ratios


def _shown(
    told: Mapping[str, Told], right: Doubles, least: float, rng: np.random.Generator
) -> tuple[dict[str, tuple[int, Interval, Interval]], Interval]:
    """Judge what is told from a probability on; the others tell as many, from a score of theirs."""
    drawn = draw(len(right), rng=rng, samples=SAMPLES)
    count = int((told[OURS].scores >= least).sum())
    shown, precisions = {}, {}
    for name, each in told.items():
        papers, hits = each.shown(least if name == OURS else each.score_of(count))
        precisions[name] = shares(drawn @ hits, drawn @ papers)
        recall = shares(drawn @ hits, drawn @ right)
        shown[name] = int(papers.sum()), interval(precisions[name]), interval(recall)
    return shown, _ratio(precisions)


def _ratio(figures: Mapping[str, Doubles]) -> Interval:
    """Divide our figure by the best of the others, in each draw anew."""
    best = np.max([each for name, each in figures.items() if name != OURS], axis=0)
    return interval(figures[OURS] / np.maximum(best, 1e-9))


def tables(found: Replay) -> tuple[Table, Table]:
    """Put a replay into two tables: what is ranked first, and what is told at the threshold."""
    about = f"{found.corpus}, {found.part} queries from {found.since} on"
    best, times = "times the best other", partial(interval_cell, digits=2)
    precisions = [cells(name, *figures) for name, figures in found.precisions.items()]
    first = Table(
        "watch-precision",
        f"{about}: {found.citing:,} drafts that cite {found.right:,} papers of their own year.",
        ("system", *(f"P@{k}" for k in CUTOFFS)),
        (*precisions, cells(best, *map(times, found.ratios))),
        notes="Divided by k, however many papers there were to find. 95 % bootstrap intervals.",
    )
    shown = [cells(name, f"{papers:,}", *rest) for name, (papers, *rest) in found.shown.items()]
    second = Table(
        "watch-shown",
        f"{about}: what is reported for all {found.drafts:,} drafts.",
        ("system", "papers", "precision", "recall"),
        (*shown, cells(best, "", times(found.shown_ratio), "")),
        notes=f"{OURS} reports papers with a probability of {found.least:.0%} or more, at most "
        f"{DEPTH} a draft; the others equally many, by their own scores.",
    )
    return first, second


def as_json(found: Replay) -> str:
    """Write one JSON object of schema `recsys.watch-evaluation/1`."""
    value = {"schema": SCHEMA, **asdict(found)}
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


RENDERERS = writers(tables, as_json)
