"""The indexes that are served, each by its generation in force."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from recsys.app.local_wiring import local_of, said_of_rankers
from recsys.app.web.problem_details import unknown_index
from recsys.errors import InputError, RecsysError
from recsys.local.local_recommender import LocalRecommender
from recsys.local.where_to_cite import PlaceFinder
from recsys.recommend import Recommender
from recsys.store.artifacts import MANIFEST
from recsys.version import VERSION

Made = TypeVar("Made")
MOST_COMPARED = 500
"""Sentences of a draft that papers are compared with: more would keep others waiting."""
Opener = Callable[[Path], Recommender]


class _Later(Generic[Made]):
    """Something that is made for the first who asks, and shared by all others."""

    def __init__(self, make: Callable[[Recommender], Made]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._made: Made | None = None

    def of(self, recommender: Recommender) -> Made:
        with self._lock:
            if self._made is None:
                self._made = self._make(recommender)
            return self._made


def _later_local() -> _Later[LocalRecommender]:
    return _Later(local_of)


def _later_places() -> _Later[PlaceFinder]:
    return _Later(partial(PlaceFinder, most=MOST_COMPARED))


@dataclass(frozen=True, slots=True)
class Opened:
    """An index as it was opened.

    seen: the manifest that was read before; another one means that the index was changed. remarks:
    what was amiss with its rankers, though it answers.
    """

    name: str
    recommender: Recommender
    seen: bytes
    remarks: Sequence[str] = ()
    _local: _Later[LocalRecommender] = field(
        default_factory=_later_local, init=False, repr=False, compare=False
    )
    _places: _Later[PlaceFinder] = field(
        default_factory=_later_places, init=False, repr=False, compare=False
    )

    def local(self) -> LocalRecommender:
        """Return what answers passages out of the same index.

        Raises:
            ArtifactError: its ranker is missing, unfinished or damaged.
        """
        return self._local.of(self.recommender)

    def places(self) -> PlaceFinder:
        """Return what tells where in a draft its papers fit."""
        return self._places.of(self.recommender)

    @property
    def fingerprint(self) -> str:
        """Hash of all that an answer rests on beside the question."""
        return hashlib.sha256(self.seen + VERSION.encode()).hexdigest()


class Place:
    """Where one index lies, and what is open of it.

    An index that is replaced is opened again by the first who asks for it afterwards; the others
    are answered out of the former one meanwhile. One that cannot be opened leaves the former.
    """

    def __init__(self, name: str, path: Path, opener: Opener) -> None:
        """Open the index.

        Raises:
            ArtifactError: it is missing, unfinished or damaged.
        """
        self.name, self.path, self._opener = name, path, opener
        self._lock = threading.Lock()
        self.trouble: str | None = None
        self._tried = self._look()
        self.opened = self._open(self._tried)

    def current(self) -> Opened:
        """Return the index as it is now."""
        if self._look() != self._tried and self._lock.acquire(blocking=False):
            try:
                self._open_again()
            finally:
                self._lock.release()
        return self.opened

    def _open(self, seen: bytes) -> Opened:
        recommender = self._opener(self.path)
        # Now: what they are read off may be gone when somebody asks for them.
        return Opened(self.name, recommender, seen, said_of_rankers(recommender))

    def _open_again(self) -> None:
        seen = self._look()
        try:
            self.opened = self._open(seen)
            self.trouble = None
        except (RecsysError, OSError, MemoryError) as error:
            self.trouble = str(error) or "There is not enough memory."
        self._tried = seen

    def _look(self) -> bytes:
        try:
            return (self.path / MANIFEST).read_bytes()
        except OSError:  # Gone, or being replaced: what is open goes on.
            return b""


class Shelf:
    """Everything that one process serves."""

    def __init__(self, paths: Mapping[str, Path], opener: Opener) -> None:
        """Open all indexes.

        Raises:
            ArtifactError: one is missing, unfinished or damaged.
        """
        self._places = {name: Place(name, path, opener) for name, path in paths.items()}

    def __iter__(self) -> Iterator[Place]:
        """Go through the indexes, the default one first."""
        return iter(self._places.values())

    def current(self, name: str | None = None) -> Opened:
        """Return an index as it is now; without a name, the first.

        Raises:
            InputError: there is none of that name.
        """
        if not name:
            return next(iter(self._places.values())).current()
        if name not in self._places:
            raise unknown_index(name, self._places)
        return self._places[name].current()


def named(paths: Sequence[Path]) -> dict[str, Path]:
    """Name indexes after their folders; a second one of a name is told apart by a number.

    >>> list(named([Path("a/my.index"), Path("b/my.index")]))
    ['my', 'my-2']
    """
    found: dict[str, Path] = {}
    for path in paths:
        stem = path.resolve().name.removesuffix(".index") or "index"
        number, name = 1, stem
        while name in found:
            number += 1
            name = f"{stem}-{number}"
        found[name] = path
    return found


def check_given(paths: Sequence[Path]) -> None:
    """Refuse an index that is given twice.

    Raises:
        InputError: naming it.
    """
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise InputError(f"{path} is given twice.", "Give each index once.")
        seen.add(path.resolve())
