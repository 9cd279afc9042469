"""Find the works that are one: by identifiers they share, else by title, first author and year.

Memory holds one part of the names, or of what is compared of titles, and of the works that have a
pair what forbids to unite them. All others are alone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.partitions import batch_of, by_hash, divide, flattened
from recsys.pipelines.corpora.works import NO_SPACE, WORKS, Works
from recsys.query.matching import Title, named_among, title_likeness, title_of
from recsys.store.arrays import Longs
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
_NAMES = pa.schema([("name", pa.string()), ("row", pa.int64())])
_COMPARED = "title authors year doi venue names space own_id sealed".split()
_HEADS = pa.schema(
    [("head", pa.string()), ("row", pa.int64()), *(WORKS.field(name) for name in _COMPARED)]
)

Identity: TypeAlias = tuple[str, int, str | None]
"""By what a work speaks against being another one: DOI in lower case, id space, id in it."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Works that are one with others.

    rows: (m,) int64, ascending, the works that are not alone. cluster_of: (m,) int64, the number of
    the cluster of each; clusters are numbered by their first works. by_name, by_title: works that
    were added to another one. kept_apart: pairs that share a name or agree in title, author and
    year, but have other ids in one file, or other DOIs.
    """

    rows: Longs
    cluster_of: Longs
    by_name: int
    by_title: int
    kept_apart: int

    @property
    def count(self) -> int:
        """Count the clusters."""
        return int(self.cluster_of.max(initial=-1)) + 1


def find_clusters(works: Works, folder: Path, *, preprints: bool) -> Clusters:
    """Put the works of one paper together.

    Args:
        works: to be compared.
        folder: where rows wait.
        preprints: whether a preprint and the paper that it became are one.
    """
    named = _sharing_names(works, folder)
    rows, identities = np.unique(named), dict[int, Identity]()  # What speaks against uniting them.
    for begin, batch in works.batches(["doi", "space", "own_id"]):
        first, end = np.searchsorted(rows, [begin, begin + batch.num_rows]).tolist()
        some = batch.take(pa.array(rows[first:end] - begin)).to_pylist()
        identities |= zip(rows[first:end].tolist(), map(_identity, some), strict=True)
    forest = Forest(identities)
    by_name = sum(forest.unite(one, other, named=True) for one, other in named.T.tolist())
    by_title = 0
    alike = [] if works.one_sealed_file else _alike(works, folder, forest, preprints)
    for _, one, other, versions in sorted(alike, key=lambda pair: pair[0]):
        by_title += forest.unite(one, other, versions=versions)
    root_of = {row: forest.root(row) for row in list(forest.parent)}
    root_of |= {root: root for root in root_of.values()}
    members = np.array(sorted(root_of), np.int64)
    roots = np.array([root_of[row] for row in members.tolist()], np.int64)
    _, cluster_of = np.unique(roots, return_inverse=True)
    return Clusters(members, cluster_of, by_name, by_title, forest.kept_apart)


@dataclass(frozen=True, slots=True)
class Fact:
    """What of a work is compared."""

    title: Title
    authors: tuple[str, ...]
    year: int | None
    identity: Identity
    sealed: bool
    preprint: bool

    @classmethod
    def of(cls, work: Mapping[str, Any]) -> "Fact":
        """Prepare a row of WORKS."""
        return cls(
            title_of(work["title"] or ""),
            tuple(work["authors"]),
            work["year"],
            _identity(work),
            work["sealed"],
            is_preprint(work["doi"], work["venue"], work["names"]),
        )

    def version_of(self, other: "Fact") -> bool:
        """Tell whether one may be a preprint, and the other what became of it."""
        one_file = self.sealed and self._shares_space(other)
        return self.preprint != other.preprint and not one_file

    def _shares_space(self, other: "Fact") -> bool:
        return self.identity[1] == other.identity[1] != NO_SPACE

    def may_be(self, other: "Fact", *, preprints: bool) -> bool:
        """Tell whether two works whose titles begin alike agree in what else is compared."""
        versions = self.version_of(other)
        if versions and not preprints:  # Not even of one year.
            return False
        other_id = self.identity[2] != other.identity[2]
        if not versions and other_id and self._shares_space(other):
            return False
        if title_likeness(self.title, other.title) < SAME_TITLE:
            return False
        author = named_among(self.authors, other.authors)
        year = None
        if self.year is not None and other.year is not None:
            apart = PREPRINT_YEARS_APART if versions else YEARS_APART
            year = abs(self.year - other.year) <= apart
        if author is False or year is False:
            return False
        telling = len(self.title.telling) >= _TELLING
        return bool((author and year) or ((author or year) and telling))


def _identity(work: Mapping[str, Any]) -> Identity:
    return (work["doi"] or "").lower(), work["space"], work["own_id"]


@dataclass(slots=True)
class Forest:
    """Disjoint sets of works; the root of a set is its first work.

    parent: of works that are no roots, another of their set. kept_apart: pairs that something
    spoke against.
    """

    identities: dict[int, Identity]
    parent: dict[int, int] = field(default_factory=dict)
    kept_apart: int = 0
    _claimed: dict[int, tuple[dict[int, str | None], set[str]]] = field(default_factory=dict)

    def root(self, row: int) -> int:
        """Return the first work of a set; on the way, paths to it become shorter."""
        parent = self.parent
        while (above := parent.get(row)) is not None:
            parent[row] = parent.get(above, above)
            row = above
        return row

    def unite(self, a: int, b: int, *, named: bool = False, versions: bool = False) -> bool:
        """Put two sets together unless something speaks against it; say whether that was done.

        named: they share a name. versions: they are a preprint and what became of it.
        """
        a, b = sorted((self.root(a), self.root(b)))
        if a == b:
            return False
        (ids, dois), (its_ids, its_dois) = self._claims(a), self._claims(b)
        clash = any(its_ids.get(space, own) != own for space, own in ids.items())
        other_doi = dois and its_dois and dois.isdisjoint(its_dois)
        if not versions and (clash or (other_doi and not named)):
            self.kept_apart += 1
            return False
        self.parent[b] = a
        self._claimed[a] = its_ids | ids, dois | its_dois
        return True

    def _claims(self, row: int) -> tuple[dict[int, str | None], set[str]]:
        """Return the ids by space, and the DOIs, of the set of a first work."""
        if row not in self._claimed:
            doi, space, own = self.identities[row]
            ids = {} if space == NO_SPACE else {space: own}
            self._claimed[row] = ids, {doi} if doi else set()
        return self._claimed[row]


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


def _sharing_names(works: Works, folder: Path) -> Longs:
    """List pairs of works next to each other among those that have one name, ascending: (2, p)."""

    def names() -> Iterator[pa.RecordBatch]:
        for begin, batch in works.batches(["names"]):
            flat, rows = flattened(batch.column(0), begin)
            yield batch_of(_NAMES, flat, rows)

    pairs = [np.empty((2, 0), np.int64)]
    for part in divide(folder / "names.runs", _NAMES, works.parts, names(), by_hash):
        codes, owners = _codes(part.column(0)), part.column(1).to_numpy()
        order = np.lexsort((owners, codes))
        same = np.flatnonzero((np.diff(codes[order]) == 0) & (np.diff(owners[order]) != 0))
        pairs.append(np.stack([owners[order[same]], owners[order[same + 1]]]))
    found = np.concatenate(pairs, axis=1)
    return found[:, np.lexsort((found[1], found[0]))]


def _codes(values: pa.Array) -> Longs:
    """Number equal strings alike."""
    codes: Longs = values.dictionary_encode().indices.to_numpy().astype(np.int64)
    return codes


def _alike(
    works: Works, folder: Path, forest: Forest, preprints: bool
) -> list[tuple[int, int, int, bool]]:
    """List pairs that agree in title, author and year and are not one yet.

    Returns:
        (first work of that beginning, one work, another, whether they are versions) of each.
    """

    def heads() -> Iterator[pa.RecordBatch]:
        for begin, batch in works.batches(_COMPARED):
            titles = batch.column("title").to_pylist()
            letters = (_NOT_LETTERS.sub("", fold((title or "")[: 4 * _HEAD])) for title in titles)
            every = pa.array((each[:_HEAD] or None for each in letters), pa.string())
            there = pc.is_valid(every)
            rows = begin + np.flatnonzero(there.to_numpy(zero_copy_only=False))
            head = every.filter(there)
            yield batch_of(_HEADS, head, rows, *batch.filter(there).columns)

    pairs: list[tuple[int, int, int, bool]] = []
    for part in divide(folder / "heads.runs", _HEADS, works.parts, heads(), by_hash):
        codes, rows = _codes(part.column("head")), part.column("row").to_numpy()
        order = np.argsort(codes, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
            if len(group) > 1 and len(set(map(forest.root, rows[group].tolist()))) > 1:
                members = part.take(pa.array(group)).to_pylist()
                pairs += _agreeing(members, forest, preprints)
    return pairs


def _agreeing(
    members: Sequence[Mapping[str, Any]], forest: Forest, preprints: bool
) -> Iterator[tuple[int, int, int, bool]]:
    """Compare works of one beginning each with each; of a crowd, only neighbours."""
    pairs: Iterable[tuple[int, int]] = combinations(range(len(members)), 2)
    if len(members) > _CROWD:
        keys = [(_NOT_LETTERS.sub("", fold(each["title"])), each["year"] or 0) for each in members]
        ordered = sorted(range(len(members)), key=keys.__getitem__)
        pairs = ((min(two), max(two)) for two in pairwise(ordered))
    facts: dict[int, Fact] = {}
    for pair in pairs:
        one, other = (int(members[place]["row"]) for place in pair)
        if forest.root(one) == forest.root(other):
            continue
        for place in pair:
            if place not in facts:
                facts[place] = Fact.of(members[place])
        first, second = (facts[place] for place in pair)
        if first.may_be(second, preprints=preprints):
            forest.identities |= {one: first.identity, other: second.identity}
            yield members[0]["row"], one, other, first.version_of(second)
