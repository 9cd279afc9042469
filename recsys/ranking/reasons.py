"""Reasons in words: what speaks for a recommended paper, strongest kinds first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from recsys.ranking.evidence import Evidence, Seeds
from recsys.ranking.facts import Facts
from recsys.ranking.shared_terms import DraftWords
from recsys.records import Paper, Reason
from recsys.retrieval.voters import Voters, votes
from recsys.store.arrays import Floats, Rows, top_k

MOST_REASONS = 3
ASKED = 20
"""How many of the nearest papers are asked whom they cite."""
NEAR = 10
"""A candidate this close to the draft is said to be among the nearest."""
LONGEST_TITLE = 60
"""Characters of another paper's title in a reason."""


@dataclass(frozen=True)
class Findings:
    """Counts behind the reasons, for all candidates at once: (m,) float32 each.

    chosen: positions of those that reasons are given for. best: corpus rows of the candidates with
    the highest scores; see `explain`.
    """

    facts: Facts
    chosen: Sequence[int]
    best: Sequence[int] | Rows = ()

    @property
    def evidence(self) -> Evidence:
        """What is known about the candidates."""
        return self.facts.evidence

    @property
    def seeds(self) -> Seeds | None:
        """What the draft's references tell, if any of them is in the corpus."""
        return self.facts.seeds

    @cached_property
    def asked(self) -> int:
        """How many nearest papers are old enough to be asked."""
        return len(self._nearest.rows)

    @cached_property
    def near_citers(self) -> Floats:
        """How many of them cite the candidate."""
        return self._count(self._nearest.rows)

    @cached_property
    def author_citers(self) -> Floats:
        """Older papers by the draft's authors that cite the candidate."""
        return self._count(self.evidence.candidates.found["authors"].rows)

    @cached_property
    def best_citers(self) -> Floats:
        """How many of the best candidates cite the candidate."""
        return self._count(np.asarray(self.best, np.int32))

    @cached_property
    def seed_nearness(self) -> Floats:
        """Position by the cosine with the nearest seed among the candidates, from 1."""
        nowhere = np.full(len(self.evidence), np.inf, np.float32)
        return nowhere if self.seeds is None else _positions(self.seeds.cosines.max(axis=1))

    @cached_property
    def own_papers(self) -> frozenset[int]:
        """Rows of the papers by the draft's authors."""
        return frozenset(self.evidence.query.own_papers.tolist())

    @cached_property
    def nearness(self) -> Floats:
        """Position by cosine among the candidates, from 1."""
        return _positions(self.evidence.candidates.cosines)

    @cached_property
    def words(self) -> DraftWords:
        """The draft's words."""
        return DraftWords(self.evidence, self.chosen)

    @cached_property
    def _nearest(self) -> Voters:
        first = self.evidence.candidates.nearest.first(ASKED)
        older = self.evidence.graph.older(first.rows, self.evidence.query.before)
        return Voters(first.rows[older], first.weights[older])

    def _count(self, citing: Rows) -> Floats:
        equal = Voters.equal(citing)
        return votes(self.evidence.graph, equal, self.evidence.query.before, self.evidence.rows)


def explain(
    facts: Facts,
    chosen: Sequence[int],
    papers: Sequence[Paper],
    best: Sequence[int] | Rows = (),
) -> list[tuple[Reason, ...]]:
    """Give up to MOST_REASONS reasons for each of the chosen candidates.

    best: corpus rows of the candidates with the highest scores, whether they are chosen or not, so
    that a paper's reasons do not depend on what else is shown.
    """
    findings = Findings(facts, chosen, best)
    given = []
    for at, paper in zip(chosen, papers, strict=True):
        reasons = (reason(findings, at, paper) for reason in REASONS)
        given.append(tuple(islice(filter(None, reasons), MOST_REASONS)))
    return given


def _seeds(findings: Findings, at: int, paper: Paper) -> Reason | None:
    """Name the most direct of the ties to the draft's references."""
    if (seeds := findings.seeds) is None:
        return None
    ties = (
        ("cited by", seeds.votes),
        ("cites", seeds.cited),
        ("cited together with", seeds.company_share),
    )
    for tie, shares in ties:
        if number := round(float(shares[at]) * len(seeds.rows)):
            papers = "a paper" if number == 1 else f"{number} papers"
            return Reason("seeds", f"{tie} {papers} of your list")
    return None


def _near_seed(findings: Findings, at: int, paper: Paper) -> Reason | None:
    if findings.seeds is None or findings.seed_nearness[at] > NEAR:
        return None
    from textwrap import shorten

    nearest = findings.seeds.rows[findings.seeds.cosines[at].argmax()]
    title = findings.evidence.collection.corpus.title(int(nearest))
    return Reason(
        "seed-near", f"close to “{shorten(title, LONGEST_TITLE, placeholder=' …')}” of your list"
    )


def _nearest_cite(findings: Findings, at: int, paper: Paper) -> Reason | None:
    number, asked = int(findings.near_citers[at]), findings.asked
    by = "the nearest paper" if asked == 1 else f"{number} of your {asked} nearest papers"
    return _reason("votes", number, f"cited by {by}")


def _authors_cite(findings: Findings, at: int, paper: Paper) -> Reason | None:
    number = int(findings.author_citers[at])
    what = "an earlier paper" if number == 1 else f"{number} earlier papers"
    return _reason("authors", number, f"cited by {what} of the draft's authors")


def _near(findings: Findings, at: int, paper: Paper) -> Reason | None:
    rank = int(findings.nearness[at])
    text = "the nearest to your draft" if rank == 1 else f"among the {rank} nearest to your draft"
    return _reason("near", rank <= NEAR, text)


def _terms(findings: Findings, at: int, paper: Paper) -> Reason | None:
    shared = findings.words.shared(at, paper)
    plural = "term" if len(shared) == 1 else "terms"
    return _reason("terms", len(shared), f"shares the {plural} {', '.join(shared)}")


def _own(findings: Findings, at: int, paper: Paper) -> Reason | None:
    row = int(findings.evidence.rows[at])
    return _reason("own", row in findings.own_papers, "by an author of the draft")


def _best_cite(findings: Findings, at: int, paper: Paper) -> Reason | None:
    """Name what the second look has seen: see `recsys.ranking.second_look`."""
    number, asked = int(findings.best_citers[at]), len(findings.best)
    return _reason("top", number, f"cited by {number} of the {asked} papers that fit best")


def _well_cited(findings: Findings, at: int, paper: Paper) -> Reason | None:
    number = int(findings.evidence.citations[at])
    return _reason("citations", number, f"cited {_times(number)} in this corpus")


REASONS: tuple[Callable[[Findings, int, Paper], Reason | None], ...] = (
    _seeds,
    _near_seed,
    _nearest_cite,
    _authors_cite,
    _terms,
    _near,
    _own,
    _best_cite,
    _well_cited,
)
"""In the order in which they are given."""


def _positions(values: Floats) -> Floats:
    """Number from 1 (highest), ties in order: (m,) float32."""
    numbers = np.empty(len(values), np.float32)
    numbers[top_k(values, len(values))] = np.arange(1, len(values) + 1)
    return numbers


def _reason(kind: str, holds: int | bool, text: str) -> Reason | None:
    return Reason(kind, text) if holds else None


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
