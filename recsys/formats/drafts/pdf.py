"""Read a draft out of a PDF: what its print looks like is all there is to go by.

Front matter and references stand on the first and the last pages, which alone are read for them.
Text is taken in the order in which it was written, which is the reading order, in columns too, for
what TeX, word processors and browsers write."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path
from statistics import median

from recsys.errors import DraftError
from recsys.formats.bodies.headings import (
    LONGEST_HEADING_WORDS,
    bare,
    ends_text,
    is_caption,
    is_heading,
    letters_of,
)
from recsys.formats.bodies.printed_citations import cited_list
from recsys.formats.bodies.running_text import RunningText, Units
from recsys.formats.drafts.pdf_front import Front, printed_keyphrases, read_front
from recsys.formats.drafts.pdf_pages import (
    JOINING,
    Line,
    Pages,
    composed,
    is_broken,
    is_readable,
    main_size,
    without_running_heads,
    words_of,
)
from recsys.formats.drafts.pdf_references import find_list, find_markers, read_list
from recsys.formats.drafts.wording import counted
from recsys.formats.files import display_name
from recsys.passages import Body
from recsys.records import Manuscript, Reference

FRONT_PAGES = 3
"""Pages on which title and abstract are looked for."""
BACK_PAGES = 30
"""Pages at the end among which the list of references is looked for."""
_SAME_SIZE = 0.06
"""Share by which the size of running text varies."""
_WIDE_GAP = 1.35
"""Times the usual distance of lines from which on something else begins."""
_CODE = re.compile(
    r"(?:R ?>|>|\+|#|\$|>>>|\.\.\.|#include\b|//|/\*|\[\d{1,3},?\]|\[,\d|In \[\d+\]:)\s|[{}]\s*\Z"
)
_ITEM = re.compile(
    r"[\u2022\u2023\u25aa\u25cf\u25e6\u2219*\u2013\u2014-]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s"
)
_ENDED = re.compile(r"[.?!:][)\]\"'\u201d\u2019]*(?:\s?\[[\d,\s\u2013-]+\])?\Z")
_LEADERS = re.compile(r"(?:\.\s?){5,}\s*\d{0,3}\Z|\s\.\s\.\s\.\s")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_OPERATORS = re.compile(
    r"[=<>\u2264\u2265\u2248\u2211\u222b\u220f\u2202\u2208\u2192\u00d7\u2261^|{}\\]"
)
_EQUATION = re.compile(r".{0,40}\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,2})?[a-z]?\)|[\W\d_]*")
_UNEVEN = 2.0
"""Points by which the left edges of lines of one column differ."""
MOST_PAGES = 300
"""Pages that are read: no paper has more, and a page takes some hundredths of a second."""

_BULLET = re.compile(r"[\u2022\u2023\u25aa\u25cf\u25e6\u2219\u2013-]\s+")
_KEYWORDS = re.compile(r"(?i)(?:author )?key ?-?words?\s?[:.\u2014-]|index terms\b")
_FIRST = frozenset({"introduction", "background", "motivation"})
_GUESS = "Text, captions, formulas and tables of a PDF are told apart by their print: a guess."
_LOST = (
    "No citation in the text could be told: numbers that are raised, like those of notes, are not "
    "read, and what is cited already may be recommended again."
)


@dataclass(frozen=True, slots=True)
class PdfText:
    """What was read: the front, the lines of the first pages, the references, notes on those.

    listed: the lines from the first one of the list of references on.
    """

    front: Front
    lines: tuple[Line, ...]
    references: tuple[Reference, ...]
    notes: tuple[str, ...]
    listed: tuple[Line, ...] = ()


def parse(raw: bytes, path: Path) -> "PdfDraft":
    """Open a PDF and read its first and its last pages.

    Raises:
        DraftError: it is no PDF, is encrypted or damaged, or has no text.
        MissingExtraError: pypdf is not installed.
    """
    name = display_name(path)
    pages = Pages(raw, name)
    return PdfDraft(pages, read_pages(pages, name))


@dataclass(frozen=True, slots=True)
class PdfDraft:
    """A PDF: its pages, and what the first and the last ones say."""

    pages: Pages
    read: PdfText

    def manuscript(self) -> Manuscript:
        """Return title, authors, abstract and references; notes say what of it is a guess."""
        front, lines = self.read.front, self.read.lines
        return Manuscript(
            title=front.title,
            abstract=front.abstract,
            authors=front.authors,
            references=self.read.references,
            notes=(*front.notes, *self.read.notes),
            keyphrases=printed_keyphrases(lines, words_of(lines)),
        )

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences; their marks name entries of the printed list."""
        return read_body(self.pages, self.read)


