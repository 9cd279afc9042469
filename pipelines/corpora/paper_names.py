"""What papers are called: ids, DOIs, aliases, and where reference lists say they were printed."""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.partitions import flattened
from recsys.records import Reference
from recsys.store.arrays import Longs, Mask
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.names import author_key
from recsys.store.words import fold

CITED_AS = "cite:"
"""Begins a name made of first author, year, volume and page: `cite:smith j|2010|12|345`."""
NOBODY = -1
"""What a name means that nobody has, or more than one paper."""
_NOT_COUNTED = re.compile(r"^(?:vol(?:ume)?|pp?|pages?|art(?:icle)?|no)\b\.?|[^0-9a-z]+")
_NO_LETTERS = re.compile(r"[\W_]+")
_FROM_TO = re.compile("\\s*[-\u2010-\u2015]+\\s*")


def letters(text: str) -> str:
    """Reduce a title to its letters and digits, folded."""
    return _NO_LETTERS.sub("", fold(text))


def first_author(work: Reference) -> str | None:
    """Return the key of the first author, "surname f"; None when nobody is named."""
    return author_key(work.authors[0]) if work.authors else None


def printed_place(work: Reference) -> str | None:
    """Return "surname f|volume|page", the year apart; None unless author and page are known.

    Where there is no volume, as in proceedings, the year stands for it, and so has to be the same;
    and the page must tell something: where each paper begins on page 1, it does not.

    >>> printed_place(Reference(authors=("J. Smith",), volume="Vol. 012", page="e17-e25"))
    'smith j|12|e17'
    >>> printed_place(Reference(authors=("J. Smith",), year=2004, page="345-352"))
    'smith j|y2004|345'
    """
    if not work.page or (author := first_author(work)) is None:
        return None
    page = _counted(work.page)
    volume = _counted(work.volume) if work.volume else ""
    if not volume and work.year is not None and len(page) > 1:
        volume = f"y{work.year}"
    return f"{author}|{volume}|{page}" if volume and page else None


def _counted(text: str) -> str:
    """Bring a volume or a first page to one spelling: no "vol.", no zeros before, no range."""
    first = _FROM_TO.split(text.strip().lower(), maxsplit=1)[0]
    return _NOT_COUNTED.sub("", first).lstrip("0")


def cited_as(place: str, year: int) -> str:
    """Return the name under which reference lists without identifiers know a work."""
    author, _, rest = place.partition("|")
    return f"{CITED_AS}{author}|{year}|{rest}"


def cited_as_all(places: pa.Array, years: pa.Array) -> pa.Array:
    """Return `cited_as` of each place and year, null where one of them is not known."""
    author, rest = (
        pc.replace_substring_regex(places, pattern=pattern, replacement="")
        for pattern in (r"\|.*", r"^[^|]*\|")
    )
    name = pc.binary_join_element_wise(pa.scalar(CITED_AS), author, "")
    return pc.binary_join_element_wise(name, years.cast(pa.string()), rest, "|")


@dataclass(frozen=True, slots=True)
class PaperNames:
    """Names of papers; several papers may have one.

    starts: name i is that of `owners[starts[i]:starts[i + 1]]`, rows of papers.
    """

    names: pa.Array
    starts: Longs
    owners: Longs

    @classmethod
    def of(cls, names: pa.Array, owners: Longs) -> "PaperNames":
        """Sort rows of papers by their names, null where there is none; negative for no paper."""
        encoded = names.dictionary_encode()
        codes = encoded.indices.fill_null(NOBODY).to_numpy(zero_copy_only=False).astype(np.int64)
        size = int(owners.max(initial=0)) + 1
        pairs = np.unique((codes * size + owners)[(codes != NOBODY) & (owners >= 0)])
        starts = np.searchsorted(pairs, np.arange(len(encoded.dictionary) + 1) * size)
        return cls(encoded.dictionary, starts, pairs % size)

    def find(self, wanted: pa.ChunkedArray | pa.Array) -> Longs:
        """Return the row of the paper that alone has each name: (m,) int64, NOBODY for none."""
        first = np.append(self.owners, NOBODY)[self.starts[:-1]]
        alone = np.where(np.diff(self.starts) == 1, first, NOBODY)
        return np.append(alone, NOBODY)[self._codes(wanted)]

    def find_all(self, wanted: pa.ChunkedArray | pa.Array) -> tuple[Longs, Longs]:
        """Find all papers that have each name: (p,) places of names, and (p,) rows of papers."""
        codes = self._codes(wanted)
        there = np.flatnonzero(codes != NOBODY)
        begins, sizes = self.starts[codes[there]], np.diff(self.starts)[codes[there]]
        places = np.repeat(there, sizes)
        offsets = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return places, self.owners[np.repeat(begins, sizes) + offsets]

    def find_near(
        self, wanted: pa.ChunkedArray | pa.Array, years: Longs, own_years: Longs
    ) -> tuple[Longs, Mask]:
        """Find the paper that alone has each name and is of about the same year.

        Args:
            wanted: (m,) names.
            years: (m,), UNKNOWN_YEAR where there is none.
            own_years: (n,) of the papers.

        Returns:
            (m,) int64, the row of the paper, NOBODY for none; (m,) bool, where several would do.
        """
        wanting, offered = self.find_all(wanted)
        one, other = years[wanting], own_years[offered]
        unknown = (one == UNKNOWN_YEAR) | (other == UNKNOWN_YEAR)
        near = unknown | (np.abs(one - other) <= 1)
        wanting, offered = wanting[near], offered[near]
        counts = np.bincount(wanting, minlength=len(wanted))
        rows = np.full(len(wanted), NOBODY, np.int64)
        single = counts[wanting] == 1
        rows[wanting[single]] = offered[single]
        return rows, counts > 1

    def _codes(self, wanted: pa.ChunkedArray | pa.Array) -> Longs:
        places = pc.index_in(wanted.cast(self.names.type), self.names)
        codes: Longs = pc.fill_null(places, NOBODY).to_numpy(zero_copy_only=False).astype(np.int64)
        return codes


def all_names(papers: pa.Table | pa.RecordBatch) -> tuple[pa.Array, Longs]:
    """List all names of papers, and the row of each: ids, then `other_names`."""
    names, rows = other_names(papers)
    ids = _whole(papers.column("id"), pa.large_string())
    owners = np.concatenate([np.arange(papers.num_rows, dtype=np.int64), rows])
    return pa.concat_arrays([ids, names]), owners


def other_names(papers: pa.Table | pa.RecordBatch) -> tuple[pa.Array, Longs]:
    """List the DOIs in lower case and the aliases of papers, and the row of each.

    papers: with the columns id, doi and aliases; ids may be DOIs.
    """
    dois = pc.utf8_lower(_whole(papers.column("doi"), pa.large_string()))
    ids = pc.utf8_lower(_whole(papers.column("id"), pa.large_string()))
    ids = pc.if_else(pc.starts_with(ids, "10."), ids, None)
    lists = _whole(papers.column("aliases"), pa.large_list(pa.large_string()))
    aliases, owners = flattened(lists)
    rows = np.arange(papers.num_rows)
    return pa.concat_arrays([dois, ids, aliases]), np.concatenate([rows, rows, owners])


def _whole(column: pa.ChunkedArray | pa.Array, kind: pa.DataType) -> pa.Array:
    """Join a column; kind: a large one, for all together may be longer than 2 GB."""
    joined = column.cast(kind)
    joined = joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined
    return joined.chunk(0) if isinstance(joined, pa.ChunkedArray) else joined
