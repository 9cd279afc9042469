"""Read the body of a PDF: its running text, as well as print can tell it from the rest."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from recsys.formats.bodies.headings import letters_of
from recsys.formats.bodies.pdf_prose import prose
from recsys.formats.bodies.printed_citations import cited_list
from recsys.formats.bodies.running_text import RunningText, Units
from recsys.formats.drafts.pdf import PdfText
from recsys.formats.drafts.pdf_pages import Line, Pages
from recsys.formats.drafts.pdf_wording import composed, without_running_heads, words_of
from recsys.formats.drafts.wording import counted
from recsys.passages import Body

MOST_PAGES = 300
"""Pages that are read: no paper has more, and a page takes some hundredths of a second."""

_BROKEN = re.compile(r"([^\W\d_]+)[-\u00ad\u2010\u2011]\Z")
_BULLET = re.compile(r"[\u2022\u2023\u25aa\u25cf\u25e6\u2219\u2013-]\s+")
_WORD = re.compile(r"[^\W\d_]+")
_KEYWORDS = re.compile(r"(?i)(?:author )?key ?-?words?\s?[:.\u2014-]|index terms\b")
_FIRST = frozenset({"introduction", "background", "motivation"})
_GUESS = "Text, captions, formulas and tables of a PDF are told apart by their print: a guess."
_LOST = (
    "No citation in the text could be told: numbers that are raised, like those of notes, are not "
    "read, and what is cited already may be recommended again."
)


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
        broken = following and _is_broken(words, composed(following.text), vocabulary)
        end = len(words) - 1 if broken else len(words)
        text.words(words[begin:end], start + begin)
        if not words.endswith(("/", "-")) and not broken:
            text.words(" ", start + end)
        begin = 0


def _is_broken(text: str, words: str, vocabulary: Counter[str]) -> bool:
    """Whether a hyphen at the end of a line only divides a word."""
    begun, rest = _BROKEN.search(text[-80:]), _WORD.match(words)
    if begun is None or rest is None or not rest[0].islower():
        return False
    whole, hyphened = begun[1] + rest[0], f"{begun[1]}-{rest[0]}"
    return vocabulary[hyphened.lower()] <= vocabulary[whole.lower()]


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
