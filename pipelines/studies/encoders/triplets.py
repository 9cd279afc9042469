"""SPECTER's triplets: a query, a paper related to it, and one that is less related or not at all.

Related papers have counts, higher is closer: 5 for what the query cites, 1 for what those papers
cite, or how often two papers were viewed together. Of the triplets of a query, some have a hard
negative, which is related to the query but much less than the positive; the others an easy one,
which is not related at all.

The rule is that of the published sampler (allenai/specter, triplet_sampling_parallel.py) with three
changes. A query whose related papers all have one count, or that has one or two of them, gives easy
triplets only, where the published sampler gives none. No triplet is drawn twice as long as there
are others. And what is drawn depends on the generator alone.

They come from sources: an index with a split, or a folder in SPECTER's format (see `related`). A
source's dev queries tell how good an encoder is at finding what they cite, by its vectors alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsys.errors import check_name
from recsys.eval.measures import Doubles
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries, Text
from recsys.pipelines.evaluation.splits import Split, gold, read_split
from recsys.pipelines.index.paper_rows import texts_in
from recsys.pipelines.studies.citeomatic.negatives import (
    Kind,
    Triplets,
    TripletSampler,
    in_turn,
    keys,
    ragged,
)
from recsys.store.arrays import Floats, Longs, Mask, Ragged, Rows, top_k
from recsys.store.artifacts import sha256
from recsys.store.collection import Collection
from recsys.store.generations import content_key
from recsys.store.graph import UNKNOWN_YEAR, CitationGraph

CITED, CITED_BY_CITED = 5.0, 1.0
"""SPECTER's counts."""
MARGIN = 0.5
"""Share of a query's range of counts between a positive and its hard negative, at least."""
_REDRAWS = 20

Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Draw:
    """How many triplets of which kind a query gives: the rest of `per_query` is easy.

    hard: negatives that are related a little. near: negatives near the query by the encoder as it
    is, which are found anew for each epoch.
    """

    per_query: int = 5
    hard: int = 2
    near: int = 0


@dataclass(frozen=True, slots=True)
class RelatedSampler:
    """Draws triplets. A query's place is its number among `base.queries`, which ascend.

    base: which papers may be compared with a query; those in its `taken` are no easy negatives.
    related: place -> rows by falling count. counts: (m,) float64, of `related.values`. turn: (n,)
    row -> its place in `base.by_year`, behind all others' if it is not there.
    """

    base: TripletSampler
    related: Ragged
    counts: Counts
    turn: Longs

    @classmethod
    def build(
        cls, base: TripletSampler, owner: Rows, rows: Rows, counts: Counts, turn: Longs
    ) -> "RelatedSampler":
        """Lay (m,) related papers out; owner: place of the query."""
        order = np.lexsort((rows, -counts, owner))
        taken = np.unique(np.concatenate([base.taken, keys(owner, rows)]))
        related = Ragged.from_pairs(owner[order], rows[order], len(base.queries))
        return cls(replace(base, taken=taken), related, counts[order], turn)

    @classmethod
    def of_citations(cls, collection: Collection, queries: Rows, hidden: Rows) -> "RelatedSampler":
        """Relate queries to what they cite, and to what those papers cite, as of their years.

        Args:
            collection: the corpus.
            queries: rows of known year, ascending.
            hidden: rows whose references are not looked at: the dev and test queries.
        """
        years = np.asarray(collection.graph.years)
        citing = np.setdiff1d(np.arange(len(years), dtype=np.int32), hidden)
        owner, cited = collection.graph.cites.take(citing)
        graph = CitationGraph.build(citing[owner], cited, years)
        base = TripletSampler.build(replace(collection, graph=graph), queries)
        places = np.arange(len(queries), dtype=np.int32)
        direct, second = (pool.take(places) for pool in (base.positives, base.cited_by_cited))
        owner, rows = (np.concatenate(each) for each in zip(direct, second, strict=True))
        counts = np.repeat([CITED, CITED_BY_CITED], [len(direct[1]), len(second[1])])
        return cls.build(base, owner, rows, counts, in_turn(graph.years)[1])

    def epoch(self, rng: np.random.Generator, draw: Draw, near: Ragged | None = None) -> Triplets:
        """Draw every query's triplets, query after query.

        A query without related papers gives none; nor do triplets whose easy negative would have
        to be related to the query.

        Args:
            rng: decides everything.
            draw: how many.
            near: place -> rows near the query that may be negatives.
        """
        drawn = [self._of_query(rng, place, draw, near) for place in range(len(self.base.queries))]
        places = np.repeat(np.arange(len(drawn)), [len(each) for each in drawn]).astype(np.int32)
        positive, negative, kind = np.concatenate([np.empty((0, 3), np.int32), *drawn]).T
        easy = kind == Kind.RANDOM
        negative[easy] = self._others(rng, places[easy])
        triplets = Triplets(self.base.queries[places], positive, negative, kind.astype(np.int8))
        return triplets.take(negative >= 0)

    def _of_query(
        self, rng: np.random.Generator, place: int, draw: Draw, near: Ragged | None
    ) -> Rows:
        """Draw (positive, negative, kind): (t, 3) int32, easy negatives left open."""
        rows = self.related[place]
        if len(rows) == 0:
            return np.empty((0, 3), np.int32)
        counts = self.counts[self.related.starts[place] : self.related.starts[place + 1]]
        margin = MARGIN * (counts[0] - counts[-1])
        far = np.flatnonzero(counts < counts[0] - margin)
        close = rows[: _above(counts, counts[-1] + margin)] if margin > 0 else rows
        weak, strong = _pairs(rng, _above(counts, counts[far] + margin), draw.hard)
        hard = _triplets(rows[strong], rows[far[weak]], Kind.CITED_BY_CITED)
        nearby = np.empty(0, np.int32) if near is None else near[place]
        weak, strong = _pairs(rng, np.full(len(nearby), len(close)), draw.near)
        mined = _triplets(close[strong], nearby[weak], Kind.NEIGHBOUR)
        left = draw.per_query - len(hard) - len(mined)
        easy = _triplets(np.resize(rng.permutation(close), left), np.full(left, -1), Kind.RANDOM)
        return np.concatenate([hard, mined, easy])

    def apart(self, queries: Rows, rows: Rows) -> Mask:
        """Tell which papers may be negatives of which queries: (queries, rows) bool."""
        places = np.searchsorted(self.base.queries, queries)
        older = self.turn[rows] < self.base.choices[places][:, None]
        return older & self._unrelated(places.astype(np.int32), rows)

    def _unrelated(self, places: Rows, rows: Rows) -> Mask:
        pairs = np.broadcast_arrays(places[:, None], rows)
        flat = self.base.may_be_negative(*(each.ravel() for each in pairs))
        return flat.reshape(len(places), len(rows))

    def _others(self, rng: np.random.Generator, places: Rows) -> Rows:
        """Draw an unrelated candidate for each place, -1 where there is none."""
        base = self.base
        rows = base.unrelated(rng, places, redraws=_REDRAWS)
        # Where nearly all candidates are related, they are looked through.
        for at in np.flatnonzero(rows < 0).tolist():
            candidates = base.by_year[: base.choices[places[at]]]
            free = candidates[self._unrelated(places[[at]], candidates)[0]]
            if len(free):
                rows[at] = rng.choice(free)
        return rows


