"""Everything stage one and stage two read of a corpus, in one value."""

from dataclasses import dataclass

from recsys.arrays import Floats
from recsys.corpus import Corpus
from recsys.graph import CitationGraph
from recsys.protocols import TextIndex, VectorIndex
from recsys.terms import TermStore


@dataclass(frozen=True, slots=True)
class Collection:
    """A corpus with its graph, terms, vectors and search structures; all share row numbers.

    vectors: (n, d) float32, L2-normalised rows, memory-mapped.
    """

    corpus: Corpus
    graph: CitationGraph
    terms: TermStore
    vectors: Floats
    vector_index: VectorIndex
    text_index: TextIndex
