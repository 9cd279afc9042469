"""Find the papers of a corpus that somebody's references mean.

An identifier counts first: the corpus's own id, then DOI, arXiv id, ACL id, and those within the
address. Where it points to a paper whose title flatly differs from the reference's (a wrong DOI is
a common slip), the title decides: a paper found by title wins; otherwise the identifier counts only
if first author and year agree with it. Without a usable identifier the title is searched, and the
best candidate counts if `match_confidence` scores it at or above its threshold; ties go to the
lower id. What prose names by surnames and year alone is the one paper that fits, or none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from recsys.formats import identifiers
from recsys.query.match_confidence import (
    LONGEST_TITLE,
    THRESHOLD,
    Title,
    contradicts,
    same_origin,
    score,
    title_of,
)
from recsys.query.surnames import named_in_prose, papers_of_surnames
from recsys.records import Paper, Reference
from recsys.store.arrays import Mask, Rows
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.hashed_names import HashedNames

CANDIDATES = 20
"""Papers that the words of a title propose, and at most as many by the same first author."""
AMBIGUOUS = 0.5
"""Score of a work that several papers fit."""
_AT_ONCE = 200
"""References whose candidates are held in memory together."""

# How a corpus may spell an identifier in its ids and DOIs, and in its addresses; in lower case.
_SPELLINGS = (
    "{}",
    "arxiv:{}",
    "10.48550/arxiv.{}",
    "acl:{}",
    "10.18653/v1/{}",
    "10.3115/v1/{}",
    "doi:{}",
)
_HOSTS = (
    "arxiv.org/abs/",
    "arxiv.org/pdf/",
    "doi.org/",
    "dx.doi.org/",
    "aclanthology.org/",
    "www.aclweb.org/anthology/",
)
_ENDS = ("", "/", ".pdf", *(f"v{version}" for version in range(1, 10)))
_ADDRESSES = tuple(
    f"{scheme}://{host}{{}}{end}"
    for scheme in ("https", "http")
    for host in _HOSTS
    for end in _ENDS
)

_Known: TypeAlias = Mapping[int, tuple[Paper, Title]]
_Meant: TypeAlias = Mapping[str, Mapping[str, str]]
"""Field of a paper -> what may stand there, in lower case -> the name that it means."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a reference means: `row` of the corpus, None when it is not there.

    score: in [0, 1], 1 for an identifier; that of the best candidate where none is good enough.
    """

    reference: Reference
    row: int | None
    score: float


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A reference, its title prepared, and the rows that its identifiers name, the surest first."""

    reference: Reference
    title: Title
    claimed: tuple[int, ...]


def match(
    collection: Collection, references: Sequence[Reference], *, allowed: Mask | None = None
) -> tuple[Match, ...]:
    """Match each reference to a paper or to none, in order; two may mean the same paper.

    Args:
        collection: where to look.
        references: what to look for.
        allowed: (n,) bool, rows that may match; None allows all.
    """
    found: list[Match] = []
    for begin in range(0, len(references), _AT_ONCE):
        found += _match_some(collection, references[begin : begin + _AT_ONCE], allowed)
    return tuple(found)


def _match_some(
    collection: Collection, references: Sequence[Reference], allowed: Mask | None
) -> Iterator[Match]:
    corpus = collection.corpus
    wanted = [
        _Wanted(
            reference,
            title_of(reference.title or ""),
            tuple(row for row in rows if allowed is None or allowed[row]),
        )
        for reference, rows in zip(references, _claims(corpus, references), strict=True)
    ]
    # Where there is no title, nothing is read: ids alone are matched at once.
    named = _read(corpus, (row for each in wanted if each.title.words for row in each.claimed))
    sure = [_undisputed(each, named) for each in wanted]
    proposed = [
        _candidates(collection, each, allowed) if row is None else []
        for each, row in zip(wanted, sure, strict=True)
    ]
    offered = _read(corpus, (row for rows in proposed for row in rows))
    for each, row, rows in zip(wanted, sure, proposed, strict=True):
        if row is not None:
            yield Match(each.reference, row, 1.0)
        elif named_in_prose(each.reference):
            yield _by_names(corpus, each.reference, allowed)
        else:
            yield _by_title(each, {row: offered[row] for row in rows}, named)


def _undisputed(wanted: _Wanted, named: _Known) -> int | None:
    """Return the first row named by an identifier that the title does not contradict."""
    for row in wanted.claimed:
        if not wanted.title.words or not contradicts(wanted.title, named[row][1]):
            return row
    return None


def _by_title(wanted: _Wanted, offered: _Known, named: _Known) -> Match:
    """Match by title; where that fails, by a disputed identifier that author and year confirm."""
    reference = wanted.reference
    scores = {row: score(reference, wanted.title, *offered[row]) for row in sorted(offered)}
    best = max(scores, key=scores.__getitem__, default=None)
    if best is not None and scores[best] >= THRESHOLD:
        return Match(reference, best, scores[best])
    for row in wanted.claimed:
        if same_origin(reference, named[row][0]):
            return Match(reference, row, THRESHOLD)
    return Match(reference, None, 0.0 if best is None else scores[best])