def _above(counts: Counts, bound: Counts | float) -> Longs:
    """Count how many of falling counts are above each bound."""
    return np.asarray(np.searchsorted(-counts, -np.asarray(bound), side="left"))


def _pairs(rng: np.random.Generator, choices: Longs, wanted: int) -> tuple[Longs, Longs]:
    """Draw different pairs (i, j), j < choices[i], at most `wanted`, all equally likely."""
    ends = np.cumsum(choices)
    total = int(ends[-1]) if len(ends) else 0
    drawn = rng.choice(total, min(wanted, total), replace=False)
    first = np.searchsorted(ends, drawn, side="right")
    return first, drawn - (ends - choices)[first]


def _triplets(positives: Rows, negatives: Rows | Sequence[int], kind: Kind) -> Rows:
    return np.stack([positives, negatives, np.full(len(positives), kind)], axis=1).astype(np.int32)


CUTOFF = 20
MEASURE = f"R@{CUTOFF}"


@dataclass(frozen=True, slots=True)
class Sample:
    """How much of dev is looked at: so many queries, and so many papers to find gold among.

    Gold is always among them, the others are drawn; None: all.
    """

    queries: int | None = 200
    papers: int | None = 2000


@dataclass(frozen=True, slots=True)
class Judge:
    """Dev queries and the papers that are ranked for them.

    queries: (q,) rows. gold: place -> rows. choices: (q,) a paper may be ranked for a query if its
    turn is below. papers: (p,) rows that are ranked, ascending. turn: (p,) see `RelatedSampler`.
    """

    queries: Rows
    gold: Ragged
    choices: Longs
    papers: Rows
    turn: Longs

    @classmethod
    def build(
        cls, queries: Rows, gold: Ragged, choices: Longs, turn: Longs, sample: Sample
    ) -> "Judge":
        """Draw what is looked at, always the same of one corpus; turn: (n,) of all papers."""
        rng = np.random.default_rng(0)
        places = np.sort(_some(rng, np.arange(len(queries)), sample.queries))
        gold = ragged([gold[place] for place in places.tolist()])
        known = np.flatnonzero(turn < choices[places].max(initial=0))
        right = np.unique(gold.values)
        missing = None if sample.papers is None else max(sample.papers - len(right), 0)
        papers = np.union1d(right, _some(rng, np.setdiff1d(known, right), missing))
        rows = papers.astype(np.int32)
        return cls(queries[places], gold, choices[places], rows, turn[rows])

    @property
    def rows(self) -> Rows:
        """The papers that must be encoded, ascending."""
        return np.union1d(self.queries, self.papers)

    def recalls(self, vectors: Floats) -> Doubles:
        """Compute R@20 of each query: (q,) float64.

        Args:
            vectors: (len(self.rows), d) float32, L2-normalised.
        """
        at = np.searchsorted(self.rows, self.papers)
        own = np.searchsorted(self.rows, self.queries)
        papers, found = vectors[at], np.empty(len(self.queries))
        for place, query in enumerate(self.queries.tolist()):
            cosines = papers @ vectors[own[place]]
            cosines[(self.turn >= self.choices[place]) | (self.papers == query)] = -np.inf
            top = top_k(cosines, CUTOFF)
            top = top[np.isfinite(cosines[top])]
            right = self.gold[place]
            found[place] = np.isin(self.papers[top], right).sum() / len(right)
        return found


