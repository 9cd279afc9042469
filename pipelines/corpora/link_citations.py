"""Link cited works, as reference lists describe them, to the papers that they mean.

A description means a paper by an identifier; else by first author, volume and page, the year being
that of the paper or next to it, or by author, year and page where there is no volume; else by its
title, where the first author or the year agrees, too, unless year and page both are others: that is
another version. What means more than one paper that way means none, and is counted.

What is cited waits in runs by its number; what may find it, in runs by name, place and title,
together with the papers that are called so. Memory holds one part of each.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.paper_names import NOBODY, PaperNames, all_names, letters
from recsys.pipelines.corpora.partitions import Runs, RunWriter, batch_of, by_hash, by_range, divide
from recsys.pipelines.corpora.works import CITED, SCHEMA
from recsys.query.matching import THRESHOLD, Title, named_among, score, title_of
from recsys.records import Paper, Reference
from recsys.store.arrays import Longs, Rows
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.names import author_key

MOST_OFFERED = 50
"""Papers compared with one title at most: more share only the beginning of a phrase."""
FEWER_ALIKE = 0.02
"""A second paper whose score is so near makes a title ambiguous."""
_LEAST = THRESHOLD - FEWER_ALIKE - 1e-6
"""A paper that scores less is neither found, nor makes another one ambiguous."""
_HEAD = 20
"""Letters by which a title is looked up that lacks its end, or has a typing error there."""
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
_NAME, _OTHER_NAME, _PLACE, _SURNAME, _TITLE = range(5)
_RULES = (Rule.IDENTIFIER, Rule.IDENTIFIER, Rule.PLACE, Rule.PLACE, Rule.TITLE)
"""The rule of each way to look a work up, the surest first."""

TARGETS = pa.schema(
    [
        *(SCHEMA.field(name) for name in ("id", "title", "year", "authors", "doi", "aliases")),
        ("place", pa.string()),  # see `paper_names.printed_place`
    ]
)
"""Papers that cited works may mean."""
_NUMBERED = pa.schema([*CITED, ("number", pa.int64())])
"""Cited works in their order; owners are papers."""
_WANTED = pa.schema(
    [
        ("key", pa.string()),
        ("number", pa.int64()),
        ("way", pa.int8()),
        ("year", pa.int16()),
        ("title", pa.string()),
        ("author", pa.string()),
    ]
)
_OFFERED = pa.schema(
    [
        ("key", pa.string()),
        ("way", pa.int8()),
        ("paper", pa.int32()),
        ("id", pa.string()),
        ("year", pa.int16()),
        ("title", pa.string()),
        ("authors", pa.list_(pa.string())),
        ("place", pa.string()),
    ]
)
_FOUND = pa.schema(
    [
        ("number", pa.int64()),
        ("way", pa.int8()),
        ("paper", pa.int32()),  # NOBODY where several would do
        ("score", pa.float64()),
        ("id", pa.string()),
        ("year", pa.int16()),
        ("place", pa.string()),
    ]
)

_Offer: TypeAlias = Callable[[int, pa.RecordBatch], Iterator[pa.RecordBatch]]
_Find: TypeAlias = Callable[[pa.RecordBatch, pa.RecordBatch], Iterator[pa.RecordBatch]]
Targets: TypeAlias = Callable[[], Iterable[tuple[int, pa.RecordBatch]]]
"""Gives papers with the columns TARGETS, and the number of the first of each batch."""


@dataclass(frozen=True, slots=True)
class LinkedWorks:
    """Some cited works, and what they mean.

    cited: rows of CITED; owners are papers. papers: (m,) int32, NOBODY for none. rules: (m,) int8,
    see `Rule`. ids: (m,) of the papers, null for none.
    """

    cited: pa.RecordBatch
    papers: Rows
    rules: Rows
    ids: pa.Array


def link(
    cited: Iterable[pa.RecordBatch], total: int, targets: Targets, folder: Path, parts: int
) -> Iterator[LinkedWorks]:
    """Find what cited works mean; give them in their order, some at a time.

    Args:
        cited: rows of CITED; owners are papers.
        total: how many they are at most.
        targets: the papers that may be meant.
        folder: where rows wait.
        parts: into how many they are divided.
    """
    with (
        RunWriter(folder / "cited.runs", _NUMBERED, parts, by_range(total, "number")) as numbered,
        RunWriter(folder / "wanted.runs", _WANTED, parts, by_hash) as wanted,
    ):
        number = 0
        for batch in cited:
            numbers = np.arange(number, number + batch.num_rows)
            number += batch.num_rows
            works = batch_of(_NUMBERED, *batch.columns, numbers)
            numbered.add(works)
            for keys in _wanted_keys(works):
                wanted.add(keys)
        waiting, names = numbered.runs(), wanted.runs()

    def look_up(name: str, wanted: Runs, offer: _Offer, find: _Find) -> Runs:
        numbered = targets() if wanted.rows else ()
        offered = (keys for begin, papers in numbered for keys in offer(begin, papers))
        offers = divide(folder / "offered.runs", _OFFERED, parts, offered, by_hash)
        pairs = zip(wanted, offers, strict=True)
        found = (batch for mine, theirs in pairs for batch in find(mine, theirs))
        return divide(folder / f"{name}.runs", _FOUND, parts, found, by_range(total))

    named = look_up("named", names, _offered_names, _find_names)

    @lru_cache(1)
    def settled(part: int) -> LinkedWorks:
        return _settled(waiting.part(part), named.part(part))

    untold = (_wanted_titles(settled(part)) for part in range(parts))
    wanted_titles = divide(folder / "wanted.runs", _WANTED, parts, untold, by_hash)
    scored = look_up("scored", wanted_titles, _offered_titles, _score_titles)
    for part, scores in enumerate(scored):
        yield _settled_by_title(settled(part), scores)
    waiting.remove()
    named.remove()


def link_to(cited: pa.RecordBatch, papers: pa.Table) -> Longs:
    """Find what cited works mean among papers that are held: (m,) int64, NOBODY for none.

    Args:
        cited: rows of CITED.
        papers: with the columns TARGETS, where they were printed left out.
    """
    with TemporaryDirectory(prefix="recsys-") as folder:
        linked = link([cited], cited.num_rows, lambda: numbered(papers), Path(folder), 1)
        return np.concatenate([works.papers.astype(np.int64) for works in linked])


def numbered(papers: pa.Table, first: int = 0) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Give papers of which nobody knows where they were printed as `Targets` does."""
    papers = papers.append_column("place", pa.nulls(papers.num_rows, pa.string()))
    for batch in papers.select(TARGETS.names).cast(TARGETS).to_batches():
        yield first, batch
        first += batch.num_rows


