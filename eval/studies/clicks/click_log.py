"""Click logs: which papers were shown for a query, in which order, and which were clicked.

Positions count from 1, as people do; the columns of arrays count from 0.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError
from recsys.store.arrays import Mask, Rows

NOTHING = -1
"""Fills the columns behind the end of a shorter list; also an unknown ranker or user."""


@dataclass(frozen=True, slots=True)
class Impression:
    """One list that somebody saw.

    shown: paper ids in display order, no two alike. clicked: those of them that were clicked.
    time: in UTC; one without a zone is taken to be. ranker: name of what ordered the list.
    swapped: in a swap experiment, the position (from 1) that was drawn to change places with
    position 1; `shown` is the order after the change. Drawing 1 changes nothing. None: the list
    was not part of an experiment.

    Raises:
        InputError: nothing was shown, a paper was shown or clicked twice, or clicked without being
            shown, the position drawn is not one of the list, the time is out of range, or a name
            is empty, unprintable or padded with spaces.
    """

    query: str
    shown: tuple[str, ...]
    clicked: tuple[str, ...] = ()
    time: datetime | None = None
    user: str | None = None
    ranker: str | None = None
    swapped: int | None = None

    def __post_init__(self) -> None:
        self._check_names()
        self._check_shown()
        self._check_clicked()
        if self.time is not None:
            object.__setattr__(self, "time", self._in_utc(self.time))

    def _check_names(self) -> None:
        optional = [name for name in (self.user, self.ranker) if name is not None]
        names = [self.query, *optional, *self.shown]
        joined = "".join(names)
        if "" not in names and " " not in joined and joined.isprintable():
            return  # One look at them all, since nearly all are fine.
        for name in names:
            if not name.isprintable() or name.strip() != name or not name:
                hint = "Names are printable, not empty, and not padded with spaces."
                raise self._refused(f"{name!r} is no name", hint)

    def _check_shown(self) -> None:
        if not self.shown:
            raise self._refused("the list of shown papers is empty", "An impression shows some.")
        if len(set(self.shown)) < len(self.shown):
            raise self._refused(f"{_repeated(self.shown)} is shown twice", "Name each paper once.")
        if self.swapped is not None and not 1 <= self.swapped <= len(self.shown):
            what = f"position {self.swapped} was swapped in a list of {len(self.shown)}"
            raise self._refused(what, "Positions count from 1 to the end of the list.")

    def _check_clicked(self) -> None:
        strangers = set(self.clicked).difference(self.shown)
        if strangers:
            what = f"{min(strangers)!r} was clicked, but not shown"
            raise self._refused(what, "A click is one on a paper of the list that was shown.")
        if len(set(self.clicked)) < len(self.clicked):
            what = f"{_repeated(self.clicked)} is clicked twice"
            raise self._refused(what, "Count the clicks on one paper of one list once.")

    def _in_utc(self, time: datetime) -> datetime:
        try:
            return (time.replace(tzinfo=UTC) if time.utcoffset() is None else time).astimezone(UTC)
        except OverflowError as error:
            raise self._refused(f"the time {time} is out of range", "Check the year.") from error

    def _refused(self, what: str, hint: str) -> InputError:
        return InputError(f"Query {self.query!r}: {what}.", hint)


@dataclass(frozen=True, slots=True)
class ClickLog:
    """n impressions of at most m papers each, in columns.

    queries, papers, rankers, users: the names that the numbers stand for.
    query: (n,) int32. shown: (n, m) int32 in display order, NOTHING behind the end of a list.
    clicked: (n, m) bool, False where nothing was shown. ranker, user: (n,) int32, NOTHING where
    unknown. swapped: (n,) int32, the position drawn in a swap experiment, 0 where there was none.
    time: (n,) datetime64[us] in UTC, NaT where unknown.
    """

    queries: tuple[str, ...]
    papers: tuple[str, ...]
    rankers: tuple[str, ...]
    users: tuple[str, ...]
    query: Rows
    shown: Rows
    clicked: Mask
    ranker: Rows
    user: Rows
    swapped: Rows
    time: NDArray[np.datetime64]

    def __len__(self) -> int:
        """Count the impressions."""
        return len(self.query)

    @property
    def present(self) -> Mask:
        """Tell where a paper was shown: (n, m) bool."""
        return np.asarray(self.shown != NOTHING)

    def take(self, rows: NDArray[np.integer] | Mask) -> "ClickLog":
        """Keep the given impressions, in the given order; one may come more than once."""
        return replace(
            self,
            query=self.query[rows],
            shown=self.shown[rows],
            clicked=self.clicked[rows],
            ranker=self.ranker[rows],
            user=self.user[rows],
            swapped=self.swapped[rows],
            time=self.time[rows],
        )

    @classmethod
    def of(cls, impressions: Iterable[Impression]) -> "ClickLog":
        """Put impressions in columns; names are numbered in the order of their appearance."""
        queries, papers, rankers, users = (_numbering() for _ in range(4))
        query, lengths, shown, ranker, user, swapped = (array("i") for _ in range(6))
        clicked, time = array("b"), []
        for each in impressions:
            query.append(queries[each.query])
            lengths.append(len(each.shown))
            shown.extend(map(papers.__getitem__, each.shown))
            clicked.extend(map(set(each.clicked).__contains__, each.shown))
            ranker.append(NOTHING if each.ranker is None else rankers[each.ranker])
            user.append(NOTHING if each.user is None else users[each.user])
            swapped.append(each.swapped or 0)
            time.append(each.time and each.time.replace(tzinfo=None))
        present = np.arange(max(lengths, default=0)) < np.array(lengths, np.int64)[:, None]
        return cls(
            queries=tuple(queries),
            papers=tuple(papers),
            rankers=tuple(rankers),
            users=tuple(users),
            query=np.array(query, np.int32),
            shown=_spread(np.array(shown, np.int32), present, NOTHING),
            clicked=_spread(np.array(clicked, np.bool_), present, False),
            ranker=np.array(ranker, np.int32),
            user=np.array(user, np.int32),
            swapped=np.array(swapped, np.int32),
            time=np.array(time, "datetime64[us]"),
        )

    def impressions(self) -> Iterator[Impression]:
        """Give the impressions back, one by one, clicked papers in display order."""
        rankers, users = (*self.rankers, None), (*self.users, None)  # NOTHING is -1, the last.
        lengths = self.present.sum(1)
        for i in range(len(self)):
            shown = [self.papers[paper] for paper in self.shown[i, : lengths[i]]]
            moment = self.time[i].item()
            yield Impression(
                self.queries[self.query[i]],
                tuple(shown),
                tuple(compress(shown, self.clicked[i])),
                moment and moment.replace(tzinfo=UTC),
                users[self.user[i]],
                rankers[self.ranker[i]],
                int(self.swapped[i]) or None,
            )


def _numbering() -> defaultdict[str, int]:
    """Number names from 0 in the order in which they are asked for."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def _spread(values: NDArray[Any], present: Mask, fill: int) -> NDArray[Any]:
    """Put the values of all lists, one after another, where papers are present."""
    spread = np.full(present.shape, fill, values.dtype)
    spread[present] = values
    return spread


def _repeated(names: Iterable[str]) -> str:
    return repr(Counter(names).most_common(1)[0][0])
