"""Stage one: propose papers from several sources, keep the most promising.

nearest papers ─┬───────────────► pool ── prior ──► candidates
                └─ their citations ─┤
NNSelect's nearest ─┬───────────────┤
                └─ their citations ─┤
BM25 hits ──────┬───────────────────┤
                └─ their citations ─┤
papers by and cited by the authors ─┤
near, cited by and co-cited with seeds

The sources are one literal table. A new one is a function that finds papers, one that says how
promising they are, and a row.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, check_name
from recsys.query.query import Query
from recsys.store.arrays import Floats, Mask, Rows, distinct, look_up, number, top_k, totals
from recsys.store.collection import Collection
from recsys.store.graph import CitationGraph
from recsys.store.vectors import remembered_dots, row_dots

# How stage one works, and what it is asked.

USUAL = ("embedding", "bm25")
"""Searches that every index can be asked; the others need a model that somebody has to train."""
MOST_CITERS = 100
"""Of a much cited seed, this many of its latest citing papers are followed."""


@dataclass(frozen=True, slots=True)
class StageOne:
    """How many papers each source looks at, and how many candidates are kept.

    searches: names in SEARCHES; the others propose nothing, though features may still ask them.
    seeds: so many, closest to the text, are followed through the graph; the first close_seeds of
    them are compared with papers, per_seed of which each proposes (on dev, drafts with 27 and more
    references gain nothing from comparing all 50). expand: whether the citations of the papers
    found are candidates, too.
    """

    searches: tuple[str, ...] = USUAL
    neighbours: int = 200
    nnselect_neighbours: int = 200
    matches: int = 200
    per_seed: int = 10
    close_seeds: int = 20
    seeds: int = 50
    candidates: int = 500
    expand: bool = True


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """A query to a collection: what every source of candidates reads."""

    collection: Collection
    query: Query
    options: StageOne

    @property
    def seeds(self) -> Rows:
        """The seeds that are asked, closest to the draft's text first."""
        return self.query.seeds[: self.options.seeds]

    @property
    def close_seeds(self) -> Rows:
        """Those of them that are compared with papers."""
        return self.seeds[: self.options.close_seeds]

    def cosines(self, rows: Rows) -> Floats:
        """Compare distinct papers with the draft: (p,) float32."""
        return remembered_dots(self.collection.vectors, rows, self.query.vector)


# Papers that speak for others, and how they do: by citing them.


@dataclass(frozen=True, slots=True)
class WeightedPapers:
    """Papers close to the draft, best first, whose citations are votes.

    rows: (v,) int32. weights: (v,) float32 >= 0. scale: what the weights were divided by.
    """

    rows: Rows
    weights: Floats
    scale: float = 1.0

    @classmethod
    def equal(cls, rows: Rows) -> "WeightedPapers":
        """Give each paper one vote."""
        return cls(rows, np.ones(len(rows), np.float32))

    def first(self, k: int) -> "WeightedPapers":
        """Keep the k best."""
        return replace(self, rows=self.rows[:k], weights=self.weights[:k])


@dataclass(frozen=True, slots=True)
class CitationEdges:
    """Which papers cite which of m rows, as (citing, cited) pairs of positions: (e,) integers."""

    citing: Rows
    cited: Rows
    m: int

    @classmethod
    def of(cls, graph: CitationGraph, citing: Rows, before: int, rows: Rows) -> "CitationEdges":
        """Find which of the papers older than `before` cite which of the distinct rows."""
        return cls(*graph.cited_among(citing, before, rows), len(rows))

    def votes(self, weights: Floats) -> Floats:
        """Sum the weights of the papers that cite each row: (m,) float32."""
        return totals(self.cited, weights[self.citing], self.m)


def votes(graph: CitationGraph, papers: WeightedPapers, before: int, rows: Rows) -> Floats:
    """Sum, for each of the distinct rows, the weights of the older papers that cite it."""
    return CitationEdges.of(graph, papers.rows, before, rows).votes(papers.weights)


