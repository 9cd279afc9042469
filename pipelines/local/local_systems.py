"""What ranks papers for a passage: the systems that local recommendation is measured against.

A new system is a function and a row of LOCAL_SYSTEMS.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from recsys.local.local_features import LocalFacts
from recsys.local.local_recommender import LocalRanking, PassageRanker
from recsys.local.named_works import NO_NAMES
from recsys.local.passage import DraftView, PassageQuery, pose_passage
from recsys.pipelines.evaluation.systems import Ranked
from recsys.pipelines.local.local_queries import Posed
from recsys.store.arrays import Floats, Rows, top_k

FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009)."""
DEEP = 200


@dataclass(frozen=True)
class AskedPassage:
    """A passage that several systems are asked; what they share is made once."""

    ranker: PassageRanker
    posed: Posed

    @cached_property
    def vector(self) -> Floats:
        """The passage's vector: (d,) float32."""
        vector: Floats = self.ranker.reader.encode([self.posed.passage])[0]
        return vector

    @cached_property
    def view(self) -> DraftView:
        """What belongs to the draft as a whole."""
        return self.ranker.reader.view(self.posed.draft, self.posed.passage)

    @cached_property
    def query(self) -> PassageQuery:
        """The passage as the stages see it."""
        reader = self.ranker.reader
        return pose_passage(
            reader.collection, reader.works, self.view, self.posed.passage, self.vector
        )


LocalRank = Callable[[AskedPassage, int], Ranked]
"""Ranks papers for (the passage, the number of papers wanted)."""


def _bm25(asked: AskedPassage, k: int) -> Ranked:
    query = asked.query.query
    index = asked.ranker.reader.collection.text_index
    return Ranked(*index.search(query.text, k, allowed=query.wanted))


def _embedding(asked: AskedPassage, k: int) -> Ranked:
    query = asked.query.query
    index = asked.ranker.reader.collection.vector_index
    return Ranked(*index.search(query.vector, k, allowed=query.wanted))


def _hybrid(asked: AskedPassage, k: int) -> Ranked:
    """Fuse both by reciprocal ranks."""
    lists = [_bm25(asked, DEEP).rows, _embedding(asked, DEEP).rows]
    rows = np.unique(np.concatenate(lists)).astype(np.int32)
    scores = np.zeros(len(rows), np.float32)
    for ranked in lists:
        scores[np.searchsorted(rows, ranked)] += 1 / (FUSION + 1 + np.arange(len(ranked)))
    return _best(rows, scores, k)


def _two_stage(asked: AskedPassage, k: int) -> Ranked:
    """Ask the two stages of whole drafts, which take the sentence for the draft's abstract."""
    draft, text = asked.posed.draft, asked.posed.passage.text
    whole = " ".join(part for part in (text, draft.abstract) if part)
    known = replace(draft, abstract=whole) if draft.title else replace(draft, title=text)
    recommender = asked.ranker.reader.recommender
    ranking = recommender.rank(recommender.query_to(known))
    return Ranked(ranking.rows[:k], ranking.scores[:k])


def _profile(asked: AskedPassage, k: int) -> Ranked:
    """Order the candidates by how they are spoken of."""
    facts = _facts(asked, asked.query)
    return _best(facts.rows, facts.profile, k)


def _local(asked: AskedPassage, k: int) -> Ranked:
    return _ranked(asked, _facts(asked, asked.query), k)


def _unnamed(asked: AskedPassage, k: int) -> Ranked:
    """Leave out what the sentence names."""
    return _ranked(asked, _facts(asked, replace(asked.query, named=NO_NAMES)), k)


def _facts(asked: AskedPassage, query: PassageQuery) -> LocalFacts:
    return asked.ranker.reader.facts_of(query)


def _ranked(asked: AskedPassage, facts: LocalFacts, k: int) -> Ranked:
    found: LocalRanking = asked.ranker.rank(facts)
    probabilities = np.empty(len(facts.rows), np.float32)
    probabilities[found.positions] = found.probabilities
    return Ranked(found.rows[:k], found.scores[:k], facts.rows, probabilities)


def _best(rows: Rows, scores: Floats, k: int) -> Ranked:
    top = top_k(scores, min(k, len(rows)))
    return Ranked(rows[top], scores[top])


BY_WORDS = "bm25"
"""The one system that asks no encoder."""
LOCAL_SYSTEMS: Mapping[str, LocalRank] = {
    BY_WORDS: _bm25,
    "embedding": _embedding,
    "hybrid": _hybrid,
    "two-stage": _two_stage,
    "profile": _profile,
    "local": _local,
    "local-unnamed": _unnamed,
}
"""By the names that `recsys evaluate-local --systems` takes."""
LEARNED = frozenset({"local", "local-unnamed"})
"""Those that a local ranker orders."""
