"""What is known of single papers of an index: their texts, their links, and who is like them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recsys.app.web.pages.form_fields import references_in
from recsys.app.web.problem_details import UnknownPaper
from recsys.app.web.shelf import Opened
from recsys.query.matching import match
from recsys.records import Paper, PaperId
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus

SIMILAR = 10
MOST_FOUND = 1_000
"""A search by words ends there."""
LONGEST_QUERY = 1_000


@dataclass(frozen=True, slots=True)
class Around:
    """A paper and the papers around it, as rows: what it cites and who cites it, newest first."""

    row: int
    paper: Paper
    cites: Rows
    cited_by: Rows
    similar: Rows


def row_of(opened: Opened, paper_id: PaperId) -> int:
    """Find a paper by its id.

    Raises:
        UnknownPaper: the index does not hold it.
    """
    row = opened.recommender.collection.corpus.row(paper_id)
    if row is None:
        raise UnknownPaper(
            f"The index {opened.name!r} holds no paper {paper_id[:200]!r}.",
            "Look for it by its title.",
        )
    return row


def around(opened: Opened, paper_id: PaperId) -> Around:
    """Gather what is known of a paper.

    Raises:
        UnknownPaper: the index does not hold it.
    """
    collection, row = opened.recommender.collection, row_of(opened, paper_id)
    graph = collection.graph
    (paper,) = collection.corpus.full_papers([row])
    cites, cited_by = np.asarray(graph.cites[row]), np.asarray(graph.cited_by[row])
    like = _like(collection, row)
    return Around(row, paper, _newest(collection, cites), _newest(collection, cited_by), like)


def papers_named(opened: Opened, ids: Sequence[PaperId]) -> tuple[list[Paper], list[PaperId]]:
    """Return papers with their abstracts, in order of their ids, and the ids that are unknown."""
    corpus = opened.recommender.collection.corpus
    rows = {each: corpus.row(each) for each in dict.fromkeys(ids)}
    known = {each: row for each, row in rows.items() if row is not None}
    ordered = sorted(known.values())
    full = dict(zip(ordered, corpus.full_papers(ordered), strict=True))
    return [full[row] for row in known.values()], [each for each in rows if each not in known]


def search(opened: Opened, words: str) -> Rows:
    """Find papers by words, an id or a DOI: rows, the best first, at most MOST_FOUND."""
    collection = opened.recommender.collection
    words = " ".join(words[:LONGEST_QUERY].split())
    named = [each.row for each in match(collection, references_in(words)) if each.row is not None]
    query = collection.terms.query(words, None)
    rows, _ = collection.text_index.search(query, MOST_FOUND)
    found = dict.fromkeys([*named, *rows.tolist()])
    return np.array(list(found)[:MOST_FOUND], np.int32)


def years_of(corpus: Corpus) -> tuple[int | None, int | None]:
    """Return the first and the last known year of an index."""
    years = corpus.years[corpus.years >= 0]
    return (int(years.min()), int(years.max())) if len(years) else (None, None)


def _newest(collection: Collection, rows: Rows) -> Rows:
    years = collection.corpus.years[rows]
    newest: Rows = rows[np.lexsort((rows, -years.astype(np.int32)))]
    return newest


def _like(collection: Collection, row: int) -> Rows:
    vector = np.asarray(collection.vectors[row])
    if not vector.any():
        return np.empty(0, np.int32)
    rows, _ = collection.vector_index.search(vector, SIMILAR + 1)
    others: Rows = rows[rows != row][:SIMILAR]
    return others
