"""Everything stage one and stage two read of a corpus, in one value."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.protocols import TextIndex, VectorIndex
from recsys.store.arrays import Floats, Rows
from recsys.store.corpus import Corpus
from recsys.store.generations import Generation
from recsys.store.graph import CitationGraph
from recsys.store.terms import TermStore
from recsys.store.vectors import StoredVectors, dots

if TYPE_CHECKING:
    from recsys.store.contexts import Contexts


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors of all papers by another model, and what searches them.

    vectors: (n, d) float32, L2-normalised rows; zero for a paper that the model knows nothing of.
    """

    vectors: Floats
    index: VectorIndex

    def cosines(self, rows: Rows, vector: Floats) -> Floats:
        """Multiply the given papers with a (d,) vector: (len(rows),) float32."""
        return dots(self.vectors, rows, vector)


@dataclass(frozen=True, slots=True)
class ContextSpace:
    """The citing sentences of a corpus, and what searches their words.

    terms: of the sentences, by position. text_index: returns positions where others return rows.
    """

    contexts: "Contexts"
    terms: TermStore
    text_index: TextIndex


@dataclass(frozen=True, slots=True)
class Collection:
    """A corpus with its graph, terms, vectors and search structures; all share row numbers.

    vectors: (n, d) float32, L2-normalised rows, memory-mapped; an array or what is read as one.
    nnselect: another opinion on which papers are close, if such a model was trained. contexts: in
    which words papers are cited, if that is known and was asked for. generation: keeps the files
    from removal. keyphrases: whether abstracts begin with them, so that those of drafts must, too.
    """

    corpus: Corpus
    graph: CitationGraph
    terms: TermStore
    vectors: StoredVectors
    vector_index: VectorIndex
    text_index: TextIndex
    nnselect: Space | None = None
    contexts: ContextSpace | None = None
    generation: Generation | None = None
    keyphrases: bool = False

    @property
    def folder(self) -> Path:
        """Where all of this was opened, with the models beside it; a generation of an index."""
        return self.corpus.folder.parent

    def nnselect_vector(self, row: int) -> Floats | None:
        """Return a paper's vector in the space of NNSelect, if there is one: (d,) float32."""
        return None if self.nnselect is None else self.nnselect.vectors[row]