def ties(graph: CitationGraph, seeds: Rows, before: int, rows: Rows) -> tuple[Floats, Floats]:
    """Count, for each of the distinct rows, citations shared with the seeds, and direct ones.

    Shared: the older papers that cite a seed vote once per seed they cite; so does each older seed.
    Direct: the older seeds that cite the row, and the seeds that the row cites.
    """
    citing, numbers = number(graph.citers(seeds, before)[1])
    citers = WeightedPapers(citing, totals(numbers, None, len(citing)))
    by_seeds = votes(graph, WeightedPapers.equal(seeds), before, rows)
    shared = votes(graph, citers, before, rows) + by_seeds
    return shared, by_seeds + look_up(citers.rows, citers.weights, rows)


def share(values: Floats) -> Floats:
    """Divide by the largest value, so that the best is 1."""
    return values / max(float(values.max(initial=0)), 1e-9)


# What each source finds among the (n,) bool allowed papers, weighted by how close they are, and how
# promising it takes (p,) distinct rows for besides what the votes say: (p,) float32.

_NOBODY = WeightedPapers(np.empty(0, np.int32), np.empty(0, np.float32))


def find_by_embedding(asked: SourceQuery, allowed: Mask) -> WeightedPapers:
    """Search for the nearest papers; a paper weighs its cosine."""
    rows, cosines = asked.collection.vector_index.search(
        asked.query.vector, asked.options.neighbours, allowed=allowed
    )
    return WeightedPapers(rows, np.maximum(cosines, 0))


def find_by_nnselect(asked: SourceQuery, allowed: Mask) -> WeightedPapers:
    """Search NNSelect's space; a draft of which it knows nothing is near no paper."""
    if asked.collection.nnselect is None or asked.query.nnselect is None:
        return _NOBODY
    rows, cosines = asked.collection.nnselect.index.search(
        asked.query.nnselect, asked.options.nnselect_neighbours, allowed=allowed
    )
    near = cosines > 0
    return WeightedPapers(rows[near], cosines[near])


def prior_of_nnselect(
    asked: SourceQuery, papers: WeightedPapers, rows: Rows, cosines: Floats
) -> Floats:
    """Return NNSelect's cosine of each row, twice as that of the embedding."""
    if asked.collection.nnselect is None or asked.query.nnselect is None:
        return np.zeros(len(rows), np.float32)
    return 2 * asked.collection.nnselect.cosines(rows, asked.query.nnselect)


def find_by_bm25(asked: SourceQuery, allowed: Mask) -> WeightedPapers:
    """Search for the draft's words; a paper weighs its score relative to the best one."""
    rows, scores = asked.collection.text_index.search(
        asked.query.text, asked.options.matches, allowed=allowed
    )
    return WeightedPapers(rows, share(scores), scale=float(scores.max(initial=0)) or 1.0)


def find_by_authors(asked: SourceQuery, allowed: Mask) -> WeightedPapers:
    """Return the papers of the draft's authors, equal in weight."""
    return WeightedPapers.equal(asked.query.own_papers[allowed[asked.query.own_papers]])


def find_by_seeds(asked: SourceQuery, allowed: Mask) -> WeightedPapers:
    """Collect papers near what the draft cites already, cited by it, citing it or beside it.

    Their weights bound the cosine with the nearest close seed from above: what the search of a seed
    has not found is no nearer to it than the last that it has.
    """
    seeds, before = asked.seeds, asked.query.before
    if len(seeds) == 0:
        return _NOBODY
    graph, vectors = asked.collection.graph, asked.collection.vectors
    searched = asked.collection.vector_index.search_many(
        vectors[asked.close_seeds], asked.options.per_seed, allowed=allowed
    )
    near, cosines = (np.concatenate(lists) for lists in zip(*searched, strict=True))
    _, citing = graph.citers(seeds, before, most=MOST_CITERS)
    cited = graph.references(seeds[graph.older(seeds, before)])[1]
    cocited = graph.references(distinct(citing))[1]
    around = np.concatenate([near, citing, cited, cocited])
    rows = distinct(around[allowed[around]])
    least = max((float(line[-1]) for _, line in searched if len(line)), default=1.0)
    weights = np.full(len(rows), least, np.float32)
    np.maximum.at(weights, np.searchsorted(rows, near), cosines)
    return WeightedPapers(rows, weights)


