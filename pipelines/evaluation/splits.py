"""Splits: which papers of an index are asked as queries for training, choosing and testing.

A query is posed as the draft that it once was. Some of its references may be given: those are
seeds, the others are to be found. Which are given depends on the query's id (and the seed of a
study) alone.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import Path

import numpy as np

from recsys.errors import NothingFound, SplitError, near_miss
from recsys.formats.files import json_object
from recsys.pipelines.corpora.query_years import ENOUGH_REFERENCES, PARTS, divide
from recsys.query.query import Query, draft_of, make_query
from recsys.records import Draft, PaperId
from recsys.store.arrays import Rows
from recsys.store.artifacts import ranker_folder, write_json
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

_SHAPE = 'Write {"train": [ids], "dev": [ids], "test": [ids]}.'


@dataclass(frozen=True, slots=True)
class Split:
    """Paper ids of the queries, distinct over all parts, each with a year and gold papers."""

    train: tuple[PaperId, ...] = ()
    dev: tuple[PaperId, ...] = ()
    test: tuple[PaperId, ...] = ()

    def part(self, name: str) -> tuple[PaperId, ...]:
        """Return the ids of a part.

        Raises:
            SplitError: there is no such part, or it is empty.
        """
        if name not in PARTS:
            raise SplitError(
                f"There is no part {name!r} in a split.{near_miss(name, PARTS)}",
                f"The parts are {', '.join(PARTS)}.",
            )
        ids: tuple[PaperId, ...] = getattr(self, name)
        if not ids:
            raise SplitError(f"The split has no {name} queries.", f'Add ids under "{name}".')
        return ids


def gold(collection: Collection, row: int) -> Rows:
    """Return the in-corpus references that are not newer than their paper: rows ascending, int32.

    References of unknown year are not gold; a paper of unknown year has no gold.
    """
    years = collection.graph.years
    cited = collection.graph.cites[row]
    if years[row] == UNKNOWN_YEAR:
        return np.empty(0, np.int32)
    return np.asarray(cited[(years[cited] != UNKNOWN_YEAR) & (years[cited] <= years[row])])


def gold_ids(collection: Collection, query: PaperId) -> list[PaperId]:
    """Name the gold papers of a query that the collection holds, ascending."""
    row = int(collection.corpus.rows([query])[0])
    return [collection.corpus.ids[each] for each in gold(collection, row).tolist()]


def query_rng(seed: int, paper: PaperId) -> np.random.Generator:
    """Seed a generator for one query, so that its draws do not depend on the other queries."""
    digest = hashlib.sha256(paper.encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def read_split(path: Path, collection: Collection) -> Split:
    """Read a split file and check that it fits an index.

    Raises:
        SplitError: missing, not JSON, of another shape, with an unknown part, with ids that the
            index does not hold or that are repeated, with a query in two parts, or with queries
            that have no year or no gold.
    """
    parts = read_citing(path, collection)
    corpus = collection.corpus
    for name, ids in parts.items():
        rows = [(paper, row) for paper in ids if (row := corpus.row(paper)) is not None]
        if undated := [paper for paper, row in rows if corpus.year(row) is None]:
            raise SplitError(
                f"{path}: {name} names {_some(undated)} without a year: what they could cite is "
                "unknown.",
                "Remove them from the split.",
            )
        if aimless := [paper for paper, row in rows if not len(gold(collection, row))]:
            raise SplitError(
                f"{path}: {name} names {_some(aimless)} without gold: no reference in the index "
                "that is not newer.",
                "Remove them from the split.",
            )
    return Split(**parts)


def read_citing(path: Path, collection: Collection) -> dict[str, tuple[PaperId, ...]]:
    """Read the papers of each part of a split, whose references need not be known.

    Raises:
        SplitError: missing, not JSON, of another shape, with an unknown part, with ids that the
            index does not hold or that are repeated, or with a paper in two parts.
    """
    parts = read_parts(path)
    for name, ids in parts.items():
        if repeated := [paper for paper, times in Counter(ids).items() if times > 1]:
            raise SplitError(
                f"{path}: {name} names {_some(repeated)} more than once.", "Name each query once."
            )
    for one, other in combinations(PARTS, 2):  # A model would be tested on what it learned.
        later = set(parts[other])
        if shared := [paper for paper in parts[one] if paper in later]:
            raise SplitError(
                f"{path}: {_some(shared)} in both {one} and {other}: that leaks.",
                "Put each query into one part.",
            )
    for name, ids in parts.items():
        if outside := [paper for paper in ids if collection.corpus.row(paper) is None]:
            raise SplitError(
                f"{path}: {name} names {_some(outside)} of {len(ids)} that the index does not "
                "hold.",
                "Give the split of the corpus that the index was built from.",
            )
    return parts


def read_parts(path: Path) -> dict[str, tuple[PaperId, ...]]:
    """Read the ids of each part of a split file, whatever index they are of.

    Entries that hold no list, such as a note on the rule, are left alone.

    Raises:
        SplitError: missing, not JSON, or of another shape.
    """
    value = json_object(path, _SHAPE, SplitError)
    for name, ids in value.items():
        if name not in PARTS and isinstance(ids, list):
            raise SplitError(f"{path}: unknown part {name!r}.{near_miss(name, PARTS)}", _SHAPE)
        if name in PARTS and not (
            isinstance(ids, list) and all(isinstance(paper, str) for paper in ids)
        ):
            raise SplitError(f"{path}: {name!r} is not a list of paper ids.", _SHAPE)
    parts = {name: tuple(value.get(name, ())) for name in PARTS}
    if not any(parts.values()):
        raise SplitError(f"{path} names no queries.", _SHAPE)
    return parts


def read_rule(path: Path) -> str:
    """Read how the queries of a split file were chosen, if it says so; else an empty string.

    Raises:
        SplitError: missing or not JSON.
    """
    rule = json_object(path, _SHAPE, SplitError).get("rule")
    return rule if isinstance(rule, str) else ""


def _some(ids: Sequence[PaperId]) -> str:
    """Say how many, and the first one."""
    first = repr(ids[0])
    return f"1 paper ({first})" if len(ids) == 1 else f"{len(ids)} papers (first: {first})"


SPLIT_FILE = "split.json"
FEW = 30
"""Test queries below which an interval of F1@20 is wider than what any two systems differ by."""


@dataclass(frozen=True, slots=True)
class ChosenSplit:
    """A split and where it is from.

    rule: how it was made, in words. told: what is to be said of it.
    """

    split: Split
    rule: str
    told: tuple[str, ...] = ()

    def save(self, path: Path) -> None:
        """Write what `read_split` reads."""
        parts = {part: list(getattr(self.split, part)) for part in PARTS}
        write_json(path, {"rule": self.rule, **parts})

    def sizes(self) -> str:
        """Count the queries of each part."""
        return ", ".join(f"{len(getattr(self.split, part)):,} {part}" for part in PARTS)


def given_or_made(path: Path | None, collection: Collection) -> ChosenSplit:
    """Read a split, or make one by year where none is given.

    Raises:
        SplitError: the given one does not fit.
        NothingFound: no paper can be asked as a query.
    """
    if path is None:
        return make_split(collection)
    rule = read_rule(path) or f"given as {path.name}"
    return ChosenSplit(read_split(path, collection), rule)


def split_to_evaluate(path: Path | None, collection: Collection, *, metadata: bool) -> ChosenSplit:
    """Read a split; or take that of the index's own ranker; or make one by year.

    The own one is taken without queries that updates have taken away, unless that leaves nothing to
    test on. A ranker that does not tell its split may have learned from queries of the one that is
    made: `leakage.check_ranker` refuses that.

    Raises:
        SplitError: the given one does not fit.
        NothingFound: no paper can be asked as a query.
    """
    own = ranker_folder(collection.folder, metadata=metadata) / SPLIT_FILE
    if path is not None or not own.is_file():
        return given_or_made(path, collection)
    named, row_of = read_parts(own), collection.corpus.row
    queries = {
        paper
        for paper in chain.from_iterable(named.values())
        if (row := row_of(paper)) is not None and len(gold(collection, row))
    }
    split = Split(**{part: tuple(i for i in ids if i in queries) for part, ids in named.items()})
    if not split.test:
        return make_split(collection)
    rule = read_rule(own)
    said = f"No split was given, so that of the index's own {own.parent.name} is used: {rule}."
    gone = sum(len(ids) - len(getattr(split, part)) for part, ids in named.items())
    left = (f"{gone:,} of its queries are no longer in the index.",) if gone else ()
    return ChosenSplit(split, rule, (said, *left, *_few(split)))


def make_split(collection: Collection) -> ChosenSplit:
    """Divide all papers that can be asked as queries, see `query_years.divide`.

    Raises:
        NothingFound: there are none: no years, or no paper with enough references.
    """
    corpus, graph = collection.corpus, collection.graph
    if not (graph.years != UNKNOWN_YEAR).any():
        raise NothingFound(
            f"None of the {len(corpus):,} papers has a year: what they could cite is unknown.",
            "Add papers with years, or use the shipped ranker.",
        )
    found = divide(graph, corpus.ids)
    if not len(found):
        raise NothingFound(
            f"None of the {len(corpus):,} papers cites {ENOUGH_REFERENCES} others of the index "
            "that are not newer: there are no queries to learn from or to test on.",
            "Add the papers that they cite (`recsys update`), or give a split by --split.",
        )
    parts = (found.train, found.dev, found.test)
    split = Split(*(tuple(corpus.ids[row] for row in rows.tolist()) for rows in parts))
    chosen = ChosenSplit(split, found.rule())
    said = f"No split was given, so one was made by year: {chosen.sizes()} queries; {chosen.rule}."
    return ChosenSplit(split, chosen.rule, (said, *_few(split)))


def _few(split: Split) -> tuple[str, ...]:
    count = len(split.test)
    return (f"Only {count} test queries: the intervals are wide.",) if count < FEW else ()


NOTHING: Rows = np.empty(0, np.int32)
SEEDED, LISTS = 0.5, 0.125
"""Shares of the queries that a ranker learns from once more with seeds, and as a mere list."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A query, and the rows that are right answers to it."""

    query: Query
    right: Rows


