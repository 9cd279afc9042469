"""What searches the vectors of an index, and its words: a literal table of each, opened lazily.

A new backend is a module with `build`, `open_index` and `summary`, `carry` if it does, and a row.
What a paper scores by words is BM25 as `recsys.indexes.bm25` computes it, whichever finds it.
"""

import importlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, cast

from recsys.errors import InputError, MissingExtraError, near_miss

if TYPE_CHECKING:
    from recsys.protocols import TextIndex, VectorIndex
    from recsys.store.arrays import Rows
    from recsys.store.graph import Years
    from recsys.store.terms import TermStore
    from recsys.store.vectors import GivenVectors


Stored = TypeVar("Stored", contravariant=True)
"""What is searched: `GivenVectors`, or a `TermStore` of n papers."""
Opened = TypeVar("Opened", covariant=True)
"""What searches it: a `VectorIndex` or a `TextIndex`."""
Facts: TypeAlias = dict[str, Any]
"""What a manifest says of an index that was built or carried."""
FILES = "files"
"""Of the facts of an index that is opened: the SHA-256 of each file beside the vectors, by name."""


@dataclass(frozen=True, slots=True)
class Former:
    """What served other vectors, some of which are still there.

    folder, facts: of what was built or carried. rows: (m,) int32, distinct, the row of today of
    each of its m vectors or texts; -1 where that is gone, or no longer the same. codes: (v,) int32,
    ascending, the code of today of each of its words; -1 where that is gone.
    """

    folder: Path
    facts: Mapping[str, Any]
    rows: "Rows"
    codes: "Rows | None" = None


class Backend(Protocol[Stored, Opened]):
    """The functions of a backend's module. facts: what `build` returned, out of the manifest."""

    def build(self, stored: Stored, folder: Path, *, years: "Years | None" = None) -> Facts:
        """Write into a folder what the search needs beside what is stored; return its facts.

        years: (n,) int16 of the papers, so that an engine can leave out by itself what is newer
        than a draft; None: nobody knows them.
        """
        ...

    def carry(
        self, stored: Stored, folder: Path, former: Former, *, years: "Years | None" = None
    ) -> Facts:
        """Do as `build` does, with as much of the former as is worth it.

        Only asked of backends that carry. The former folder is never written, and may be gone
        later.
        """
        ...

    def open_index(self, stored: Stored, folder: Path, facts: Mapping[str, Any]) -> Opened:
        """Open what `build` or `carry` wrote over the same.

        What follows numbers in a file without looking has to compare its checksum first: see FILES.
        """
        ...

    def summary(self, facts: Mapping[str, Any], papers: int) -> str:
        """Say in a sentence how so many papers are searched."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """A backend.

    module: what implements it. install: what to do where its package is missing. splits: whether
    what it writes beside the vectors holds them, in two parts. carries: whether it takes over what
    a former index knows; all others are built again, which is one pass.
    """

    module: str
    meaning: str
    install: str = ""
    splits: bool = False
    carries: bool = False


@dataclass(frozen=True, slots=True)
class Backends(Generic[Stored, Opened]):
    """A table of backends.

    what: is searched by them, to begin a sentence with. rows: by name. usual: the one whose facts
    need not name it.
    """

    what: str
    rows: Mapping[str, Row]
    usual: str = ""

    def module(self, name: str) -> Backend[Stored, Opened]:
        """Import a backend.

        Raises:
            InputError: there is none of that name.
            MissingExtraError: its package is not installed.
        """
        if name not in self.rows:
            raise InputError(
                f"{self.what} cannot be searched by {name!r}.{near_miss(name, self.rows)}",
                f"The backends are {', '.join(self.rows)}.",
            )
        row = self.rows[name]
        try:
            return cast(Backend[Stored, Opened], importlib.import_module(row.module))
        except ImportError as error:
            raise MissingExtraError(
                f"The backend {name!r} needs {error.name or 'a package'}, which is not installed.",
                row.install,
            ) from error

    def build(
        self,
        name: str,
        stored: Stored,
        folder: Path,
        *,
        years: "Years | None" = None,
    ) -> Facts:
        """Build a backend over what is stored; return what the manifest says of it."""
        made = self.module(name).build(stored, folder, years=years)
        return {"backend": name, **made}

    def carry(
        self,
        name: str,
        stored: Stored,
        folder: Path,
        former: Former,
        *,
        years: "Years | None" = None,
    ) -> Facts:
        """Do as `build` does; what a former index of this backend knows is not learned anew."""
        if self._name(former.facts) != name or not self.rows[name].carries:
            return self.build(name, stored, folder, years=years)
        return {"backend": name, **self.module(name).carry(stored, folder, former, years=years)}

    def open(self, stored: Stored, folder: Path, facts: Mapping[str, Any]) -> Opened:
        """Open what `build` or `carry` made."""
        return self.module(self._name(facts)).open_index(stored, folder, facts)

    def summary(self, facts: Mapping[str, Any], papers: int) -> str:
        """Say in a sentence how so many papers are searched."""
        return self.module(self._name(facts)).summary(facts, papers)

    def _name(self, facts: Mapping[str, Any]) -> str:
        return str(facts.get("backend", self.usual))


BACKENDS: Mapping[str, Row] = {
    "annoy": Row(
        "recsys.indexes.annoy_index",
        "a forest of random hyperplanes; scans where that is less work",
        "pip install 'citerec[annoy]'",
        carries=True,
    ),
    "exact": Row("recsys.indexes.exact", "a scan of all vectors: no preparation, nothing missed"),
    "int8": Row(
        "recsys.indexes.int8_index",
        "a scan in 8 bits, the nearest compared in full: exact, too",
        splits=True,
    ),
    "ivf": Row(
        "recsys.indexes.ivf_index",
        "a scan in 8 bits of the nearest of many lists",
        splits=True,
        carries=True,
    ),
    "hnsw": Row(
        "recsys.indexes.hnsw_index",
        "a graph of neighbours (usearch)",
        "pip install 'citerec[hnsw]'",
        carries=True,
    ),
    "lance": Row(
        "recsys.indexes.lance.lance_index",
        "LanceDB, here or on an object store",
        "pip install 'citerec[lance]'",
        carries=True,
    ),
}
LITTLE, SMALL = 10_000, 40_000
"""Measured on one thread, as multiples of one scan of the vectors: to find the 200 nearest papers,
and the ten nearest of each of 20 references.

          20,000     40,000     100,000    1,000,000   microseconds to build, bytes to store,
                                                       a paper and its vector
