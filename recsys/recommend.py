"""The whole way of a draft: query, candidates, features, scores, reasons."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from recsys.asking.apply_filters import REMOVED, Filtering, apply_filters
from recsys.asking.filters import Filters
from recsys.asking.query import Query, draft_of, make_query
from recsys.asking.question import NO_LISTS, Asked, Outcome, Question, pose
from recsys.asking.rocchio import text_vector
from recsys.errors import InputError, NothingFound, RecsysError
from recsys.protocols import Encoder, Ranker
from recsys.records import Answer, ReadingLists, Recommendation
from recsys.stage_one.candidates import Candidates, StageOne, propose
from recsys.stage_one.widening import widen
from recsys.stage_two.dislikes import sink
from recsys.stage_two.diversity import POOL, check_diversity, diversify
from recsys.stage_two.evidence import Evidence
from recsys.stage_two.features import compute
from recsys.stage_two.reasons import explain
from recsys.store.arrays import Floats, Mask, Rows
from recsys.store.collection import Collection
from recsys.store.top_k import top_k

_NO_FILTERS = Filters()


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
    """Answers drafts out of one collection. Open one with `recsys.load`.

    second_encoder: of the collection's second space, if it has one.
    """

    collection: Collection
    encoder: Encoder
    ranker: Ranker
    stage_one: StageOne = field(default_factory=StageOne)
    metadata: bool = True
    second_encoder: Encoder | None = None

    def recommend(
        self,
        draft: Asked,
        k: int = 20,
        *,
        lists: ReadingLists = NO_LISTS,
        as_of: int | None = None,
        filters: Filters = _NO_FILTERS,
        diversity: float = 0.0,
    ) -> Answer:
        """Recommend at most k papers.

        Args:
            draft: what was written so far: the path of a file, its text, what `recsys.read_draft`
                read of one, or a Draft in the terms of the corpus; or one paper, a Reference, to
                find more of. What it cites is looked up in the corpus.
            k: how many papers at most.
            lists: papers that the author likes, dislikes or has.
            as_of: the year in which the draft is written; None: the draft's own, else now.
            filters: what a paper must fulfil; no candidate's score depends on it.
            diversity: from 0, the best papers, to 1, papers that differ; see `stage_two.diversity`.

        Raises:
            InputError: the draft or a list cannot be read or found, k < 1, diversity outside
                [0, 1], or a filter that makes no sense.
            DraftError: the draft has neither text nor a reference in the corpus.
            NothingFound: no paper is left; the message says which step removed what.
        """
        question = pose(self.collection, draft, lists=lists, as_of=as_of)
        return self.answer(question, k, filters=filters, diversity=diversity)

    def recommend_many(
        self,
        drafts: Iterable[Asked],
        k: int = 20,
        *,
        lists: ReadingLists = NO_LISTS,
        as_of: int | None = None,
        filters: Filters = _NO_FILTERS,
        diversity: float = 0.0,
    ) -> Iterator[Outcome]:
        """Answer several drafts, one after the other, as `recommend` answers each.

        A draft that fails loses no other one's answer: its outcome has the error instead.
        """
        for draft in drafts:
            question = answer = error = None
            try:
                question = pose(self.collection, draft, lists=lists, as_of=as_of)
                answer = self.answer(question, k, filters=filters, diversity=diversity)
            except RecsysError as caught:
                error = caught
            yield Outcome(question, answer, error)

    def answer(
        self,
        question: Question,
        k: int = 20,
        *,
        filters: Filters = _NO_FILTERS,
        diversity: float = 0.0,
    ) -> Answer:
        """Answer a question that was posed; see `recommend`."""
        draft, filters = question.draft, question.filtered(filters)
        if k < 1:
            raise InputError(f"k is {k}.", "Ask for at least one paper.")
        check_diversity(diversity)
        vector = text_vector(self.encoder, draft)
        second = None if self.second_encoder is None else text_vector(self.second_encoder, draft)
        query = make_query(self.collection, draft, vector, second=second, metadata=self.metadata)
        filtering = apply_filters(filters, self.collection.corpus, draft)
        ranking = self.rank(query, keep=filtering.keep)
        stages = self._stages(query, filtering, ranking, k)
        if len(ranking.rows) == 0:
            raise NothingFound(
                "No paper is left to recommend: "
                + ", ".join(f"{count:,} {stage}" for stage, count in stages.items())
                + ".",
                _way_out(query, filtering),
            )
        chosen = self._diversified(ranking, k, diversity) if diversity else ranking
        items = question.marked(self._shown(query, chosen, k))
        told = question.understood, stages, question.notes, question.missing, question.name
        return Answer(items, *told)

    def rank(self, query: Query, *, keep: Mask | None = None) -> Ranking:
        """Propose candidates and order them: higher score first, ties by ascending id.

        keep: (n,) bool, papers that may be in the ranking; None: all that the query wants.
        """
        candidates = propose(self.collection, query, self.stage_one)
        scores = self._scores(query, candidates)
        if keep is not None:
            candidates, scores = self._widened(query, candidates, scores, keep)
        order = top_k(scores, len(scores))
        if keep is not None:
            order = order[keep[candidates.rows[order]]]
        return Ranking(candidates, order, scores[order])

    def query_of(self, row: int) -> Query:
        """Pose a corpus paper as the draft it once was, with its stored vectors."""
        draft = draft_of(self.collection.corpus.full_papers([row])[0])
        return make_query(
            self.collection,
            draft,
            self.collection.vectors[row],
            second=self.collection.second_vector(row),
            metadata=self.metadata,
        )

    def _scores(self, query: Query, candidates: Candidates) -> Floats:
        names = self.ranker.feature_names
        scores = self.ranker.score(compute(self.collection, query, candidates, names))
        return sink(Evidence(self.collection, query, candidates), scores)

    def _widened(
        self, query: Query, usual: Candidates, scores: Floats, keep: Mask
    ) -> tuple[Candidates, Floats]:
        """Look further for papers that pass; the usual candidates keep their scores."""
        wide = widen(self.collection, query, usual, keep, self.stage_one)
        wide_scores = self._scores(query, wide).copy()
        wide_scores[np.searchsorted(wide.rows, usual.rows)] = scores
        return wide, wide_scores

    def _diversified(self, ranking: Ranking, k: int, diversity: float) -> Ranking:
        rows = ranking.rows[: max(k, POOL)]
        relevance = self.ranker.probability(ranking.scores[: len(rows)])
        chosen = diversify(relevance, self.collection.vectors[rows], k, diversity)
        return Ranking(ranking.candidates, ranking.positions[chosen], ranking.scores[chosen])

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

    def _stages(
        self, query: Query, filtering: Filtering, ranking: Ranking, k: int
    ) -> dict[str, int]:
        removed = filtering.removed(ranking.candidates.pool.rows)
        return {
            "papers in the corpus": len(self.collection.corpus),
            f"known in {query.before}": int(np.count_nonzero(query.allowed)),
            "cited already": len(query.seeds),
            "proposed by stage one": ranking.candidates.pooled,
            **{f"{REMOVED}{name}": count for name, count in removed.items()},
            "kept as candidates": len(ranking.rows),
            "recommended": min(k, len(ranking.rows)),
        }


def _way_out(query: Query, filtering: Filtering) -> str:
    if filtering.filters and query.wanted.any():
        return filtering.advice(query.wanted)
    return "Give a later --as-of, a longer draft, or another --index."
