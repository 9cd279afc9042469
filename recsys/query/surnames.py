"""Find the papers of a corpus that prose means by "Ash and Birch (2010)" or "Ash et al. (2010)"."""

from collections.abc import Sequence

from recsys.formats.drafts.wording import OTHERS
from recsys.records import Reference
from recsys.store.corpus import Corpus
from recsys.store.words import author_key

_FEW = 2
"""So many authors at least are called "Ash et al."."""


def named_in_prose(reference: Reference) -> bool:
    """Whether a reference holds surnames and a year, and nothing else, not even an initial."""
    bare = Reference(key=reference.key, authors=reference.authors, year=reference.year)
    surnames = all(" " not in name for name in reference.authors)
    return bool(reference == bare and reference.authors and reference.year and surnames)


def papers_of_surnames(corpus: Corpus, surnames: Sequence[str], year: int | None) -> list[int]:
    """Return the rows of that year whose authors are called so, in this order, ascending."""
    named = [name for name in surnames if name != OTHERS]
    codes = corpus.namesakes(named[:1])
    rows = sorted({int(row) for row in corpus.papers_of_author.take(codes)[1]})
    dated = [row for row in rows if corpus.year(row) == year]
    open_list = len(named) < len(surnames)
    papers = corpus.papers(dated) if dated else []
    return [
        row
        for row, paper in zip(dated, papers, strict=True)
        if _fits(named, paper.authors, open_list=open_list)
    ]


def _fits(surnames: Sequence[str], authors: Sequence[str], *, open_list: bool) -> bool:
    most = len(surnames)
    if len(authors) < (max(most, _FEW) if open_list else most):
        return False
    if not open_list and len(authors) != most:
        return False
    both = zip(surnames, authors[:most], strict=True)
    return all(_surname(one) == _surname(other) for one, other in both)


def _surname(name: str) -> str:
    return (author_key(name) or "").partition(" ")[0]
