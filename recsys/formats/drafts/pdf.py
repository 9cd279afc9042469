"""Read a draft out of a PDF: what its print looks like is all there is to go by.

Front matter and references stand on the first and the last pages, which alone are read for them.
Text is taken in the order in which it was written, which is the reading order, in columns too, for
what TeX, word processors and browsers write."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from recsys.formats.bodies.printed_works import (
    BRACKETED,
    LONGEST_ENTRY,
    MOST_REFERENCES,
    NUMBERED,
    begins_with_name,
    identified_works,
    marked_work,
)
from recsys.formats.bodies.running_text import RunningText, Units
from recsys.formats.drafts.pdf_front import Front, printed_keyphrases, read_front
from recsys.formats.drafts.pdf_pages import (
    BACK_PAGES,
    FRONT_PAGES,
    JOINING,
    MOST_PAGES,
    Line,
    Pages,
    composed,
    heading,
    is_broken,
    is_readable,
    joined,
    main_size,
    without_running_heads,
    words_of,
)
from recsys.formats.drafts.wording import counted
from recsys.formats.files import display_name
from recsys.records import Body, Manuscript, Reference

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
_OF_CONTENTS = re.compile(r"[^\W\d_].*\d\s*\Z")
"""A table of contents names the page of a heading."""
_IN_ENTRY = re.compile(r"\b(?:1[5-9]|20)\d\d[a-z]?\b|10\.\d{4}|\A\[|arXiv|,|[^\W\d_]\. [^\W_]")
"""What entries of a list hold, and headings below each other do not."""
_WORDS = re.compile(r"[^\W\d_]{3,}")
_OPERATORS = re.compile(
    r"[=<>\u2264\u2265\u2248\u2211\u222b\u220f\u2202\u2208\u2192\u00d7\u2261^|{}\\]"
)
_EQUATION = re.compile(r".{0,40}\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,2})?[a-z]?\)|[\W\d_]*")
_UNEVEN = 2.0
"""Points by which the left edges of lines of one column differ."""

_BULLET = re.compile(r"[\u2022\u2023\u25aa\u25cf\u25e6\u2219\u2013-]\s+")
_KEYWORDS = re.compile(r"(?i)(?:author )?key ?-?words?\s?[:.\u2014-]|index terms\b")
_FIRST_SECTIONS = frozenset({"introduction", "background", "motivation"})
_GUESS = "Text, captions, formulas and tables of a PDF are distinguished by their print: a guess."
_LOST = (
    "No citation in the text was recognised: superscript numbers are not read, so papers that are "
    "cited already may be recommended."
)
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
    "authorcontributions competinginterests conflictofinterest conflictsofinterest funding "
    "conflictofintereststatement declarationofcompetinginterest declarations disclosure "
    "dataavailability dataavailabilitystatement additionalinformation abouttheauthors "
    "abouttheauthor authorbiographies authordetails authornote authorsnote notesoncontributors "
    "ethicsstatement publishersnote openaccess license licence copyright correspondence".split()
)
_STATEMENT = re.compile(
    r"\W*(?=[A-Z\u00a9(])(?i:(?:funding|acknowledge?ments?|disclosures?|orcid|abbreviations|"
    r"disclaimer(?:/publisher.s note)?|declarations?(?: of \w+ ?\w* ?interests?)?|"
    r"authors?.{0,3} (?:contributions?|details|information|note)|received|citation|"
    r"(?:credit )?authorship contribution.{0,12}|ethic(?:s|al)(?: (?:statement|approval))?|"
    r"(?:conflicts? of|competing) interests?(?: statement)?|corresponding author|correspondence|"
    r"(?:data|code).{0,10} availability(?: statement)?|availability of data.{0,20}|"
    r"(?:institutional review board|informed consent) statement|reprints.{0,20}|"
    r"suppl\w+ (?:materials?|information|data)|supporting information|additional information|"
    r"(?:how to )?cite this (?:article|paper|chapter)(?: as)?)\s?[:.\u2013\u2014]\s?\S"
    r"|publisher.s note\b|springer nature remains|open access\W+this (?:article|chapter)|"
    r"(?:copyright )?(?:\u00a9|\(c\)) ?\w|copyright (?:19|20)\d\d|creative commons attribution\b|"
    r"this (?:article|work|chapter|is an open).{0,60}(?:licen[cs]ed|distributed|open.access)|"
    r"submit your (?:next )?manuscript|ready to submit|permission to make digital)"
)
"""How what stands below a list of references begins: thanks, statements, a licence."""
_LIST_LINES = 40
"""Lines of a list that tell its size; an appendix may follow in another one."""
_LETTERED = re.compile(r"\A(?:Appendix\b|[A-Z]\.?\s+[A-Z][a-z]+)")
_NO_MARKER = re.compile(r"\[(?:Online|Preprint|Accessed|Accepted|Internet|cs|math|stat|physics)\b")
_MISSED = 3
"""Numbers that may be missing between two markers, where a line could not be read."""
_CLOSED = re.compile(r"(?:[.)\]\d]|\S{20,})\Z")


def parse(raw: bytes, path: Path) -> "PdfDraft":
    """Open a PDF and read its first and its last pages.

    Raises:
        DraftError: it is no PDF, is encrypted or damaged, or has no text.
        MissingExtraError: pypdfium2 is not installed.
    """
    name = display_name(path)
    return read_pages(Pages(raw, name), name)


@dataclass(frozen=True, slots=True)
class PdfDraft:
    """A PDF: its pages, and what the first and the last ones say.

    front, lines: of the first pages. references: the printed list. notes: on what of it could not
    be told. listed: the lines from the first one of the list on.
    """

    pages: Pages
    front: Front
    lines: tuple[Line, ...]
    references: tuple[Reference, ...]
    notes: tuple[str, ...]
    listed: tuple[Line, ...] = ()

    def manuscript(self) -> Manuscript:
        """Return title, authors, abstract and references; notes say what of it is a guess."""
        front = self.front
        return Manuscript(
            title=front.title,
            abstract=front.abstract,
            authors=front.authors,
            references=self.references,
            notes=(*front.notes, *self.notes),
            keyphrases=printed_keyphrases(self.lines, words_of(self.lines)),
        )

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences; their marks name entries of the printed list.

        `Span.line` counts pages, from 1; columns count the characters of the page's lines, in
        reading order and with one between each two.
        """
        pages = range(min(len(self.pages), MOST_PAGES))
        lines = [line for page in pages for line in self.pages.lines(page)]
        columns: dict[int, int] = {}  # How many characters of its page stand before each line.
        length: Counter[int] = Counter()
        for line in lines:
            columns[id(line)] = length[line.page]
            length[line.page] += len(composed(line.text)) + 1
        vocabulary = words_of(lines)
        listed = cited_list(self.references)
        text = RunningText(listed, numbers=True, typeset=True, fewest_words=2)
        for section, paragraph in _Paragraphs(self._body_lines(lines)).read():
            text.heading(section)
            bullet = _BULLET.match(composed(paragraph[0].text))
            begin = bullet.end() if bullet else 0
            for line, following in zip_longest(paragraph, paragraph[1:]):
                words, start = composed(line.text), Units.offset(line.page, columns[id(line)])
                # A hyphen at the end of a line goes, where it only divides a word.
                broken = following and is_broken(words, composed(following.text), vocabulary)
                end = len(words) - 1 if broken else len(words)
                text.words(words[begin:end], start + begin)
                if not (broken or words.endswith(JOINING)):
                    text.words(" ", start + end)
                begin = 0
        sentences = text.sentences(Units())
        notes = [_GUESS, *self.notes]
        if (more := len(self.pages) - MOST_PAGES) > 0:
            notes.append(f"The last {counted(more, 'page')} are not read.")
        if self.references and not any(sentence.cited for sentence in sentences):
            notes.append(_LOST)
        return Body(sentences, unit="page", references=listed.references, notes=tuple(notes))

    def _body_lines(self, lines: Sequence[Line]) -> list[Line]:
        """Return the lines between the front and the list of references, without running heads."""
        end = lines.index(self.listed[0]) if self.listed and self.listed[0] in lines else len(lines)
        head = self.front.head or 0
        introductions = (
            at
            for at, line in enumerate(lines[: min(end, len(self.lines))])
            if at >= head
            and letters_of(line.text) in _FIRST_SECTIONS
            and not _OF_CONTENTS.search(line.text)
        )
        begin = next(introductions, None)
        if begin is None:
            # Else the text begins after the last word of the abstract, or of the title.
            text = (self.front.title if self.front.head is None else self.front.abstract) or ""
            begin, length = head, 0
            for at in range(head, end if text.split() else head):
                length += len(lines[at].text)
                if length >= 0.9 * len(text) and text.split()[-1][:8] in lines[at].text:
                    begin = at + 1
                    break
                if length > 1.5 * len(text) + 400:
                    break
            # Without a heading below it, an abstract may be all the text that there is.
            if begin == end and self.front.head is not None:
                begin = head + 1
        body = without_running_heads(lines[begin:end], lines)
        return [line for line in body if not _KEYWORDS.match(line.text)]