def prior_of_seeds(
    asked: SourceQuery, papers: WeightedPapers, rows: Rows, cosines: Floats
) -> Floats:
    """Add what the seeds say, company and direct citations; how near they are is added later."""
    if len(asked.seeds) == 0:
        return np.zeros(len(rows), np.float32)
    company, direct = ties(asked.collection.graph, asked.seeds, asked.query.before, rows)
    return share(company) + share(direct)


@dataclass(frozen=True, slots=True)
class Source:
    """One source.

    key: what `Candidates.found` calls it, and `--candidates` if it is a search. name: what answers
    call it. in_words: what it went by, for people. find, prior: see above; the prior also gets what
    `find` gave, and the cosines of the rows with the draft. cites: what answers call a paper that
    the older of its papers cite; None: these have no vote, and what they cite is not proposed.
    search: whether it compares the draft with all papers. Only searches can be switched off, and
    only they look further when filters leave little.
    """

    key: str
    name: str
    in_words: str
    find: Callable[[SourceQuery, Mask], WeightedPapers]
    prior: Callable[[SourceQuery, WeightedPapers, Rows, Floats], Floats] | None
    cites: str | None = None
    search: bool = False


CITED = "cited-by-neighbour"

# fmt: off
SOURCES: tuple[Source, ...] = (
    # No other single sign is as good as the cosine: it counts twice.
    Source("embedding", "ann", "similar text", find_by_embedding,
           lambda asked, papers, rows, cosines: 2 * cosines, cites=CITED, search=True),
    Source("nnselect", "nnselect", "similarity learned from citations",
           find_by_nnselect, prior_of_nnselect, cites=CITED, search=True),
    Source("bm25", "bm25", "shared words", find_by_bm25,
           lambda asked, papers, rows, cosines: look_up(papers.rows, papers.weights, rows),
           cites=CITED, search=True),
    Source("authors", "author", "your own papers", find_by_authors, None, cites="author"),
    Source("seeds", "seed", "citations of or by papers that you named", find_by_seeds,
           prior_of_seeds),
)
# fmt: on

SEARCHES = tuple(source.key for source in SOURCES if source.search)
"""Keys of the sources that can be asked for or left out."""
IN_WORDS = {CITED: "citations of similar papers", **{each.name: each.in_words for each in SOURCES}}
"""What a source is called for people, by its name in answers."""


NAMES = tuple(
    dict.fromkeys(name for source in SOURCES for name in (source.name, source.cites) if name)
)
"""The sources as answers name them; bit i of `Pool.sources` is that of name i."""


def bit(name: str) -> int:
    """Return the bit of a source's name."""
    return 1 << NAMES.index(name)


def source_names(bits: int) -> tuple[str, ...]:
    """Name the sources of a candidate by its bits."""
    return tuple(name for i, name in enumerate(NAMES) if bits >> i & 1)