def _some(rng: np.random.Generator, rows: Longs, wanted: int | None) -> Longs:
    if wanted is None or wanted >= len(rows):
        return rows
    return rng.choice(rows, wanted, replace=False)


ABSTRACT, VENUE, AUTHORS = "abstract", "venue", "authors"
FIELDS = (ABSTRACT, VENUE, AUTHORS)
"""What may be read of a paper beside its title."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read of a source.

    fields: some of FIELDS. Venue and authors follow the title. every: learn from all papers that
    are not newer than the train queries, and not from these alone. sample: of dev.
    """

    fields: tuple[str, ...] = (ABSTRACT,)
    every: bool = False
    sample: Sample = field(default_factory=Sample)


@dataclass(frozen=True, slots=True)
class Source:
    """Papers, triplets, dev queries.

    hashes: of the files that they were read from, and how. seen: the queries that triplets are
    drawn from, and those of dev that are asked.
    """

    name: str
    texts: Sequence[Text]
    sampler: RelatedSampler
    judge: Judge
    hashes: tuple[str, ...]
    seen: SeenQueries


def read_index(index: Path, split: Path, reading: Reading) -> Source:
    """Read an index: triplets from the citations of its train queries, gold of its dev queries.

    Raises:
        ArtifactError: the index cannot be opened.
        SplitError: the split does not fit the index, or has no train or dev queries.
        InputError: there is no such field.
    """
    collection = open_collection(index)
    parts = read_split(split, collection)
    hashes = content_key(collection.folder), sha256(split)
    return source_of(index.name, collection, parts, reading, hashes)


def source_of(
    name: str, collection: Collection, split: Split, reading: Reading, hashes: tuple[str, ...] = ()
) -> Source:
    """Lay out an open collection."""
    rows = collection.corpus.rows
    train, dev = rows(split.part("train")), rows(split.part("dev"))
    hidden = np.union1d(dev, rows(split.test))
    queries = train
    if reading.every:  # All that have gold, and are not newer than the newest train query.
        years = np.asarray(collection.graph.years)
        known = np.flatnonzero((years != UNKNOWN_YEAR) & (years <= years[train].max()))
        others = np.setdiff1d(known.astype(np.int32), hidden).tolist()
        queries = np.array([row for row in others if len(gold(collection, row))], np.int32)
    sampler = RelatedSampler.of_citations(collection, queries, hidden)
    judge = judge_of(collection, dev, reading.sample)
    seen = SeenQueries.of(collection, train=queries, dev=judge.queries)
    return Source(name, read_texts(collection, reading.fields), sampler, judge, hashes, seen)


def judge_of(collection: Collection, queries: Rows, sample: Sample) -> Judge:
    """Judge by what papers of known year cite, among papers not newer than them."""
    by_year, turn = in_turn(collection.graph.years)
    gold_of = ragged([gold(collection, row) for row in queries.tolist()])
    years = np.asarray(collection.graph.years)
    choices = np.searchsorted(years[by_year], years[queries], side="right")
    return Judge.build(queries, gold_of, choices, turn, sample)


def read_texts(collection: Collection, fields: Sequence[str]) -> list[Text]:
    """Read (title, abstract) of every paper, as far as the fields are asked for."""
    for name in fields:
        check_name(name, FIELDS, "field")
    titles, abstracts = zip(*texts_in(collection.corpus), strict=True)
    for name in (VENUE, AUTHORS):
        if name in fields:
            values = collection.corpus.column(name).to_pylist()
            added = [each if isinstance(each, str) else ", ".join(each or ()) for each in values]
            both = zip(titles, added, strict=True)
            titles = tuple(f"{title}. {other}" if other else title for title, other in both)
    if ABSTRACT not in fields:
        return [(title, None) for title in titles]
    return list(zip(titles, abstracts, strict=True))
