"""Check that the arrays of an index fit each other, before anything is read by their numbers.

Checksums tell what changed since it was written; an index of somebody else may have been written
wrong. All this costs one look at each number, and memory is never read beyond an array after it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from recsys.errors import ArtifactCorrupt
from recsys.store.arrays import Ragged, Rows, SortedStrings
from recsys.store.corpus import TOGETHER, Corpus
from recsys.store.graph import CitationGraph
from recsys.store.kernels.dispatch import Postings
from recsys.store.terms import TermStore
from recsys.store.vectors import StoredVectors


def check_corpus(folder: Path, corpus: Corpus, graph: CitationGraph) -> None:
    """Check columns and citation graph.

    Raises:
        ArtifactCorrupt: naming the first array that does not fit.
    """
    n, authors, venues = len(corpus), len(corpus.author_keys), len(corpus.venue_keys)
    _refuse_first(
        folder,
        _strings("ids", corpus.ids),
        _array("years", corpus.years, np.int16, n),
        _array("venues", corpus.venues, np.int32, n),
        _within("venues", corpus.venues, -1, venues),
        _strings("venue_keys", corpus.venue_keys),
        _strings("author_keys", corpus.author_keys),
        _ragged("authors", corpus.authors, n, authors),
        _ragged("papers_of_author", corpus.papers_of_author, authors, n),
        _front_matter(corpus),
        _shown(corpus),
        _named(corpus),
        _ragged("cites", graph.cites, n, n),
        _ragged("cited_by", graph.cited_by, n, n),
    )


def check_terms(folder: Path, terms: TermStore, n: int) -> None:
    """Check the words of n papers.

    Raises:
        ArtifactCorrupt: naming the first array that does not fit.
    """
    words = len(terms.vocabulary)
    _refuse_first(
        folder,
        _strings("vocabulary", terms.vocabulary),
        _ragged("terms", terms.terms, n, words),
        _ragged("title_terms", terms.title_terms, n, words),
        _frequencies("frequencies", terms.frequencies, len(terms.terms.values)),
        _array("idf", terms.idf, np.float32, words),
        _array("norms", terms.norms, np.float64, n),
    )


def check_postings(folder: Path, postings: Postings, terms: TermStore) -> None:
    """Check the papers of each word.

    Raises:
        ArtifactCorrupt: naming the first array that does not fit.
    """
    _refuse_first(
        folder,
        _array("postings.rows", postings.rows, np.int32, None),
        _starts("postings", postings.starts, len(terms.vocabulary), len(postings.rows)),
        _below("postings.rows", postings.rows, len(terms.terms)),
        _array("postings.levels", postings.levels, np.uint8, len(postings.rows)),
    )


def check_vectors(folder: Path, vectors: StoredVectors, n: int) -> None:
    """Check (n, d) float32 vectors, or the parts of such.

    Raises:
        ArtifactCorrupt: naming the first array of another type or number.
    """
    if isinstance(vectors, np.ndarray):
        return _refuse_first(folder, _matrix("vectors", vectors, np.float32, (n, None)))
    parts, places = vectors.parts, vectors.places
    _refuse_first(
        folder,
        _matrix("codes", parts.codes, np.int8, (n, None)),
        _matrix("rests", parts.rests, np.int16, parts.codes.shape),
        _array("scales", parts.scales, np.float32, n),
        *([] if places is None else [_array("places", places, np.int32, n)]),
        *([] if places is None else [_below("places", places, n)]),
    )


def _refuse_first(folder: Path, *checks: Iterator[tuple[str, str]]) -> None:
    for check in checks:
        for name, what in check:
            raise _damaged(folder / f"{name}.npy", what)


def _damaged(path: Path, what: str) -> ArtifactCorrupt:
    return ArtifactCorrupt(f"{path} is damaged: it {what}.", "Build the index again with --force.")


def _front_matter(corpus: Corpus) -> Iterator[tuple[str, str]]:
    found = corpus.front_matter
    yield from _array("front_matter", found, np.int32, None)
    yield from _within("front_matter", found, 0, len(corpus))
    if np.any(found[1:] <= found[:-1]):
        yield "front_matter", "does not ascend"


def _shown(corpus: Corpus) -> Iterator[tuple[str, str]]:
    packs = -(-len(corpus) // TOGETHER)
    yield from _array("shown.blob", corpus.shown.blob, np.uint8, None)
    yield from _starts("shown", corpus.shown.starts, packs, len(corpus.shown.blob))


def _named(corpus: Corpus) -> Iterator[tuple[str, str]]:
    found = corpus.named
    yield from _array("named.hashes", found.hashes, np.uint32, None)
    yield from _array("named.rows", found.rows, np.int32, len(found.hashes))
    yield from _below("named.rows", found.rows, len(corpus))
    if np.any(found.hashes[1:] < found.hashes[:-1]):
        yield "named.hashes", "does not ascend"


def _frequencies(name: str, found: NDArray[Any], length: int) -> Iterator[tuple[str, str]]:
    kind = found.dtype if found.dtype.kind == "u" else np.uint8
    yield from _array(name, found, kind, length)


def _strings(name: str, strings: SortedStrings) -> Iterator[tuple[str, str]]:
    yield from _array(f"{name}.blob", strings.blob, np.uint8, None)
    yield from _starts(name, strings.starts, None, len(strings.blob))


def _ragged(name: str, ragged: Ragged, rows: int, below: int) -> Iterator[tuple[str, str]]:
    yield from _array(f"{name}.values", ragged.values, np.int32, None)
    yield from _starts(name, ragged.starts, rows, len(ragged.values))
    yield from _below(f"{name}.values", ragged.values, below)


def _starts(
    name: str, starts: NDArray[Any], rows: int | None, end: int
) -> Iterator[tuple[str, str]]:
    yield from _array(f"{name}.starts", starts, np.int64, None if rows is None else rows + 1)
    if not len(starts) or starts[0] != 0 or starts[-1] != end or np.any(starts[1:] < starts[:-1]):
        yield f"{name}.starts", f"does not ascend from 0 to {end}"


def _array(
    name: str, array: NDArray[Any], dtype: DTypeLike, length: int | None
) -> Iterator[tuple[str, str]]:
    if array.dtype != dtype or array.ndim != 1:
        yield name, f"holds {array.dtype} of {array.ndim} dimensions"
    if length is not None and len(array) != length:
        yield name, f"holds {len(array)} values instead of {length}"


def _matrix(
    name: str, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int | None, ...]
) -> Iterator[tuple[str, str]]:
    wanted = [length for length in shape if length is not None]
    if array.dtype != dtype or array.ndim != 2 or list(array.shape[: len(wanted)]) != wanted:
        yield name, f"holds {array.dtype} of shape {array.shape} for {shape[0]} papers"


def _within(name: str, array: NDArray[Any], least: int, below: int) -> Iterator[tuple[str, str]]:
    if len(array) and not (array.min() >= least and array.max() < below):
        yield name, f"names numbers outside {least} to {below - 1}"


def _below(name: str, array: Rows, below: int) -> Iterator[tuple[str, str]]:
    # Numbers below 0 are the greatest without a sign: one pass over tens of millions, not two.
    if len(array) and array.view(np.uint32).max() >= below:
        yield name, f"names numbers outside 0 to {below - 1}"
