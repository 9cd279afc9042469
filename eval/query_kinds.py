"""What queries are: whole drafts, or sentences. It says by which measures they are compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recsys.eval.measures import CANDIDATE_RECALL

F1 = "query F1@20"
SENTENCE = "sentence"
"""The `part` of an evaluation whose queries are sentences."""
_KNOWN: Mapping[str, str] = {
    "sentence": "nothing is known beside it",
    "title": "the draft's title is known",
    "references": "the draft's title and its other references are known",
}


@dataclass(frozen=True, slots=True)
class QueryKind:
    """A kind of queries.

    one, many: what people call them. tested: measures by which systems are tested pairwise. kept:
    those of which the value of every query is kept. single: the one that orders queries, by the
    name that it has in tables of them. headline: what a report shows first. sliced: the measure
    that a slice shows, the first of these that it has.
    """

    one: str
    many: str
    tested: tuple[str, ...]
    kept: tuple[str, ...]
    single: tuple[str, str]
    headline: tuple[str, ...]
    sliced: tuple[str, ...]


DRAFTS = QueryKind(
    one="query",
    many="queries",
    tested=(F1, "MRR", "nDCG@20"),
    kept=(F1, "R@20", "R@100", "MRR", "nDCG@20"),
    single=(F1, "F1@20"),
    headline=(
        *("F1@20", F1, "MRR", "P@20", "R@20", "R@100", "nDCG@20", "MAP@100", "Hit@10"),
        CANDIDATE_RECALL,
    ),
    sliced=("F1@20", "R@20", "R@100", "MRR"),
)
SENTENCES = QueryKind(
    one="sentence",
    many="sentences",
    tested=("R@10", "MRR", "nDCG@10"),
    kept=("R@10", F1, "R@20", "R@100", "MRR", "nDCG@10"),
    single=("MRR", "reciprocal rank"),
    headline=("R@10", "MRR", "nDCG@10", "R@1", "R@5", "R@20", "R@100", CANDIDATE_RECALL),
    sliced=("R@10", "R@20", "R@100", "MRR"),
)
"""A sentence lacks one paper, or few: precision of the first 20 would say nothing."""


def kind_of(facts: Mapping[str, Any]) -> QueryKind:
    """Tell the kind of queries by what an evaluation says of itself."""
    return SENTENCES if facts.get("part") == SENTENCE else DRAFTS


def posed(facts: Mapping[str, Any]) -> str:
    """Say in a sentence how sentences were posed; "" where nothing is told."""
    if facts.get("known") not in _KNOWN:
        return ""
    words = "Names and years are taken out of" if facts.get("masked") else "Names and years stay in"
    return f" {words} each sentence; {_KNOWN[facts['known']]}."
