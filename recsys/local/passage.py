"""A passage that lacks a citation, as a query: what its draft, its names and its likes say."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from recsys.local.named_works import NamedRows, NamedWorks, find_names
from recsys.query.query import Query
from recsys.ranking.feature_context import FeatureContext
from recsys.recommend import Recommender
from recsys.records import Draft, PaperId
from recsys.store.arrays import (
    Floats,
    Longs,
    Mask,
    Rows,
    distinct,
    look_up,
    number,
    top_k,
    totals,
)
from recsys.store.collection import Collection, ContextSpace
from recsys.store.contexts import Contexts
from recsys.store.terms import QueryText
from recsys.store.vectors import dots

_NO_ROWS = np.empty(0, np.int32)


class ContextUse(StrEnum):
    """Which citing sentences a passage may see.

    ONLY: all, and only papers may be recommended that have some. Where papers are known to be gold
    because they have contexts, a ranker must not learn from their presence: it learns from HIDDEN
    and ONLY, where all candidates of a passage are equal in that.
    """

    ALL = "all"
    HIDDEN = "hidden"
    ONLY = "only"


_MARK = " [1]"


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence in which a citation is missing, in the terms of the corpus.

    text: its words, citation marks taken out. beside: what is cited in the same sentence already:
    it is never recommended for it, and tells most of what is missing. at: how many characters stand
    before the place of the citation, where that is known: who stands there may be named without a
    year. contexts: which citing sentences of other papers may be read.
    """

    text: str
    beside: tuple[PaperId, ...] = ()
    at: int | None = None
    contexts: ContextUse = ContextUse.ALL

    @property
    def naming(self) -> str:
        """The words in which names are looked for: the gap stands there like a citation."""
        if self.at is None:
            return self.text
        return f"{self.text[: self.at]}{_MARK}{self.text[self.at :]}"


# What those who cite a paper say of it by their titles: the mean of their vectors.

MOST_CITERS = 30
"""Of a much cited paper, this many of its latest citers describe it, and so many sentences."""


@dataclass(slots=True)
class TitleMeans:
    """The mean vector of each paper's latest citers as of one moment, made when first asked for.

    Passages of a draft share most of their candidates. made: row of a paper -> (d,) float32.
    """

    made: dict[int, Floats] = field(default_factory=dict)

    def of(self, context: FeatureContext) -> Floats:
        """Return the means of the candidates: (m, d) float32."""
        rows, vectors = context.rows.tolist(), context.collection.vectors
        new = np.array([row for row in rows if row not in self.made], np.int32)
        if len(new):
            owner, citing = context.graph.citers(new, context.query.before, most=MOST_CITERS)
            once = distinct(citing)
            means = means_of(vectors[once], np.searchsorted(once, citing), owner, len(new))
            self.made.update(zip(new.tolist(), means, strict=True))
        found = np.array([self.made[row] for row in rows], np.float32)
        return found.reshape(len(rows), vectors.shape[1])


def means_of(vectors: Floats, places: Longs, owner: Rows, n: int) -> Floats:
    """Average the (u, d) vectors at some places by owner, 0 for owners without any: (n, d) float32.

    owner: ascending. The vectors of one owner fit into the processor's cache; to copy those of all
    together and add them up by `np.add.reduceat` takes five times as long.
    """
    means = np.zeros((n, vectors.shape[1]), np.float32)
    owners, starts, numbers = np.unique(owner, return_index=True, return_counts=True)
    for row, start, count in zip(owners.tolist(), starts.tolist(), numbers.tolist(), strict=True):
        weights = np.full(count, 1 / count, np.float32)
        means[row] = weights @ vectors[places[start : start + count]]
    return means


# What the two stages of whole drafts make of a draft with a passage in it.

COLUMNS = ("score", "probability", "rank")
"""What a passage's features may read of that ranking.

A rank and a probability carry over from one ranker to another, a score does so less."""
OUTSIDE = np.float32(-1)
"""What papers have in the place of these that were no candidates of the draft."""