def pose(
    collection: Collection, row: int, *, given: Rows = NOTHING, metadata: bool = True
) -> Posed:
    """Pose a paper as the draft it once was; `given` of its gold papers become seeds."""
    draft = draft_of(collection.corpus.full_papers([row])[0])
    draft = replace(draft, references=_ids(collection, given))
    vector, second = collection.vectors[row], collection.nnselect_vector(row)
    query = make_query(collection, draft, vector, nnselect=second, metadata=metadata)
    return Posed(query, np.setdiff1d(gold(collection, row), given))


def pose_list(collection: Collection, row: int, given: Rows) -> Posed:
    """Pose nothing but a list of given references, at the paper's moment."""
    corpus = collection.corpus
    draft = Draft(
        references=_ids(collection, given), as_of=corpus.year(row), paper_id=corpus.ids[row]
    )
    return Posed(make_query(collection, draft, None), np.setdiff1d(gold(collection, row), given))


def training_poses(collection: Collection, row: int, *, metadata: bool) -> Iterator[Posed]:
    """Pose a paper without seeds; some also with a random share of their references as seeds."""
    yield pose(collection, row, metadata=metadata)
    rng = query_rng(0, collection.corpus.ids[row])
    chance, shuffled = rng.random(), rng.permutation(gold(collection, row))
    if chance >= SEEDED + LISTS or len(shuffled) < 2:
        return
    given = np.sort(shuffled[: rng.integers(1, len(shuffled))])
    if chance < SEEDED:
        yield pose(collection, row, given=given, metadata=metadata)
    else:
        yield pose_list(collection, row, given)


def _ids(collection: Collection, rows: Rows) -> tuple[str, ...]:
    return tuple(collection.corpus.ids[row] for row in rows.tolist())
