"""Link cited works, as reference lists describe them, to the papers that they mean.

A description means a paper by an identifier; else by first author, volume and page, the year being
that of the paper or next to it, or by author, year and page where there is no volume; else by its
title, where the first author or the year agrees, too, unless year and page both are others: that is
another version. What means more than one paper that way means none, and is counted.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.paper_names import PaperNames, other_names
from recsys.pipelines.corpora.row_stream import RowStream
from recsys.pipelines.corpora.title_links import NOWHERE, link_titles
from recsys.store.arrays import Longs, Mask, Rows
from recsys.store.graph import UNKNOWN_YEAR

_AT_ONCE = 1 << 18
"""Cited works that are looked up together: what is gathered on the way stays small."""
_NO_INITIAL = r"^[^ |]+\|"
_BEFORE_PAGE = r"^.*\|"
_INITIAL = r"^([^ |]+) [^ |]+\|"


class Rule(IntEnum):
    """By what a cited work was found, or why it was not."""

    OUTSIDE = 0
    IDENTIFIER = 1
    PLACE = 2
    TITLE = 3
    AMBIGUOUS = 4


RULE_NAMES: Mapping[Rule, str] = {
    Rule.IDENTIFIER: "by identifier",
    Rule.PLACE: "by author, year, volume and page",
    Rule.TITLE: "by title",
    Rule.AMBIGUOUS: "ambiguous",
    Rule.OUTSIDE: "not among the papers",
}


@dataclass(frozen=True, slots=True)
class Linked:
    """What cited works mean. rows: (m,) int32, NOWHERE for none. rules: (m,) int8, see `Rule`."""

    rows: Rows
    rules: Rows


def link(cited: pa.Table, papers: RowStream, places: pa.Array) -> Linked:
    """Find what cited works mean.

    Args:
        cited: a table of CITED.
        papers: with the columns id, title, year, authors, doi, aliases.
        places: (n,) string, where papers were printed, see `citation_places.printed_place`.
    """
    if not cited.num_rows:  # Nothing is read of the papers.
        return Linked(np.empty(0, np.int32), np.empty(0, np.int8))
    years, known = years_of(cited), years_of(papers)
    named, printed = _names(papers), _Printed(places)
    rows = np.full(cited.num_rows, NOWHERE, np.int32)
    rules = np.full(cited.num_rows, Rule.OUTSIDE, np.int8)
    for begin in range(0, cited.num_rows, _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        some = cited.slice(begin, _AT_ONCE)
        for column in ("name", "other_name"):
            found = named.find(some.column(column)).astype(np.int32)
            sure = Found(found, np.zeros(len(found), bool))
            settle(rows[part], rules[part], sure, Rule.IDENTIFIER)
        for places_found in printed.find(some.column("place"), (years[part], known)):
            settle(rows[part], rules[part], places_found, Rule.PLACE)
    titled = pc.is_valid(cited.column("title")).to_numpy()
    left = np.flatnonzero(titled & ((rules == Rule.OUTSIDE) | (rules == Rule.AMBIGUOUS)))
    if len(left):
        described = cited.take(pa.array(left))
        found, unsure = link_titles(described, papers)
        theirs = pc.take(places, pa.array(found, mask=found == NOWHERE))
        their_years = np.where(found == NOWHERE, UNKNOWN_YEAR, known[found])
        elsewhere = on_another_page(described.column("place").combine_chunks(), theirs)
        found[elsewhere & of_another_year(years[left], their_years)] = NOWHERE
        by_title, titles_rules = rows[left], rules[left]
        settle(by_title, titles_rules, Found(found, unsure), Rule.TITLE)
        rows[left], rules[left] = by_title, titles_rules
    return Linked(rows, rules)


def years_of(table: RowStream) -> Longs:
    """Return the column of years: (n,) int64, UNKNOWN_YEAR where there is none."""
    years = pc.fill_null(table.column("year").cast(pa.int64()), UNKNOWN_YEAR)
    known: Longs = years.to_numpy()
    return known


def about_the_same_year(one: Longs, other: Longs) -> Mask:
    """Tell where two years differ by no more than one, or one of them is unknown."""
    unknown = (one == UNKNOWN_YEAR) | (other == UNKNOWN_YEAR)
    near: Mask = unknown | (np.abs(one - other) <= 1)
    return near


def on_another_page(cited: pa.Array, theirs: pa.Array) -> Mask:
    """Tell what is known to be printed on another page than the paper that was found."""
    pages = (
        pc.replace_substring_regex(each, pattern=_BEFORE_PAGE, replacement="")
        for each in (cited, theirs)
    )
    other: Mask = pc.fill_null(pc.not_equal(*pages), False).to_numpy(zero_copy_only=False)
    return other


def of_another_year(years: Longs, theirs: Longs) -> Mask:
    """Tell what is of another year than the paper that was found, both years being known."""
    apart: Mask = (years != UNKNOWN_YEAR) & (theirs != UNKNOWN_YEAR) & (years != theirs)
    return apart


def lacks_initial(places: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Tell the places whose authors are told without initial."""
    return pc.fill_null(pc.match_substring_regex(places, _NO_INITIAL), False)


