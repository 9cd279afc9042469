"""Find the draft itself in the corpus: who wrote it shall not be told to cite it.

By its DOI, arXiv or ACL id; else by its title, where an author or the abstract agrees. A preprint
and what became of it are two such papers.
"""

from collections.abc import Iterable

from recsys.formats.identifiers import acl, arxiv, doi
from recsys.query.matching import match
from recsys.records import Manuscript, PaperId, Reference
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.name_keys import author_keys
from recsys.store.words import folded_words

ASKED = 10
"""How many papers of about that title are looked at."""
SHORTEST_TITLE = 3
"""Words of a title that may tell a paper; "Introduction" is that of many."""
SAME_ABSTRACT = 0.8
"""Share of the distinct words of two abstracts from which on they are one."""


def find_itself(collection: Collection, manuscript: Manuscript) -> tuple[PaperId, ...]:
    """Return the ids of the papers of the corpus that a draft is, ascending; mostly none."""
    corpus = collection.corpus
    rows = set(_identified(collection, manuscript))
    words = folded_words(manuscript.title)
    if len(words) >= SHORTEST_TITLE:
        query = collection.terms.query(manuscript.title, None)
        offered, _ = collection.text_index.search(query, ASKED)
        alike = [row for row in offered.tolist() if folded_words(corpus.title(row)) == words]
        rows |= {row for row in alike if _agrees(manuscript, corpus, row)}
    return tuple(sorted(corpus.ids[row] for row in rows))


def left_out(found: Iterable[PaperId]) -> tuple[str, ...]:
    """Say which papers are the draft itself."""
    named = ", ".join(found)
    return (f"The corpus holds the draft itself ({named}): it is left out.",) if named else ()


def _identified(collection: Collection, manuscript: Manuscript) -> list[int]:
    name = manuscript.doi
    if not name:
        return []
    work = Reference(key=name, id=name, doi=doi(name), arxiv=arxiv(name), acl=acl(name))
    # With its title, so that a slip in the identifier is not believed.
    titled = Reference(
        title=manuscript.title or None, doi=work.doi, arxiv=work.arxiv, acl=work.acl, id=name
    )
    return [each.row for each in match(collection, [titled]) if each.row is not None]


def _agrees(manuscript: Manuscript, corpus: Corpus, row: int) -> bool:
    """Whether a paper of the same title has an author of the draft, or its abstract."""
    theirs = corpus.papers([row])[0].authors
    if not set(author_keys(manuscript.authors)).isdisjoint(author_keys(theirs)):
        return True
    if not manuscript.abstract:
        return False
    stored = corpus.full_papers([row])[0].abstract  # Reading it costs more than all the rest.
    one, other = (set(folded_words(text)) for text in (manuscript.abstract, stored))
    return bool(one and other) and len(one & other) >= SAME_ABSTRACT * len(one | other)
