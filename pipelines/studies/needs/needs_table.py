"""The table that the judge of sentences learns from: vectors, words and cues of examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recsys.local.needs.needs_cues import FIRST_PLACE, NAMES, UNKNOWN, cues_of, section_columns
from recsys.local.needs.needs_words import SIZE, places_of
from recsys.pipelines.studies.needs.needs_examples import Examples, with_marks_hidden
from recsys.protocols import Encoder
from recsys.store.arrays import Floats, Longs, Mask

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class Table:
    """The examples of all texts, one row each.

    cites: (n,) bool. document, source: (n,) int64, numbers of the text and of its source. vectors:
    (n, d) float32. words: (n, SIZE) of norm 1. known, none, some, alone: (n, c) float32, cues where
    it is known of all sentences around whether they cite, of none, of some, and where nothing
    stands around.
    """

    texts: tuple[str, ...]
    cites: Mask
    document: Longs
    source: Longs
    vectors: Floats
    words: "csr_matrix"
    known: Floats
    none: Floats
    some: Floats
    alone: Floats
    names: tuple[str, ...]
    sources: tuple[str, ...]


def table_of(examples: Sequence[Examples], encoder: Encoder, rng: np.random.Generator) -> Table:
    """Lay out the examples of all texts."""
    sources = tuple(sorted({each.source for each in examples}))
    sizes = [len(each.rows) for each in examples]
    texts = tuple(each.sentences[row].text for each in examples for row in each.rows)
    known = _cues(examples, [0.0] * len(examples), rng)
    return Table(
        texts=texts,
        cites=np.concatenate([each.cites for each in examples]),
        document=np.repeat(np.arange(len(examples)), sizes),
        source=np.repeat([sources.index(each.source) for each in examples], sizes),
        vectors=encoder.encode([(text, None) for text in texts]),
        words=words_matrix(texts),
        known=known,
        none=_cues(examples, [1.0] * len(examples), rng),
        some=_cues(examples, rng.random(len(examples)).tolist(), rng),
        alone=without_surroundings(known),
        names=tuple(each.name for each in examples),
        sources=sources,
    )


def words_matrix(texts: Sequence[str]) -> "csr_matrix":
    """Return the words of texts as `needs_words.weigh` weighs them: (n, SIZE), rows of norm 1."""
    from scipy.sparse import csr_matrix

    found = [places_of(text) for text in texts]
    ends = np.cumsum([0, *map(len, found)])
    values = np.concatenate([np.full(len(p), max(len(p), 1) ** -0.5) for p in found])
    return csr_matrix((values, np.concatenate(found), ends), shape=(len(texts), SIZE))


def without_surroundings(cues: Floats) -> Floats:
    """Return cues as they are of a sentence that stands alone."""
    alone = cues.copy()
    alone[:, FIRST_PLACE:] = UNKNOWN
    alone[:, section_columns()] = 0.0
    alone[:, NAMES.index("in_unknown")] = 1.0
    return alone


def _cues(
    examples: Sequence[Examples], hidden: Sequence[float], rng: np.random.Generator
) -> Floats:
    return np.concatenate(
        [
            cues_of(with_marks_hidden(each.sentences, float(share), rng))[each.rows]
            for each, share in zip(examples, hidden, strict=True)
        ]
    )
