"""Find papers of a collection by words, an id or a DOI: without a draft, and without a ranker."""

from dataclasses import replace

import numpy as np

from recsys.formats.references.reference_formats import work_of_line
from recsys.query.matching import match
from recsys.query.question_schema import named_paper
from recsys.store.arrays import Rows
from recsys.store.collection import Collection

MOST_FOUND = 1_000
"""A search by words ends there."""
LONGEST_QUERY = 1_000


def search(collection: Collection, words: str) -> Rows:
    """Return the rows of at most MOST_FOUND papers, the best first: the one that is named leads."""
    words = " ".join(words[:LONGEST_QUERY].split())
    named = match(collection, (replace(work_of_line(words), key=""),)) if words else ()
    first = [each.row for each in named if each.row is not None]
    rows, _ = collection.text_index.search(collection.terms.query(words, None), MOST_FOUND)
    return np.array(list(dict.fromkeys([*first, *rows.tolist()]))[:MOST_FOUND], np.int32)


def named_row(collection: Collection, word: str) -> int | None:
    """Return the row of the paper that an id names, or a DOI, arXiv or ACL id; None for none."""
    row = collection.corpus.row(word)
    # Not by its key: nobody looks for a file of that name.
    return match(collection, (replace(named_paper(word), key=""),))[0].row if row is None else row
