"""Answer passages: the papers that fit at a place, with probabilities and reasons."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from recsys.local.local_features import LOCAL_FEATURES, LocalFacts, compute_local
from recsys.local.named_works import NamedWorks
from recsys.local.passage import DraftView, Passage, PassageQuery, pose_passage, rows_of
from recsys.local.where_to_cite import Needs
from recsys.processors import one_thread
from recsys.protocols import Ranker
from recsys.ranking.duplicates import find_versions
from recsys.ranking.ranker import SCHEMA, TreeRanker
from recsys.ranking.reasons import MOST_REASONS, NEAR, Findings
from recsys.recommend import Recommender
from recsys.records import Draft, Paper, Reason, Recommendation
from recsys.retrieval.propose import Candidates, Pool, add_nearness, prior, propose
from recsys.retrieval.sources import IN_WORDS, SourceQuery, StageOne
from recsys.store.arrays import Floats, Rows, distinct, top_k
from recsys.store.artifacts import MANIFEST, load_manifest, sha256
from recsys.store.collection import Collection
from recsys.store.vectors import dot_cache

# From passages to ranked papers: the whole way of local recommendation, for those who measure
# too.
#
# draft ────► view ─┐ passage ──► query ┴─► candidates ─► features ─► scores ─► ranking

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


# Reasons in words: what speaks for a paper at a place, strongest kinds first.

BEST_OF_DRAFT = 20
"""A paper that ranks so high for the draft as a whole is said to do so."""
LEAST_NAMED = 0.3
"""Scores of a name below which it is no reason."""
ALIKE = 0.55
"""Cosines from which two sentences are alike. On dev (sentences of 2010, papers on computational
linguistics) 2.3 % of the candidates with such a sentence are right, 0.3 % of those with others."""
QUOTED = 200
"""Characters at most that are quoted of a sentence."""


@dataclass(frozen=True)
class LocalFindings:
    """What the reasons read: the facts of a passage, and the counts of its sentence."""

    facts: LocalFacts
    sentence: Findings

    @classmethod
    def of(cls, facts: LocalFacts, chosen: Sequence[int]) -> "LocalFindings":
        """Gather what the reasons for the chosen candidates read."""
        return cls(facts, Findings(facts.sentence, chosen))


def explain_local(
    facts: LocalFacts, chosen: Sequence[int], papers: Sequence[Paper]
) -> list[tuple[Reason, ...]]:
    """Give up to MOST_REASONS reasons for each of the chosen candidates."""
    findings = LocalFindings.of(facts, chosen)
    given = []
    for at, paper in zip(chosen, papers, strict=True):
        reasons = (reason(findings, at, paper) for reason in LOCAL_REASONS)
        given.append(tuple(islice(filter(None, reasons), MOST_REASONS)))
    return given


def _named(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    named = findings.facts.asked.named
    places = np.flatnonzero(named.rows == findings.facts.rows[at])
    if len(places) == 0 or named.scores[places[0]] < LEAST_NAMED:
        return None
    return named.reason(int(places[0]))


def _cited_so(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    """Quote the nearest sentence that cites the paper, and count whose sentences are like it."""
    signs = findings.facts.signs
    if signs is None:
        return None
    told = signs.like(at, ALIKE)
    if not len(told):
        return None
    contexts = signs.view.contexts
    said = _quoted(contexts.texts(told[:1])[0])
    number = len(set(contexts.citing[told].tolist()))
    by = "one paper in a sentence" if number == 1 else f"{number} papers in sentences"
    return Reason("context", f"cited by {by} like this: '{said}'")


def _quoted(text: str) -> str:
    """Put a sentence on one line, and end it at a word if it is long."""
    line = " ".join(text.split())
    if len(line) <= QUOTED:
        return line
    cut = line[: QUOTED - 1]
    whole = cut.rsplit(" ", 1)[0] if " " in cut else cut
    return f"{whole.rstrip(' ,;:.')}…"


def _beside(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    seeds = findings.facts.sentence.seeds
    if seeds is None:
        return None
    ties = (("cited by", seeds.votes), ("cited together with", seeds.company_share))
    for tie, shares in ties:
        if shares[at] > 0:
            return Reason("beside", f"{tie} what the sentence cites already")
    return None


def _nearest_cite(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    number, asked = int(findings.sentence.near_citers[at]), len(findings.sentence.asked)
    if not number:
        return None
    by = "the nearest paper" if asked == 1 else f"{number} of the {asked} papers nearest to it"
    return Reason("votes", f"cited by {by}")


def _of_draft(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    view = findings.facts.asked.draft
    rank = int(view.column("rank", findings.facts.rows[at : at + 1])[0])
    if not 0 < rank <= BEST_OF_DRAFT:
        return None
    return Reason("draft", f"among the {BEST_OF_DRAFT} that your draft as a whole calls for")


def _terms(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    shared = findings.sentence.words.shared(at, paper)
    plural = "term" if len(shared) == 1 else "terms"
    return Reason("terms", f"shares the {plural} {', '.join(shared)}") if shared else None


def _near(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    rank = int(findings.sentence.nearness[at])
    text = "the nearest to the sentence" if rank == 1 else f"among the {rank} nearest to it"
    return Reason("near", text) if rank <= NEAR else None


def _well_cited(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    number = int(findings.facts.sentence.citations[at])
    times = "once" if number == 1 else f"{number} times"
    return Reason("citations", f"cited {times} in this corpus") if number else None


LOCAL_REASONS: tuple[Callable[[LocalFindings, int, Paper], Reason | None], ...] = (
    _named,
    _cited_so,
    _beside,
    _terms,
    _nearest_cite,
    _of_draft,
    _near,
    _well_cited,
)
"""In the order in which they are given."""


@dataclass(frozen=True, slots=True)
class LocalRecommender:
    """Answers passages of drafts out of one collection.

    needs: judges which sentences need a citation; None: only marked places are answered.
    """

    ranker: PassageRanker
    needs: Needs | None = None

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

        The draft is ranked once; passages are encoded together.

        Raises:
            DraftError: neither the draft nor its first passage says anything.
        """
        if not passages:
            return []
        reader = self.ranker.reader
        with one_thread(), dot_cache():
            view = reader.view(draft, passages[0])
            vectors = reader.encode(passages)
        found = []
        papers: dict[int, Paper] = {}
        for passage, vector in zip(passages, vectors, strict=True):
            with one_thread(), dot_cache():
                ranking = self.ranker.rank(reader.facts(view, passage, vector))
                found.append(self._shown(ranking, k, papers))
        return found

    def _shown(
        self, ranking: LocalRanking, k: int, known: dict[int, Paper]
    ) -> tuple[Recommendation, ...]:
        """Show the best; papers that other passages have shown are known."""
        chosen, best = ranking.positions[:k].tolist(), ranking.rows[:k].tolist()
        if new := [row for row in best if row not in known]:
            known.update(zip(new, self.collection.corpus.papers(new), strict=True))
        papers = [known[row] for row in best]
        reasons = explain_local(ranking.facts, chosen, papers)
        sources = [_sources(ranking.facts, at) for at in chosen]
        columns = papers, ranking.scores, ranking.probabilities, sources, reasons
        rows = zip(best, *columns, strict=False)
        return tuple(
            Recommendation(
                rank=rank,
                paper=paper,
                score=float(score),
                probability=float(probability),
                sources=names,
                reasons=why,
                found_by=tuple(_in_words(names)),
                versions=tuple(self.collection.corpus.papers(ranking.versions.get(row, ()))),
            )
            for rank, (row, paper, score, probability, names, why) in enumerate(rows, start=1)
        )


_OF_DRAFT = "draft"
"""The source of candidates that the sentence alone would not have found."""
_OF_CONTEXTS = "context"
"""The source of candidates that are cited in sentences like it."""
_WORDS = {**IN_WORDS, _OF_DRAFT: "the draft as a whole", _OF_CONTEXTS: "sentences that cite it"}


def _sources(facts: LocalFacts, at: int) -> tuple[str, ...]:
    found, signs = facts.sentence.candidates.source_names(at), facts.signs
    if signs is not None and max(signs.votes[at], signs.bm25[at]) > 0:
        found = (*found, _OF_CONTEXTS)
    return found or (_OF_DRAFT,)


def _in_words(names: Iterable[str]) -> list[str]:
    return [_WORDS[name] for name in names]


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
