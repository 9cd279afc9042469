"""Find the works that are one: by identifiers they share, else by title, first author and year."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.row_stream import RowStream
from recsys.pipelines.corpora.work_table import NO_SPACE, records_of
from recsys.query.matching import Title, named_among, title_likeness, title_of
from recsys.store.arrays import Longs, Rows
from recsys.store.words import fold

SAME_TITLE = 0.93
"""Titles at least so alike may be those of one work: a typing error or two, no other word."""
YEARS_APART = 1
"""Years by which records of one work may differ: online first, and in print."""
PREPRINT_YEARS_APART = 3
"""Years by which a preprint may be older or younger than the paper that it became."""
_TELLING = 4
"""Telling words of a title that is enough beside the author alone, or the year alone."""
_HEAD = 24
"""Letters at the beginning of titles that are compared at all."""
_CROWD = 40
"""Works of one beginning that are compared each with each; of more, only neighbours."""

_NOT_LETTERS = re.compile(r"[\W_]+")
_PREPRINT = re.compile(
    r"10\.(?:48550/arxiv|2139/ssrn|31234/|26434/chemrxiv|21203/rs\.|20944/preprints|36227/techrxiv"
    r"|31219/osf|22541/au\.|1101/[0-9]{6}(?:v[0-9]+)?$|1101/20[0-9]{2}\.|64898/)"
)
_PREPRINT_VENUE = re.compile(r"\b(?:arxiv|biorxiv|medrxiv|chemrxiv|ssrn|corr|preprints?)\b", re.I)


_Pairs: TypeAlias = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Clusters:
    """Which works are one.

    first: (n,) int32, for each work the first of its cluster, in the order of the files. by_name,
    by_title: works that were added to another one. kept_apart: pairs that share a name or agree in
    title, author and year, but have other ids in one file, or other DOIs.
    """

    first: Rows
    by_name: int
    by_title: int
    kept_apart: int


def find_clusters(works: RowStream, *, preprints: bool) -> Clusters:
    """Put the works of one paper together.

    Args:
        works: rows of WORKS.
        preprints: whether a preprint and the paper that it became are one.
    """
    named = _sharing_names(works)
    alike = [] if _one_sealed_file(works) else list(_alike(works))
    facts = _facts(works, {row for pair in chain(named, alike) for row in pair})
    forest = Forest(facts, list(range(works.num_rows)))
    by_name = sum(forest.unite(*pair, named=True) for pair in named)
    by_title = 0
    for pair in alike:
        if forest.root(pair[0]) == forest.root(pair[1]):
            continue
        one, other = facts[pair[0]], facts[pair[1]]
        if may_be_one(one, other, preprints=preprints):
            by_title += forest.unite(*pair, versions=one.version_of(other))
    first = np.array([forest.root(row) for row in range(works.num_rows)], np.int32)
    return Clusters(first, by_name, by_title, forest.kept_apart)


@dataclass(frozen=True, slots=True)
class Fact:
    """What of a work is compared. own: its id in its space."""

    title: Title
    authors: tuple[str, ...]
    year: int | None
    doi: str
    space: int
    own: str | None
    sealed: bool
    preprint: bool

    def clashes(self, other: "Fact") -> bool:
        """Tell whether both have ids of one space, and other ones."""
        return self.space != NO_SPACE and self.space == other.space and self.own != other.own

    def version_of(self, other: "Fact") -> bool:
        """Tell whether one may be a preprint, and the other what became of it."""
        return self.preprint != other.preprint and not self.sealed_with(other)

    def sealed_with(self, other: "Fact") -> bool:
        """Tell whether both are of one file of ours."""
        return self.sealed and self.space != NO_SPACE and self.space == other.space


class Identified(Protocol):
    """By what a work speaks against being another one."""

    @property
    def doi(self) -> str:
        """Its DOI in lower case; empty where there is none."""
        ...

    @property
    def space(self) -> int:
        """Where its id is given."""
        ...

    @property
    def own(self) -> str | None:
        """Its id in its space."""
        ...


@dataclass(slots=True)
class Forest:
    """Disjoint sets of works; the root of a set is its first work."""

    facts: Mapping[int, Identified]
    parent: list[int]
    kept_apart: int = 0
    _ids: dict[int, dict[int, str | None]] = field(default_factory=dict)
    _dois: dict[int, set[str]] = field(default_factory=dict)

    def root(self, row: int) -> int:
        """Return the first work of a set; on the way, paths to it become shorter."""
        parent = self.parent
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    def unite(self, a: int, b: int, *, named: bool = False, versions: bool = False) -> bool:
        """Put two sets together unless something speaks against it; say whether that was done.

        named: they share a name. versions: they are a preprint and what became of it.
        """
        a, b = sorted((self.root(a), self.root(b)))
        if a == b:
            return False
        ids, its_ids = self._ids_of(a), self._ids_of(b)
        clash = any(its_ids.get(space, own) != own for space, own in ids.items())
        dois, its_dois = self._dois_of(a), self._dois_of(b)
        other_doi = dois and its_dois and dois.isdisjoint(its_dois)
        if not versions and (clash or (other_doi and not named)):
            self.kept_apart += 1
            return False
        self.parent[b] = a
        self._ids[a] = its_ids | ids
        self._dois[a] = dois | its_dois
        return True

    def _ids_of(self, row: int) -> dict[int, str | None]:
        if row not in self._ids:
            fact = self.facts[row]
            self._ids[row] = {} if fact.space == NO_SPACE else {fact.space: fact.own}
        return self._ids[row]

    def _dois_of(self, row: int) -> set[str]:
        if row not in self._dois:
            self._dois[row] = {doi} if (doi := self.facts[row].doi) else set()
        return self._dois[row]


def may_be_one(one: Fact, other: Fact, *, preprints: bool) -> bool:
    """Tell whether two works whose titles begin alike agree in what else is compared."""
    versions = one.version_of(other)
    if versions and not preprints:  # Not even of one year.
        return False
    return (versions or not one.clashes(other)) and _agree(one, other, versions=versions)


def _agree(one: Fact, other: Fact, *, versions: bool) -> bool:
    """Tell whether titles agree, and author or year do, and neither differs."""
    if title_likeness(one.title, other.title) < SAME_TITLE:
        return False
    author = named_among(one.authors, other.authors)
    year = None
    if one.year is not None and other.year is not None:
        year = abs(one.year - other.year) <= (PREPRINT_YEARS_APART if versions else YEARS_APART)
    if author is False or year is False:
        return False
    return bool((author and year) or ((author or year) and len(one.title.telling) >= _TELLING))


def _facts(works: RowStream, rows: set[int]) -> dict[int, Fact]:
    columns = ["title", "authors", "year", "doi", "venue", "names", "space", "own_id", "sealed"]
    ordered = sorted(rows)
    wanted = np.zeros(works.num_rows, bool)
    wanted[ordered] = True
    records = works.select(columns).filter(pa.array(wanted)).table().to_pylist()
    return {
        row: fact_of(each, is_preprint(each["doi"], each["venue"], each["names"]))
        for row, each in zip(ordered, records, strict=True)
    }


def fact_of(work: Mapping[str, Any], preprint: bool) -> Fact:
    """Prepare what is compared of a work."""
    return Fact(
        title_of(work["title"] or ""),
        tuple(work["authors"]),
        work["year"],
        (work["doi"] or "").lower(),
        work["space"],
        work["own_id"],
        work["sealed"],
        preprint,
    )


def is_preprint(doi: str | None, venue: str | None, names: Sequence[str]) -> bool:
    """Tell a preprint by its DOI, else by its venue; by an arXiv id where there is neither."""
    if doi:
        return bool(_PREPRINT.match(doi.lower()))
    if venue:
        return is_server(venue)
    return any(name.startswith("arxiv:") for name in names)


def is_server(venue: str) -> bool:
    """Tell a place of preprints, such as `arXiv preprint arXiv:1901.00001`, from a journal."""
    return bool(_PREPRINT_VENUE.search(venue))


def _sharing_names(works: RowStream) -> list[tuple[int, int]]:
    """List pairs of works next to each other among those that have one name, ascending."""
    names = works.column("names").combine_chunks()
    lengths = pc.list_value_length(names).to_numpy(zero_copy_only=False)
    owners = np.repeat(np.arange(works.num_rows, dtype=np.int64), lengths)
    return sorted(zip(*(each.tolist() for each in next_to(names.flatten(), owners)), strict=True))


def next_to(names: pa.Array, owners: Longs) -> tuple[Longs, Longs]:
    """Pair the works next to each other among those that have one name, the earlier one first."""
    codes = _codes(names)
    order = np.lexsort((owners, codes))
    same = np.flatnonzero((np.diff(codes[order]) == 0) & (np.diff(owners[order]) != 0))
    return owners[order[same]], owners[order[same + 1]]


def _codes(values: pa.Array) -> Longs:
    """Number equal strings alike, -1 where there is none."""
    indices = values.dictionary_encode().indices.fill_null(-1)
    codes: Longs = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _one_sealed_file(works: RowStream) -> bool:
    """Tell whether all works are of one file of ours: there, two ids are two papers."""
    spaces = pc.unique(works.column("space"))
    sealed = len(spaces) == 1 and spaces[0].as_py() != NO_SPACE
    return sealed and bool(pc.all(works.column("sealed")).as_py())


def _alike(works: RowStream) -> Iterator[tuple[int, int]]:
    """Give pairs of works whose titles begin alike, the earlier one first."""
    told = works.select(["title", "year"]).table()
    titles = (title for chunk in told.column("title").chunks for title in chunk.to_pylist())
    heads = pa.array(map(title_head, titles), pa.string())
    for members in of_one_head(heads):
        yield from pairs_among(members, lambda rows: records_of(told, np.array(rows)))


def of_one_head(heads: pa.Array) -> Iterator[list[int]]:
    """Give the places of those with the same beginning, where there are several."""
    codes = _codes(heads)
    order = np.argsort(codes, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
        if len(group) > 1 and codes[group[0]] >= 0:
            yield group.tolist()


def pairs_among(
    members: Sequence[int], records: Callable[[Sequence[int]], Sequence[Mapping[str, Any]]]
) -> Iterable[tuple[int, int]]:
    """Pair works of one beginning each with each; of a crowd, only neighbours.

    records: gives title and year of some of them.
    """
    if len(members) <= _CROWD:
        return combinations(members, 2)
    return _near(members, records(members))


def title_head(title: str | None) -> str | None:
    """Return the letters by which titles begin alike; None where there are none."""
    return _NOT_LETTERS.sub("", fold((title or "")[: 4 * _HEAD]))[:_HEAD] or None


def _near(members: Sequence[int], some: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Of a crowd, pair what stands together by title and year."""
    keys = [(_NOT_LETTERS.sub("", fold(each["title"])), each["year"] or 0) for each in some]
    order = sorted(range(len(members)), key=keys.__getitem__)
    for one, other in pairwise(order):
        yield min(members[one], members[other]), max(members[one], members[other])
