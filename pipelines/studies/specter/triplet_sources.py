"""What an encoder learns from: the texts of papers, triplets of them, and dev queries.

A source is an index with a split, or a folder in SPECTER's format (see `related`).

Dev tells how good an encoder is at finding what queries cite, by its vectors alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from recsys.errors import check_name
from recsys.eval.measures import Doubles
from recsys.indexes.opening import open_collection
from recsys.models.encoder import SeenQueries, Text
from recsys.pipelines.evaluation.splits import Split, gold, read_split
from recsys.pipelines.studies.citeomatic.negatives import ragged
from recsys.pipelines.studies.specter.triplets import RelatedSampler, in_turn
from recsys.store.arrays import Floats, Longs, Ragged, Rows, top_k
from recsys.store.artifacts import fingerprint, sha256
from recsys.store.collection import Collection
from recsys.store.generations import content_key
from recsys.store.graph import UNKNOWN_YEAR

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


def hashes_of(files: Iterable[Path], reading: Reading) -> tuple[str, ...]:
    """Hash files and how they are read."""
    return (*(sha256(path) for path in files), fingerprint(asdict(reading)))


def source_of(
    name: str, collection: Collection, split: Split, reading: Reading, hashes: tuple[str, ...] = ()
) -> Source:
    """Lay out an open collection."""
    rows = collection.corpus.rows
    train, dev = rows(split.part("train")), rows(split.part("dev"))
    hidden = np.union1d(dev, rows(split.test))
    queries = _not_newer(collection, train, hidden) if reading.every else train
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
    columns = collection.corpus.texts()
    titles: list[str] = columns.column("title").to_pylist()
    if VENUE in fields:
        titles = _joined(titles, collection.corpus.column("venue").to_pylist())
    if AUTHORS in fields:
        names = collection.corpus.column("authors").to_pylist()
        titles = _joined(titles, [", ".join(each or ()) for each in names])
    if ABSTRACT not in fields:
        return [(title, None) for title in titles]
    return list(zip(titles, columns.column("abstract").to_pylist(), strict=True))


def _joined(titles: Sequence[str], others: Sequence[str | None]) -> list[str]:
    return [
        f"{title}. {other}" if other else title for title, other in zip(titles, others, strict=True)
    ]


def _not_newer(collection: Collection, train: Rows, hidden: Rows) -> Rows:
    """Find the papers of known year, not newer than the newest train query, that have gold."""
    years = np.asarray(collection.graph.years)
    known = np.flatnonzero((years != UNKNOWN_YEAR) & (years <= years[train].max()))
    rows = np.setdiff1d(known.astype(np.int32), hidden)
    return np.array([row for row in rows.tolist() if len(gold(collection, row))], np.int32)