def read_pages(pages: Pages, name: str) -> PdfDraft:
    """Read the first and the last pages of a PDF; see `parse` for what it raises."""
    lines = [line for page in range(min(FRONT_PAGES, len(pages))) for line in pages.lines(page)]
    if not lines and pages.failures:
        raise DraftError(
            f"{name} cannot be read as PDF: its pages break their reader down.",
            "Export it again, or give the draft as text.",
        )
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
    listed = without_running_heads(_listed_lines(pages), lines)
    vocabulary = words_of([*lines, *listed])
    front = read_front(lines, (pages.fact("Title"), pages.fact("Author")), vocabulary)
    references, notes = read_list(listed, vocabulary) if listed else ((), ())
    if pages.failures:
        notes += (f"{counted(pages.failures, 'page')} could not be read.",)
    return PdfDraft(pages, front, tuple(lines), references, notes, tuple(listed))


def _listed_lines(pages: Pages) -> list[Line]:
    """Return the lines after the heading "References", searched from the last page on.

    Without such a heading, the list begins at the last marker "[1]".
    """
    after: list[Line] = []
    for page in reversed(range(max(len(pages) - BACK_PAGES, 0), len(pages))):
        lines = pages.lines(page)
        start = find_list(lines)
        if start is not None:
            # On top of a page, it may go on from the page before, or to the next one.
            head, top = lines[start - 1], max(line.y for line in lines)
            before = pages.lines(page - 1) if page else ()
            following = pages.lines(page + 1) if page + 1 < len(pages) else ()
            again = any(e.text == head.text and abs(e.y - head.y) < 2 for e in following)
            if head.y < top or not (again or find_list(before) is not None):
                listed = [*lines[start:], *after]
                return listed[next(_first_markers(listed), 0) :]
        after = [*lines, *after]
    start = next(_first_markers(after, last=True), None)
    return [] if start is None else after[start:]


