"""Answer passages: the papers that fit at a place, with probabilities and reasons."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from recsys.local.citation_worthiness import CitationWorthiness
from recsys.local.local_features import LOCAL_FEATURES, LocalFacts, compute_local
from recsys.local.named_works import NamedWorks
from recsys.local.passage import DraftView, Passage, PassageQuery, TitleMeans, pose_passage
from recsys.protocols import Ranker
from recsys.ranking.duplicates import Versions, find_versions
from recsys.ranking.feature_context import FeatureContext
from recsys.ranking.ranker import SCHEMA, TreeRanker
from recsys.ranking.reasons import MOST_REASONS, NEAR, Findings, cited_by, similar_to
from recsys.recommend import Recommender, answering
from recsys.records import Draft, Paper, Reason, Recommendation
from recsys.retrieval.propose import (
    IN_WORDS,
    Candidates,
    Pool,
    SourceQuery,
    StageOne,
    add_nearness,
    prior,
    propose,
)
from recsys.store.arrays import Floats, Rows, distinct, top_k
from recsys.store.artifacts import MANIFEST, load_manifest, sha256
from recsys.store.collection import Collection

# From passages to ranked papers: the whole way of local recommendation, for those who measure too.
#
#     draft with the passage ──► view ──┐
#     passage alone ───────────► query ─┴─► candidates ─► features ─► scores ─► ranking

# Candidates of a passage: its own, those of the draft with it, what it names, and what is cited so.
#
#     sentence ── retrieval ──► the most promising ─┐
#     draft ──── its ranking ─► the best of it ─────┼─► pool ── prior of the sentence ──► candidates
#     names ──── resolved ────► those that fit ─────┤
#     contexts ─ like it ─────► papers they cite ───┘


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
        asked.named.clearest(least=options.least_named, most=options.named).rows,
    ]
    if asked.contexts is not None:
        more.append(asked.contexts.proposed(options.contexts))
    rows = distinct(np.concatenate(more).astype(np.int32))
    rows = rows[query.wanted[rows]]
    # What retrieval has not considered gets its prior beside what it has.
    sentence, pool = SourceQuery(collection, query, options.sentence), found.pool
    new = rows[~np.isin(rows, pool.rows)]
    every, before = np.concatenate([pool.rows, new]), len(pool.rows)
    cosines = sentence.cosines(every)
    weights = prior(sentence, found.found, found.found, every, cosines)
    priors = add_nearness(sentence, every, weights)
    sources = np.zeros(len(new), pool.sources.dtype)
    pool = pool.joined(Pool(new, sources, cosines[before:], priors[before:]))
    chosen = pool.take(np.searchsorted(pool.rows, rows).astype(np.int32))
    return replace(found, chosen=chosen, pool=pool)


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

    def pose(
        self, draft: Draft, passage: Passage, vector: Floats, means: TitleMeans | None = None
    ) -> PassageQuery:
        """Pose a passage, for which and whose draft together the two stages rank the papers.

        means: what other passages of the draft have read.

        Raises:
            DraftError: neither the draft nor the passage says anything.
        """
        view = DraftView.of(self.recommender, draft, passage)
        return pose_passage(self.collection, self.works, view, passage, vector, means)

    def facts(self, draft: Draft, passage: Passage) -> LocalFacts:
        """Propose candidates for a single passage and gather what is known of them.

        Raises:
            DraftError: neither the draft nor the passage says anything.
        """
        vector: Floats = self.encode([passage])[0]
        return self.facts_of(self.pose(draft, passage, vector))

    def facts_of(self, asked: PassageQuery) -> LocalFacts:
        """Propose candidates for a passage that was posed."""
        candidates = gather(self.collection, asked, self.pool)
        return LocalFacts(asked, FeatureContext(self.collection, asked.query, candidates))


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

    def posed(self, draft: Draft, passages: Sequence[Passage]) -> Iterator[PassageQuery]:
        """Pose the passages of a draft, which are encoded together.

        Raises:
            DraftError: neither the draft nor a passage says anything.
        """
        means, vectors = TitleMeans(), self.reader.encode(passages)
        for passage, vector in zip(passages, vectors, strict=True):
            yield self.reader.pose(draft, passage, vector, means)

    def rank(self, asked: PassageQuery) -> LocalRanking:
        """Order candidates, of each work one: higher score first, ties by ascending id.

        Other versions of what the draft cites are left out; a paper that it cites itself is not,
        where the sentence names it.
        """
        facts = self.reader.facts_of(asked)
        scores = self.ranker.score(compute_local(facts, self.ranker.feature_names))
        order = top_k(scores, len(scores))
        found = self._versions(facts, order)
        order = order[found.standing]
        ordered = scores[order]
        chances = self.ranker.probability(ordered)
        return LocalRanking(facts, order, ordered, chances, found.others)

    def _versions(self, facts: LocalFacts, order: Rows) -> Versions:
        """Let one paper of each work stand, and none of a work that is cited and not named."""
        cited = np.union1d(facts.asked.query.seeds, facts.asked.draft.query.seeds)
        others = np.setdiff1d(cited, facts.rows)
        return find_versions(self.reader.collection, facts.rows[order], others)


# Reasons in words: what speaks for a paper at a place, strongest kinds first.

BEST_OF_DRAFT = 20
"""A paper that ranks so high for the draft with the sentence in it is said to do so."""
LEAST_NAMED = 0.3
"""Scores of a name below which it is no reason."""
ALIKE = 0.55
"""Cosines from which two sentences are alike. On dev (sentences of 2010, papers on computational
linguistics) 2.3 % of the candidates with such a sentence are right, 0.3 % of those with others."""
QUOTED = 200
"""Characters at most that are quoted of a sentence."""


def explain_local(
    facts: LocalFacts, chosen: Sequence[int], papers: Sequence[Paper], most: int = MOST_REASONS
) -> list[tuple[Reason, ...]]:
    """Give up to `most` reasons for each of the chosen candidates."""
    findings, given = Findings(facts.sentence, chosen), []
    for at, paper in zip(chosen, papers, strict=True):
        given.append(tuple(islice(_reasons(facts, findings, at, paper), most)))
    return given


def _reasons(facts: LocalFacts, findings: Findings, at: int, paper: Paper) -> Iterator[Reason]:
    """Give all reasons for the candidate at a position, in the order in which they are told."""
    named, draft = facts.asked.named, facts.asked.draft
    for place in np.flatnonzero(named.rows == facts.rows[at])[:1].tolist():
        if named.scores[place] >= LEAST_NAMED:
            yield named.reason(place)
    signs = facts.signs
    if signs is not None and len(alike := signs.like(at, ALIKE)):
        # The nearest sentence that cites it is quoted, and the papers of all are counted.
        contexts = signs.view.contexts
        line = " ".join(contexts.texts(alike[:1])[0].split())
        if len(line) > QUOTED:  # It ends at a word.
            cut = line[: QUOTED - 1]
            line = f"{(cut.rsplit(' ', 1)[0] if ' ' in cut else cut).rstrip(' ,;:.')}…"
        number = len(set(contexts.citing[alike].tolist()))
        by = "a paper cites it in a" if number == 1 else f"{number} papers cite it in a"
        yield Reason("context", f"{by} similar sentence: '{line}'")
    yield from islice(_company(facts, facts.rows[at]), 1)
    if words := findings.words.shared(at, paper):
        terms = "term" if len(words) == 1 else "terms"
        yield Reason("terms", f"shares the {terms} {', '.join(words)}")
    if number := int(findings.near_citers[at]):
        similar = "papers most similar to the sentence"
        yield Reason("votes", cited_by(number, len(findings.asked), similar))
    rank = int(draft.column("rank", facts.rows[at : at + 1])[0])
    if draft.known and 0 < rank <= BEST_OF_DRAFT:
        best = f"among the {BEST_OF_DRAFT} best papers for the draft with this sentence"
        yield Reason("draft", best)
    if (near := int(findings.nearness[at])) <= NEAR:
        yield Reason("near", similar_to(near, "the sentence"))
    if number := int(facts.sentence.citations[at]):
        times = "once" if number == 1 else f"{number} times"
        yield Reason("citations", f"cited {times} in this corpus")


def _company(facts: LocalFacts, row: int) -> Iterator[Reason]:
    """Say that a paper is cited by, or together with, what the sentence or the draft cites."""
    of_sentence, of_draft = facts.sentence, facts.asked.draft.context
    for context, whose in ((of_sentence, "the sentence"), (of_draft, "your draft")):
        place, seeds = np.searchsorted(context.rows, row), context.seeds
        if seeds is None or row not in context.rows[place : place + 1]:
            continue
        ties = (("cited by", seeds.votes), ("cited together with", seeds.company_share))
        for tie, shares in ties:
            if shares[place] > 0:
                yield Reason("beside", f"{tie} papers that {whose} already cites")


@dataclass(frozen=True, slots=True)
class LocalRecommender:
    """Answers passages of drafts out of one collection.

    needs: judges which sentences need a citation; None: only marked places are answered.
    """

    ranker: PassageRanker
    needs: CitationWorthiness | None = None

    @property
    def recommender(self) -> Recommender:
        """What answers whole drafts."""
        return self.ranker.reader.recommender

    @property
    def collection(self) -> Collection:
        """Corpus, graph and search structures."""
        return self.recommender.collection

    def recommend(
        self, draft: Draft, passages: Sequence[Passage], k: int
    ) -> list[tuple[Recommendation, ...]]:
        """Recommend at most k papers for each passage of a draft.

        Raises:
            DraftError: neither the draft nor its first passage says anything.
        """
        found: list[tuple[Recommendation, ...]] = []
        papers: dict[int, Paper] = {}
        queries = self.ranker.posed(draft, passages)
        for _ in passages:
            with answering(self.collection):
                ranking = self.ranker.rank(next(queries))
                found.append(self._shown(ranking, k, papers))
        return found

    def _shown(
        self, ranking: LocalRanking, k: int, known: dict[int, Paper]
    ) -> tuple[Recommendation, ...]:
        """Show the best; papers that other passages have shown are known."""
        facts, corpus = ranking.facts, self.collection.corpus
        chosen, best = ranking.positions[:k].tolist(), ranking.rows[:k].tolist()
        if new := [row for row in best if row not in known]:
            known.update(zip(new, corpus.papers(new), strict=True))
        papers = [known[row] for row in best]
        reasons = explain_local(facts, chosen, papers)
        scores = zip(ranking.scores.tolist(), ranking.probabilities.tolist(), strict=True)
        shown: list[Recommendation] = []
        for at, row, paper, (score, probability), why in zip(
            chosen, best, papers, scores, reasons, strict=False
        ):
            sources = facts.sentence.candidates.source_names(at)
            if facts.signs is not None and max(facts.signs.votes[at], facts.signs.bm25[at]) > 0:
                sources = (*sources, "context")
            if not sources:  # Its name, or the draft.
                sources = ("draft",) if facts.named[at] == 0 else ("name",)
            shown.append(
                Recommendation(
                    rank=len(shown) + 1,
                    paper=paper,
                    score=score,
                    probability=probability,
                    sources=sources,
                    reasons=why,
                    found_by=tuple(_SOURCES[name] for name in sources),
                    versions=tuple(corpus.papers(ranking.versions.get(row, ()))),
                )
            )
        return tuple(shown)


_SOURCES: Mapping[str, str] = {
    **IN_WORDS,
    "draft": "the draft with the sentence",
    "name": "its name in the sentence",
    "context": "sentences that cite it",
}
"""In words, what proposes candidates: also the draft alone, and sentences like the passage."""


# The model that orders the candidates of a passage.
#
# It reads what the ranker of whole drafts makes of a paper. Beside another one than it has
# learned beside, it finds less, and its chances are wrong: it has to learn again.

LOCAL_RANKER = "local-ranker"
"""Kind of the artifact, and name of its folder in an index and among the shipped models."""
BESIDE = "beside"
"""In the manifest: the `name_of` the ranker of drafts that answered while this one learned."""


def load_local_ranker(folder: Path) -> TreeRanker:
    """Open a local ranker, trained by `recsys train local`.

    Raises:
        ArtifactError: the folder is missing, damaged, or needs features that are not there.
    """
    return TreeRanker.load(folder, kind=LOCAL_RANKER, known=frozenset(LOCAL_FEATURES))


def name_of(ranker: Ranker) -> str | None:
    """Tell a stored ranker from any other: SHA-256 of its manifest, which names all its files."""
    stored = isinstance(ranker, TreeRanker) and ranker.folder
    return sha256(stored / MANIFEST) if stored else None


def learned_beside(folder: Path) -> str | None:
    """Read beside which ranker of drafts a local ranker has learned; None: one that is not stored.

    Raises:
        ArtifactError: the folder is missing or damaged.
    """
    beside = load_manifest(folder, LOCAL_RANKER, SCHEMA).config.get(BESIDE)
    return None if beside is None else str(beside)
