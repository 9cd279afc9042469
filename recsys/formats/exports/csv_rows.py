"""Split the lines of a table into rows: quoted line ends, stray quotation marks, rows without end.

Memory is bounded: a row that is longer than LONGEST_ROW is reported and left out.
"""

import csv
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from recsys.formats.references.bibliography import Problem

LONGEST_ROW = 1_000_000
"""Characters of a row; a review of 2,000 references has 400,000."""
_MOST_RETURNS = 100
"""So often the lines after a quotation mark without end are read again, each up to LONGEST_ROW."""


class Row(NamedTuple):
    """The cells of a row, and the line it begins in, from 1."""

    line: int
    cells: list[str]


class _EndlessRow(Exception):
    """A row has become longer than LONGEST_ROW."""


class _Lines:
    """Lines for a csv reader; remembers those of the row that is being read."""

    def __init__(self, lines: Iterator[str], before: int) -> None:
        self._lines = lines
        self._returned: deque[str] = deque()
        self._returns = 0
        self._number = before
        self.begin()

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._returned.popleft() if self._returned else next(self._lines, None)
        if line is None:
            self.ended_inside = bool(self.taken)
            raise StopIteration
        self._number += 1
        self._size += len(line)
        self.taken.append(line)
        if self._size > LONGEST_ROW:
            raise _EndlessRow
        return line

    @property
    def first(self) -> int:
        """The number of the line in which the row begins."""
        return self._number - len(self.taken) + 1

    def begin(self) -> None:
        """Forget the lines of the row before."""
        self.taken: list[str] = []
        self._size = 0
        self.ended_inside = False

    def take_back(self) -> None:
        """Take back all lines of the row but its first, to be read again."""
        if self._returns < _MOST_RETURNS:
            self._returns += 1
            self._returned.extendleft(reversed(self.taken[1:]))
            self._number -= len(self.taken) - 1


def rows(
    lines: Iterator[str], delimiter: str, *, quoted: bool = True, before: int = 0
) -> Iterator[Row | Problem]:
    """Yield the rows that hold something, and what is wrong with others.

    quoted: whether quotation marks enclose cells. before: number of lines that came before.
    """
    source = _Lines(lines, before)
    reader = csv.reader(
        source, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    )
    width = 0
    while True:
        source.begin()
        try:
            # Cells may be longer than csv allows: that limit is all the process's.
            limit = csv.field_size_limit(LONGEST_ROW)
            try:
                cells = next(reader)
            finally:
                csv.field_size_limit(limit)
        except StopIteration:
            return
        except _EndlessRow:
            yield Problem(
                f"line {source.first}: field larger than field limit ({LONGEST_ROW:,} characters), "
                "or a quotation mark that nothing closes; the line is left out.",
                "row too long",
                source.first,
            )
            source.take_back()
            continue
        except csv.Error as error:
            yield Problem(f"line {source.first}: {error}.", "row is no CSV", source.first)
            continue
        width = width or len(cells)
        if source.ended_inside:
            text = f"line {source.first}: a quotation mark opens a cell and none closes it."
            yield Problem(text, "quotation mark without end", source.first)
            # The line after it may look like a row of its own.
            if len(source.taken) > 1 and 0 < width - 1 <= source.taken[1].count(delimiter):
                source.take_back()
                continue
        if cells:
            yield Row(source.first, cells)


def split_line(line: str, delimiter: str) -> list[str]:
    """Split a single line into its cells."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []
