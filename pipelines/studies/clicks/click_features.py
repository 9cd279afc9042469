"""The ten features of a related paper that SciDocs' recommender reads (Cohan et al. 2020).

They are those of the published code, in its order, without its display position: that code sets it
to 0 for every paper. Titles are cut into words (runs of letters, digits and underscores) and single
marks of punctuation, as written, upper and lower case apart. Two blank titles share nothing here;
the published code means this too, but compares tokens with strings, and so finds them alike.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p

import numpy as np

from recsys.eval.studies.clicks.click_log import ClickLog
from recsys.eval.studies.clicks.recommendation_task import RelatedPaper
from recsys.formats.embeddings import Embeddings
from recsys.store.arrays import Floats

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


@dataclass(frozen=True, slots=True)
class Comparison:
    """A query, a paper shown for it, and the year that counts as the present."""

    query: Described
    candidate: Described
    now: int


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of the table."""

    name: str
    meaning: str
    function: Callable[[Comparison], float]


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


def _cosine(two: Comparison) -> float:
    lengths = two.query.length * two.candidate.length
    return float(two.query.vector @ two.candidate.vector) / lengths if lengths else 0.0


def _years(since: int | None, until: int | None) -> float:
    """Return the years from one to the other over 20, cut at 1 and -1; 0 if either is unknown."""
    if since is None or until is None:
        return 0.0
    return max(-1.0, min(1.0, (until - since) / _SPAN))


# fmt: off
FEATURES: tuple[Feature, ...] = (
    Feature("author match", "Jaccard index of the authors",
            lambda two: jaccard(two.query.record.authors, two.candidate.record.authors)),
    Feature("title match", "Jaccard index of the titles' tokens",
            lambda two: jaccard(two.query.words, two.candidate.words)),
    Feature("embedding cosine", "cosine of the embeddings, 0 if either is missing", _cosine),
    Feature("citation overlap", "Jaccard index of the papers that cite them",
            lambda two: jaccard(two.query.record.cited_by, two.candidate.record.cited_by)),
    Feature("reference overlap", "Jaccard index of the papers that they cite",
            lambda two: jaccard(two.query.record.references, two.candidate.record.references)),
    Feature("cites query", "1 if the candidate cites the query, else 0",
            lambda two: float(two.candidate.cites(two.query))),
    Feature("cited by query", "1 if the query cites the candidate, else 0",
            lambda two: float(two.query.cites(two.candidate))),
    Feature("oldness", "age of the candidate, 20 years being 1, cut at 1 and -1",
            lambda two: _years(two.candidate.record.year, two.now)),
    Feature("relative oldness", "by how much it is older than the query, likewise",
            lambda two: _years(two.candidate.record.year, two.query.record.year)),
    Feature("citation count", "logarithm of 1 + the papers that cite the candidate, over 10",
            lambda two: log1p(len(two.candidate.record.cited_by)) / 10),
)
# fmt: on


def features(
    log: ClickLog,
    papers: Mapping[str, RelatedPaper],
    embeddings: Embeddings,
    *,
    now: int = REFERENCE_YEAR,
) -> Floats:
    """Compute the ten features of every shown paper: (n, m, 10) float32, 0 where nothing is shown.

    A pair of query and paper is computed once, however often it was shown. A paper without a record
    or an embedding has 0 in the features that need it. `now` is the year from which `oldness` is
    counted.
    """
    queries = _described(log.queries, papers, embeddings)
    candidates = _described(log.papers, papers, embeddings)
    present = log.present
    codes = log.query[:, None] * np.int64(len(candidates)) + log.shown
    distinct, which = np.unique(codes[present], return_inverse=True)
    table = np.empty((len(distinct), len(FEATURES)), np.float32)
    for row, code in zip(table, distinct.tolist(), strict=True):
        query, candidate = divmod(code, len(candidates))
        two = Comparison(queries[query], candidates[candidate], now)
        row[:] = [feature.function(two) for feature in FEATURES]
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
