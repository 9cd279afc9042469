"""The leakage guard: nothing is evaluated on what it was made from, and no run knows the future.

Rankers carry digests of the queries that they have seen: six bytes of SHA-256 over id and title, so
that a shipped ranker names nobody's corpus, and numbers that two corpora share as ids do not clash.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipelines.corpora.query_years import PARTS
from recsys.errors import InputError, LeakageError
from recsys.records import PaperId
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR

TRAIN, DEV, TEST = PARTS
RANKER = "ranker"
_BYTES = 6
_FILE = "{}_queries.npy"


@dataclass(frozen=True, slots=True)
class SeenQueries:
    """Digests of the queries that a ranker was trained on, and stopped and calibrated on."""

    train: frozenset[bytes] = frozenset()
    dev: frozenset[bytes] = frozenset()

    def __or__(self, other: "SeenQueries") -> "SeenQueries":
        """Unite those of several corpora."""
        return SeenQueries(self.train | other.train, self.dev | other.dev)

    def save(self, folder: Path) -> None:
        """Write (n, 6) uint8 arrays, ascending."""
        for name, digests in ((TRAIN, self.train), (DEV, self.dev)):
            joined = np.frombuffer(b"".join(sorted(digests)), np.uint8)
            np.save(folder / _FILE.format(name), joined.reshape(-1, _BYTES))

    @classmethod
    def load(cls, folder: Path) -> "SeenQueries | None":
        """Read what `save` wrote; None for a ranker of an older version, which tells nothing."""
        paths = [folder / _FILE.format(name) for name in (TRAIN, DEV)]
        if not all(path.is_file() for path in paths):
            return None
        tables = (np.load(path, allow_pickle=False) for path in paths)
        return cls(*(frozenset(row.tobytes() for row in table) for table in tables))

    @classmethod
    def of(cls, collection: Collection, *, train: Rows, dev: Rows) -> "SeenQueries":
        """Digest the papers in the given rows."""
        return cls(*(frozenset(digests(collection, rows)) for rows in (train, dev)))


def digests(collection: Collection, rows: Rows) -> list[bytes]:
    """Digest id and title of each row."""
    texts = [f"{paper.id}\n{paper.title}" for paper in collection.corpus.papers(rows)]
    return [
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_BYTES] for text in texts
    ]


def check_ranker(
    folder: Path | None,
    collection: Collection,
    part: str,
    queries: Sequence[PaperId],
    *,
    what: str = RANKER,
    command: str | None = None,
) -> str | None:
    """Refuse to evaluate a model on queries that it has seen; return a warning, if any is due.

    A model may be looked at on dev queries that it was only stopped and calibrated on, as people
    who choose between models do; the warning says that it flatters.

    Args:
        folder: of the model; None: it tells nothing.
        collection: whose papers the queries are.
        part: what the queries are: train, dev or test.
        queries: ids of the papers that are asked.
        what: how people call the model.
        command: how `recsys train` calls it; None: just so.

    Raises:
        LeakageError: with the number of queries and the first one.
    """
    seen = None if folder is None else SeenQueries.load(folder)
    if folder is None or seen is None:
        return (
            f"Leakage unknown: the {what} does not tell which queries it was trained on. Train it "
            "again to be sure."
        )
    rows = collection.corpus.rows(queries)
    made = list(zip(rows.tolist(), digests(collection, rows), strict=True))
    trained = [collection.corpus.ids[row] for row, each in made if each in seen.train]
    tuned = [collection.corpus.ids[row] for row, each in made if each in seen.dev]
    hint = (
        f"Train the index's own {what} on this split (`recsys train {command or what}`), or "
        f"evaluate systems without a {what}."
    )
    if what == RANKER and part == DEV:
        hint = "Ask the test queries; `recsys train ranker --folds 1` keeps those of dev unseen."
    for papers, how in ((trained, "trained"), (tuned if part != DEV else [], "calibrated")):
        if papers:
            raise LeakageError(
                f"The {what} in {folder} was {how} on {len(papers)} of these {len(queries)} {part} "
                f"queries (first: {papers[0]!r}).",
                hint,
            )
    if tuned:
        return (
            f"The {what} in {folder.name} was calibrated on {len(tuned)} of these {len(queries)} "
            "queries: the figures flatter it."
        )
    return None


def check_run(name: str, run: Mapping[PaperId, Iterable[PaperId]], collection: Collection) -> None:
    """Refuse a run that recommends unknown papers, the query itself, or papers newer than it.

    A paper of unknown year might be newer. Every query must be in the collection.

    Raises:
        InputError: papers that the collection does not hold.
        LeakageError: the other two; with the number of recommendations and the first one.
    """
    faults: dict[str, list[str]] = {"unknown": [], "itself": [], "newer": []}
    ids = collection.corpus.ids  # Looking each id up would take ten times as long.
    years = {ids[row]: year for row, year in enumerate(collection.graph.years.tolist())}
    for query, papers in run.items():
        for paper in papers:
            if fault := _fault(years, query, paper):
                faults[fault].append(f"{paper!r} to {query!r} of {years[query]}")
    if found := faults["unknown"]:
        raise InputError(
            f"The run {name} recommends papers that the index does not hold {_times(found)}.",
            "Give a run over the papers of this corpus.",
        )
    if found := faults["itself"]:
        raise LeakageError(
            f"The run {name} recommends a query to itself {_times(found)}.",
            "Leave the query out of what its answer may hold.",
        )
    if found := faults["newer"]:
        raise LeakageError(
            f"The run {name} recommends papers newer than the query, or of unknown year, "
            f"{_times(found)}.",
            "Leave them out: the query's authors could not know them.",
        )


def _fault(years: Mapping[PaperId, int], query: PaperId, paper: PaperId) -> str | None:
    if paper == query:
        return "itself"
    if paper not in years:
        return "unknown"
    return None if UNKNOWN_YEAR < years[paper] <= years[query] else "newer"


def _times(found: Sequence[str]) -> str:
    return f"{len(found)} {'time' if len(found) == 1 else 'times'} (first: {found[0]})"
