"""The corpus: papers as columns on disk, and the one place that converts ids to rows.

Rows are in ascending order of paper id, so "ties break by ascending id" is "by ascending row".
"""

import json
import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsys.records import Paper, PaperId
from recsys.store.arrays import (
    Mask,
    Ragged,
    Rows,
    SortedStrings,
    distinct,
    load_array,
)
from recsys.store.artifacts import FRONT_MATTER, YEARS
from recsys.store.graph import UNKNOWN_YEAR, Years
from recsys.store.names import agree, bearers, initialled, name_keys, written_out
from recsys.store.stored_papers import TOGETHER, StoredPapers
from recsys.store.words import fold, venue_key

if TYPE_CHECKING:
    import pyarrow


# What kind of work a paper is: article, review, thesis ..., however its source names it.

_KEYS = frozenset(
    """type types doc-type document-type article-type paper-type publication-type publication-types
    pub-type pub-types""".split()
)
_SYNONYMS: Mapping[str, str] = {
    "article": "journal journal-article journal-paper article-journal research-article "
    "research-paper original-article",
    "conference": "conference-paper conference-article paper-conference proceedings-article "
    "proceedings-paper inproceedings",
    "review": "review-article literature-review systematic-review survey",
    "book": "monograph edited-book",
    "chapter": "book-chapter book-section book-part inbook incollection",
    "thesis": "dissertation phd-thesis phdthesis masters-thesis mastersthesis",
    "preprint": "posted-content repository",
    "report": "tech-report techreport technical-report",
    "letter": "letters-and-comments",
    "dataset": "data-set",
}
_CANONICAL = {name: kind for kind, names in _SYNONYMS.items() for name in names.split()}
_SEPARATORS = re.compile(r"[;|]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_WORD = re.compile(r"[\W_]+")


def paper_types(labels: Mapping[str, object]) -> tuple[str, ...]:
    """Read the types out of a paper's labels, in order; a work may be of several.

    >>> paper_types({"doc_type": "Article; Proceedings Paper"})
    ('article', 'conference')
    >>> paper_types({"publicationTypes": ["JournalArticle", "Review"]})
    ('article', 'review')
    """
    values = (value for key, value in labels.items() if _hyphenated(key) in _KEYS)
    items = (item for value in values for item in (value if isinstance(value, list) else [value]))
    # "Article; Review" is taken apart as ["Article", "Review"] is.
    names = (name for item in items if isinstance(item, str) for name in _SEPARATORS.split(item))
    return tuple(dict.fromkeys(kind for name in names if (kind := paper_type(name))))


def paper_type(name: str) -> str:
    """Return the one name used here for a type of work: lower case, words joined by hyphens.

    >>> paper_type("JournalArticle"), paper_type("Short report"), paper_type("PhD Thesis")
    ('article', 'short-report', 'thesis')
    """
    hyphenated = _hyphenated(name)
    return _CANONICAL.get(hyphenated, hyphenated)


def _hyphenated(name: str) -> str:
    return _NOT_WORD.sub("-", fold(_HUMP.sub(" ", name))).strip("-")


LONG = ("abstract", "references", "keyphrases", "labels")
"""What a paper that is shown reads only when it is asked for."""


class StoredPaper(Paper):
    """A paper of an open corpus, whose LONG fields are read at the first look at one of them."""

    __slots__ = ("_read",)
    _read: Callable[[PaperId], Paper]

    @classmethod
    def of(cls, shown: Paper, read: Callable[[PaperId], Paper]) -> "StoredPaper":
        """Put off reading a paper."""
        paper = cls.__new__(cls)
        for each in fields(Paper):
            if each.name not in LONG:
                object.__setattr__(paper, each.name, getattr(shown, each.name))
        object.__setattr__(paper, "_read", read)
        return paper

    def __getattr__(self, name: str) -> object:
        """Read what is not there yet; Python asks for no other attribute here."""
        if name not in LONG:
            raise AttributeError(f"A paper has no attribute {name!r}.")
        whole = self._read(self.id)
        for each in LONG:
            object.__setattr__(self, each, getattr(whole, each))
        return getattr(whole, name)

    def __eq__(self, other: object) -> bool:
        """Compare as papers compare, wherever the other one comes from."""
        if not isinstance(other, Paper):
            return NotImplemented
        names = [each.name for each in fields(Paper)]
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = Paper.__hash__


# Ids, DOIs and addresses of papers whatever their case, found without reading columns of them.
#
# Few hashes of 32 bits are those of two names by chance: who asks has a look at the papers found.

HASHES, ROWS = "named.hashes.npy", "named.rows.npy"
Hashes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class HashedNames:
    """Names of papers, but for ids in lower case: those are found as they stand.

    hashes: (m,) uint32, ascending. rows: (m,) int32, of the paper that has the name.
    """

    hashes: Hashes
    rows: Rows

    def find(self, names: Iterable[str]) -> Rows:
        """Return the papers that may have one of these names, in lower case: ascending, int32."""
        wanted = np.fromiter(sorted({*map(_hash, names)}), np.uint32)
        begins, ends = (np.searchsorted(self.hashes, wanted, side) for side in ("left", "right"))
        hits = np.flatnonzero(begins < ends)
        spans = zip(begins[hits].tolist(), ends[hits].tolist(), strict=True)
        found = [self.rows[begin:end] for begin, end in spans]
        return distinct(np.concatenate([np.empty(0, np.int32), *found]))

    def save(self, folder: Path) -> None:
        """Write both arrays."""
        np.save(folder / HASHES, self.hashes)
        np.save(folder / ROWS, self.rows)

    @classmethod
    def load(cls, folder: Path) -> "HashedNames":
        """Memory-map what `save` wrote."""
        return cls(load_array(folder / HASHES), load_array(folder / ROWS))


def hashes_of(records: Iterable[Mapping[str, Any]], first: int) -> tuple[Hashes, Rows]:
    """Hash what papers are called, and tell their rows; first: the row of the first one."""
    hashes: list[int] = []
    rows: list[int] = []
    for row, record in enumerate(records, first):
        paper_id = record["id"]
        named = {(paper_id or "").lower(), (record["doi"] or "").lower()} - {paper_id}
        names = [name for name in (*named, (record["url"] or "").lower()) if name]
        hashes += map(_hash, dict.fromkeys(names))
        rows += [row] * len(set(names))
    return np.array(hashes, np.uint32), np.array(rows, np.int32)


def _hash(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


# The columns, and what finds papers in them.

SHOWN = ("id", "title", "year", "authors", "venue", "doi", "url", "aliases")
"""Columns that are shown, and held in memory once one is asked for; not the long ones."""
FLAGS = '"(?:retracted|corrected|concern)"'
"""Labels that tell what was published about a paper later."""
LISTS = ("authors", "references", "keyphrases", "aliases")
"""Columns that hold several values of each paper."""

_READ_TOGETHER = 200
"""Papers whose long fields are read at once, when the first of them is asked for."""

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Coded(Generic[T]):
    """A column with few distinct values. codes: (n,) int32, the paper's position in `values`."""

    values: tuple[T, ...]
    codes: Rows

    def holds(self, test: Callable[[T], bool]) -> Mask:
        """Test each distinct value once: (n,) bool."""
        return np.array([test(value) for value in self.values], bool)[self.codes]

    def map(self, change: Callable[[T], U]) -> "Coded[U]":
        """Change each distinct value once; values that become equal are put together."""
        changed = [change(value) for value in self.values]
        values = tuple(dict.fromkeys(changed))
        place = {value: code for code, value in enumerate(values)}
        return Coded(values, np.array([place[value] for value in changed], np.int32)[self.codes])

    def common(self) -> list[T]:
        """List the values, the most frequent first."""
        counts = np.bincount(self.codes, minlength=len(self.values))
        return [self.values[code] for code in np.argsort(-counts, kind="stable")]


MOST_NAMESAKES = 30
"""Of a surname with an initial that more names have, none in the corpus is told by initials."""
RARE = 6
"""Initials with which a surname stands in the corpus at most, if one abbreviated is to tell.

Of papers that drafts in initials are said to have written, 98.2 to 99.6 % are theirs with 6
(`benchmarks.namesakes`); 12 finds more of them and less surely, 3 finds 5 to 16 % fewer.
"""
_AT_ONCE = 256
"""Names that are looked at together: of more, mostly some are enough."""


@dataclass(frozen=True, slots=True)
class Authorship:
    """What some people wrote.

    codes: of the names that are theirs, ascending. papers: rows of their papers, ascending. known:
    how many of them wrote any.
    """

    codes: Rows
    papers: Rows
    known: int


@dataclass(frozen=True)
class Corpus:
    """The papers that can be recommended.

    folder: where it was opened; by now it may be removed. stored: all that is known of each, most
    of which is read later, or never. ids: row -> public id. years: (n,) int16,
    UNKNOWN_YEAR where unknown. venues: (n,) int32 code into venue_keys, -1 where unknown. authors:
    row -> codes into author_names, which are keys of `name_key`; author_blocks: code -> the first
    one with the same surname and initial; papers_of_author: code -> rows. front_matter: (m,) int32,
    rows of prefaces, indexes, errata and the like, ascending.
    """

    folder: Path
    stored: StoredPapers
    ids: SortedStrings
    years: Years
    venues: Rows
    venue_keys: SortedStrings
    authors: Ragged
    author_names: SortedStrings
    author_blocks: Rows
    papers_of_author: Ragged
    front_matter: Rows
    named: HashedNames

    def __len__(self) -> int:
        """Count the papers."""
        return len(self.ids)

    def row(self, paper_id: PaperId) -> int | None:
        """Return the row of an id, or None when the corpus does not hold it."""
        return self.ids.find(paper_id)

    def rows(self, paper_ids: Iterable[PaperId]) -> Rows:
        """Return the rows of those ids that the corpus holds, ascending, int32."""
        return self.ids.find_all(paper_ids)

    def namesakes(self, names: Sequence[str]) -> Rows:
        """Return the codes of all authors who may be so called; a surname alone calls everybody."""
        found = list[int]()
        for key in name_keys(names):
            spans = [self._block(key)]
            large = len(range(*spans[0])) > _AT_ONCE
            if large and written_out(key):  # Few of these names begin so, or abbreviate it.
                family, first, *_ = key.split(" ")
                shorter = (self._called(f"{family} {first[:n]}") for n in range(1, len(first)))
                spans = [*shorter, self._called(f"{family} {first}", whole=False)]
            codes = [code for span in spans for code in range(*span)]
            if len(key.partition(" ")[2]) > 1:
                codes = [c for c in codes if agree(key, self.author_names[c]) is not False]
            found += codes
        return np.array(found, np.int32)

    def written_by(self, names: Sequence[str], allowed: Mask | None = None) -> "Authorship":
        """Find the papers that people wrote, and how they are called there.

        A name that abbreviates, or is abbreviated, is theirs where nobody else is known who is
        called so, and the surname is rare or another of them wrote the paper, too.

        Args:
            names: of the people.
            allowed: (n,) bool, papers that may be read; None: all.
        """
        found = [self._bearers(key, allowed) for key in name_keys(names)]
        if not found:
            nobody = np.empty(0, np.int32)
            return Authorship(nobody, nobody, 0)
        all_codes, sure = (np.concatenate(each) for each in zip(*found, strict=True))
        people = np.repeat(np.arange(len(found)), [len(codes) for codes, _ in found])
        owner, rows = self.papers_of_author.take(all_codes)
        if allowed is not None:
            owner, rows = owner[allowed[rows]], rows[allowed[rows]]
        papers, at = np.unique(rows, return_inverse=True)
        several = np.ones(len(papers), bool)
        # One name there is not two people, if a draft has somebody in two spellings.
        for who in (people[owner], all_codes[owner].astype(np.int64)):
            most = int(who.max(initial=0)) + 1
            pairs = np.unique(at * most + who)
            several &= np.bincount(pairs // most, minlength=len(papers)) > 1
        several[at[sure[owner]]] = True
        known = np.unique(people[owner[several[at]]])
        return Authorship(np.unique(all_codes), papers[several], len(known))

    def _bearers(self, key: str, allowed: Mask | None) -> tuple[Rows, Mask]:
        """Return the codes of the names of a person, and for which nothing else need speak."""
        codes = self._alive(*self._block(key), allowed, MOST_NAMESAKES)
        if len(codes) > MOST_NAMESAKES:  # Others are called so: one initial tells nothing.
            first = key.split(" ")[:2] if written_out(key) else [key]
            span = self._called(" ".join(first)) if len(key.partition(" ")[2]) > 1 else (0, 0)
            codes = self._alive(*span, allowed)
        known = [self.author_names[code] for code in codes.tolist()]
        same = np.array([agree(key, name) is True for name in known], bool)
        mine = np.array(bearers(key, known), bool)
        if (mine & ~same).any() and self._is_rare(key.partition(" ")[0], allowed):
            # "J. Ash" and "J. R. Ash" tell too little.
            clear = [name == key or written_out(name) or written_out(key) for name in known]
            same = mine & (same | clear)
        return codes[mine], same[mine]

    def _is_rare(self, family: str, allowed: Mask | None) -> bool:
        """Tell whether few initials stand before a surname."""
        (begin, end), initials = self._called(family), set[int]()
        while begin < end and len(initials) <= RARE:
            after = min(begin + _AT_ONCE, end)
            initials |= {*self.author_blocks[self._alive(begin, after, allowed)].tolist()}
            block = int(self.author_blocks[after - 1])
            if block in initials:  # The rest of it tells nothing new.
                after = bisect_right(self.author_blocks, block, after)
            begin = after
        return len(initials) <= RARE

    def _block(self, key: str) -> tuple[int, int]:
        """Return the codes of names with the surname and the initial of one: first, end."""
        begin = initialled(key)
        return self._called(begin, whole=" " not in begin)

    def _called(self, begin: str, *, whole: bool = True) -> tuple[int, int]:
        """Return the codes of names that begin so: first, end. whole: the last word ends there."""
        after = begin + ("!" if whole else "\U0010ffff")
        return self.author_names.place(begin), self.author_names.place(after)

    def _alive(self, begin: int, end: int, allowed: Mask | None, most: int | None = None) -> Rows:
        """Return the codes in a range that a paper has which may be read.

        most: where they are more, some are enough.
        """
        codes = np.arange(begin, end, dtype=np.int32)
        if allowed is None or not len(codes):
            return codes
        pieces, found = [], 0
        for at in range(0, len(codes), _AT_ONCE):
            some = codes[at : at + _AT_ONCE]
            owner, rows = self.papers_of_author.take(some)
            pieces.append(some[np.bincount(owner[allowed[rows]], minlength=len(some)) > 0])
            found += len(pieces[-1])
            if most is not None and found > most:
                break
        return np.concatenate(pieces)

    def venue_code(self, venue: str | None) -> int:
        """Return the code of a venue, -1 when the corpus does not know it."""
        code = self.venue_keys.find(venue_key(venue)) if venue else None
        return -1 if code is None else code

    def year(self, row: int) -> int | None:
        """Return a paper's year, None when unknown."""
        year = int(self.years[row])
        return None if year == UNKNOWN_YEAR else year

    def papers(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return papers as shown to people: what is LONG is read when one of them is asked for.

        That reads it of all of them, if they are few: rows of an answer lie anywhere.
        """
        numbers = [int(row) for row in rows]
        together = len(numbers) <= _READ_TOGETHER

        @cache
        def whole() -> dict[PaperId, Paper]:
            return {paper.id: paper for paper in self.full_papers(sorted(set(numbers)))}

        def read(paper_id: PaperId) -> Paper:
            return whole()[paper_id] if together else self.full_papers(self.rows([paper_id]))[0]

        return [
            StoredPaper.of(self.stored.paper(row, self.ids[row], self.year(row)), read)
            for row in numbers
        ]

    def title(self, row: int) -> str:
        """Return a paper's title."""
        return self.papers([row])[0].title

    def column(self, name: str) -> "pyarrow.ChunkedArray":
        """Return one of the columns in SHOWN, rows ascending."""
        return self._shown.column(name)

    def full_papers(self, rows: Sequence[int] | Rows) -> list[Paper]:
        """Return papers with every column, references as ids. Cheap for ascending rows."""
        papers, wanted = list[Paper](), np.asarray(rows, np.int64)
        for begin in range(0, len(wanted), TOGETHER):
            for record in self.stored.take(wanted[begin : begin + TOGETHER]).to_pylist():
                lists = {name: tuple(record.get(name) or ()) for name in LISTS}
                labels = {"labels": json.loads(record.get("labels") or "{}")}
                papers.append(Paper(**record | lists | labels))
        return papers

    def texts(self) -> "pyarrow.Table":
        """Return the columns title and abstract, rows ascending."""
        return self.stored.columns("title", "abstract")

    @cached_property
    def venue_names(self) -> Coded[str]:
        """The venues as written, empty where unknown. Reads a column."""
        return self._column("venue")

    @cached_property
    def types(self) -> Coded[tuple[str, ...]]:
        """The types of each paper, see `recsys.store.corpus`. Reads a column."""
        return self._column("labels").map(lambda text: paper_types(json.loads(text or "{}")))

    @cached_property
    def flags(self) -> Mapping[int, Mapping[str, object]]:
        """The labels of papers that were retracted or corrected, by row. Reads a column."""
        import pyarrow.compute as pc

        labels = self.stored.columns("labels").column("labels")
        rows = pc.indices_nonzero(pc.match_substring_regex(labels, FLAGS).fill_null(False))
        return {row: json.loads(labels[row].as_py()) for row in rows.to_pylist()}

    def _column(self, name: str) -> Coded[str]:
        column = self.stored.columns(name).column(name).fill_null("")
        coded = column.combine_chunks().dictionary_encode()
        return Coded(tuple(coded.dictionary.to_pylist()), coded.indices.to_numpy())

    @cached_property
    def _shown(self) -> "pyarrow.Table":
        return self.stored.columns(*SHOWN)

    @classmethod
    def load(cls, folder: Path) -> "Corpus":
        """Memory-map a corpus folder written by `recsys.pipelines.index.ingest`."""
        ids = SortedStrings.load(folder, "ids")
        return cls(
            folder,
            StoredPapers.load(folder, len(ids)),
            ids,
            load_array(folder / YEARS),
            load_array(folder / "venues.npy"),
            SortedStrings.load(folder, "venue_keys"),
            Ragged.load(folder, "authors"),
            SortedStrings.load(folder, "author_names"),
            load_array(folder / "author_blocks.npy"),
            Ragged.load(folder, "papers_of_author"),
            load_array(folder / FRONT_MATTER),
            HashedNames.load(folder),
        )
