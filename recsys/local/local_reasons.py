"""Reasons in words: what speaks for a paper at a place, strongest kinds first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from recsys.local.local_features import LocalFacts
from recsys.ranking.reasons import MOST_REASONS, NEAR, Findings
from recsys.records import Paper, Reason

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
    seeds = findings.sentence.seeds
    if seeds is None:
        return None
    ties = (("cited by", seeds.votes), ("cited together with", seeds.company_share))
    for tie, shares in ties:
        if shares[at] > 0:
            return Reason("beside", f"{tie} what the sentence cites already")
    return None


def _nearest_cite(findings: LocalFindings, at: int, paper: Paper) -> Reason | None:
    number, asked = int(findings.sentence.near_citers[at]), findings.sentence.asked
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
    number = int(findings.facts.sentence.evidence.citations[at])
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
