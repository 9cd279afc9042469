"""Split the list of references at the end of a PDF into works."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from recsys.formats.drafts.pdf_pages import Line
from recsys.formats.drafts.pdf_wording import heading, joined, main_size
from recsys.formats.printed.printed_works import identified_works, printed_work
from recsys.records import Reference

MOST_REFERENCES, LONGEST_ENTRY = 2_000, 2_000
_HEADINGS = frozenset(
    "references bibliography literature literaturecited workscited referencesandnotes "
    "referencescited listofreferences".split()
)
_AFTER = frozenset("appendix appendices supplementarymaterial supplementalmaterial".split())
_LETTERED = re.compile(r"\A(?:Appendix\b|[A-Z]\.?\s+[A-Z][a-z]+)")
_BRACKETED = re.compile(r"\A\[([^\]\s][^\]]{0,60})\]\s*")
_NUMBERED = re.compile(r"\A(\d{1,4})[.)]?\s+(?=\D)")
def find_list(lines: Sequence[Line]) -> int | None:
    """Return the line after the last heading "References", None without one."""
    places = [place for place, line in enumerate(lines) if heading(line.text) in _HEADINGS]
    return places[-1] + 1 if places else None


def read_list(
    lines: Sequence[Line], vocabulary: Counter[str]
) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    """Read the lines below the heading: works, and notes on what could not be told."""
    kept = list(_until_appendix(lines))
    entries = _entries(kept)
    if entries is None:
        text = joined(kept, vocabulary)
        return tuple(identified_works(text)), (
            "The list of references could not be split into works; only those with a DOI or an "
            "arXiv id are read.",
        )
    texts = (joined(entry, vocabulary)[:LONGEST_ENTRY] for entry in entries[:MOST_REFERENCES])
    works = [marked_work(text) for text in texts]
    return tuple(dict.fromkeys(works)), ()


def marked_work(text: str) -> Reference:
    """Read one work as a list of references prints it, with its marker such as "[3]"."""
    key, rest = _marker(text)
    return printed_work(rest, key)


def _until_appendix(lines: Sequence[Line]) -> Iterator[Line]:
    size = main_size(lines)
    for line in lines:
        if line.size > 1.1 * size and (heading(line.text) in _AFTER or _LETTERED.match(line.text)):
            return
        if line.size > 0.88 * size and not line.text.isdigit():  # Neither footnote nor page number.
            yield line


def _entries(lines: Sequence[Line]) -> list[list[Line]] | None:
    """Group lines into entries by what begins them: marker, indent or gap. None if nothing does."""
    for starts in (_bracketed(lines), _numbered(lines), _outdented(lines), _after_gaps(lines)):
        if len(starts) > 1 or (starts and len(lines) < 6):
            ends = [*starts[1:], len(lines)]
            return [list(lines[a:b]) for a, b in zip(starts, ends, strict=True)]
    return None


def _bracketed(lines: Sequence[Line]) -> list[int]:
    return [place for place, line in enumerate(lines) if _BRACKETED.match(line.text)]


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
    """Find the lines after larger gaps than usual."""
    gaps = [one.y - other.y for one, other in pairwise(lines)]
    usual = median([gap for gap in gaps if gap > 0] or [0.0])
    starts = [place + 1 for place, gap in enumerate(gaps) if gap > 1.2 * usual]
    return [0, *starts] if starts else []


def _marker(text: str) -> tuple[str, str]:
    """Split off "[3]" or "3.": (key, the rest)."""
    mark = _BRACKETED.match(text) or _NUMBERED.match(text)
    return (mark[1], text[mark.end() :]) if mark else ("", text)