def _wanted_keys(cited: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Give the names and places by which cited works are looked up."""
    places = cited.column("place")
    lacks_initial = pc.fill_null(pc.match_substring_regex(places, _NO_INITIAL), False)
    bare = pc.if_else(lacks_initial, places, None)
    ways = (cited.column("name"), cited.column("other_name"), places, bare)
    for way, keys in enumerate(ways):
        there = pc.is_valid(keys)
        key, number, year = (
            column.filter(there) for column in (keys, cited.column("number"), cited.column("year"))
        )
        yield batch_of(_WANTED, key, number, np.full(len(key), way), year, None, None)


def _offered_names(begin: int, papers: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Give the names and places under which papers are found."""
    places, every = papers.column("place"), np.arange(papers.num_rows)
    # As lists tell them that leave the initials out.
    surnames = pc.replace_substring_regex(places, pattern=_INITIAL, replacement=r"\1|")
    offered = ((_NAME, *all_names(papers)), (_PLACE, places, every), (_SURNAME, surnames, every))
    for way, keys, rows in offered:
        there = pc.is_valid(keys)
        rows = rows[there.to_numpy(zero_copy_only=False)]
        ids, years = (papers.column(name).take(pa.array(rows)) for name in ("id", "year"))
        ways, numbers = np.full(len(rows), way), begin + rows
        yield batch_of(_OFFERED, keys.filter(there), ways, numbers, ids, years, None, None, None)


def _find_names(wanted: pa.RecordBatch, offered: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Give rows of _FOUND for what some papers are called."""
    papers, first, owners = np.unique(
        offered.column("paper").to_numpy(), return_index=True, return_inverse=True
    )
    years = _years(offered.column("year"))[first]
    for way in (_NAME, _OTHER_NAME, _PLACE, _SURNAME):
        mine = wanted.filter(pc.equal(wanted.column("way"), way))
        theirs = pc.equal(offered.column("way"), _NAME if way == _OTHER_NAME else way)
        names = PaperNames.of(
            offered.column("key").filter(theirs), owners[theirs.to_numpy(zero_copy_only=False)]
        )
        if way in (_PLACE, _SURNAME):
            mine_years = _years(mine.column("year"))
            rows, unsure = names.find_near(mine.column("key"), mine_years, years)
        else:
            rows = names.find(mine.column("key"))
            unsure = np.zeros(len(rows), bool)
        hits = np.flatnonzero((rows != NOBODY) | unsure)
        there = rows[hits] != NOBODY
        sources = pa.array(np.append(first, 0)[rows[hits]], mask=~there)
        yield batch_of(
            _FOUND,
            mine.column("number").take(pa.array(hits)),
            np.full(len(hits), way),
            np.where(there, np.append(papers, NOBODY)[rows[hits]], NOBODY).astype(np.int32),
            None,
            offered.column("id").take(sources),
            None,
            None,
        )


def _settled(cited: pa.RecordBatch, found: pa.RecordBatch) -> LinkedWorks:
    """Choose what the surest way found of each cited work."""
    base = cited.column("number")[0].as_py() if cited.num_rows else 0
    papers = np.full(cited.num_rows, NOBODY, np.int32)
    rules = np.full(cited.num_rows, Rule.OUTSIDE, np.int8)
    source = np.full(cited.num_rows, NOBODY, np.int64)
    place, way, paper = (found.column(name).to_numpy() for name in ("number", "way", "paper"))
    place = place - base
    rules[place[paper == NOBODY]] = Rule.AMBIGUOUS
    sure = np.lexsort((way, place))
    sure = sure[paper[sure] != NOBODY]
    at, first = np.unique(place[sure], return_index=True)
    source[at] = sure[first]
    papers[at] = paper[source[at]]
    rules[at] = np.array(_RULES, np.int8)[way[source[at]]]
    return LinkedWorks(cited, papers, rules, _taken(found.column("id"), source))


def _taken(values: pa.Array, places: Longs) -> pa.Array:
    """Gather values, null where a place is NOBODY's."""
    return values.take(pa.array(places, mask=places == NOBODY))


def _years(years: pa.Array) -> Longs:
    """Return years as numbers: (n,) int64, UNKNOWN_YEAR where there is none."""
    known: Longs = pc.fill_null(years.cast(pa.int64()), UNKNOWN_YEAR).to_numpy()
    return known


def _untold(works: LinkedWorks) -> tuple[Longs, Longs, dict[tuple[Any, ...], int]]:
    """Find the cited works that only their titles may tell.

    Returns:
        (m,) their places; (m,) for each, the first place that tells the same title, author and
        year; and these by what they tell.
    """
    titles = works.cited.column("title")
    left = (works.rules == Rule.OUTSIDE) | (works.rules == Rule.AMBIGUOUS)
    places = np.flatnonzero(left & pc.is_valid(titles).to_numpy(zero_copy_only=False))
    columns = (
        works.cited.column(name).take(pa.array(places)).to_pylist()
        for name in ("title", "author", "year")
    )
    first: dict[tuple[Any, ...], int] = {}
    described = zip(places.tolist(), zip(*columns, strict=True), strict=True)
    alike = [first.setdefault(described_as, place) for place, described_as in described]
    return places, np.array(alike, np.int64), first


def _wanted_titles(works: LinkedWorks) -> pa.RecordBatch:
    """Give the keys under which cited works are looked up by their titles."""
    keys: list[str] = []
    places: list[int] = []
    for (title, author, year), place in _untold(works)[2].items():
        found = title_keys(title, author, year)
        if year is not None and author:
            surname = author.partition(" ")[0]
            found += [f"{surname}|{year - 1}", f"{surname}|{year + 1}"]
        keys += found
        places += [place] * len(found)
    told = works.cited.take(pa.array(places, pa.int64()))
    rest = (told.column(name) for name in ("year", "title", "author"))
    return batch_of(_WANTED, keys, told.column("number"), np.full(len(keys), _TITLE), *rest)


def title_keys(title: str, author: str | None, year: int | None) -> list[str]:
    """List the keys under which a paper is found: whole title, its beginning, author and year.

    author: its key.
    """
    whole = letters(title)
    keys = [whole, f"{whole[:_HEAD]}\u2026"] if whole else []
    if author and year is not None:
        keys.append(f"{author.partition(' ')[0]}|{year}")
    return keys


def _offered_titles(begin: int, papers: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Give the keys under which papers are found by their titles."""
    keys: list[str] = []
    rows: list[int] = []
    columns = (papers.column(name).to_pylist() for name in ("title", "authors", "year"))
    for row, (title, authors, year) in enumerate(zip(*columns, strict=True)):
        found = title_keys(title, author_key(authors[0]) if authors else None, year)
        keys += found
        rows += [row] * len(found)
    some = papers.take(pa.array(rows, pa.int64()))
    rest = (some.column(name) for name in ("id", "year", "title", "authors", "place"))
    numbers = begin + np.array(rows, np.int64)
    yield batch_of(_OFFERED, keys, np.full(len(keys), _TITLE), numbers, *rest)


def _score_titles(wanted: pa.RecordBatch, offered: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Score all pairs that share a key, unless too many papers have it."""
    asked = set(wanted.column("key").to_pylist())
    rows: dict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(offered.column("key").to_pylist()):
        if key in asked:
            rows[key].append(row)
    numbers = offered.column("paper").to_pylist()
    papers: dict[int, tuple[Paper, Title]] = {}
    found: list[tuple[int, int, float]] = []
    for number, keys in groupby(wanted.to_pylist(), key=lambda work: work["number"]):
        works = [*keys]
        title, author, year = (works[0][name] for name in ("title", "author", "year"))
        authors = (author.rpartition(" ")[0] or author,) if author else ()
        reference = Reference(title=title, authors=authors, year=year), title_of(title)
        near = [some for work in works if len(some := rows.get(work["key"], ())) <= MOST_OFFERED]
        # A paper counts once, under whatever key it is found.
        for paper, row in {numbers[row]: row for some in near for row in some}.items():
            if paper not in papers:
                (told,) = offered.slice(row, 1).to_pylist()
                names = tuple(told["authors"] or ())
                papers[paper] = (
                    Paper("", told["title"], None, told["year"], names),
                    title_of(told["title"]),
                )
            if (value := score_titles(*reference, *papers[paper])) >= _LEAST:
                found.append((number, row, value))
    wanting, places, scores = zip(*found, strict=True) if found else ((), (), ())
    at = pa.array(places, pa.int64())
    columns = (offered.column(name).take(at) for name in ("paper", "id", "year", "place"))
    paper, *rest = columns
    yield batch_of(_FOUND, [*wanting], np.full(len(at), _TITLE), paper, [*scores], *rest)


def score_titles(reference: Reference, wanted: Title, paper: Paper, offered: Title) -> float:
    """Score a paper by its title; 0 where neither the first author nor the year agrees."""
    near = reference.year and paper.year and abs(reference.year - paper.year) <= 1
    if not near and not named_among(reference.authors, paper.authors):
        return 0.0
    return score(reference, wanted, paper, offered)


def _settled_by_title(works: LinkedWorks, scored: pa.RecordBatch) -> LinkedWorks:
    """Add what titles tell of cited works that nothing else told."""
    places, alike, _ = _untold(works)
    if not len(places) or not scored.num_rows:
        return works
    base = works.cited.column("number")[0].as_py()
    # The best paper for each cited work, NOBODY where there is none or several are equally good.
    best = np.full(works.cited.num_rows, NOBODY, np.int64)
    unsure = np.zeros(works.cited.num_rows, bool)
    by_number: dict[int, dict[int, tuple[float, int]]] = defaultdict(dict)
    columns = (scored.column(name).to_pylist() for name in ("number", "paper", "score"))
    for row, (number, paper, value) in enumerate(zip(*columns, strict=True)):
        by_number[number][paper] = value, row
    for number, rivals in by_number.items():
        highest = max(value for value, _ in rivals.values())
        if highest < THRESHOLD:
            continue
        near = [each for each in rivals.values() if highest - each[0] <= FEWER_ALIKE]
        unsure[number - base] = len(near) > 1
        if len(near) == 1:
            best[number - base] = near[0][1]
    source, unsure = best[alike], unsure[alike]
    pages = (
        pc.replace_substring_regex(each, pattern=_BEFORE_PAGE, replacement="")
        for each in (
            works.cited.column("place").take(pa.array(places)),
            _taken(scored.column("place"), source),
        )
    )
    elsewhere = pc.fill_null(pc.not_equal(*pages), False).to_numpy(zero_copy_only=False)
    years = _years(works.cited.column("year"))[places]
    theirs = _years(_taken(scored.column("year"), source))
    known = (years != UNKNOWN_YEAR) & (theirs != UNKNOWN_YEAR)
    source[elsewhere & known & (years != theirs)] = NOBODY  # It is another version.
    papers, rules = works.papers.copy(), works.rules.copy()
    rules[places[unsure & (rules[places] == Rule.OUTSIDE)]] = Rule.AMBIGUOUS
    there = source != NOBODY
    papers[places[there]] = scored.column("paper").to_numpy()[source[there]]
    rules[places[there]] = Rule.TITLE
    taken = np.full(len(papers), NOBODY, np.int64)
    taken[places] = source
    ids = pc.coalesce(works.ids, _taken(scored.column("id"), taken))
    return LinkedWorks(works.cited, papers, rules, ids)
