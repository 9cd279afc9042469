"""Read the running text of a draft given as plain text."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from recsys.formats.bodies.latex_names import SKIPPED_SECTION
from recsys.formats.bodies.running_text import Lines, RunningText
from recsys.formats.drafts.plain import split_list
from recsys.formats.drafts.wording import clipped
from recsys.formats.files import decode, display_name
from recsys.passages import Body

LONGEST_HEADING_WORDS = 12
LONGEST_TITLE_WORDS = 30
MOST_PARAGRAPHS = 100_000

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_NUMBERED = re.compile(r"\s*(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z]\.)\s+[^\W\d_a-z]")
_NUMBER = re.compile(r"\s*(?:\d[\d.]*|[IVX]{1,5}\.|[A-Z]\.)\s+")
_KNOWN = re.compile(
    r"""(?:abstract|summary|introduction|background|related\ work|literature\ review|prior\ work
    |preliminaries|methods?|methodology|materials\ and\ methods|approach|models?|data|datasets?
    |experiments?|experimental\ (?:setup|results)|evaluation|results?(?:\ and\ discussion)?
    |discussions?|analysis|conclusions?|limitations?|future\ work|implementation|theory
    |discussion\ and\ conclusions?|conclusions?\ and\ future\ work)\W*\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_ABSTRACT = re.compile(r"(?i)\s*(?:abstract|keywords?|key words|index terms)\s*[:.\u2013\u2014-]")
_ITEM = re.compile(r"(?m)^[^\S\n]*(?:[-*\u2022\u2013]|\(?(?:\d{1,2}|[a-z])[.)])[^\S\n]+(?=\S)")


def read(raw: bytes, path: Path) -> Body:
    """Read the body of a plain text.

    Raises:
        InputError: the file is no text.
    """
    return read_text(decode(raw, display_name(path)))


def read_text(text: str) -> Body:
    """Read a text: title, abstract, headings and the list of references at its end are left out.

    What is printed as a citation, "(Lee, 2020)" or "[12]", is a mark without keys.
    """
    kept, notes = clipped(text)
    kept, _, _ = split_list(kept)
    running = RunningText(numbers=True)
    skipping = False
    for number, match in enumerate(islice(_PARAGRAPH.finditer(kept), MOST_PARAGRAPHS)):
        paragraph, at = match[0], match.start()
        if number == 0 and _is_title(paragraph, kept[match.end() :]):
            continue
        first, _, rest = paragraph.partition("\n")
        if is_heading(first) and (not rest or _NUMBERED.match(first) or _KNOWN.match(_bare(first))):
            title = _bare(first)
            skipping = SKIPPED_SECTION.match(title) is not None
            running.heading(title)
            at, paragraph = at + len(first), rest and f"\n{rest}"
        if not skipping and not _ABSTRACT.match(paragraph):
            for start, end in _items(paragraph):
                running.words(paragraph[start:end], at + start)
                running.end_paragraph()
    return Body(sentences=running.sentences(Lines(text)), notes=notes)


def is_heading(line: str) -> bool:
    """Whether a line alone is a heading: short, no sentence, and numbered, known or in capitals."""
    words = line.split()
    if not 0 < len(words) <= LONGEST_HEADING_WORDS or line.rstrip()[-1] in ".,;:!?":
        return False
    if _NUMBERED.match(line) or _KNOWN.match(_bare(line)) or SKIPPED_SECTION.match(_bare(line)):
        return True
    long = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return bool(long) and all(word[0].isupper() for word in long) and "[" not in line


def _bare(heading: str) -> str:
    """Return a heading without its number."""
    return " ".join(_NUMBER.sub("", heading, count=1).split())


def _is_title(paragraph: str, rest: str) -> bool:
    words = len(paragraph.split())
    ends = paragraph.rstrip().endswith((".", "!", ";", ","))
    return bool(rest.strip()) and not ends and words <= LONGEST_TITLE_WORDS and "[" not in paragraph


def _items(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a paragraph that are items of a list, and what goes before them."""
    begins = [(0, 0), *(match.span() for match in _ITEM.finditer(paragraph))]
    ends = [start for start, _ in begins[1:]]
    for (_, start), end in zip(begins, [*ends, len(paragraph)], strict=True):
        if start < end:
            yield start, end