def asked_of(searches: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources that propose papers when these searches are asked."""
    return tuple(source for source in SOURCES if not source.search or source.key in searches)


def check_searches(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the searches in the order of the table, each once.

    Raises:
        InputError: one of them is unknown, or there is none.
    """
    for name in wanted:
        check_name(name, SEARCHES, "source of candidates")
    if not wanted:
        hint = f"Name some of {', '.join(SEARCHES)}; commas between them."
        raise InputError("There is nothing that candidates could come from.", hint)
    return tuple(name for name in SEARCHES if name in wanted)


# What is proposed, and what is kept of it.

Bits: TypeAlias = NDArray[np.uint16]
"""Of each paper, bit i is set if the source with the name NAMES[i] proposes it."""
ROUNDING = np.float32(1e-5)
"""Two ways to multiply the same vectors differ by less."""
FIRST = 3
"""So many times the papers wanted are put into order at first; as a rule, twice are asked."""


class Pool(NamedTuple):
    """Papers that are considered, rows ascending.

    rows: (p,) int32. sources: (p,) bits. cosines: (p,) float32, with the draft. prior: (p,)
    float32, how promising they are.
    """

    rows: Rows
    sources: Bits
    cosines: Floats
    prior: Floats

    def take(self, positions: Rows) -> "Pool":
        """Keep the papers at some positions, ascending."""
        return Pool._make(column[positions] for column in self)

    def joined(self, more: "Pool") -> "Pool":
        """Add what is not there yet; what is there stays as it is."""
        new = more.take(np.flatnonzero(~np.isin(more.rows, self.rows)).astype(np.int32))
        columns: Iterable[tuple[Any, ...]] = zip(self, new, strict=True)
        both = Pool._make(map(np.concatenate, columns))
        return both.take(np.argsort(both.rows).astype(np.int32))


@dataclass(frozen=True, slots=True)
class Candidates:
    """What stage one proposes.

    chosen: the candidates. found: what each source found, by the source's key; stage two asks these
    papers again. pool: what the candidates were chosen from.
    """

    chosen: Pool
    found: Mapping[str, WeightedPapers]
    pool: Pool

    @property
    def rows(self) -> Rows:
        """Rows of the candidates, ascending: (m,) int32."""
        return self.chosen.rows

    @property
    def cosines(self) -> Floats:
        """Cosine of each candidate with the draft: (m,) float32."""
        return self.chosen.cosines

    @property
    def prior(self) -> Floats:
        """How promising stage one takes each candidate for: (m,) float32."""
        return self.chosen.prior

    @property
    def nearest(self) -> WeightedPapers:
        """Papers nearest to the draft by embedding."""
        return self.found["embedding"]

    @property
    def matches(self) -> WeightedPapers:
        """BM25 hits, weighted relative to the best one."""
        return self.found["bm25"]

    def source_names(self, position: int) -> tuple[str, ...]:
        """Name the sources of one candidate."""
        return source_names(int(self.chosen.sources[position]))


def propose(
    collection: Collection, query: Query, options: StageOne, *, whole: bool = False
) -> Candidates:
    """Select at most `options.candidates` papers for a query.

    whole: whether the prior of all papers that are considered is wanted; else that of those who are
    not selected is the most that it could be.
    """
    asked = SourceQuery(collection, query, options)
    found = {source.key: source.find(asked, query.allowed) for source in SOURCES}
    graph, lists = collection.graph, list[tuple[Rows, str]]()
    for source in asked_of(options.searches):
        rows = found[source.key].rows
        lists.append((rows, source.name))
        if source.cites and options.expand:
            cited = graph.references(rows[graph.older(rows, query.before)])[1]
            lists.append((cited, source.cites))
    rows, bits = _united(lists)
    wanted = query.wanted[rows]
    rows, bits = rows[wanted], bits[wanted]
    cosines = asked.cosines(rows)
    promising = prior(asked, found, found, rows, cosines)
    if whole:
        promising = add_nearness(asked, rows, promising)
    else:
        promising = _add_decisive_nearness(asked, found["seeds"], rows, promising)
    pool = Pool(rows, bits, cosines, promising)
    return Candidates(pool.take(np.sort(top_k(promising, options.candidates))), found, pool)


def filtered_retrieval(
    collection: Collection, query: Query, usual: Candidates, keep: Mask, options: StageOne
) -> Candidates:
    """Add the `options.candidates` most promising papers that pass, as far as there are so many.

    The searches are asked once more, among what passes; those who vote are the usual ones: a filter
    takes away papers, not their voice. The usual candidates stay, wanted or not, for the features
    compare candidates with each other: what a filter leaves keeps the score and the chance that it
    has without filters.

    usual: with the prior of its whole pool. keep: (n,) bool, papers that pass.
    """
    asked = SourceQuery(collection, query, options)
    found, lists = dict(usual.found), list[tuple[Rows, str]]()
    for source in asked_of(options.searches):
        if source.search:
            more, scale = source.find(asked, query.wanted & keep), usual.found[source.key].scale
            found[source.key] = replace(more, weights=more.weights * np.float32(more.scale / scale))
            lists.append((more.rows, source.name))
    rows, bits = _united(lists)
    cosines = asked.cosines(rows)
    promising = add_nearness(asked, rows, prior(asked, usual.found, found, rows, cosines))
    pool = usual.pool.joined(Pool(rows, bits, cosines, promising))
    passing = np.flatnonzero(keep[pool.rows])
    chosen = passing[top_k(pool.prior[passing], options.candidates)]
    positions = np.union1d(np.searchsorted(pool.rows, usual.rows), chosen)
    return replace(usual, chosen=pool.take(positions.astype(np.int32)), pool=pool)


def _united(lists: Sequence[tuple[Rows, str]]) -> tuple[Rows, Bits]:
    """Unite what sources propose: (distinct rows, ascending; the bits of all that propose each)."""
    rows = distinct(np.concatenate([np.empty(0, np.int32), *(rows for rows, _ in lists)]))
    bits = np.zeros(len(rows), np.uint16)
    for proposed, name in lists:
        bits[np.searchsorted(rows, proposed)] |= np.uint16(bit(name))
    return rows, bits


def prior(
    asked: SourceQuery,
    voters: Mapping[str, WeightedPapers],
    found: Mapping[str, WeightedPapers],
    rows: Rows,
    cosines: Floats,
) -> Floats:
    """Mix what the sources that are asked say of some rows, but for `add_nearness`: (p,) float32.

    Args:
        asked: query, collection and options.
        voters: who votes, by the source's key.
        found: what each source found, and how it weighs that.
        rows: (p,) int32, distinct.
        cosines: (p,) float32, of the rows with the draft.
    """
    graph, before = asked.collection.graph, asked.query.before
    sources = asked_of(asked.options.searches)
    mixed = np.zeros(len(rows), np.float32)
    for source in sources:
        if source.cites:
            mixed += share(votes(graph, voters[source.key], before, rows))
    for source in sources:
        if source.prior:
            mixed += source.prior(asked, found[source.key], rows, cosines)
    return mixed


# The cosine with the nearest close seed: a part of the prior, exact where it decides.
#
# To multiply a thousand papers with twenty seeds costs as much as all else that stage one does
# for them. But the search around the seeds knows how near its papers are, and that no other is
# nearer than the last ones it found: few of the others can come among the most promising.


def add_nearness(asked: SourceQuery, rows: Rows, prior: Floats) -> Floats:
    """Add to the (p,) prior of each row its cosine with the nearest close seed, if any."""
    if not len(asked.close_seeds):
        return prior
    vectors = asked.collection.vectors
    nearness: Floats = row_dots(vectors, rows, vectors[asked.close_seeds]).max(axis=0)
    return prior + nearness


def _add_decisive_nearness(
    asked: SourceQuery, by_seeds: WeightedPapers, rows: Rows, prior: Floats
) -> Floats:
    """Do as `add_nearness` does for all that can be among the most promising of distinct rows.

    The others get the most that it could be, which leaves them below those.

    by_seeds: a paper weighs at least its nearness, and no other's is above the least weight.
    """
    k = asked.options.candidates
    if not len(asked.close_seeds) or not 1 < k < len(rows) or not len(by_seeds.rows):
        return add_nearness(asked, rows, prior)
    bound = np.maximum(look_up(by_seeds.rows, by_seeds.weights, rows), by_seeds.weights.min())
    most = prior + bound + ROUNDING
    exact: Floats = most.copy()  # As far as it was asked.
    in_turn, done = top_k(most, FIRST * k), 0
    while done < len(rows):
        if done == len(in_turn):
            in_turn = top_k(most, len(most))
        here = in_turn[done : done + (k // 2 if done else k)]
        if done and most[here[0]] < np.partition(exact[in_turn[:done]], done - k)[done - k]:
            break
        exact[here] = add_nearness(asked, rows[here], prior[here])
        done += len(here)
    return exact
