"""Find cited works of dumps by their titles, as `title_links` does, part by part of the keys."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.pipelines.corpora.link_citations import (
    Found,
    Rule,
    of_another_year,
    on_another_page,
    settle,
    years_of,
)
from recsys.pipelines.corpora.title_links import (
    FEWER_ALIKE,
    MOST_OFFERED,
    NOWHERE,
    described,
    score_titles,
    title_keys,
    wanted_keys,
)
from recsys.pipelines.index.dumps.dump_merge import DumpPapers
from recsys.pipelines.index.dumps.partition_runs import Runs, RunWriter, batch_of, by_hash, by_range
from recsys.query.matching import THRESHOLD, title_of
from recsys.records import Paper
from recsys.store.arrays import Longs, Rows
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.words import author_key

_WANTED = pa.schema(
    [
        ("key", pa.string()),
        ("number", pa.int64()),
        ("title", pa.string()),
        ("author", pa.string()),
        ("year", pa.int16()),
    ]
)
_OFFERED = pa.schema(
    [
        ("key", pa.string()),
        ("paper", pa.int32()),
        ("id", pa.string()),
        ("title", pa.string()),
        ("authors", pa.list_(pa.string())),
        ("year", pa.int16()),
        ("place", pa.string()),
    ]
)
_SCORED = pa.schema(
    [
        ("number", pa.int64()),
        ("paper", pa.int32()),
        ("score", pa.float64()),
        ("id", pa.string()),
        ("year", pa.int16()),
        ("place", pa.string()),
    ]
)
_LEAST = THRESHOLD - FEWER_ALIKE - 1e-6
"""A paper that scores less is neither found, nor makes another one ambiguous."""


class TitleLinks:
    """Cited works that only their titles may tell, and the papers that their keys offer."""

    def __init__(self, folder: Path, parts: int, cited: int) -> None:
        """Begin without any; cited: how many works are cited."""
        self._folder, self._parts, self._cited = folder, parts, cited
        self._wanted = RunWriter(folder / "wanted-titles.runs", _WANTED, parts)
        self._any = False
        self._scored: Runs | None = None

    def want(self, cited: pa.RecordBatch, rules: Rows) -> None:
        """Take the cited works that nothing else told; cited: rows of NUMBERED."""
        left = _left(cited, rules)
        keys: list[str] = []
        places: list[int] = []
        columns = (cited.column(name).take(pa.array(left)) for name in ("title", "author", "year"))
        told = zip(*(column.to_pylist() for column in columns), strict=True)
        for place, wanted in zip(left.tolist(), told, strict=True):
            found = wanted_keys(*wanted)
            keys += found
            places += [place] * len(found)
        if keys:
            self._any = True
            at = pa.array(places, pa.int64())
            rest = (cited.column(name).take(at) for name in _WANTED.names[1:])
            batch = batch_of(_WANTED, keys, *rest)
            self._wanted.add(batch, by_hash(batch.column(0), self._parts))

    def look_up(self, papers: DumpPapers) -> None:
        """Score the papers that share a key with what is wanted."""
        wanted = self._wanted.runs()
        if self._any:
            with RunWriter(self._folder / "titles.runs", _OFFERED, self._parts) as writer:
                for begin, batch, places in papers.batches():
                    some = _offered(begin, batch, places)
                    writer.add(some, by_hash(some.column(0), self._parts))
                offered = writer.runs()
            with RunWriter(self._folder / "scored.runs", _SCORED, self._parts) as writer:
                for part in range(self._parts):
                    some = _scored(wanted.part(part), offered.part(part))
                    numbers = some.column(0).to_numpy()
                    writer.add(some, by_range(numbers, self._cited, self._parts))
                self._scored = writer.runs()
            offered.remove()
        wanted.remove()

    def settle(
        self, part: int, cited: pa.RecordBatch, rows: Rows, rules: Rows, ids: pa.Array
    ) -> pa.Array:
        """Write into rows and rules what titles tell of a part; return the ids of all found."""
        left = _left(cited, rules)
        if self._scored is None or not len(left):
            return ids
        scored = self._scored.part(part)
        found, unsure, source = _best(scored, cited.column("number").to_numpy()[left])
        at = pa.array(source, mask=source == NOWHERE)
        theirs = pc.fill_null(scored.column("year").take(at).cast(pa.int64()), UNKNOWN_YEAR)
        places = cited.column("place").take(pa.array(left))
        elsewhere = on_another_page(places, scored.column("place").take(at))
        found[elsewhere & of_another_year(years_of(cited)[left], theirs.to_numpy())] = NOWHERE
        by_title, titles_rules = rows[left], rules[left]
        settle(by_title, titles_rules, Found(found, unsure), Rule.TITLE)
        rows[left], rules[left] = by_title, titles_rules
        taken = np.full(len(rows), NOWHERE, np.int64)
        taken[left] = np.where(titles_rules == Rule.TITLE, source, NOWHERE)
        named = scored.column("id").take(pa.array(taken, mask=taken == NOWHERE))
        return pc.coalesce(ids, named)

    def remove(self) -> None:
        """Delete the runs."""
        if self._scored is not None:
            self._scored.remove()


def _left(cited: pa.RecordBatch, rules: Rows) -> Longs:
    titled = pc.is_valid(cited.column("title")).to_numpy(zero_copy_only=False)
    return np.flatnonzero(titled & ((rules == Rule.OUTSIDE) | (rules == Rule.AMBIGUOUS)))


def _offered(begin: int, papers: pa.RecordBatch, places: pa.Array) -> pa.RecordBatch:
    keys: list[str] = []
    owners: list[int] = []
    columns = (papers.column(name).to_pylist() for name in ("title", "authors", "year"))
    for place, (title, authors, year) in enumerate(zip(*columns, strict=True)):
        found = title_keys(title, author_key(authors[0]) if authors else None, year)
        keys += found
        owners += [place] * len(found)
    at = pa.array(owners, pa.int64())
    rest = (papers.column(name).take(at) for name in ("id", "title", "authors", "year"))
    numbers = pa.array(begin + np.array(owners, np.int64), pa.int32())
    return batch_of(_OFFERED, keys, numbers, *rest, places.take(at))


def _scored(wanted: pa.RecordBatch, offered: pa.RecordBatch) -> pa.RecordBatch:
    """Score all pairs that share a key, unless too many papers have it."""
    asked = set(wanted.column("key").to_pylist())
    rows: dict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(offered.column("key").to_pylist()):
        if key in asked:
            rows[key].append(row)
    scorer = _Scorer(offered)
    found: list[tuple[int, int, float]] = []
    for work in wanted.to_pylist():
        near = rows.get(work["key"], ())
        if len(near) <= MOST_OFFERED:
            found += ((work["number"], *pair) for pair in scorer.scores(work, near))
    numbers, places, scores = zip(*found, strict=True) if found else ((), (), ())
    at = pa.array(places, pa.int64())
    rest = (offered.column(name).take(at) for name in ("id", "year", "place"))
    papers = offered.column("paper").take(at)
    return batch_of(_SCORED, [*numbers], papers, [*scores], *rest)


class _Scorer:
    """Scores papers, each prepared once, for works, each told many times."""

    def __init__(self, offered: pa.RecordBatch) -> None:
        self._offered = offered
        self._prepared: dict[int, Any] = {}
        self._known: dict[tuple[object, ...], list[tuple[int, float]]] = {}

    def scores(self, work: Mapping[str, Any], rows: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Give the rows that score enough, and their scores."""
        told = work["title"], work["author"], work["year"]
        if (*told, work["key"]) not in self._known:
            self._known[*told, work["key"]] = [*self._scored(told, rows)]
        return self._known[*told, work["key"]]

    def _scored(self, told: tuple[Any, ...], rows: Sequence[int]) -> Iterator[tuple[int, float]]:
        reference, title = described(*told)
        for row in rows:
            if row not in self._prepared:
                paper = self._paper(row)
                self._prepared[row] = paper, title_of(paper.title)
            if (score := score_titles(reference, title, *self._prepared[row])) >= _LEAST:
                yield row, score

    def _paper(self, row: int) -> Paper:
        names = ("title", "year", "authors")
        title, year, authors = (self._offered.column(name)[row].as_py() for name in names)
        return Paper("", title, None, year, tuple(authors or ()))


def _best(scored: pa.RecordBatch, numbers: Longs) -> tuple[Rows, Any, Longs]:
    """Return the paper of each cited work, whether several would do, and where it is scored."""
    found = np.full(len(numbers), NOWHERE, np.int32)
    unsure = np.zeros(len(numbers), bool)
    source = np.full(len(numbers), NOWHERE, np.int64)
    by_number: dict[int, dict[int, tuple[float, int]]] = defaultdict(dict)
    columns = (scored.column(name).to_pylist() for name in ("number", "paper", "score"))
    for row, (number, paper, score) in enumerate(zip(*columns, strict=True)):
        by_number[number][paper] = score, row
    for place, number in enumerate(numbers.tolist()):
        if not (papers := by_number.get(number)):
            continue
        best, paper, row = max(
            ((score, paper, row) for paper, (score, row) in papers.items()),
            key=lambda each: (each[0], -each[1]),
        )
        if best < THRESHOLD:
            continue
        if sum(best - score <= FEWER_ALIKE for score, _ in papers.values()) > 1:
            unsure[place] = True
        else:
            found[place], source[place] = paper, row
    return found, unsure, source
