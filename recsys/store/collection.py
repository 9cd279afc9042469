"""Everything stage one and stage two read of a corpus, in one value, and whether it fits."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from recsys.errors import ArtifactCorrupt
from recsys.protocols import TextIndex, VectorIndex
from recsys.store.arrays import Floats, Ragged, Rows, SortedStrings
from recsys.store.corpus import Corpus
from recsys.store.generations import Generation, root_of
from recsys.store.graph import CitationGraph
from recsys.store.kernels.dispatch import Postings
from recsys.store.stored_papers import PACKED
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

    @property
    def name(self) -> str:
        """What the index is called: its folder, without the suffix."""
        return root_of(self.folder).name.removesuffix(".index")

    def nnselect_vector(self, row: int) -> Floats | None:
        """Return a paper's vector in the space of NNSelect, if there is one: (d,) float32."""
        return None if self.nnselect is None else self.nnselect.vectors[row]


# Check that the arrays of an index fit each other, before anything is read by their numbers.
#
# Checksums tell what changed since it was written; an index of somebody else may have been written
# wrong. Of more than sixteen million numbers some are looked at, so that opening does not read all
# of a large index, unless it is asked to: who follows a number compares it with the length of what
# it points into, too.

_MOST = 1 << 24
"""Numbers of an array that are all looked at; of more, some in pieces that are evenly spaced."""
_PIECES, _PIECE = 64, 1 << 14