@dataclass(frozen=True, slots=True)
class DraftView:
    """The ranking of papers for a draft with a passage in it.

    context: of its query, which says as of when, and which papers may be seen and recommended, and
    of its candidates. columns: (m, len(COLUMNS)) float32, in the order of the candidates' rows.
    """

    context: FeatureContext
    columns: Floats

    @classmethod
    def of(cls, recommender: Recommender, draft: Draft, passage: Passage) -> "DraftView":
        """Rank the papers for a draft whose title is the passage, and whose abstract its title.

        Raises:
            DraftError: neither the draft nor the passage says anything.
        """
        cited = tuple(dict.fromkeys((*draft.references, *passage.beside)))
        said = (text for text in (draft.title, draft.abstract) if text and text.strip())
        about = next(said, None)
        posed = replace(draft, title=passage.text, abstract=about, references=cited)
        ranking = recommender.order(recommender.query_to(posed))
        columns = np.empty((len(ranking.rows), len(COLUMNS)), np.float32)
        columns[ranking.positions, 0] = ranking.scores
        columns[ranking.positions, 1] = ranking.probabilities
        columns[ranking.positions, 2] = np.arange(1, len(ranking.rows) + 1)
        return cls(ranking.context, columns)

    @property
    def query(self) -> Query:
        """What was asked of the two stages; its seeds are all that the draft cites."""
        return self.context.query

    @property
    def rows(self) -> Rows:
        """Rows of the candidates, ascending: (m,) int32."""
        return self.context.rows

    @property
    def known(self) -> bool:
        """Tell whether anything is known beside the passage."""
        return self.query.text.abstract is not None or len(self.query.seeds) > 0

    def column(self, name: str, rows: Rows) -> Floats:
        """Look a column up for any rows, OUTSIDE where the draft had no such candidate."""
        found = np.full(len(rows), OUTSIDE, np.float32)
        if len(self.rows):
            places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
            there = np.flatnonzero(self.rows[places] == rows)
            found[there] = self.columns[places[there], COLUMNS.index(name)]
        return found

    def best(self, k: int) -> Rows:
        """Return the k candidates that fit the draft best, those of them that may be cited."""
        ranks = self.columns[:, COLUMNS.index("rank")]
        first = self.rows[np.argsort(ranks, kind="stable")[:k]]
        return first[self.query.wanted[first]]


# How papers were cited, as a passage may see it: sentences like it, and whom they cite.
#
# Only sentences of papers count that are strictly older than the draft; so never those of its
# own.

NEAREST = 50
"""So many of the sentences most like a passage vote for the papers that they cite."""
MATCHES = 200
"""So many BM25 hits among the sentences count."""
BEST_FEW = 3


@dataclass(frozen=True, slots=True)
class ContextEdges:
    """Citing sentences of some papers, by citing year. owner: (e,) places of these, ascending."""

    owner: Rows
    positions: Longs

    def latest(self, most: int) -> "ContextEdges":
        """Keep so many of each paper."""
        number = np.bincount(self.owner)
        from_last = np.cumsum(number)[self.owner] - np.arange(len(self.owner))
        kept = from_last <= most
        return ContextEdges(self.owner[kept], self.positions[kept])


@dataclass(frozen=True)
class ContextView:
    """The citing sentences that a passage may see. seen: (m,) bool, those among all of them.

    vector: (d,) float32 and text: of the passage; text in the terms of the sentences.
    """

    space: ContextSpace
    seen: Mask
    vector: Floats
    text: QueryText

    @classmethod
    def of(cls, collection: Collection, query: Query, words: str) -> "ContextView | None":
        """Look at the citing sentences from a query's moment; None where there are none.

        words: of the passage.
        """
        space = collection.contexts
        if space is None:
            return None
        told, everything = space.contexts, slice(None)
        seen = told.older(everything, query.before)
        seen &= query.allowed[told.citing] & query.allowed[told.cited]
        return cls(space, seen, query.vector, space.terms.query(words, None))

    @property
    def contexts(self) -> Contexts:
        """All citing sentences, seen or not."""
        return self.space.contexts

    def spoken_of(self, n: int) -> Mask:
        """Tell which of n papers are cited by a sentence that is seen: (n,) bool."""
        found = np.zeros(n, bool)
        found[self.contexts.cited[self.seen]] = True
        return found

    @cached_property
    def cosines(self) -> Floats:
        """Multiply the passage with each sentence, OUTSIDE where it is not seen: (m,) float32."""
        made = self.contexts.products(self.vector)
        made[~self.seen] = OUTSIDE
        return made

    @property
    def has_vectors(self) -> bool:
        """Tell whether sentences can be compared by their vectors."""
        return self.contexts.codes is not None

    @cached_property
    def nearest(self) -> Rows:
        """Positions of the seen sentences that are most like the passage, best first."""
        if not self.has_vectors:
            return np.empty(0, np.int32)
        found = top_k(self.cosines, NEAREST)
        return found[self.cosines[found] > 0]

    @cached_property
    def matches(self) -> tuple[Rows, Floats]:
        """Positions of the best BM25 hits that are seen; their scores as shares of the best."""
        found, scores = self.space.text_index.search(self.text, MATCHES, allowed=self.seen)
        return found, scores / max(float(scores.max(initial=0)), 1e-9)

    def proposed(self, most: int) -> Rows:
        """Return papers that are cited in sentences like the passage, rows ascending."""
        hits = np.concatenate([self.nearest[:most], self.matches[0][:most]])
        return distinct(self.contexts.cited[hits])

    def edges(self, rows: Rows, before: int) -> ContextEdges:
        """Return the seen sentences that cite each of some papers."""
        owner, positions = self.contexts.of_all(rows, before)
        seen = self.seen[positions]
        return ContextEdges(owner[seen], positions[seen])


