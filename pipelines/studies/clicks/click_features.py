"""The ten features of a related paper that SciDocs' recommender reads (Cohan et al. 2020).

They are those of the published code, in its order, without its display position: that code sets it
to 0 for every paper. Titles are cut into words (runs of letters, digits and underscores) and single
marks of punctuation, as written, upper and lower case apart. Two blank titles share nothing here;
the published code means this too, but compares tokens with strings, and so finds them alike.

Pairs of them are what a ranker learns from: a clicked paper should rank above the others of its
list. Papers near the top are clicked more often because they are seen more often. A pair weighted
by 1 / p, p the propensity of the click's position, counts for all the readers who would have
clicked had they looked: the weighted sum of losses over clicks is then, on average, the sum over
relevant papers (Joachims, Swaminathan & Schnabel 2017, section 4).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, check_name
from recsys.eval.measures import Doubles
from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.propensities import Propensities
from recsys.eval.studies.clicks.recommendation_task import RelatedPaper
from recsys.formats.embeddings import Embeddings
from recsys.store.arrays import Floats, Longs, Mask

REFERENCE_YEAR = 2020
"""The present, for `oldness`: the constant of the published code."""
_SPAN = 20
"""Years that count as 1."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_UNKNOWN = RelatedPaper("", None, frozenset(), frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Described:
    """A paper, ready to be compared; what is unknown of it is empty, None or a vector of zeros.

    record: what the metadata say. words: distinct tokens of the title. vector: (d,) float32.
    length: its Euclidean norm.
    """

    name: str
    record: RelatedPaper
    words: frozenset[str]
    vector: Floats
    length: float

    def cites(self, other: "Described") -> bool:
        """Tell whether either paper's record says that this one cites the other."""
        return other.name in self.record.references or self.name in other.record.cited_by


def tokens(title: str) -> frozenset[str]:
    """Cut a title into its distinct tokens.

    >>> sorted(tokens("Graphs: of graphs"))
    [':', 'Graphs', 'graphs', 'of']
    """
    return frozenset(_TOKEN.findall(title))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Divide what two sets share by all that they hold, 0 where both are empty."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def _years(since: int | None, until: int | None) -> float:
    """Return the years from one to the other over 20, cut at 1 and -1; 0 if either is unknown."""
    if since is None or until is None:
        return 0.0
    return max(-1.0, min(1.0, (until - since) / _SPAN))


FEATURES = (
    *("author match", "title match", "embedding cosine", "citation overlap", "reference overlap"),
    *("cites query", "cited by query", "oldness", "relative oldness", "citation count"),
)
"""Columns of the table, in order."""


def comparison(query: Described, candidate: Described) -> tuple[float, ...]:
    """Compute the FEATURES of a paper shown for a query."""
    one, other = query.record, candidate.record
    lengths = query.length * candidate.length
    return (
        jaccard(one.authors, other.authors),
        jaccard(query.words, candidate.words),
        float(query.vector @ candidate.vector) / lengths if lengths else 0.0,
        jaccard(one.cited_by, other.cited_by),
        jaccard(one.references, other.references),
        float(candidate.cites(query)),
        float(query.cites(candidate)),
        _years(other.year, REFERENCE_YEAR),
        _years(other.year, one.year),  # By how much it is older than the query.
        log1p(len(other.cited_by)) / 10,
    )


def features(log: ClickLog, papers: Mapping[str, RelatedPaper], embeddings: Embeddings) -> Floats:
    """Compute the ten features of every shown paper: (n, m, 10) float32, 0 where nothing is shown.

    A pair of query and paper is computed once, however often it was shown. A paper without a record
    or an embedding has 0 in the features that need it.
    """
    queries = _described(log.queries, papers, embeddings)
    candidates = _described(log.papers, papers, embeddings)
    present = log.present
    distinct, which = np.unique(log.pairs[present], return_inverse=True)
    table = np.empty((len(distinct), len(FEATURES)), np.float32)
    for row, code in zip(table, distinct.tolist(), strict=True):
        query, candidate = divmod(code, len(candidates))
        row[:] = comparison(queries[query], candidates[candidate])
    found = np.zeros((*present.shape, len(FEATURES)), np.float32)
    found[present] = table[which]
    return found


