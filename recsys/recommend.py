"""The whole way of a draft: query, candidates, features, scores, reasons."""

from dataclasses import dataclass, field

import numpy as np

from recsys.arrays import Floats, Rows
from recsys.candidates import Candidates, StageOne, propose
from recsys.collection import Collection
from recsys.errors import DraftError, InputError, NothingFound
from recsys.evidence import Evidence
from recsys.explain import explain
from recsys.features import compute
from recsys.protocols import Encoder, Ranker
from recsys.query import Query, draft_of, make_query
from recsys.records import Answer, Draft, Recommendation
from recsys.selection import best


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order: (m,) int32 positions in `candidates`, best first, and (m,) scores."""

    candidates: Candidates
    positions: Rows
    scores: Floats

    @property
    def rows(self) -> Rows:
        """Rows of the papers, best first."""
        return self.candidates.rows[self.positions]


@dataclass(frozen=True, slots=True)
class Recommender:
    """Answers drafts out of one collection. Open one with `recsys.load`."""

    collection: Collection
    encoder: Encoder
    ranker: Ranker
    stage_one: StageOne = field(default_factory=StageOne)
    metadata: bool = True

    def recommend(self, draft: Draft, k: int = 20) -> Answer:
        """Recommend at most k papers.

        Raises:
            InputError: k < 1.
            DraftError: the draft has neither title nor abstract.
            NothingFound: no paper is left; the message says which step removed what.
        """
        if k < 1:
            raise InputError(f"k is {k}.", "Ask for at least one paper.")
        if not (draft.title.strip() or (draft.abstract or "").strip()):
            raise DraftError(
                "The draft has neither a title nor an abstract.", "Give at least one of them."
            )
        vector = self.encoder.encode([(draft.title, draft.abstract)])[0]
        query = make_query(self.collection, draft, vector, metadata=self.metadata)
        ranking = self.rank(query)
        stages = self._stages(query, ranking, k)
        if len(ranking.rows) == 0:
            raise NothingFound(
                "No paper is left to recommend: "
                + ", ".join(f"{count:,} {stage}" for stage, count in stages.items())
                + ".",
                "Give a later --as-of, a longer draft, or another --index.",
            )
        return Answer(self._shown(query, ranking, k), self._understood(draft, query), stages)

    def rank(self, query: Query) -> Ranking:
        """Propose candidates and order them: higher score first, ties by ascending id."""
        candidates = propose(self.collection, query, self.stage_one)
        features = compute(self.collection, query, candidates, self.ranker.feature_names)
        scores = self.ranker.score(features)
        order = best(scores, len(scores))
        return Ranking(candidates, order, scores[order])

    def query_of(self, row: int) -> Query:
        """Pose a corpus paper as the draft it once was, with its stored vector."""
        draft = draft_of(self.collection.corpus.full_papers([row])[0])
        vector = self.collection.vectors[row]
        return make_query(self.collection, draft, vector, metadata=self.metadata)

    def _shown(self, query: Query, ranking: Ranking, k: int) -> tuple[Recommendation, ...]:
        positions, scores = ranking.positions[:k].tolist(), ranking.scores[:k]
        papers = self.collection.corpus.papers(ranking.rows[:k])
        probabilities = self.ranker.probability(scores)
        reasons = explain(Evidence(self.collection, query, ranking.candidates), positions, papers)
        return tuple(
            Recommendation(
                rank=rank,
                paper=paper,
                score=float(scores[rank - 1]),
                probability=float(probabilities[rank - 1]),
                sources=ranking.candidates.source_names(position),
                reasons=reasons[rank - 1],
            )
            for rank, (position, paper) in enumerate(zip(positions, papers, strict=True), 1)
        )

    def _stages(self, query: Query, ranking: Ranking, k: int) -> dict[str, int]:
        return {
            "papers in the corpus": len(self.collection.corpus),
            f"known in {query.before}": int(np.count_nonzero(query.allowed)),
            "cited already": len(query.seeds),
            "proposed by stage one": ranking.candidates.pooled,
            "kept as candidates": len(ranking.rows),
            "recommended": min(k, len(ranking.rows)),
        }

    def _understood(self, draft: Draft, query: Query) -> str:
        words = len((draft.abstract or "").split())
        parts = [
            "title" if draft.title.strip() else "no title",
            f"abstract ({_some(words, 'word')})" if words else "no abstract",
        ]
        if draft.authors:
            authors = _some(len(draft.authors), "author")
            parts.append(f"{authors} ({len(query.authors)} in the corpus)")
        if draft.venue:
            parts.append("venue" if query.venue >= 0 else "venue (not in the corpus)")
        if draft.references:
            references = _some(len(set(draft.references)), "reference")
            parts.append(f"{references} ({len(query.seeds)} in the corpus)")
        if draft.as_of is not None:
            parts.append(f"as of {draft.as_of}")
        return "Understood: " + ", ".join(parts) + "."


def _some(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
