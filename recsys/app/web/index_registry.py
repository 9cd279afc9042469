"""The indexes that are served, each by its generation in force."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from pathlib import Path

from recsys.app.web.choices import choices_of
from recsys.app.web.replies import UnknownIndex
from recsys.app.wiring import local_of, said_of_index
from recsys.errors import InputError, RecsysError
from recsys.local.local_recommender import LocalRecommender
from recsys.local.where_to_cite import PlaceFinder
from recsys.recommend import Recommender
from recsys.store.artifacts import MANIFEST, VERSION

MOST_COMPARED = 500
"""Sentences of a draft that papers are compared with: more would keep others waiting."""


MOST_CHOICES = 64
"""Drafts whose choices are kept: whoever pages through an answer asks for the same ones again."""


class OpenIndex:
    """An index as it was opened, shared by all who ask."""

    def __init__(
        self, name: str, recommender: Recommender, manifest: bytes, remarks: Sequence[str] = ()
    ) -> None:
        """Hold an index.

        Args:
            name: what it is served as.
            recommender: answers out of it.
            manifest: as it was read before; another one means that the index was changed.
            remarks: what was amiss with its rankers, though it answers.
        """
        self.name, self.recommender, self.remarks = name, recommender, remarks
        self.fingerprint = hashlib.sha256(manifest + VERSION.encode()).hexdigest()
        """Hash of all that an answer rests on beside the question."""
        self.choices = lru_cache(MOST_CHOICES)(partial(choices_of, recommender))
        """What filters can choose among, by the draft."""
        self._lock = threading.Lock()
        self._local: LocalRecommender | None = None
        self._places: PlaceFinder | None = None

    def local(self) -> LocalRecommender:
        """Return what answers passages out of the same index.

        Raises:
            ArtifactError: its ranker is missing, unfinished or damaged.
        """
        with self._lock:
            self._local = self._local or local_of(self.recommender)
            return self._local

    def places(self) -> PlaceFinder:
        """Return what tells where in a draft its papers fit."""
        with self._lock:
            self._places = self._places or PlaceFinder(self.recommender, most=MOST_COMPARED)
            return self._places


class ServedIndex:
    """Where one index lies, and what is open of it.

    An index that is replaced is opened again by the first who asks for it afterwards; the others
    are answered out of the former one meanwhile. One that cannot be opened leaves the former.
    """

    def __init__(self, name: str, path: Path, opener: Callable[[Path], Recommender]) -> None:
        """Open the index.

        Raises:
            ArtifactError: it is missing, unfinished or damaged.
        """
        self.name, self.path, self._opener = name, path, opener
        self._lock = threading.Lock()
        self.trouble: str | None = None
        self._tried = self._manifest()
        self.opened = self._open(self._tried)

    def current(self) -> OpenIndex:
        """Return the index as it is now."""
        manifest = self._manifest()
        if manifest != self._tried and self._lock.acquire(blocking=False):
            try:
                self.opened, self.trouble = self._open(manifest), None
                self._tried = manifest
            except (RecsysError, OSError, MemoryError) as error:
                self.trouble = str(error) or "There is not enough memory."
                self._tried = manifest
            finally:
                self._lock.release()
        return self.opened

    def _open(self, manifest: bytes) -> OpenIndex:
        recommender = self._opener(self.path)
        # Now: what the remarks are read off may be gone when somebody asks for them.
        return OpenIndex(self.name, recommender, manifest, said_of_index(recommender))

    def _manifest(self) -> bytes:
        try:
            return (self.path / MANIFEST).read_bytes()
        except OSError:  # Gone, or being replaced: what is open goes on.
            return b""


class IndexRegistry:
    """Everything that one process serves."""

    def __init__(self, paths: Mapping[str, Path], opener: Callable[[Path], Recommender]) -> None:
        """Open all indexes.

        Raises:
            ArtifactError: one is missing, unfinished or damaged.
        """
        self._served = {name: ServedIndex(name, path, opener) for name, path in paths.items()}

    def __iter__(self) -> Iterator[ServedIndex]:
        """Go through the indexes, the default one first."""
        return iter(self._served.values())

    def current(self, name: str | None = None) -> OpenIndex:
        """Return an index as it is now; without a name, the first.

        Raises:
            UnknownIndex: there is none of that name.
        """
        if name and name not in self._served:
            raise UnknownIndex(name, self._served)
        return (self._served[name] if name else next(iter(self))).current()


def named(paths: Sequence[Path]) -> dict[str, Path]:
    """Name indexes after their folders; a second one of a name is told apart by a number.

    >>> list(named([Path("a/my.index"), Path("b/my.index")]))
    ['my', 'my-2']

    Raises:
        InputError: one is given twice.
    """
    paths_by_name: dict[str, Path] = {}
    for path in paths:
        if path.resolve() in {other.resolve() for other in paths_by_name.values()}:
            raise InputError(f"{path} is given twice.", "Give each index once.")
        stem = path.resolve().name.removesuffix(".index") or "index"
        names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        paths_by_name[next(name for name in names if name not in paths_by_name)] = path
    return paths_by_name
