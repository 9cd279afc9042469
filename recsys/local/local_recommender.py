"""Answer passages: the papers that fit at a place, with probabilities and reasons."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from recsys.local.local_features import LOCAL_FEATURES, LocalFacts
from recsys.local.passage import Passage
from recsys.local.rank_passages import LocalRanking, PassageRanker
from recsys.local.where_to_cite import Needs
from recsys.processors import one_thread
from recsys.protocols import Ranker
from recsys.ranking.ranker import SCHEMA, TreeRanker
from recsys.ranking.reasons import MOST_REASONS, NEAR, Findings
from recsys.recommend import Recommender
from recsys.records import Draft, Paper, Reason, Recommendation
from recsys.retrieval.sources import IN_WORDS
from recsys.store.artifacts import MANIFEST, load_manifest, sha256
from recsys.store.collection import Collection
from recsys.store.vectors import dot_cache

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
