"""The seams: what stage one and stage two need, whoever provides it, and who hears of progress."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from recsys.store.arrays import Floats, Mask, Rows
    from recsys.store.terms import QueryText

T = TypeVar("T")


class Encoder(Protocol):
    """Turns texts into vectors that point the same way when the texts belong together."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Hash of weights, pooling and length limit: two encoders with one fingerprint agree."""

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> "Floats":
        """Encode (title, abstract or None) pairs: (n, d) float32, L2-normalised rows."""


class VectorIndex(Protocol):
    """Finds the rows whose vectors have the highest cosine with a query."""

    def search(
        self, query: "Floats", k: int, *, allowed: "Mask | None" = None
    ) -> "tuple[Rows, Floats]":
        """Return up to k (rows, cosines), best first, ties by ascending row.

        Args:
            query: (d,) float32, L2-normalised.
            k: how many rows at most.
            allowed: (n,) bool, rows that may be returned; None allows all.
        """

    def search_many(
        self, queries: "Floats", k: int, *, allowed: "Mask | None" = None
    ) -> "list[tuple[Rows, Floats]]":
        """Search for each of (q, d) queries, as `search` does; together they cost less."""


class TextIndex(Protocol):
    """Finds the rows whose text matches a draft's words."""

    def search(
        self, query: "QueryText", k: int, *, allowed: "Mask | None" = None
    ) -> "tuple[Rows, Floats]":
        """Return up to k (rows, scores > 0), best first, ties by ascending row."""


class Ranker(Protocol):
    """Scores candidates by their features."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The columns that `score` expects, in order."""

    @property
    def first(self) -> "Ranker | None":
        """The ranker whose chances this one reads beside its features; None: it reads none."""

    def score(self, features: "Floats") -> "Floats":
        """Score (n, f) float32 features of one query: (n,) float32, higher is better."""

    def probability(self, scores: "Floats") -> "Floats":
        """Calibrate (n,) scores into chances of being cited, in [0, 1]."""


class Progress(Protocol):
    """Called now and then by long work; only `recsys.app` draws bars."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say that `done` of `total` steps of a stage are finished; equal, they end the stage."""


def silent(stage: str, done: int, total: int) -> None:
    """Report to nobody."""


def tracked(items: Collection[T], stage: str, progress: Progress) -> Iterator[T]:
    """Give items one after the other, and say how many are done."""
    for done, item in enumerate(items):
        progress(stage, done, len(items))
        yield item
    progress(stage, len(items), len(items))