def _described(
    names: Sequence[str], papers: Mapping[str, RelatedPaper], embeddings: Embeddings
) -> list[Described]:
    vectors = embeddings.of(names)
    lengths = np.linalg.norm(vectors, axis=1).tolist()
    found = []
    for name, vector, length in zip(names, vectors, lengths, strict=True):
        paper = papers.get(name, _UNKNOWN)
        found.append(Described(name, paper, tokens(paper.title), vector, length))
    return found


PER_POSITION, CONSTANT = "per-position", "constant"
ALL, FIRST_FIVE = "all", "first-5"

Columns: TypeAlias = NDArray[np.integer]
WEIGHTINGS: Mapping[str, Callable[[Propensities, Columns], Doubles]] = {
    PER_POSITION: lambda propensities, columns: 1 / propensities.at(columns),
    CONSTANT: lambda propensities, columns: np.full(len(columns), 1 / propensities.values[-1]),
}
"""Weights of clicks by their columns: (c,) -> (c,), before they are scaled to a mean of 1.

`per-position` removes the bias. `constant` is what SciDocs' published code does: it divides the
loss of every pair by the last position's propensity, which removes nothing.
"""
NEGATIVES: Mapping[str, Callable[[ClickLog], Mask]] = {
    ALL: lambda log: log.present,
    FIRST_FIVE: lambda log: np.asarray(
        (free := log.present & ~log.clicked) & (free.cumsum(axis=1) <= 5)
    ),
}
"""Papers that a click is compared with, itself left out: (n, m) bool.

`all` is every other paper of the list, those clicked as well included, as the measures do it.
`first-5` is SciDocs' published choice: the first five in display order that were not clicked.
"""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The lists with a click, a row for each of their papers, and k pairs of rows.

    features: (r, f) float32. impression: (r,) int64, the list of each row, numbered from 0.
    paper: (r,) int64, the place of each paper's id among all ids in ascending order, for ties.
    clicked, other: (k,) int64 rows. weight: (k,) float64 above 0, their mean 1.
    """

    features: Floats
    impression: Longs
    paper: Longs
    clicked: Longs
    other: Longs
    weight: Doubles

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.weight)

    def gaps(self, scores: Doubles) -> Doubles:
        """Subtract the other's score from the clicked paper's: (r,) scores, (k,) differences."""
        return np.asarray(scores[self.clicked] - scores[self.other])


def pairs(
    log: ClickLog,
    features: Floats,
    propensities: Propensities,
    *,
    weighting: str = PER_POSITION,
    negatives: str = ALL,
) -> Pairs:
    """Pair every click with other papers of its list. features: (n, m, f) float32.

    Raises:
        InputError: there is no such weighting or choice of negatives, nothing to learn from, or a
            click at a position without a propensity.
    """
    check_name(weighting, WEIGHTINGS, "weighting")
    check_name(negatives, NEGATIVES, "choice of negatives")
    kept = np.asarray(log.clicked.any(axis=1))
    log, shown = log.take(kept), features[kept]
    present = log.present
    rows = np.cumsum(present).reshape(present.shape) - 1
    impression, column = np.nonzero(log.clicked)
    propensities.at(column)  # Every position has to be in the table, whatever the weighting.
    others = NEGATIVES[negatives](log)[impression]
    others[np.arange(len(column)), column] = False
    click, other = np.nonzero(others)
    if len(click) == 0:
        raise InputError(
            f"None of the log's {len(kept)} lists has a click and another paper beside it.",
            "Learn from a log in which readers clicked.",
        )
    weight = WEIGHTINGS[weighting](propensities, column)[click]
    return Pairs(
        features=shown[present],
        impression=np.nonzero(present)[0],
        paper=np.argsort(np.argsort(np.array(log.papers)))[log.shown[present]],
        clicked=rows[impression[click], column[click]],
        other=rows[impression[click], other],
        weight=weight / weight.mean(),
    )