exact   1.1,  .9   1.1,  .7   1.1,  .6   1.1,  .5        0   1,536
int8     .3,  .9    .2,  .7    .3,  .6    .2,  .5        3   1,160
ivf      .3,  .5    .1,  .2    .1,  .1   .02, .03       79   1,185
hnsw                           .2, 3.0                 400   2,073
annoy                                                        4,436

What `exact` multiplies, the rest of an answer needs, too, which costs as much where a search has
not multiplied it: among 12,000 papers a whole answer takes as long by `exact` as by `int8`, which
finds the same papers. Among 30,000 it takes 11.7 ms by `exact`, 10.6 by `int8` and 9.7 by `ivf`,
which finds 99 % of the nearest and 98 % around references; with 31 of these 16.8, 15.0 and 13.5.
Searches alone are measured by `benchmarks.vector_search`, answers by `benchmarks.scale`; hnsw and
annoy were on another machine.
"""


def by_size(n: int) -> str:
    """Choose the backend of an index of n papers that names none."""
    if n < LITTLE:
        return "exact"
    return "int8" if n < SMALL else "ivf"


def installed() -> tuple[str, ...]:
    """Name the backends whose packages are here."""
    there = []
    for name in BACKENDS:
        with suppress(MissingExtraError):
            backend(name)
            there.append(name)
    return tuple(there)


def holds_vectors(facts: Mapping[str, Any]) -> bool:
    """Tell whether what `build_index` wrote holds the vectors: none are stored beside it."""
    return BACKENDS[facts["backend"]].splits


OWN = "own"
"""What an index has whose manifest names none."""
TEXT_BACKENDS: Mapping[str, Row] = {
    OWN: Row(
        "recsys.indexes.bm25", "the papers of each term, in memory-mapped files", carries=True
    ),
    "lance": Row(
        "recsys.indexes.lance.lance_words",
        "full-text search of LanceDB",
        "pip install 'citerec[lance]'",
        carries=True,
    ),
}


VECTORS: "Backends[GivenVectors, VectorIndex]" = Backends("Vectors", BACKENDS)
WORDS: "Backends[TermStore, TextIndex]" = Backends("Words", TEXT_BACKENDS, OWN)
backend, text_backend = VECTORS.module, WORDS.module
build_index, build_words = VECTORS.build, WORDS.build
carry_index, carry_words = VECTORS.carry, WORDS.carry
open_built, open_words = VECTORS.open, WORDS.open
summary = VECTORS.summary


def words_summary(facts: Mapping[str, Any], papers: int) -> list[str]:
    """Say in a sentence how words are searched, if that was chosen."""
    return [WORDS.summary(facts, papers)] if facts else []