def read_pages(pages: Pages, name: str) -> PdfText:
    """Read the first and the last pages of a PDF; see `parse` for what it raises."""
    lines = [line for page in range(min(FRONT_PAGES, len(pages))) for line in pages.lines(page)]
    if not lines:
        raise DraftError(
            f"{name} has no text on its first pages: it may be scanned.",
            "Give title and abstract in a text file, or run OCR on it.",
        )
    if not is_readable(lines):
        raise DraftError(
            f"The text of {name} cannot be read: its fonts do not say which letters they draw.",
            "Give title and abstract in a text file, or export the PDF again.",
        )
    listed = without_running_heads(_listed(pages), lines)
    vocabulary = words_of([*lines, *listed])
    front = read_front(lines, (pages.fact("/Title"), pages.fact("/Author")), vocabulary)
    references, notes = read_list(listed, vocabulary) if listed else ((), ())
    if pages.failures:
        notes += (f"{counted(pages.failures, 'page')} could not be read.",)
    return PdfText(front, tuple(lines), references, notes, tuple(listed))


def _listed(pages: Pages) -> list[Line]:
    """Return the lines after the heading "References", searched from the last page on.

    Without such a heading, the list begins at the last marker "[1]".
    """
    after: list[Line] = []
    for page in reversed(range(max(len(pages) - BACK_PAGES, 0), len(pages))):
        lines = pages.lines(page)
        start = find_list(lines)
        if start is not None:
            listed = [*lines[start:], *after]
            return listed[find_markers(listed, last=False) or 0 :]
        after = [*lines, *after]
    start = find_markers(after, last=True)
    return [] if start is None else after[start:]


@dataclass(frozen=True, slots=True)
class Prose:
    """The lines of a paragraph, and the title of its section."""

    lines: tuple[Line, ...]
    section: str = ""


@dataclass(slots=True)
class _Reading:
    """What has been read: the paragraph that is open, and where it stands.

    passed_over: whether a formula or the like stands between it and the line that is read.
    """

    section: str = ""
    left_out: bool = False
    lines: list[Line] = field(default_factory=list)
    heading: list[Line] = field(default_factory=list)
    passed_over: bool = False
    captioned: Line | None = None


def prose(lines: Sequence[Line]) -> Iterator[Prose]:
    """Find the paragraphs in the lines of a body, in reading order.

    A paragraph goes on across what floats in it and across columns and pages, until a line begins
    like a new one after one that ends a sentence.
    """
    size, usual = main_size(lines), _usual_gap(lines)
    edges = _edges(lines)
    at = _Reading()
    for before, line in pairwise([None, *lines]):
        if line is None:
            continue
        gap = _gap(before, line, usual)
        if _is_beside(at, before, line, size, gap):
            continue
        if _is_title(line, size, gap):
            yield from _closed(at)
            _put_heading(at, line)
            continue
        if at.heading:
            _begin_section(at)
        if at.left_out or not _is_text(line, edges) or line.size < (1 - 2 * _SAME_SIZE) * size:
            at.passed_over = True
            continue
        if _begins(at, line, gap, edges):
            yield from _closed(at)
        at.lines.append(line)
        at.passed_over = False
    yield from _closed(at)


def _closed(at: _Reading) -> Iterator[Prose]:
    if at.lines:
        yield Prose(tuple(at.lines), at.section)
        at.lines = []


def _put_heading(at: _Reading, line: Line) -> None:
    """Add a line to the heading that is open, or begin one."""
    last = at.heading[-1] if at.heading else None
    if last is not None and (is_heading(line.text) or line.page != last.page):
        at.heading = []
    at.heading.append(line)