@dataclass(frozen=True)
class ContextSigns:
    """What the citing sentences say of m candidates; (m,) float32, OUTSIDE for one without any."""

    view: ContextView
    rows: Rows
    edges: ContextEdges

    @cached_property
    def present(self) -> Mask:
        """Tell which candidates are cited by a sentence that is seen."""
        return self._number > 0

    @cached_property
    def best(self) -> Floats:
        """Cosine of the passage with the most similar sentence."""
        found = self._outside()
        if self.view.has_vectors and len(self._first):
            cosines = self.view.cosines[self.edges.positions]
            found[self.present] = np.maximum.reduceat(cosines, self._first)
        return found

    def like(self, at: int, least: float) -> Longs:
        """Return positions of one candidate's sentences that are so much like the passage.

        The nearest first, none where they have no vectors.
        """
        if not self.view.has_vectors:
            return np.empty(0, np.int64)
        own = self.edges.positions[self.edges.owner == at]
        cosines = self.view.cosines[own]
        order = np.argsort(-cosines, kind="stable")
        like: Longs = own[order[cosines[order] >= least]]
        return like

    @cached_property
    def mean(self) -> Floats:
        """Mean cosine of the passage with the few most similar sentences."""
        found = self._outside()
        if not self.view.has_vectors or not len(self._first):
            return found
        cosines, owner = self.view.cosines[self.edges.positions], self.edges.owner
        order = np.argsort(4.0 * owner - cosines)  # By owner, then the nearest first, in one go.
        begins = np.repeat(self._first, self._number[self.present])
        few = order[np.arange(len(order)) - begins < BEST_FEW]
        sums = np.bincount(owner[few], cosines[few], minlength=len(self.rows))
        few_of = np.minimum(self._number, BEST_FEW)
        found[self.present] = sums[self.present] / few_of[self.present]
        return found

    @cached_property
    def votes(self) -> Floats:
        """Weighted share of the nearest sentences that cite the candidate."""
        near = self.view.nearest
        if not self.view.has_vectors:
            return self._outside()
        weights = self.view.cosines[near]
        cited, numbers = number(self.view.contexts.cited[near])
        sums = look_up(cited, totals(numbers, weights, len(cited)), self.rows)
        share = sums / np.float32(max(float(weights.sum()), 1e-9))
        return np.where(self.present, share, OUTSIDE)

    @cached_property
    def bm25(self) -> Floats:
        """BM25 score of the best sentence, as a share of the best of all."""
        positions, shares = self.view.matches
        best = np.zeros(len(self.view.contexts.starts) - 1, np.float32)
        np.maximum.at(best, self.view.contexts.cited[positions], shares)
        return np.where(self.present, best[self.rows], OUTSIDE)

    @cached_property
    def _number(self) -> Longs:
        return np.bincount(self.edges.owner, minlength=len(self.rows))

    @cached_property
    def _first(self) -> Longs:
        """Where the sentences of each candidate that has some begin."""
        return np.flatnonzero(np.diff(self.edges.owner, prepend=-1))

    def _outside(self) -> Floats:
        return np.full(len(self.rows), OUTSIDE, np.float32)


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """A passage as the stages see it.

    query: that of the sentence; its seeds are what is cited beside the gap. draft: the ranking for
    the draft with the passage in it. named: the papers that the sentence names. contexts: how
    papers were cited; None where that is not known, or hidden. means: what passages of a draft
    share of their candidates' profiles.
    """

    query: Query
    draft: DraftView
    named: NamedRows
    contexts: ContextView | None = None
    means: TitleMeans = field(default_factory=TitleMeans)


def pose_passage(
    collection: Collection,
    works: NamedWorks,
    draft: DraftView,
    passage: Passage,
    vector: Floats,
    means: TitleMeans | None = None,
) -> PassageQuery:
    """Turn a passage into a query as of its draft's moment.

    What the draft cites elsewhere may be cited again, if the sentence names it; what stands beside
    the gap is never recommended.

    vector: (d,) float32, L2-normalised, of the passage's words.
    """
    whole = draft.query
    beside = collection.corpus.rows(passage.beside)
    beside = beside[whole.allowed[beside]]
    named = works.resolve(find_names(passage.naming), allowed=whole.allowed)
    wanted = whole.wanted.copy()
    wanted[np.intersect1d(whole.seeds, named.rows)] = True
    wanted[beside] = False
    query = replace(
        whole,
        vector=vector,
        text=collection.terms.query(passage.text, None),
        wanted=wanted,
        seeds=beside[top_k(dots(collection.vectors, beside, vector), len(beside))],
        disliked=_NO_ROWS,
        authors=_NO_ROWS,
        own_papers=_NO_ROWS,
        venue=-1,
        nnselect=None,
    )
    view = None
    if passage.contexts is not ContextUse.HIDDEN:
        view = ContextView.of(collection, query, passage.text)
    if passage.contexts is ContextUse.ONLY:
        wanted &= False if view is None else view.spoken_of(len(wanted))
    return PassageQuery(query, draft, named.among(wanted), view, means or TitleMeans())


def with_sentence(draft: Draft, text: str) -> Draft:
    """Let a sentence begin the draft's abstract; of a draft without a title it is the title."""
    if not draft.title:
        return replace(draft, title=text)
    return replace(draft, abstract=" ".join(part for part in (text, draft.abstract) if part))