def find_list(lines: Sequence[Line]) -> int | None:
    """Return the line after the last heading "References", None without one."""
    for place in reversed(range(len(lines))):
        text, below = lines[place].text, lines[place + 1 : place + 10]
        if heading(text) in _HEADINGS and not _OF_CONTENTS.search(text):
            # What follows it in a table of contents are headings.
            if not below or any(_IN_ENTRY.search(line.text) for line in below):
                return place + 1
    return None


def _first_markers(lines: Sequence[Line], *, last: bool = False) -> Iterator[int]:
    """Yield the lines with a "[1]" that [2] and [3] follow, in their order or from the last on."""
    ones = [place for place, line in enumerate(lines) if line.text.startswith("[1]")]
    for place in ones[:: -1 if last else 1][:9]:
        if len(_bracketed(lines[place:])) > 2:
            yield place


def read_list(
    lines: Sequence[Line], vocabulary: Counter[str]
) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    """Read the lines below the heading: works, and notes on what could not be told."""
    size = main_size(lines[:_LIST_LINES])
    heights: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        heights[line.page].append(line.y)
    listed: list[Line] = []
    for line in _without_statements(lines):
        if heading(line.text) in _AFTER or (line.size > 1.1 * size and _LETTERED.match(line.text)):
            break
        edges = min(heights[line.page]), max(heights[line.page])
        numbers_page = line.text.isdigit() and line.y in edges
        if line.size > 0.88 * size and not numbers_page:  # No footnote either.
            listed.append(line)
    entries = _entries(listed)
    if entries is None:
        return tuple(identified_works(joined(listed, vocabulary))), (
            "The list of references could not be split into works; only those with a DOI or an "
            "arXiv id are read.",
        )
    texts = (joined(entry, vocabulary)[:LONGEST_ENTRY] for entry in entries[:MOST_REFERENCES])
    works = tuple(dict.fromkeys(map(marked_work, texts)))
    letters = _letters_each(entries)
    if letters <= _LONG_ENTRY:
        return works, ()
    return works, (
        f"The list of references is a guess: {counted(len(entries), 'work')} of {letters:.0f} "
        "letters each were read, so some are lost; give them as a .bib beside it.",
    )


