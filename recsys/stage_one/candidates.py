"""Stage one: propose papers from several sources, keep the most promising.

nearest papers ─┬───────────────► pool ── prior ──► candidates
                └─ their citations ─┤
NNSelect's nearest ─┬───────────────┤
                └─ their citations ─┤
BM25 hits ──────┬───────────────────┤
                └─ their citations ─┤
papers by and cited by the authors ─┤
near, cited by and co-cited with seeds
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recsys.asking.query import Query
from recsys.errors import InputError, near_miss
from recsys.store.arrays import Floats, Rows
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph
from recsys.store.top_k import dots, spread, top_k

SOURCES = ("ann", "cited-by-neighbour", "bm25", "author", "seed", "nnselect")
"""Names of the sources; source i is bit 1 << i of `Candidates.sources`."""
ANN, CITED, BM25, AUTHOR, SEED, NNSELECT = (1 << i for i in range(len(SOURCES)))

SEARCHES = {"embedding": ANN, "nnselect": NNSELECT, "bm25": BM25}
"""What can be searched for papers like the draft: its name, and the source that it is."""
USUAL = ("embedding", "bm25")
"""What every index can be asked; the other one is a model that somebody has to train."""


def check_searches(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the order of SEARCHES, each once.

    Raises:
        InputError: one of them is unknown, or there is none.
    """
    for name in names:
        if name not in SEARCHES:
            raise InputError(
                f"Candidates cannot come from {name!r}.{near_miss(name, SEARCHES)}",
                f"Name some of {', '.join(SEARCHES)}; commas between them.",
            )
    if not names:
        raise InputError(
            "There is nothing that candidates could come from.",
            f"Name some of {', '.join(SEARCHES)}; commas between them.",
        )
    return tuple(name for name in SEARCHES if name in names)


@dataclass(frozen=True, slots=True)
class StageOne:
    """How many papers each source looks at, and how many candidates are kept.

    searches: some of SEARCHES; the others propose nothing, though features may still ask them.
    expand: whether the citations of the papers found are candidates, too.
    """

    searches: tuple[str, ...] = USUAL
    neighbours: int = 200
    second_neighbours: int = 200
    matches: int = 200
    per_seed: int = 10
    seeds: int = 50
    candidates: int = 500
    expand: bool = True


@dataclass(frozen=True, slots=True)
class Voters:
    """Papers close to the draft, best first, whose citations are votes.

    rows: (v,) int32. weights: (v,) float32 >= 0.
    """

    rows: Rows
    weights: Floats

    def first(self, k: int) -> "Voters":
        """Keep the k best."""
        return Voters(self.rows[:k], self.weights[:k])


@dataclass(frozen=True, slots=True)
class Proposed:
    """Papers that were considered, rows ascending: (p,) each; see `Candidates`."""

    rows: Rows
    sources: NDArray[np.uint8]
    cosines: Floats
    prior: Floats


@dataclass(frozen=True, slots=True)
class Candidates:
    """What stage one proposes: rows ascending, each with its sources and its own cosine.

    rows: (m,) int32. sources: (m,) uint8 bits. cosines, prior: (m,) float32. The voters are kept
    because stage two asks them again; second: those nearest in the second space, none if there is
    no such space. pool: what the candidates were chosen from.
    """

    rows: Rows
    sources: NDArray[np.uint8]
    cosines: Floats
    prior: Floats
    nearest: Voters
    matches: Voters
    authors: Voters
    second: Voters
    pool: Proposed

    @property
    def pooled(self) -> int:
        """Count the papers that were considered."""
        return len(self.pool.rows)

    def source_names(self, position: int) -> tuple[str, ...]:
        """Name the sources of one candidate."""
        bits = int(self.sources[position])
        return tuple(name for i, name in enumerate(SOURCES) if bits >> i & 1)