def without_initials(places: pa.Array) -> pa.Array:
    """Return places as lists tell them that leave the initials out."""
    return pc.replace_substring_regex(places, pattern=_INITIAL, replacement=r"\1|")


@dataclass(frozen=True, slots=True)
class Found:
    """rows: (m,) int32, NOWHERE for none; ambiguous: (m,) bool, where there was more than one."""

    rows: Rows
    ambiguous: Mask


def settle(rows: Rows, rules: Rows, found: Found, rule: Rule) -> None:
    """Write down what was found of that which was not found before."""
    left = (rules == Rule.OUTSIDE) | (rules == Rule.AMBIGUOUS)
    sure = left & (found.rows != NOWHERE)
    rows[sure] = found.rows[sure]
    rules[sure] = rule
    rules[(rules == Rule.OUTSIDE) & found.ambiguous] = Rule.AMBIGUOUS


@dataclass(frozen=True, slots=True)
class Lookup:
    """Keys of papers; several papers may have one.

    starts: key i is that of `owners[starts[i]:starts[i + 1]]`, rows of papers.
    """

    keys: pa.Array
    starts: Longs
    owners: Longs

    @classmethod
    def of(cls, keys: pa.Array, owners: Longs) -> "Lookup":
        """Sort rows of papers by their keys."""
        encoded = keys.dictionary_encode()
        codes = encoded.indices.fill_null(NOWHERE).to_numpy(zero_copy_only=False)
        pairs = np.unique(np.stack([codes, owners], axis=1)[codes != NOWHERE], axis=0)
        starts = np.searchsorted(pairs[:, 0], np.arange(len(encoded.dictionary) + 1))
        return cls(encoded.dictionary, starts, pairs[:, 1])

    def find(self, wanted: pa.ChunkedArray, years: tuple[Longs, Longs] | None = None) -> Found:
        """Find the one paper that has each key, and about the same year.

        years: (m,) of what is wanted, and (n,) of the papers; None: a key alone decides.
        """
        codes = pc.fill_null(pc.index_in(wanted, self.keys), NOWHERE).to_numpy().astype(np.int64)
        there = np.flatnonzero(codes != NOWHERE)
        sizes = np.diff(self.starts)[codes[there]]
        wanting = np.repeat(there, sizes)
        offsets = np.arange(len(wanting)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        offered = self.owners[np.repeat(self.starts[codes[there]], sizes) + offsets]
        if years is not None:
            near = about_the_same_year(years[0][wanting], years[1][offered])
            wanting, offered = wanting[near], offered[near]
        counts = np.bincount(wanting, minlength=len(codes))
        rows = np.full(len(codes), NOWHERE, np.int32)
        single = counts[wanting] == 1
        rows[wanting[single]] = offered[single]
        return Found(rows, counts > 1)


class _Printed:
    """Where papers were printed: with the author's initial, and for lists that leave it out."""

    def __init__(self, places: pa.Array) -> None:
        self._places = places
        self._whole = Lookup.of(places, np.arange(len(places)))
        self._surnames: Lookup | None = None

    def find(self, cited: pa.ChunkedArray, years: tuple[Longs, Longs]) -> Iterator[Found]:
        """Find papers by all that is told, then those of authors without initial by the rest."""
        yield self._whole.find(cited, years)
        bare = lacks_initial(cited)
        if not pc.any(bare).as_py():
            return
        if self._surnames is None:
            names = without_initials(self._places)
            self._surnames = Lookup.of(names, np.arange(len(names)))
        yield self._surnames.find(pc.if_else(bare, cited, None), years)


def _names(papers: RowStream) -> PaperNames:
    """Gather the ids, DOIs and aliases of papers."""
    names, owners = other_names(papers)
    ids = papers.column("id").combine_chunks().cast(pa.large_string())
    owners = np.concatenate([np.arange(papers.num_rows, dtype=np.int64), owners])
    return PaperNames.of(pa.concat_arrays([ids, names]), owners)