def _without_statements(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield lines but for statements, up to the next number, or to a name in another column."""
    stated: Line | None = None
    number = 0
    for before, line in zip([None, *lines], lines, strict=False):
        mark = BRACKETED.match(line.text) or NUMBERED.match(line.text)
        given = int(mark[1]) if mark and mark[1].isdecimal() else 0
        follows = number < given <= number + _MISSED
        ended = before is None or _CLOSED.search(before.text)
        if ended and _STATEMENT.match(line.text):
            stated = line
        elif stated:
            elsewhere = (line.page, line.right) != (stated.page, stated.right)
            if follows or (elsewhere and not number and begins_with_name(line.text)):
                stated = None
        if stated is None:
            number = given if follows else number
            yield line


def _entries(lines: Sequence[Line]) -> list[list[Line]] | None:
    """Group lines into entries by what begins them, the surest first. None if nothing does.

    What makes too few entries for all those lines gives way to the next that makes enough.
    """
    first: list[list[Line]] | None = None
    for starts in _starts(lines):
        if len(starts) > 1 or (starts and len(lines) < 6):
            entries = [list(lines[a:b]) for a, b in pairwise([*starts, len(lines)])]
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
        if (mark := BRACKETED.match(line.text)) and not _NO_MARKER.match(line.text)
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


def _starts(lines: Sequence[Line]) -> Iterator[list[int]]:
    """Yield the lines that begin entries, found in one way after the other, the surest first."""
    yield _bracketed(lines)
    # 1, 2, 3 ...; other numbers at the beginning of a line are volumes and years.
    starts: list[int] = []
    for place, line in enumerate(lines):
        mark = NUMBERED.match(line.text)
        if mark and int(mark[1]) == len(starts) + 1:
            starts.append(place)
    yield starts if len(starts) > 2 or len(lines) < 6 else []
    # At the left edge of their column, if the others are indented.
    edges: dict[tuple[int, bool], float] = {}
    for line in lines:
        column = line.page, line.right
        edges[column] = min(edges.get(column, line.x), line.x)
    places = range(len(lines))
    starts = [at for at in places if lines[at].x - edges[lines[at].page, lines[at].right] < 3]
    yield starts if len(starts) <= 0.8 * len(lines) else []

    def begins(at: int) -> bool:
        """Whether a line begins with a name, after one that ends as an entry does."""
        return bool(_CLOSED.search(lines[at - 1].text)) and begins_with_name(lines[at].text)

    # After larger gaps than usual; on top of a column, what looks like a start.
    gaps = [lines[at - 1].y - lines[at].y for at in places[1:]]
    wide = 1.2 * median([gap for gap in gaps if gap > 0] or [0.0])
    apart = [at for at, gap in enumerate(gaps, 1) if gap > wide or (gap < 0 and begins(at))]
    yield [0, *apart] if any(gap > wide for gap in gaps) else []
    starts = list(filter(begins, places[1:]))
    yield [0, *starts] if starts and len(starts) < 0.8 * len(lines) else []


class _Paragraphs:
    """Finds the paragraphs in the lines of a body, in reading order.

    A paragraph goes on across what floats in it and across columns and pages, until a line begins
    like a new one after one that ends a sentence.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        """Measure the lines: their size, the distance between them, where columns begin."""
        self.lines = lines
        self.size = main_size(lines)
        gaps = [
            one.y - other.y
            for one, other in pairwise(lines)
            if one.page == other.page and 0 < one.y - other.y < 4 * max(one.size, 1.0)
        ]
        self.usual_gap = median(gaps) if gaps else 0.0
        starts: dict[tuple[int, bool], Counter[int]] = defaultdict(Counter)
        for line in lines:
            starts[line.page, line.right][round(line.x)] += 1
        self.edges = {column: at.most_common(1)[0][0] for column, at in starts.items()}
        self.section = ""
        self.open: list[Line] = []  # The lines of the paragraph.
        self.heading: list[Line] = []
        self.passed_over = False  # Whether a formula or the like stands behind them.
        self.caption: Line | None = None

    def read(self) -> Iterator[tuple[str, list[Line]]]:
        """Yield the title of the section, and the lines, of each paragraph."""
        left_out = False
        for before, line in zip([None, *self.lines], self.lines, strict=False):
            gap = 0.0  # To the line before, in usual ones; none at the top of a column.
            if before and before.page == line.page and before.y > line.y and self.usual_gap:
                gap = (before.y - line.y) / self.usual_gap
            if self._is_beside(before, line, gap):
                continue
            if self._is_title(line, gap):
                yield from self._close()
                if self.heading and (is_heading(line.text) or line.page != self.heading[-1].page):
                    self.heading = []
                self.heading.append(line)
                continue
            if self.heading:
                title = " ".join(line.text for line in self.heading)
                self.section, left_out, self.heading = bare(title), ends_text(title), []
            if left_out or line.size < (1 - 2 * _SAME_SIZE) * self.size or not self._is_text(line):
                self.passed_over = True
                continue
            if self._begins(line, gap):
                yield from self._close()
            self.open.append(line)
            self.passed_over = False
        yield from self._close()

    def _close(self) -> Iterator[tuple[str, list[Line]]]:
        if self.open:
            yield self.section, self.open
            self.open = []

    def _is_title(self, line: Line, gap: float) -> bool:
        """Whether a line is a heading: by its size, or set apart by a number or a name."""
        if not self.size or _LEADERS.search(line.text) or is_caption(line.text):
            return False
        words = len(line.text.split())
        if line.size > (1 + _SAME_SIZE) * self.size:
            return words <= LONGEST_HEADING_WORDS + 8 and bool(_WORDS.search(line.text))
        near = line.size > (1 - 2 * _SAME_SIZE) * self.size
        apart = gap == 0.0 or gap > 1.15
        short = words <= LONGEST_HEADING_WORDS and line.text[-1:] not in ".,;:"
        bold = line.face == "bold" and short and line.text[:1].isupper()
        return near and apart and (bold or is_heading(line.text))

    def _is_beside(self, before: Line | None, line: Line, gap: float) -> bool:
        """Whether a line belongs to a caption, which goes on until a wide gap or another size."""
        # A line of text may begin so, too: "as is shown in / Figure 3. The next".
        inside = bool(self.open) and before is self.open[-1] and 0.0 < gap <= 1.15
        if is_caption(line.text) and not (inside and not _ENDED.search(self.open[-1].text)):
            self.caption = line
        elif self.caption and before:
            goes_on = line.page == before.page and 0.0 < gap <= _WIDE_GAP
            alike = abs(line.size - self.caption.size) <= _SAME_SIZE * self.size
            self.caption = self.caption if goes_on and alike else None
        return self.caption is not None

    def _is_text(self, line: Line) -> bool:
        """Tell text from formulas, tables, code and numbers of pages."""
        text = line.text
        if line.face == "fixed" or len(line.parts) > 3 or _EQUATION.fullmatch(text):
            return False
        if _CODE.match(text) or _LEADERS.search(text):
            return False
        letters = sum(map(len, _WORDS.findall(text)))
        solid = len(text.replace(" ", ""))
        flush = abs(line.x - self.edges[line.page, line.right]) <= _UNEVEN
        if not flush and letters <= 0.5 * solid:
            return False
        return letters >= 0.3 * solid or not (_OPERATORS.search(text) or text.isdigit())

    def _begins(self, line: Line, gap: float) -> bool:
        """Whether a line begins a paragraph: set apart or indented, after the end of a sentence."""
        if not self.open:
            return False
        last = self.open[-1]
        ended = bool(_ENDED.search(last.text))
        if _ITEM.match(line.text) and (ended or last.text.endswith((";", ","))):
            return True
        if self.passed_over and line.text[:1].isupper() and last.text[-1:].isalnum() and gap > 0:
            # The full stop stands in the formula. What floats is on another page, or far away.
            return not ended and line.page == last.page and gap > _WIDE_GAP
        if self.passed_over and last.text.endswith(":"):
            return line.text[:1].isupper()
        indented = line.x - self.edges[line.page, line.right] > 0.6 * line.size
        return ended and (gap > _WIDE_GAP or indented)