def check_corpus(
    folder: Path, corpus: Corpus, graph: CitationGraph, *, whole: bool = False
) -> None:
    """Check columns and citation graph. whole: every number, however many there are.

    Raises:
        ArtifactCorrupt: naming the first array that does not fit.
    """
    n, authors, venues = len(corpus), len(corpus.author_names), len(corpus.venue_keys)
    check = _Checks(folder, whole)
    check.strings("ids", corpus.ids)
    check.array("years", corpus.years, np.int16, n)
    check.array("venues", corpus.venues, np.int32, n)
    check.within("venues", corpus.venues, -1, venues)
    check.strings("venue_keys", corpus.venue_keys)
    check.strings("author_names", corpus.author_names)
    check.array("author_blocks", corpus.author_blocks, np.int32, authors)
    check.within("author_blocks", corpus.author_blocks, 0, max(authors, 1))
    check.ragged("authors", corpus.authors, n, authors)
    check.ragged("papers_of_author", corpus.papers_of_author, authors, n)
    front_matter, stored, named = corpus.front_matter, corpus.stored, corpus.named
    check.array("front_matter", front_matter, np.int32)
    check.within("front_matter", front_matter, 0, n)
    check.ascends("front_matter", front_matter, least=1)
    for shown, size in zip(stored.shown, np.diff(stored.firsts), strict=True):
        name = shown.path.name.removesuffix(".blob.npy")
        check.array(f"{name}.blob", shown.blob, np.uint8)
        check.starts(name, shown.starts, -(-int(size) // PACKED), len(shown.blob))
    if stored.records is not None:
        check.within("records", stored.records, 0, int(stored.firsts[-1]))
    check.array("named.hashes", named.hashes, np.uint32)
    check.array("named.rows", named.rows, np.int32, len(named.hashes))
    check.within("named.rows", named.rows, 0, n)
    check.ascends("named.hashes", named.hashes)
    check.ragged("cites", graph.cites, n, n)
    check.ragged("cited_by", graph.cited_by, n, n)


def check_terms(folder: Path, terms: TermStore, n: int, *, whole: bool = False) -> None:
    """Check the words of n papers; whole: see `check_corpus`.

    Raises:
        ArtifactCorrupt: naming the first array that does not fit.
    """
    words, frequencies = len(terms.vocabulary), terms.frequencies
    check = _Checks(folder, whole)
    check.strings("vocabulary", terms.vocabulary)
    check.ragged("terms", terms.terms, n, words)
    check.ragged("title_terms", terms.title_terms, n, words)
    unsigned = frequencies.dtype if frequencies.dtype.kind == "u" else np.uint8
    check.array("frequencies", frequencies, unsigned, len(terms.terms.values))
    check.array("idf", terms.idf, np.float32, words)
    check.array("norms", terms.norms, np.float64, n)


def check_postings(
    folder: Path, postings: Postings, terms: TermStore, *, whole: bool = False
) -> None:
    """Check the papers of each word; whole: see `check_corpus`.

    Raises:
        ArtifactCorrupt: naming the first array that does not fit.
    """
    check = _Checks(folder, whole)
    check.array("postings.rows", postings.rows, np.int32)
    check.starts("postings", postings.starts, len(terms.vocabulary), len(postings.rows))
    check.within("postings.rows", postings.rows, 0, len(terms.terms))
    check.array("postings.levels", postings.levels, np.uint8, len(postings.rows))


def check_vectors(folder: Path, vectors: StoredVectors, n: int, *, whole: bool = False) -> None:
    """Check (n, d) float32 vectors, or the parts of such; whole: see `check_corpus`.

    Raises:
        ArtifactCorrupt: naming the first array of another type or number.
    """
    check = _Checks(folder, whole)
    if isinstance(vectors, np.ndarray):
        return check.matrix("vectors", vectors, np.float32, (n,))
    parts, places = vectors.parts, vectors.places
    check.matrix("codes", parts.codes, np.int8, (n,))
    check.matrix("rests", parts.rests, np.int16, parts.codes.shape)
    check.array("scales", parts.scales, np.float32, n)
    if places is not None:
        check.array("places", places, np.int32, n)
        check.within("places", places, 0, n)


@dataclass(frozen=True, slots=True)
class _Checks:
    """Checks of arrays in a folder; each raises ArtifactCorrupt. name: of the file, less .npy.

    whole: every number is looked at.
    """

    folder: Path
    whole: bool = False

    def refuse(self, name: str, what: str) -> None:
        path = self.folder / f"{name}.npy"
        what = f"{path} is damaged: it {what}."
        raise ArtifactCorrupt(what, "Build the index again with --force.")

    def array(
        self, name: str, array: NDArray[Any], dtype: DTypeLike, length: int | None = None
    ) -> None:
        if array.dtype != dtype or array.ndim != 1:
            self.refuse(name, f"holds {array.dtype} of {array.ndim} dimensions")
        if length is not None and len(array) != length:
            self.refuse(name, f"holds {len(array)} values instead of {length}")

    def matrix(
        self, name: str, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]
    ) -> None:
        """Check type and shape, of which as many numbers are compared as are given."""
        if array.dtype != dtype or array.ndim != 2 or array.shape[: len(shape)] != shape:
            self.refuse(name, f"holds {array.dtype} of shape {array.shape} for {shape[0]} papers")

    def within(self, name: str, array: NDArray[Any], least: int, below: int) -> None:
        """Check that numbers are from `least`, -1 or 0, to below a bound."""
        for piece in self.pieces(array):
            if piece.min() < least or piece.max() >= below:
                self.refuse(name, f"names numbers outside {least} to {below - 1}")

    def ascends(self, name: str, array: NDArray[Any], least: int = 0) -> None:
        """Check that numbers go up by `least` or more."""
        for piece in self.pieces(array):
            if (piece[1:] < piece[:-1] + array.dtype.type(least)).any():
                self.refuse(name, "does not ascend")

    def starts(self, name: str, starts: NDArray[Any], rows: int | None, end: int) -> None:
        self.array(f"{name}.starts", starts, np.int64, None if rows is None else rows + 1)
        if not len(starts) or (starts[0], starts[-1]) != (0, end):
            self.refuse(f"{name}.starts", f"does not ascend from 0 to {end}")
        self.ascends(f"{name}.starts", starts)

    def strings(self, name: str, strings: SortedStrings) -> None:
        self.array(f"{name}.blob", strings.blob, np.uint8)
        self.starts(name, strings.starts, None, len(strings.blob))

    def ragged(self, name: str, ragged: Ragged, rows: int, below: int) -> None:
        self.array(f"{name}.values", ragged.values, np.int32)
        self.starts(name, ragged.starts, rows, len(ragged.values))
        self.within(f"{name}.values", ragged.values, 0, below)

    def pieces(self, array: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Give all of an array, or pieces of a long one; nothing where it is empty."""
        if len(array) > _MOST and not self.whole:
            begins = np.linspace(0, len(array) - _PIECE, _PIECES).astype(int)
            yield from (array[begin : begin + _PIECE] for begin in begins.tolist())
        elif len(array):
            yield array
