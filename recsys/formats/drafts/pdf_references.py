"""Split the list of references at the end of a PDF into works."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from recsys.formats.drafts.pdf_pages import Line, heading, joined, main_size
from recsys.formats.drafts.wording import counted
from recsys.formats.printed.printed_names import begins_with_name
from recsys.formats.printed.printed_works import identified_works, printed_work
from recsys.records import Reference

MOST_REFERENCES, LONGEST_ENTRY = 2_000, 2_000
_LONG_ENTRY = 500
"""Letters of an entry, on average, from which on entries are runs of several works."""
_HEADINGS = frozenset(
    "references bibliography literature literaturecited workscited referencesandnotes "
    "referencescited listofreferences literatur literaturverzeichnis bibliographie "
    "bibliograf\u00eda bibliografia refer\u00eancias referencias r\u00e9f\u00e9rences "
    "\u53c2\u8003\u6587\u732e \u53c3\u8003\u6587\u737b".split()
)
_AFTER = frozenset(
    "appendix appendices supplementarymaterial supplementalmaterial supplementarymaterials "
    "supplementaryinformation supportinginformation acknowledgements acknowledgments "
    "authorcontributions competinginterests conflictofinterest dataavailability "
    "dataavailabilitystatement additionalinformation abouttheauthors authorbiographies".split()
)
_LETTERED = re.compile(r"\A(?:Appendix\b|[A-Z]\.?\s+[A-Z][a-z]+)")
_BRACKETED = re.compile(r"\A\[([^\]\s][^\]]{0,60})\]\s*")
_NO_MARKER = re.compile(r"\[(?:Online|Preprint|Accessed|Accepted|Internet|cs|math|stat|physics)\b")
_MISSED = 3
"""Numbers that may be missing between two markers, where a line could not be read."""
_CLOSED = re.compile(r"(?:[.)\]\d]|\S{20,})\Z")
_NUMBERED = re.compile(r"\A(\d{1,4})[.)]?\s+(?=\D)")


def find_list(lines: Sequence[Line]) -> int | None:
    """Return the line after the last heading "References", None without one."""
    places = [place for place, line in enumerate(lines) if heading(line.text) in _HEADINGS]
    return places[-1] + 1 if places else None


def find_markers(lines: Sequence[Line], *, last: bool) -> int | None:
    """Return the line with the first or last "[1]" that [2] and [3] follow, None without one."""
    ones = [place for place, line in enumerate(lines) if line.text.startswith("[1]")]
    listed = [place for place in ones[:: -1 if last else 1][:9] if _goes_on(lines[place:])]
    return listed[0] if listed else None


def _goes_on(lines: Sequence[Line]) -> bool:
    return len(_bracketed(lines)) > 2


def read_list(
    lines: Sequence[Line], vocabulary: Counter[str]
) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    """Read the lines below the heading: works, and notes on what could not be told."""
    kept = list(_until_appendix(lines))
    entries = _entries(kept)
    if entries is None:
        return tuple(identified_works(joined(kept, vocabulary))), (
            "The list of references could not be split into works; only those with a DOI or an "
            "arXiv id are read.",
        )
    texts = (joined(entry, vocabulary)[:LONGEST_ENTRY] for entry in entries[:MOST_REFERENCES])
    works = [marked_work(text) for text in texts]
    return tuple(dict.fromkeys(works)), _too_few(entries)


def _too_few(entries: Sequence[Sequence[Line]]) -> tuple[str, ...]:
    """Say that works were lost, where the entries are too long to be one work each."""
    each = _letters_each(entries)
    if each <= _LONG_ENTRY:
        return ()
    return (
        f"The list of references is a guess: {counted(len(entries), 'work')} of {each:.0f} letters "
        "each were read, so some are lost; give them as a .bib beside it.",
    )


def marked_work(text: str) -> Reference:
    """Read one work as a list of references prints it, with its marker such as "[3]"."""
    key, rest = _marker(text)
    return printed_work(rest, key)


def _until_appendix(lines: Sequence[Line]) -> Iterator[Line]:
    size, edges = main_size(lines), _edges(lines)
    for line in lines:
        if heading(line.text) in _AFTER or (line.size > 1.1 * size and _LETTERED.match(line.text)):
            return
        numbered = line.text.isdigit() and line.y in edges[line.page]
        if line.size > 0.88 * size and not numbered:  # Neither footnote nor page number.
            yield line


def _edges(lines: Sequence[Line]) -> dict[int, tuple[float, float]]:
    """Return the heights of the lowest and the highest line of each page."""
    heights: dict[int, list[float]] = {}
    for line in lines:
        heights.setdefault(line.page, []).append(line.y)
    return {page: (min(each), max(each)) for page, each in heights.items()}


def _entries(lines: Sequence[Line]) -> list[list[Line]] | None:
    """Group lines into entries by what begins them, the surest first. None if nothing does.

    What makes too few entries for all those lines gives way to the next that makes enough.
    """
    first: list[list[Line]] | None = None
    for find in (_bracketed, _numbered, _outdented, _after_gaps, _named):
        starts = find(lines)
        if len(starts) > 1 or (starts and len(lines) < 6):
            ends = [*starts[1:], len(lines)]
            entries = [list(lines[a:b]) for a, b in zip(starts, ends, strict=True)]
            if _letters_each(entries) <= _LONG_ENTRY:
                return entries
            first = first or entries
    return first


def _letters_each(entries: Sequence[Sequence[Line]]) -> float:
    return sum(len(line.text) for entry in entries for line in entry) / len(entries)


def _bracketed(lines: Sequence[Line]) -> list[int]:
    """Follow [1], [2], [3] ..., or find labels such as [Ash 2010]."""
    marks = [
        (place, mark[1])
        for place, line in enumerate(lines)
        if (mark := _BRACKETED.match(line.text)) and not _NO_MARKER.match(line.text)
    ]
    numbers = [(place, int(mark)) for place, mark in marks if mark.isdecimal() and len(mark) < 5]
    if 2 * len(numbers) < len(marks):
        return [place for place, _ in marks]
    starts: list[int] = []
    last = 0
    for place, number in numbers:
        if last < number <= last + _MISSED:
            starts.append(place)
            last = number
    return starts


def _numbered(lines: Sequence[Line]) -> list[int]:
    """Follow 1, 2, 3 ...; other numbers at the beginning of a line are volumes and years."""
    starts: list[int] = []
    for place, line in enumerate(lines):
        mark = _NUMBERED.match(line.text)
        if mark and int(mark[1]) == len(starts) + 1:
            starts.append(place)
    return starts if len(starts) > 2 or len(lines) < 6 else []


def _outdented(lines: Sequence[Line]) -> list[int]:
    """Find the lines that begin at the left edge of their column, if the others are indented."""
    edges: dict[tuple[int, bool], float] = {}
    for line in lines:
        column = line.page, line.right
        edges[column] = min(edges.get(column, line.x), line.x)
    starts = [
        place for place, line in enumerate(lines) if line.x - edges[line.page, line.right] < 3
    ]
    return starts if len(starts) <= 0.8 * len(lines) else []


def _after_gaps(lines: Sequence[Line]) -> list[int]:
    """Find the lines after larger gaps than usual; on top of a column, what looks like a start."""
    gaps = [one.y - other.y for one, other in pairwise(lines)]
    usual = median([gap for gap in gaps if gap > 0] or [0.0])
    starts = [
        place
        for place, gap in enumerate(gaps, start=1)
        if gap > 1.2 * usual or (gap < 0 and _begins(lines[place - 1], lines[place]))
    ]
    return [0, *starts] if any(gap > 1.2 * usual for gap in gaps) else []


def _named(lines: Sequence[Line]) -> list[int]:
    """Find the lines that begin with names, after lines that end as an entry does."""
    starts = [
        place for place, pair in enumerate(pairwise(lines), start=1) if _begins(pair[0], pair[1])
    ]
    return [0, *starts] if starts and len(starts) < 0.8 * len(lines) else []


def _begins(before: Line, line: Line) -> bool:
    return bool(_CLOSED.search(before.text)) and begins_with_name(line.text)


def _marker(text: str) -> tuple[str, str]:
    """Split off "[3]" or "3.": (key, the rest)."""
    mark = _BRACKETED.match(text) or _NUMBERED.match(text)
    return (mark[1], text[mark.end() :]) if mark else ("", text)
