"""Split the list of references at the end of a PDF into works."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from recsys.formats.drafts.pdf_pages import Line
from recsys.formats.drafts.pdf_wording import heading, joined, main_size
from recsys.formats.identifiers import acl, arxiv, doi
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
_ADDRESS = re.compile(
    r"\bhttps?://\S{1,300}|\bdoi\b:?\s?10\.\S{1,300}|\bdoi\.org/\S{1,300}|\barxiv:\s?\S{1,40}",
    re.IGNORECASE,
)
_SPLIT_DOI = re.compile(r"(10\.\d{4,9}/\S{0,300}[./_-]|https?://\S{0,300}[/.-]) (?=[\w(])")
_YEAR = re.compile(r"(?<![\d/.:-])(1[89]\d\d|20\d\d)(?![\d/:-])")
_DATED = re.compile(
    r"[(\[]?(?:1[89]\d\d|20\d\d)[a-z]?[)\]]?[.,:]\s+|\((?:1[89]\d\d|20\d\d)[a-z]?\)\s+"
)
_QUOTED = re.compile(
    r"[\u201c\u201e\"]([^\u201c\u201d\"]{8,300}?)[,.?!]?[\u201d\u201c\"]|``(.{8,300}?)[,.]?''"
)
# A full stop that ends no abbreviation, before a capital, a digit, a quotation mark or "iName".
_SENTENCE = re.compile(
    r"(?<![\s.(-][A-Z])(?<!\A[A-Z])(?<!\bal)(?<!\bvol)(?<!\bno)(?<!\bed)(?<!\beds)(?<!\bJr)(?<!\bMd)"
    r"[.?!]\s+(?=[^\w\s]|[A-Z\u00c0-\u00de\d]|[a-z]{1,5}[A-Z])"
)
_SURNAME = (
    r"(?:(?:van|von|de|der|den|da|di|la|le|del) ){0,2}"
    r"[A-Z\u00c0-\u024f][\w'\u2019-]+(?: [A-Z][\w'\u2019-]+)?"
)
_INITIALS_FIRST = re.compile(rf"(?:[A-Z]\.[ -]?){{1,4}}{_SURNAME}(?:,? Jr\.)?")
_SURNAME_FIRST = re.compile(rf"{_SURNAME}, (?:[A-Z]\.[ -]?){{1,4}}")
_BETWEEN_NAMES = re.compile(r"[,;]? ?(?:(?:and|AND|&) )?")
_AFTER_NAMES = re.compile(r"(?:,? ?(?:and )?(?:et al\.?|others))?(?:[.:,] ?|(?<=\. ))")
_AFTER_COMMA = re.compile(r", (?:in (?=[A-Z])|(?=[A-Z(\d]))")
_INITIALS = re.compile(r"(?:[A-Z]\.?[\s-]?){1,4}\Z")


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
        found = [_work("", part) for part in _ADDRESS.findall(_mended(text))]
        named = tuple(dict.fromkeys(work for work in found if work.doi or work.arxiv or work.acl))
        return named, (
            "The list of references could not be split into works; only those with a DOI or an "
            "arXiv id are read.",
        )
    texts = (joined(entry, vocabulary)[:LONGEST_ENTRY] for entry in entries[:MOST_REFERENCES])
    works = [printed_work(text) for text in texts]
    return tuple(dict.fromkeys(works)), ()


def printed_work(text: str) -> Reference:
    """Read one work as a list of references prints it, with its marker such as "[3]"."""
    return _work(*_marker(text))


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


def _mended(text: str) -> str:
    """Close the gaps that line breaks leave within addresses."""
    return _SPLIT_DOI.sub(r"\1", text)


def _work(key: str, text: str) -> Reference:
    whole = _mended(text)
    plain = _ADDRESS.sub("", whole)
    years = _YEAR.findall(plain)
    dated = _DATED.search(plain)
    title = _title(plain)
    return Reference(
        key=key,
        title=title,
        authors=_first_author(plain) if title else (),
        year=int(dated[0].strip("()[].,: ")[:4]) if dated else int(years[-1]) if years else None,
        doi=doi(whole),
        arxiv=arxiv(whole),
        acl=acl(whole),
    )


def _title(text: str) -> str | None:
    """Guess the title: in quotation marks, after the year, or what follows the authors."""
    if quoted := _QUOTED.search(text):
        return _plausible(quoted[1] or quoted[2])
    end = _end_of_names(text)
    dated = _DATED.search(text)
    if dated and 3 < dated.start() < 0.6 * len(text) and _names_people(text[: dated.start()]):
        return _plausible(_SENTENCE.split(text[dated.end() :], maxsplit=1)[0])
    if end and text[end - 2 : end].strip() != ",":
        return _plausible(_SENTENCE.split(text[end:], maxsplit=1)[0])
    parts = _SENTENCE.split(text, maxsplit=2)
    if len(parts) > 1 and _names_people(parts[0]):
        return _plausible(parts[1])
    return _plausible(_AFTER_COMMA.split(text[end:], maxsplit=1)[0]) if end else None


def _end_of_names(text: str) -> int:
    """Return where names with initials at the beginning end, 0 if there are none."""
    form = next((form for form in (_INITIALS_FIRST, _SURNAME_FIRST) if form.match(text)), None)
    end = at = 0
    while form and (name := form.match(text, at)):
        end = name.end()
        between = _BETWEEN_NAMES.match(text, end)
        at = between.end() if between else end
    after = _AFTER_NAMES.match(text, end)
    return after.end() if end and after else 0


def _names_people(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text)
    large = sum(word[0].isupper() for word in words)
    return bool(words) and large >= 0.6 * len([word for word in words if word not in _SMALL])


_SMALL = frozenset("and et al van von de der den da di la le del dos bin eds ed".split())


def _plausible(text: str) -> str | None:
    title = text.strip(" .,;:\u201c\u201d\"'")
    return title if 1 < len(title.split()) <= 40 and not title.startswith("In ") else None


def _first_author(text: str) -> tuple[str, ...]:
    """Guess the first author: "A. Ash", "Ash, A." or "Ada Ash"."""
    names = re.split(r",\s*|\s+(?:and|&)\s+|\s+et al\b|;\s*", text.strip(), maxsplit=2)
    if len(names) > 1 and _INITIALS.fullmatch(names[1].strip()):
        return (f"{names[0]}, {names[1].strip()}",)
    first = _SENTENCE.split(names[0], maxsplit=1)[0].strip(" .")
    return (first,) if 0 < len(first.split()) <= 5 else ()