@dataclass(slots=True)
class _Pool:
    """Rows with source bits, gathered one source at a time."""

    rows: list[Rows] = field(default_factory=list)
    bits: list[NDArray[np.uint8]] = field(default_factory=list)

    def add(self, rows: Rows, source: int) -> None:
        self.rows.append(rows)
        self.bits.append(np.full(len(rows), source, np.uint8))

    def merge(self, query: Query) -> tuple[Rows, NDArray[np.uint8]]:
        """Unite the sources; drop what is not wanted."""
        rows, at = np.unique(np.concatenate(self.rows), return_inverse=True)
        bits = np.zeros(len(rows), np.uint8)
        np.bitwise_or.at(bits, at, np.concatenate(self.bits))
        kept = query.wanted[rows]
        return rows[kept], bits[kept]


def propose(collection: Collection, query: Query, options: StageOne) -> Candidates:
    """Select at most `options.candidates` papers for a query."""
    found = _find(collection, query, options)
    rows, bits = _pool(collection, query, found, options)
    cosines = dots(collection.vectors, rows, query.vector)
    prior = _prior(collection, query, found, options, rows)
    kept = np.sort(top_k(prior, options.candidates))
    return Candidates(
        rows=rows[kept],
        sources=bits[kept],
        cosines=cosines[kept],
        prior=prior[kept],
        nearest=found.nearest,
        matches=found.matches,
        authors=found.authors,
        second=found.second,
        pool=Proposed(rows, bits, cosines, prior),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """Papers like the draft, search by search, and older papers by its authors."""

    nearest: Voters
    second: Voters
    matches: Voters
    authors: Voters

    def by(self, searches: Iterable[str]) -> list[tuple[Voters, int]]:
        """Return what these searches found, each with its source."""
        found = {"embedding": self.nearest, "nnselect": self.second, "bm25": self.matches}
        return [(found[name], SEARCHES[name]) for name in searches]


def _find(collection: Collection, query: Query, options: StageOne) -> _Found:
    own = query.own_papers[collection.graph.older(query.own_papers, query.before)]
    return _Found(
        nearest=_nearest(collection, query, options),
        second=_second_nearest(collection, query, options),
        matches=_matches(collection, query, options),
        authors=Voters(own, np.ones(len(own), np.float32)),
    )


def _pool(
    collection: Collection, query: Query, found: _Found, options: StageOne
) -> tuple[Rows, NDArray[np.uint8]]:
    """Collect the papers to consider, with their sources."""
    graph, before = collection.graph, query.before
    asked = found.by(options.searches)
    pool = _Pool()
    pool.add(query.own_papers, AUTHOR)
    for voters, source in asked:
        pool.add(voters.rows, source)
    if options.expand:
        for voters, source in (*((each, CITED) for each, _ in asked), (found.authors, AUTHOR)):
            pool.add(graph.references(voters.rows[graph.older(voters.rows, before)])[1], source)
    for rows in _around_seeds(collection, query, query.seeds[: options.seeds], options):
        pool.add(rows, SEED)
    return pool.merge(query)


def _prior(
    collection: Collection, query: Query, found: _Found, options: StageOne, rows: Rows
) -> Floats:
    """Mix what the searches asked, the authors and the seeds say of each row."""
    graph, before = collection.graph, query.before
    asked = [voters for voters, _ in found.by(options.searches)]
    prior = np.zeros(len(rows), np.float32)
    for voters in (*asked, found.authors):
        prior += _share(votes(graph, voters, before, rows))
    if "embedding" in options.searches:
        prior += 2 * dots(collection.vectors, rows, query.vector)
    if "nnselect" in options.searches and collection.second and query.second is not None:
        prior += 2 * collection.second.cosines(rows, query.second)
    if "bm25" in options.searches:
        prior += spread(found.matches.rows, found.matches.weights, len(graph.years))[rows]
    if len(query.seeds):
        prior += _seed_prior(collection, query.seeds[: options.seeds], before, rows)
    return prior


@dataclass(frozen=True, slots=True)
class Ballots:
    """Which voters cite which of m rows, as (voter, row) pairs of positions: (e,) integers."""

    voters: Rows
    rows: Rows
    m: int

    def count(self, weights: Floats) -> Floats:
        """Sum the weights of the voters of each row: (m,) float32."""
        return np.bincount(self.rows, weights[self.voters], minlength=self.m).astype(np.float32)


def cast(graph: CitationGraph, voters: Rows, before: int, rows: Rows) -> Ballots:
    """Let the voters that are older than `before` vote for those of the distinct rows they cite."""
    older = np.flatnonzero(graph.older(voters, before)).astype(np.int32)
    owner, cited = graph.references(voters[older])
    numbers = np.arange(1, len(rows) + 1, dtype=np.int32)
    number = spread(rows, numbers, len(graph.years))[cited]
    chosen = np.flatnonzero(number)
    return Ballots(older[owner[chosen]], number[chosen] - 1, len(rows))


def votes(graph: CitationGraph, voters: Voters, before: int, rows: Rows) -> Floats:
    """Sum, for each of the distinct rows, the weights of the older voters that cite it."""
    return cast(graph, voters.rows, before, rows).count(voters.weights)


def together(graph: CitationGraph, seeds: Rows, before: int, rows: Rows) -> Floats:
    """Count, for each of the distinct rows, citations shared with the seeds.

    The older papers that cite a seed vote once per seed they cite; so does each older seed.
    """
    _, citing = graph.citers(seeds, before)
    distinct, number = np.unique(citing, return_counts=True)
    cociting = Voters(distinct.astype(np.int32), number.astype(np.float32))
    citing_seeds = Voters(seeds, np.ones(len(seeds), np.float32))
    return votes(graph, cociting, before, rows) + votes(graph, citing_seeds, before, rows)


def links(graph: CitationGraph, seeds: Rows, before: int, rows: Rows) -> Floats:
    """Count, for each of the distinct rows, the older seeds that cite it and the seeds it cites."""
    voters = Voters(seeds, np.ones(len(seeds), np.float32))
    _, citing = graph.citers(seeds, before)
    distinct, number = np.unique(citing, return_counts=True)
    cited = spread(distinct.astype(np.int32), number.astype(np.float32), len(graph.years))[rows]
    return votes(graph, voters, before, rows) + cited


def _seed_prior(collection: Collection, seeds: Rows, before: int, rows: Rows) -> Floats:
    """Score rows by what the seeds say: company, direct citations, cosine with the nearest."""
    graph, vectors = collection.graph, collection.vectors
    company, direct = (tie(graph, seeds, before, rows) for tie in (together, links))
    cosines: Floats = (vectors[rows] @ vectors[seeds].T).max(axis=1)
    return _share(company) + _share(direct) + cosines


def _nearest(collection: Collection, query: Query, options: StageOne) -> Voters:
    rows, cosines = collection.vector_index.search(
        query.vector, options.neighbours, allowed=query.allowed
    )
    return Voters(rows, np.maximum(cosines, 0))


def _second_nearest(collection: Collection, query: Query, options: StageOne) -> Voters:
    """Search the second space; a draft of which it knows nothing is near no paper."""
    if collection.second is None or query.second is None:
        return Voters(np.empty(0, np.int32), np.empty(0, np.float32))
    rows, cosines = collection.second.index.search(
        query.second, options.second_neighbours, allowed=query.allowed
    )
    near = cosines > 0
    return Voters(rows[near], cosines[near])


def _matches(collection: Collection, query: Query, options: StageOne) -> Voters:
    """BM25 hits, weighted relative to the best one."""
    rows, scores = collection.text_index.search(query.text, options.matches, allowed=query.allowed)
    return Voters(rows, _share(scores))


def _around_seeds(
    collection: Collection, query: Query, seeds: Rows, options: StageOne
) -> list[Rows]:
    """Collect papers near a seed, cited by a seed, citing a seed, or cited together with one."""
    if len(seeds) == 0:
        return []
    graph, before = collection.graph, query.before
    near = [
        collection.vector_index.search(
            collection.vectors[seed], options.per_seed, allowed=query.allowed
        )[0]
        for seed in seeds
    ]
    _, citing = graph.citers(seeds, before, most=100)
    cited = graph.references(seeds[graph.older(seeds, before)])[1]
    return [*near, citing, cited, graph.references(np.unique(citing))[1]]


def _share(values: Floats) -> Floats:
    """Divide by the largest value, so that the best is 1."""
    return values / max(float(values.max(initial=0)), 1e-9)
