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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.query.query import Query
from recsys.retrieval.sources import (
    SOURCES,
    SourceQuery,
    StageOne,
    WeightedPapers,
    asked_of,
    bit,
    share,
    source_names,
    votes,
)
from recsys.store.arrays import Floats, Mask, Rows, distinct, look_up, top_k
from recsys.store.collection import Collection
from recsys.store.vectors import row_dots

Bits: TypeAlias = NDArray[np.uint16]
"""Of each paper, bit i is set if the source with the name `sources.names()[i]` proposes it."""
ROUNDING = np.float32(1e-5)
"""Two ways to multiply the same vectors differ by less."""
FIRST = 3
"""So many times the papers wanted are put into order at first; as a rule, twice are asked."""


@dataclass(frozen=True, slots=True)
class Pool:
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
        return Pool(
            self.rows[positions],
            self.sources[positions],
            self.cosines[positions],
            self.prior[positions],
        )

    def joined(self, more: "Pool") -> "Pool":
        """Add what is not there yet; what is there stays as it is."""
        new = more.take(np.flatnonzero(~np.isin(more.rows, self.rows)).astype(np.int32))
        both = Pool(
            np.concatenate([self.rows, new.rows]),
            np.concatenate([self.sources, new.sources]),
            np.concatenate([self.cosines, new.cosines]),
            np.concatenate([self.prior, new.prior]),
        )
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