def _by_names(corpus: Corpus, reference: Reference, allowed: Mask | None) -> Match:
    """Match surnames and a year to the only paper of just these authors, or of these and others."""
    rows = papers_of_surnames(corpus, reference.authors, reference.year)
    if allowed is not None:
        rows = [row for row in rows if allowed[row]]
    only = rows[0] if len(rows) == 1 else None
    return Match(reference, only, 1.0 if only is not None else AMBIGUOUS if rows else 0.0)


def _candidates(collection: Collection, wanted: _Wanted, allowed: Mask | None) -> list[int]:
    """List the rows whose text has the title's words, and the first author's of about that year."""
    if not wanted.title.words:
        return []
    query = collection.terms.query((wanted.reference.title or "")[:LONGEST_TITLE], None)
    rows, _ = collection.text_index.search(query, CANDIDATES, allowed=allowed)
    theirs = _papers_of_first_author(collection.corpus, wanted.reference)
    if allowed is not None:
        theirs = theirs[allowed[theirs]]
    return list(dict.fromkeys([*rows.tolist(), *theirs[:CANDIDATES].tolist()]))


def _papers_of_first_author(corpus: Corpus, reference: Reference) -> Rows:
    codes = corpus.author_codes(reference.authors[:1])
    rows: Rows = corpus.papers_of_author[codes[0]] if len(codes) else np.empty(0, np.int32)
    if reference.year is None:
        return rows
    years = corpus.years[rows].astype(np.int32)
    near: Mask = (np.abs(years - reference.year) <= 1) | (years == UNKNOWN_YEAR)
    return rows[near]


def _read(corpus: Corpus, rows: Iterable[int]) -> _Known:
    ordered = sorted(set(rows))
    papers = corpus.papers(ordered) if ordered else []
    return {row: (paper, title_of(paper.title)) for row, paper in zip(ordered, papers, strict=True)}


def _claims(corpus: Corpus, references: Sequence[Reference]) -> list[list[int]]:
    """List, for each reference, the rows that its identifiers name, the surest first."""
    names = [_identifiers(reference) for reference in references]
    spelt = [
        [reference.id or "", *each, *map(str.upper, each)]
        for reference, each in zip(references, names, strict=True)
    ]
    rows = [[row for name in each if (row := corpus.row(name)) is not None] for each in spelt]
    # More is looked at only for what is no id of the corpus as it stands.
    missing = {name for each, known in zip(names, rows, strict=True) if not known for name in each}
    found = _look_up(corpus, missing) if missing else {}
    return [
        list(dict.fromkeys([*known, *(row for name in each for row in found.get(name, ()))]))
        for each, known in zip(names, rows, strict=True)
    ]


def _identifiers(reference: Reference) -> list[str]:
    """List the identifiers in the fields of a reference, the surest first, in lower case."""
    fields = (reference.id, reference.doi, reference.arxiv, reference.acl, reference.url)
    finders = (identifiers.arxiv, identifiers.acl, identifiers.doi)
    found = [next(filter(None, (find(text) for find in finders)), None) for text in fields]
    return list(dict.fromkeys(name.lower() for name in found if name))


def _look_up(corpus: Corpus, names: Iterable[str]) -> dict[str, list[int]]:
    """Find identifiers among ids, DOIs and addresses, whatever their case."""
    spelt, addresses = (
        {form.format(name): name for name in names for form in forms}
        for forms in (_SPELLINGS, _ADDRESSES)
    )
    meant = {"id": spelt, "doi": spelt, "url": addresses}
    named = corpus.named
    hits = _in_columns(corpus, meant) if named is None else _by_hash(corpus, named, meant)
    found: dict[str, list[int]] = {}
    for name, row in hits:
        found.setdefault(name, []).append(row)
    return found


def _by_hash(corpus: Corpus, named: HashedNames, meant: _Meant) -> Iterator[tuple[str, int]]:
    """Give (name, row) of each field in turn, rows ascending."""
    rows = {row for form in meant["id"] if (row := corpus.row(form)) is not None}
    rows.update(named.find(form for forms in meant.values() for form in forms).tolist())
    ordered = sorted(rows)
    papers = corpus.papers(ordered)
    for field, forms in meant.items():
        for row, paper in zip(ordered, papers, strict=True):
            spelling: str | None = getattr(paper, field)
            if spelling and (name := forms.get(spelling.lower())):
                yield name, row


def _in_columns(corpus: Corpus, meant: _Meant) -> Iterator[tuple[str, int]]:
    """Give the same, out of an index of an older version."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for column, forms in meant.items():
        lower = pc.utf8_lower(corpus.column(column))
        hits = pc.indices_nonzero(pc.is_in(lower, value_set=pa.array(list(forms), pa.string())))
        for row, spelling in zip(hits.to_pylist(), lower.take(hits).to_pylist(), strict=True):
            yield forms[spelling], row
