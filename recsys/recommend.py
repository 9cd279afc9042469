"""The whole way of a draft: query, candidates, features, scores, reasons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Unpack

import numpy as np

from recsys.errors import ArtifactCorrupt, InputError, NothingFound, RecsysError
from recsys.machine import one_thread
from recsys.protocols import Encoder, Ranker
from recsys.query.query import (
    FRONT_MATTER,
    REMOVED,
    Filtering,
    Query,
    apply_filters,
    draft_of,
    make_query,
    text_vector,
)
from recsys.query.question_schema import NO_FILTERS, Filters, FilterWords
from recsys.query.resolve_draft import NO_LISTS, Asked, Outcome, Question, resolve_draft
from recsys.ranking.duplicates import find_versions
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.ranker import Transfer, evidence_of, score
from recsys.ranking.reasons import explain
from recsys.records import Answer, Draft, ReadingLists, Recommendation
from recsys.retrieval.propose import IN_WORDS, Candidates, StageOne, filtered_retrieval, propose
from recsys.store.arrays import Floats, Mask, Rows, distinct, find_rows, top_k
from recsys.store.collection import Collection
from recsys.store.generations import root_of
from recsys.store.vectors import dot_cache


@contextmanager
def answering(collection: Collection) -> Iterator[None]:
    """Answer on one thread, and read each product of vectors once.

    Raises:
        ArtifactCorrupt: a number points beyond an array: of a large index, opening does not look at
            every number.
    """
    try:
        with one_thread(), dot_cache():
            yield
    except IndexError as error:
        raise ArtifactCorrupt(
            f"Answering from {root_of(collection.folder)} went beyond an array ({error}).",
            "`recsys inspect --verify` tells whether a file is damaged; report it if none is.",
        ) from error


BEST = 20
"""How many candidates of the highest scores reasons ask whom they cite."""
KEPT = "kept as candidates"
"""The stage that counts the papers which an answer can hold."""
MERGED = "other versions of papers above them, or cited"
"""The stage that counts candidates which are left out because another version of theirs stands."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order: (m,) int32 positions among them, best first, (m,) scores and chances.

    context: what is known of the candidates, out of which scores and reasons are made. versions:
    rows of the candidates that are other versions of a paper in the ranking, by its row; they are
    not in the ranking themselves. merged: how many candidates are not, being versions of others.
    best: rows of the BEST candidates with the highest scores, whatever filters let through.
    """

    context: FeatureContext
    positions: Rows
    scores: Floats
    probabilities: Floats
    best: Rows
    versions: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    merged: int = 0

    @property
    def candidates(self) -> Candidates:
        """What stage one proposed."""
        return self.context.candidates

    @property
    def rows(self) -> Rows:
        """Rows of the papers, best first."""
        return self.candidates.rows[self.positions]

    def take(self, places: Rows) -> "Ranking":
        """Keep the papers at some places of the ranking, in their order."""
        columns = ("positions", "scores", "probabilities")
        return replace(self, **{name: getattr(self, name)[places] for name in columns})


@dataclass(frozen=True, slots=True, repr=False)
class Recommender:
    """Answers drafts out of one collection. Open one with `recsys.load`.

    nnselect_encoder: places drafts in NNSelect's space, if the collection has one. transfer:
    corrects chances where the ranker has not seen the collection.
    """

    collection: Collection
    encoder: Encoder
    ranker: Ranker
    stage_one: StageOne = field(default_factory=StageOne)
    metadata: bool = True
    nnselect_encoder: Encoder | None = None
    transfer: Transfer | None = None

    def __repr__(self) -> str:
        """Name the collection and count its papers."""
        return f"Recommender({self.collection.name!r}, {len(self.collection.corpus):,} papers)"

    def recommend(
        self,
        draft: Asked,
        k: int = 20,
        *,
        lists: ReadingLists = NO_LISTS,
        as_of: int | None = None,
        filters: Filters = NO_FILTERS,
        diversity: float = 0.0,
        **only: Unpack[FilterWords],
    ) -> Answer:
        """Recommend at most k papers.

        Args:
            draft: what was written so far: the path of a file, its text, what `recsys.read_draft`
                read of one, or a Draft in the terms of the corpus; or one paper, a Reference, to
                find more of. What it cites is looked up in the corpus.
            k: how many papers at most.
            lists: papers that the author likes, dislikes or has.
            as_of: the year in which the draft is written; None: the draft's own, else now.
            filters: what a paper must fulfil; no candidate's score depends on it, unless front
                matter becomes candidates, too.
            diversity: from 0, the best papers, to 1, papers that differ; see `diversify`.
            only: single filters by their names, such as min_year=2015.

        Raises:
            InputError: the draft or a list cannot be read or found, k < 1, diversity outside
                [0, 1], or a filter that makes no sense.
            DraftError: the draft has neither text nor a reference in the corpus.
            NothingFound: no paper is left; the message says which step removed what.
        """
        filters = filters.narrowed(only)
        question = resolve_draft(self.collection, draft, lists=lists, as_of=as_of)
        return self.answer(question, k, filters=filters, diversity=diversity)

    def recommend_many(
        self,
        drafts: Iterable[Asked],
        k: int = 20,
        *,
        lists: ReadingLists = NO_LISTS,
        as_of: int | None = None,
        filters: Filters = NO_FILTERS,
        diversity: float = 0.0,
        **only: Unpack[FilterWords],
    ) -> Iterator[Outcome]:
        """Answer several drafts, one after the other, as `recommend` answers each.

        A draft that fails loses no other one's answer: its outcome has the error instead.
        """
        filters = filters.narrowed(only)
        for draft in drafts:
            question = answer = error = None
            try:
                question = resolve_draft(self.collection, draft, lists=lists, as_of=as_of)
                answer = self.answer(question, k, filters=filters, diversity=diversity)
            except RecsysError as caught:
                error = caught
            yield Outcome(question, answer, error)

    def answer(
        self,
        question: Question,
        k: int = 20,
        *,
        filters: Filters = NO_FILTERS,
        diversity: float = 0.0,
    ) -> Answer:
        """Answer a question that was posed; see `recommend`."""
        if k < 1:
            raise InputError(f"k is {k}.", "Ask for at least one paper.")
        check_diversity(diversity)
        with answering(self.collection):
            return self._answer(question, k, question.filtered(filters), diversity)

    def _answer(self, question: Question, k: int, filters: Filters, diversity: float) -> Answer:
        query = self.query_to(question.draft, front_matter=filters.keep_front_matter)
        corpus = self.collection.corpus
        filtering = apply_filters(filters, corpus, question.draft, query.allowed)
        ranking = self.rank(query, keep=filtering.keep)
        stages = self._stages(query, filtering, ranking, k)
        if len(ranking.rows) == 0:
            counted = ", ".join(f"{count:,} {stage}" for stage, count in stages.items())
            hint = "Give a later --as-of, a longer draft, or another --index."
            if query.wanted.any():
                hint = filtering.advice(query.wanted) if filtering.filters else hint
            elif len(query.withheld):
                hint = "Only front matter is left: --keep-front-matter includes it."
            raise NothingFound(f"No paper is left to recommend: {counted}.", hint)
        chosen = self._diversified(ranking, k, diversity) if diversity else ranking
        items = question.marked(self._shown(chosen, k))
        told = question.understood, stages, question.notes, question.missing, question.name
        searched = f"{self.collection.name}, {len(corpus):,} papers"
        return Answer(
            items,
            *told,
            title=question.draft.title,
            corpus=searched,
            keys=question.keys,
            taken_keys=question.taken_keys,
        )

    def among(
        self, question: Question, keep: Mask, k: int, *, least: float, known: Rows
    ) -> tuple[Recommendation, ...]:
        """Recommend at most k of some new papers, each by the probability that it has among all.

        Args:
            question: the draft.
            keep: (n,) bool, the new papers.
            k: how many papers at most.
            least: the probability that each needs.
            known: rows of papers of which no other version is recommended, as of seeds.

        Raises:
            DraftError: the draft has neither text nor a reference in the corpus.
        """
        with one_thread(), dot_cache():
            ranking = self.rank_new(self.query_to(question.draft), keep, further=known)
            k = min(k, int(np.count_nonzero(ranking.probabilities >= least)))
            return question.marked(self._shown(ranking, k)) if k else ()

    def rank(
        self, query: Query, *, keep: Mask | None = None, further: Sequence[int] | Rows = ()
    ) -> Ranking:
        """Rank candidates, of each work one: versions of a paper above, or of a seed, are left out.

        keep: (n,) bool, papers that may be in the ranking; None: all that the query wants. further:
        rows of papers whose other versions are left out, too.
        """
        ranking = self.order(query, keep=keep)
        known = np.concatenate([query.seeds, query.disliked])
        if len(further):
            rest = np.setdiff1d(further, np.concatenate([ranking.rows, known]))
            known = np.concatenate([known, rest])
        found = find_versions(self.collection, ranking.rows, known)
        merged = len(ranking.rows) - len(found.standing)
        return replace(ranking.take(found.standing), versions=found.others, merged=merged)

    def rank_new(self, query: Query, keep: Mask, *, further: Sequence[int] | Rows = ()) -> Ranking:
        """Rank papers that are so new that few or none can cite them yet; see `rank`.

        They are read twice, and the log-odds averaged: as of the query's moment, when their links
        count as those of any paper a year later, and as of a year before, when they have none. On
        dev, the first gives them about twice the probability that they have, the second about half.
        """
        late = self.rank(query, keep=keep, further=further)
        early = self.order(replace(query, before=query.before - 1), keep=keep)
        without_links = np.zeros(len(self.collection.corpus), np.float32)
        without_links[early.rows] = early.probabilities
        both = _log_odds(late.probabilities) + _log_odds(without_links[late.rows])
        odds = both * np.float32(0.5)
        order = np.argsort(-odds, kind="stable")
        scores = odds[order]
        probabilities = (1 / (1 + np.exp(-scores))).astype(np.float32)
        positions = late.positions[order]
        return replace(late, positions=positions, scores=scores, probabilities=probabilities)

    def order(self, query: Query, *, keep: Mask | None = None) -> Ranking:
        """Propose candidates and order all of them: higher score first, ties by ascending id.

        keep: see `rank`.
        """
        proposed = propose(self.collection, query, self.stage_one, whole=keep is not None)
        context = FeatureContext(self.collection, query, proposed)
        scores = self._scores(context)
        usual = context  # Of which chances depend, whatever filters let through.
        best = proposed.rows[top_k(scores, BEST)]
        if keep is not None:
            context, scores = self._widened(context, scores, keep)
        order = top_k(scores, len(scores))
        if keep is not None:
            order = order[keep[context.rows[order]]]
        chances = self.ranker.probability(scores[order])
        if self.transfer is not None:
            chances = self.transfer.apply(chances, evidence_of(usual))
        return Ranking(context, order, scores[order], chances, best)

    def query_to(self, draft: Draft, *, front_matter: bool = False) -> Query:
        """Pose a draft whose text is encoded for it; front matter is wanted only if that is said.

        Raises:
            DraftError: the draft has neither text nor a reference in the corpus.
        """
        other = self.nnselect_encoder
        return make_query(
            self.collection,
            draft,
            text_vector(self.encoder, draft),
            nnselect=None if other is None else text_vector(other, draft),
            metadata=self.metadata,
            front_matter=front_matter,
        )

    def query_of(self, row: int) -> Query:
        """Pose a corpus paper as the draft it once was, with its stored vectors."""
        draft = draft_of(self.collection.corpus.full_papers([row])[0])
        return make_query(
            self.collection,
            draft,
            self.collection.vectors[row],
            nnselect=self.collection.nnselect_vector(row),
            metadata=self.metadata,
        )

    def _scores(self, context: FeatureContext) -> Floats:
        return penalise_negatives(context, score(self.ranker, context))

    def _widened(
        self, usual: FeatureContext, scores: Floats, keep: Mask
    ) -> tuple[FeatureContext, Floats]:
        """Look further for papers that pass; the usual candidates keep their scores."""
        candidates, stage_one = usual.candidates, self.stage_one
        proposed = filtered_retrieval(self.collection, usual.query, candidates, keep, stage_one)
        context = FeatureContext(self.collection, usual.query, proposed)
        wide_scores = self._scores(context).copy()
        wide_scores[np.searchsorted(proposed.rows, candidates.rows)] = scores
        return context, wide_scores

    def _diversified(self, ranking: Ranking, k: int, diversity: float) -> Ranking:
        rows = ranking.rows[: max(k, POOL)]
        relevance = ranking.probabilities[: len(rows)]
        return ranking.take(diversify(relevance, self.collection.vectors[rows], k, diversity))

    def _shown(self, ranking: Ranking, k: int) -> tuple[Recommendation, ...]:
        positions, scores = ranking.positions[:k].tolist(), ranking.scores[:k]
        rows = ranking.rows[:k].tolist()
        papers = self.collection.corpus.papers(rows)
        reasons = explain(ranking.context, positions, papers, ranking.best)
        return tuple(
            Recommendation(
                rank=rank,
                paper=paper,
                score=float(scores[rank - 1]),
                probability=float(ranking.probabilities[rank - 1]),
                sources=(sources := ranking.candidates.source_names(position)),
                reasons=reasons[rank - 1],
                found_by=tuple(IN_WORDS[name] for name in sources),
                versions=tuple(self.collection.corpus.papers(ranking.versions.get(row, ()))),
            )
            for rank, (position, row, paper) in enumerate(
                zip(positions, rows, papers, strict=True), 1
            )
        )

    def _stages(
        self, query: Query, filtering: Filtering, ranking: Ranking, k: int
    ) -> dict[str, int]:
        candidates = ranking.candidates
        found = distinct(np.concatenate([papers.rows for papers in candidates.found.values()]))
        withheld = int(np.count_nonzero(find_rows(found, query.withheld) >= 0))  # Front matter.
        removed = {FRONT_MATTER: withheld} if withheld else {}
        removed |= filtering.removed(candidates.pool.rows)
        return {
            "papers in the corpus": len(self.collection.corpus),
            f"known in {query.before}": int(np.count_nonzero(query.allowed)),
            "cited already": len(query.seeds),
            "proposed by the first stage": len(candidates.pool.rows),
            **{f"{REMOVED}{name}": count for name, count in removed.items()},
            **({MERGED: ranking.merged} if ranking.merged else {}),
            KEPT: len(ranking.rows),
            "recommended": min(k, len(ranking.rows)),
        }


def _log_odds(probabilities: Floats) -> Floats:
    """Return log(p / (1 - p)), of what is taken for impossible or certain that of next to it."""
    p = np.clip(probabilities, 1e-6, 1 - 1e-6)
    odds: Floats = np.log(p / (1 - p))
    return odds


# Negative examples: papers like those that somebody does not like sink.

STRENGTH = 3.0
"""Standard deviations of the scores that a paper loses per unit of its excess."""
MARGIN = 0.2
"""So much closer to a disliked paper may a paper be without loss: papers on one topic are closer to
each other than any of them is to a draft."""


def penalise_negatives(context: FeatureContext, scores: Floats) -> Floats:
    """Lower the (m,) scores of the candidates that are like a disliked paper.

    score - STRENGTH * standard deviation of the scores * max(0, excess - MARGIN), the excess being
    the candidate's closeness to the disliked paper nearest to it, less its cosine with the draft
    or its closeness to the nearest seed, whichever is higher. `Seeds.closeness` is high for papers
    of similar words and for papers that are cited together. Without disliked papers, all scores
    stay as they are.
    """
    if context.disliked is None or len(scores) == 0:
        return scores
    attraction = context.candidates.cosines
    if context.seeds is not None:
        attraction = np.maximum(attraction, context.seeds.closeness.max(axis=1))
    excess = context.disliked.closeness.max(axis=1) - attraction
    lost: Floats = np.float32(STRENGTH) * scores.std() * np.maximum(excess - np.float32(MARGIN), 0)
    return scores - lost


# Diversity: choose papers so that each adds something to those above it.

POOL = 200
"""An answer is chosen from this many of the best papers, or from as many as are asked for."""


def check_diversity(diversity: float) -> None:
    """Refuse what is not in [0, 1].

    Raises:
        InputError: it is lower, higher or not a number.
    """
    if not 0 <= diversity <= 1:
        what = f"The diversity is {diversity}."
        raise InputError(what, "Give --mmr a number from 0 (most relevant) to 1 (most different).")


def diversify(relevance: Floats, vectors: Floats, k: int, diversity: float) -> Rows:
    """Choose k papers of a ranking by maximal marginal relevance: positions, in the new order.

    Each step takes the paper with the highest (1 - diversity) * relevance - diversity * similarity,
    similarity being the highest cosine with a paper taken before (Carbonell & Goldstein 1998, where
    1 - diversity is lambda). Ties go to the paper ranked higher. O(k m d).

    Relevance is meant to be the calibrated probability: it says the same in every answer, and on
    dev of vis it costs fewer right papers than the scaled score for answers as diverse.

    Args:
        relevance: (m,) float32 in [0, 1], descending.
        vectors: (m, d) float32, L2-normalised rows, of the same papers.
        k: how many to choose at most.
        diversity: 0 keeps the order, 1 looks at the cosines alone.
    """
    weighed = (1 - diversity) * relevance.astype(np.float64)
    margin = weighed.copy()  # Nothing is taken yet, so nothing is similar.
    similarity = np.full(len(relevance), -np.inf)
    taken = np.empty(min(k, len(relevance)), np.int32)
    for step in range(len(taken)):
        at = taken[step] = np.argmax(margin)
        similarity = np.maximum(similarity, vectors @ vectors[at])
        margin = weighed - diversity * similarity
        margin[taken[: step + 1]] = -np.inf
    return taken
