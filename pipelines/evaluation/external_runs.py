"""Runs of systems from elsewhere, checked before they are compared with ours."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.eval.trec import Run, ordered, read_run
from recsys.pipelines.evaluation.leakage import check_run
from recsys.pipelines.evaluation.system_table import SYSTEMS
from recsys.records import PaperId
from recsys.store.arrays import Floats
from recsys.store.artifacts import sha256
from recsys.store.collection import Collection

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class External:
    """A run of the evaluated queries: (query, papers best first, scores), at most k papers each.

    other_queries: how many queries of the file were left out, since the part does not hold them.
    """

    rankings: Sequence[tuple[PaperId, list[PaperId], Floats]]
    sha256: str
    other_queries: int

    @property
    def facts(self) -> dict[str, object]:
        """Say where it came from."""
        return {
            "sha256": self.sha256,
            "answered": len(self.rankings),
            "other_queries": self.other_queries,
        }


def read_external(
    runs: Mapping[str, Path], collection: Collection, queries: Sequence[PaperId], *, k: int
) -> dict[str, External]:
    """Read runs, cut them to the queries and to k papers each, and check them for leakage.

    Scores may be on any scale: only their order counts, ties break by ascending id.

    Raises:
        InputError: a name that cannot be used, an unreadable run, unknown papers, or no line for
            any of the queries.
        LeakageError: it recommends papers newer than the query, or the query itself.
    """
    for name in runs:
        _check_name(name)
    return {name: _read(name, path, collection, queries, k) for name, path in runs.items()}


def _read(
    name: str, path: Path, collection: Collection, queries: Sequence[PaperId], k: int
) -> External:
    found = read_run(path)
    kept = {query: found[query] for query in queries if query in found}
    if not kept:
        raise InputError(
            f"The run {name} in {path} answers none of the {len(queries)} queries.",
            "Give a run over the same part of the split (--part).",
        )
    check_run(name, kept, collection)
    cut: Run = {
        query: {paper: scores[paper] for paper in ordered(scores)[:k]}
        for query, scores in kept.items()
    }
    rankings = [
        (query, list(scores), np.arange(len(scores), 0, -1, dtype=np.float32))
        for query, scores in cut.items()
    ]
    return External(rankings, sha256(path), len(found) - len(kept))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot name a run.", "Use letters, digits, dots, dashes and underscores."
        )
    if name in SYSTEMS:
        raise InputError(
            f"{name!r} is a system of recsys.", "Give the run from elsewhere another name."
        )