def _begin_section(at: _Reading) -> None:
    title = " ".join(line.text for line in at.heading)
    at.section, at.left_out, at.heading = bare(title), ends_text(title), []


def _gap(before: Line | None, line: Line, usual: float) -> float:
    """Return the distance to the line before, in usual ones; 0 at the top of a column or page."""
    if before is None or before.page != line.page or before.y <= line.y or not usual:
        return 0.0
    return (before.y - line.y) / usual


def _is_title(line: Line, size: float, gap: float) -> bool:
    """Whether a line is a heading: by its size, or set apart by a number or a name."""
    if not size or _LEADERS.search(line.text) or is_caption(line.text):
        return False
    words = len(line.text.split())
    if line.size > (1 + _SAME_SIZE) * size:
        return words <= LONGEST_HEADING_WORDS + 8 and bool(_WORDS.search(line.text))
    near = line.size > (1 - 2 * _SAME_SIZE) * size
    apart = gap == 0.0 or gap > 1.15
    bold = line.face == "bold" and words <= LONGEST_HEADING_WORDS and line.text[-1:] not in ".,;:"
    return near and apart and (is_heading(line.text) or (bold and line.text[:1].isupper()))


def _is_beside(at: _Reading, before: Line | None, line: Line, size: float, gap: float) -> bool:
    """Whether a line belongs to a caption, which goes on until a wide gap or another size."""
    # A line of text may begin so, too: "as is shown in / Figure 3. The next".
    inside = bool(at.lines) and before is at.lines[-1] and 0.0 < gap <= 1.15
    if is_caption(line.text) and not (inside and not _ENDED.search(at.lines[-1].text)):
        at.captioned = line
        return True
    if at.captioned is None or before is None:
        return False
    goes_on = line.page == before.page and 0.0 < gap <= _WIDE_GAP
    alike = abs(line.size - at.captioned.size) <= _SAME_SIZE * size
    if goes_on and alike:
        return True
    at.captioned = None
    return False


def _is_text(line: Line, edges: dict[tuple[int, bool], float]) -> bool:
    """Tell text from formulas, tables, code and numbers of pages."""
    text = line.text
    if _EQUATION.fullmatch(text):
        return False
    if line.face == "fixed" or _CODE.match(text) or _LEADERS.search(text) or len(line.parts) > 3:
        return False
    letters = sum(map(len, _WORDS.findall(text)))
    solid = len(text.replace(" ", ""))
    wordy = letters > 0.5 * solid
    flush = abs(line.x - edges.get((line.page, line.right), line.x)) <= _UNEVEN
    if not flush and not wordy:
        return False
    return not (letters < 0.3 * solid and (_OPERATORS.search(text) or text.isdigit()))


def _begins(at: _Reading, line: Line, gap: float, edges: dict[tuple[int, bool], float]) -> bool:
    """Whether a line begins a paragraph: set apart or indented, after the end of a sentence."""
    if not at.lines:
        return False
    last = at.lines[-1]
    ended = bool(_ENDED.search(last.text))
    if _ITEM.match(line.text) and (ended or last.text.endswith((";", ","))):
        return True
    if at.passed_over and line.text[:1].isupper() and last.text[-1:].isalnum() and gap > 0:
        # The full stop stands in the formula. What floats stands on another page, or is far away.
        return not ended and line.page == last.page and gap > _WIDE_GAP
    if at.passed_over and last.text.endswith(":"):
        return line.text[:1].isupper()
    indented = line.x - edges.get((line.page, line.right), line.x) > 0.6 * line.size
    return ended and (gap > _WIDE_GAP or indented)


def _usual_gap(lines: Sequence[Line]) -> float:
    gaps = [
        one.y - other.y
        for one, other in pairwise(lines)
        if one.page == other.page and 0 < one.y - other.y < 4 * max(one.size, 1.0)
    ]
    return median(gaps) if gaps else 0.0


