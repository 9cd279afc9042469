"""From passages to ranked papers: the whole way of local recommendation, for those who measure too.

draft ────► view ─┐
passage ──► query ┴─► candidates ─► features ─► scores ─► ranking
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from recsys.local.draft_view import DraftView
from recsys.local.local_features import LocalFacts, compute_local
from recsys.local.named_works import NamedWorks
from recsys.local.passage import Passage, PassageQuery, pose_passage, rows_of
from recsys.protocols import Ranker
from recsys.ranking.duplicates import find_versions
from recsys.recommend import Recommender
from recsys.records import Draft
from recsys.retrieval.propose import Candidates, Pool, add_nearness, prior, propose
from recsys.retrieval.sources import SourceQuery, StageOne
from recsys.store.arrays import Floats, Rows, distinct, top_k
from recsys.store.collection import Collection

# Candidates of a passage: its own, the draft's, those that it names or that are cited so.
#
# sentence ── stage one ──► the most promising ─┐ draft ──── its ranking ─► the best of it
# ─────┼─► pool ── prior of the sentence ──► candidates names ──── resolved ────► those that fit
# ─────┤ contexts ─ like it ─────► papers they cite ───┘


@dataclass(frozen=True, slots=True)
class LocalPool:
    """How many candidates come from where.

    sentence: how stage one looks for the sentence. of_draft: so many of the draft's best papers.
    named: at most so many that the sentence names, each with at least the score least_named.
    contexts: so many of the nearest citing sentences propose what they cite, and so many BM25 hits.
    """

    sentence: StageOne = field(default_factory=lambda: StageOne(candidates=250))
    of_draft: int = 200
    named: int = 20
    least_named: float = 0.2
    contexts: int = 50


USUAL_POOL = LocalPool()


def gather(
    collection: Collection, asked: PassageQuery, options: LocalPool = USUAL_POOL
) -> Candidates:
    """Select the candidates of a passage, rows ascending.

    All of them have the sentence's prior: the one that stage one gave, or would have given.
    """
    query = asked.query
    found = propose(collection, query, options.sentence, whole=True)
    more = [
        found.rows,
        asked.draft.best(options.of_draft),
        rows_of(asked.named, least=options.least_named, most=options.named),
    ]
    if asked.contexts is not None:
        more.append(asked.contexts.proposed(options.contexts))
    rows = distinct(np.concatenate(more).astype(np.int32))
    rows = rows[query.wanted[rows]]
    pool = found.pool.joined(
        _unheard(SourceQuery(collection, query, options.sentence), found, rows)
    )
    chosen = pool.take(np.searchsorted(pool.rows, rows).astype(np.int32))
    return replace(found, chosen=chosen, pool=pool)


def _unheard(asked: SourceQuery, found: Candidates, rows: Rows) -> Pool:
    """Judge the papers that stage one has not considered beside those that it has."""
    pool = found.pool
    new = rows[~np.isin(rows, pool.rows)]
    every = np.concatenate([pool.rows, new])
    cosines = asked.cosines(every)
    said = prior(asked, found.found, found.found, every, cosines)
    hopes = add_nearness(asked, every, said)
    nowhere = np.zeros(len(new), pool.sources.dtype)
    before = len(pool.rows)
    return Pool(new, nowhere, cosines[before:], hopes[before:])


@dataclass(frozen=True)
class PassageReader:
    """Finds the candidates of passages, and what is known of them.

    recommender: answers whole drafts; its encoder reads the passages.
    """

    recommender: Recommender
    pool: LocalPool = field(default_factory=lambda: USUAL_POOL)

    @cached_property
    def collection(self) -> Collection:
        """What passages are asked of: NNSelect, if there is one, only reads whole drafts."""
        return replace(self.recommender.collection, nnselect=None)

    @cached_property
    def works(self) -> NamedWorks:
        """Finds the works that a sentence names."""
        return NamedWorks(self.collection)

    def encode(self, passages: Sequence[Passage]) -> Floats:
        """Encode the passages' words: (n, d) float32, L2-normalised rows."""
        return self.recommender.encoder.encode([(each.text, None) for each in passages])

    def view(self, draft: Draft, passage: Passage) -> DraftView:
        """Rank the papers for the draft of a passage, once for all of its passages."""
        return DraftView.of(self.recommender, draft, passage.text)

    def facts(self, view: DraftView, passage: Passage, vector: Floats) -> LocalFacts:
        """Propose candidates for a passage and gather what is known of them."""
        return self.facts_of(pose_passage(self.collection, self.works, view, passage, vector))

    def facts_of(self, asked: PassageQuery) -> LocalFacts:
        """Propose candidates for a passage that was posed."""
        return LocalFacts.of(self.collection, asked, gather(self.collection, asked, self.pool))


@dataclass(frozen=True, slots=True)
class LocalRanking:
    """Candidates of a passage in order: (m,) int32 positions among them, best first.

    scores, probabilities: (m,) float32, in that order. versions: see `recommend.Ranking`.
    """

    facts: LocalFacts
    positions: Rows
    scores: Floats
    probabilities: Floats
    versions: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def rows(self) -> Rows:
        """Rows of the papers, best first."""
        return self.facts.rows[self.positions]


@dataclass(frozen=True, slots=True)
class PassageRanker:
    """Orders the candidates of passages by a local ranker."""

    reader: PassageReader
    ranker: Ranker

    def rank(self, facts: LocalFacts) -> LocalRanking:
        """Order candidates, of each work one: higher score first, ties by ascending id.

        Other versions of what the draft cites are left out; a paper that it cites itself is not,
        where the sentence names it.
        """
        scores = self.ranker.score(compute_local(facts, self.ranker.feature_names))
        order = top_k(scores, len(scores))
        cited = np.union1d(facts.asked.query.seeds, facts.asked.draft.query.seeds)
        others = np.setdiff1d(cited, facts.rows)
        found = find_versions(self.reader.collection, facts.rows[order], others)
        order = order[found.standing]
        ordered = scores[order]
        chances = self.ranker.probability(ordered)
        return LocalRanking(facts, order, ordered, chances, found.others)