def _edges(lines: Sequence[Line]) -> dict[tuple[int, bool], float]:
    """Return the left edge of each column: where most of its lines begin."""
    starts: dict[tuple[int, bool], Counter[int]] = {}
    for line in lines:
        starts.setdefault((line.page, line.right), Counter())[round(line.x)] += 1
    return {
        column: float(min(found.most_common(1), key=lambda each: each[0])[0])
        for column, found in starts.items()
    }


def read_body(pages: Pages, front: PdfText) -> Body:
    """Read the sentences of a PDF.

    `Span.line` counts pages, from 1; columns count the characters of the page's lines, in reading
    order and with one between each two.
    """
    lines = [line for page in range(min(len(pages), MOST_PAGES)) for line in pages.lines(page)]
    columns = _columns(lines)
    vocabulary = words_of(lines)
    listed = cited_list(front.references)
    text = RunningText(listed, numbers=True, typeset=True, fewest_words=2)
    for paragraph in prose(_body(lines, front)):
        text.heading(paragraph.section)
        _add(text, paragraph.lines, columns, vocabulary)
    sentences = text.sentences(Units())
    notes = _notes(pages, front, any(sentence.cited for sentence in sentences))
    return Body(sentences, unit="page", references=listed.references, notes=notes)


def _columns(lines: Sequence[Line]) -> dict[int, int]:
    """Return how many characters of its page stand before each line, by its identity."""
    found: dict[int, int] = {}
    length: Counter[int] = Counter()
    for line in lines:
        found[id(line)] = length[line.page]
        length[line.page] += len(composed(line.text)) + 1
    return found


def _add(
    text: RunningText, lines: Sequence[Line], columns: dict[int, int], vocabulary: Counter[str]
) -> None:
    """Join the lines of a paragraph, undoing the hyphens at their ends."""
    bullet = _BULLET.match(composed(lines[0].text))
    begin = bullet.end() if bullet else 0
    for line, following in zip_longest(lines, lines[1:]):
        words, start = composed(line.text), Units.offset(line.page, columns[id(line)])
        broken = following and is_broken(words, composed(following.text), vocabulary)
        end = len(words) - 1 if broken else len(words)
        text.words(words[begin:end], start + begin)
        if not (broken or words.endswith(JOINING)):
            text.words(" ", start + end)
        begin = 0


def _body(lines: Sequence[Line], front: PdfText) -> list[Line]:
    """Return the lines between the front and the list of references, without running heads."""
    end = len(lines)
    if front.listed:
        first = front.listed[0]
        end = next((at for at, line in enumerate(lines) if line == first), end)
    begin = _begin(lines[:end], front)
    return [
        line
        for line in without_running_heads(lines[begin:end], lines)
        if not _KEYWORDS.match(line.text)
    ]


def _begin(lines: Sequence[Line], front: PdfText) -> int:
    """Return where the text begins: at the introduction, else after the abstract or the title."""
    first = range(min(len(front.lines), len(lines)))
    head = front.front.head
    for at in first:
        if at >= (head or 0) and letters_of(lines[at].text) in _FIRST:
            # A table of contents names its page.
            if not re.search(r"[^\W\d_].*\d\s*\Z", lines[at].text):
                return at
    if head is None:
        return _after(lines, front.front.title, 0)
    # Without a heading below it, an abstract may be all the text that there is.
    after = _after(lines, front.front.abstract or "", head)
    return after if after < len(lines) else head + 1


def _after(lines: Sequence[Line], text: str, begin: int) -> int:
    """Return the line after those that hold a text, by its last words."""
    words = text.split()[-4:]
    if not words:
        return begin
    last = words[-1]
    length = 0
    for at in range(begin, len(lines)):
        length += len(lines[at].text)
        if length >= 0.9 * len(text) and last[:8] in lines[at].text:
            return at + 1
        if length > 1.5 * len(text) + 400:
            break
    return begin


def _notes(pages: Pages, front: PdfText, cited: bool) -> tuple[str, ...]:
    """Say what is a guess and what is not read; cited: whether a sentence cites what is listed."""
    more = len(pages) - MOST_PAGES
    lost = bool(front.references) and not cited
    return (
        _GUESS,
        *front.notes,
        *((f"The last {counted(more, 'page')} are not read.",) if more > 0 else ()),
        *((_LOST,) if lost else ()),
    )
